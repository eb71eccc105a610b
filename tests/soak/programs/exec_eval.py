# SPDX-License-Identifier: BSD-3-Clause
# Code made at run time, in all the ways; odd names of files; code that is replaced while it runs.
import ast, types

space = {}
exec("def f(x):\n    return [x, [y for y in range(x)]]", space)
print(space["f"](2), eval("f(1)[0] + 1", space))
for name in ("<odd>", "", "no such file.py", "a\nb", "\udc80.py"):
    print(eval(compile("1 + 1", name, "eval")))
tree = ast.parse("def g(a):\n    return a * 2\n")
tree.body[0].body[0].lineno = 1000
exec(compile(tree, "ast", "exec"), space)
print(space["g"](4))

def h(n):
    h.__code__ = other.__code__
    return n + 1

def other(n):
    return n + 100

print(h(1), h(1))
code = h.__code__.replace(co_linetable=b"", co_filename="nowhere", co_name="\0odd")
print(types.FunctionType(code, globals())(1))
def cell():
    x = 1
    def get():
        nonlocal x
        x += 1
        return x
    return get
c = cell()
print(c(), c(), c.__closure__[0].cell_contents)
