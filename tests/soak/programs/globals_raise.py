# SPDX-License-Identifier: BSD-3-Clause
# Code runs in dictionaries whose look-ups raise, and which change while they are read.
class Raises(dict):
    def __missing__(self, name):
        raise KeyError("missing " + name)

    def __contains__(self, name):
        raise RuntimeError("contains " + str(name))

    def __iter__(self):
        raise RuntimeError("iter")

    def keys(self):
        raise RuntimeError("keys")


class Grows(dict):
    def __getitem__(self, name):
        self["more%d" % len(self)] = 1
        return dict.__getitem__(self, name)


text = """
a = 1
for i in range(3):
    a = a + i
def f(x):
    y = x + a
    return y
b = f(2)
"""
space = Raises(__builtins__=__builtins__, __name__="odd")
exec(compile(text, "odd.py", "exec"), space)
print(dict.__getitem__(space, "b"))
local = Raises()
try:
    exec(compile("a = 1\nb = a + nothing\n", "local.py", "exec"), {}, local)
except KeyError as e:
    print("local", e)
grows = Grows()
exec(compile("a = 1\nb = a + 1\nc = b + a\n", "grows.py", "exec"), {}, grows)
print(len(grows))
try:
    exec(compile("x = 1\n", "none.py", "exec"), {"__builtins__": None})
    exec(compile("print(1)\n", "none.py", "exec"), {"__builtins__": {}})
except NameError as e:
    print(e)
