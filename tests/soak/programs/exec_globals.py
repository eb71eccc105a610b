# SPDX-License-Identifier: BSD-3-Clause
# Code with odd globals: none of the usual names, a subclass of dict, builtins of its own, a mapping for locals, keys that are no text.
import collections.abc, types

CODE = compile("def f(n):\n    total = 0\n    for i in span(n):\n        total += i\n    return total\nvalue = f(4)\n", "<odd>", "exec")

class Names(dict):
    def __missing__(self, key):
        if key == "span":
            return range
        raise KeyError(key)

class Locals(collections.abc.MutableMapping):
    def __init__(self):
        self.d = {}

    def __getitem__(self, k):
        print("get", k)
        return self.d[k]

    def __setitem__(self, k, v):
        print("set", k)
        self.d[k] = v

    def __delitem__(self, k):
        del self.d[k]

    def __iter__(self):
        return iter(self.d)

    def __len__(self):
        return len(self.d)

bare = {"span": range}
exec(CODE, bare)
print(bare["value"], sorted(bare))
own = {"__builtins__": {"range": range}, "span": range}
exec(CODE, own)
print(own["value"])
names = Names({"__builtins__": {}})
try:
    exec(CODE, names)
    print(names["value"])
except NameError as e:
    print("NameError", e)
odd = {"span": range, 1: "one", ("a",): 2, "__name__": 5, "__file__": object, "__loader__": None, "__spec__": b"", "__builtins__": types.ModuleType("b")}
exec(CODE, odd)
print(odd["value"])
place = Locals()
exec("a = 1\nb = a + 1\nclass C:\n    x = 3\n", {}, place)
print(sorted(place.d))
f = types.FunctionType(bare["f"].__code__, {"span": lambda n: [n] * 2, "__name__": None}, "renamed\n\x1b[31m")
print(f(3), f.__name__)
def gone(n):
    globals().pop("gone_too", None)
    return n
g = types.FunctionType(gone.__code__.replace(co_name="", co_filename="\0nul", co_firstlineno=2**31 - 1), {})
try:
    print(g(1))
except NameError as e:
    print("NameError", e)
print(eval("(lambda: [x for x in y])()", {"y": (1, 2)}))
