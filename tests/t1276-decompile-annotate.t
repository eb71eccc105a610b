#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The functions that give annotations (CPython 3.14 and later) are compiled again, those within a class too, where a name
is looked up in the class first."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import compared  # noqa: E402

if sys.version_info < (3, 14):
    skip_all("annotations are evaluated where they are written before CPython 3.14")

SAMPLE = r'''
class int:                      # hides the builtin
    pass

class Outer:
    str = list
    x: str
    y: "text" = 3
    def method(self, a: int, b: str, *c: dict[str, int], d: x_later = 4) -> Outer:
        return a
    def plain(self, a: int) -> None:
        pass
    def several(self, a: (lambda: str)(), b: [i for i in str((1, 2))], c: str | None) -> {"k": str}:
        pass
    class Inner:
        dict = set
        def method(self, a: dict, b: str) -> Outer.Inner:
            pass
    x_later = tuple

def within(T, on):
    class Local:
        z: T
        def method(self, a: T, b: int, c: Local) -> Outer:
            pass
    class Hides:
        if on:
            T = 5
        def method(self, a: T):
            pass
    return Local, Hides

def function(a: int, *, b: "text" = 1) -> Outer.str:
    pass

Local, Hides = within(7, True)
'''

CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import annotationlib
import cdbg
import sample
from sample import *

def again(f):
    return types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__, f.__defaults__, f.__closure__)

def run(f, form):
    try:
        return repr(annotationlib.call_annotate_function(f, form))
    except Exception as e:
        return repr(e)

def shape(s):
    import re
    return re.sub("0x[0-9a-f]+", "0x", s)

for name, o in (("method", Outer.method), ("plain", Outer.plain), ("several", Outer.several),
                ("inner", Outer.Inner.method), ("local", Local.method), ("hides", Hides.method), ("function", function), ("class", Outer), ("local_class", Local)):
    f = o.__annotate__
    g = again(f)
    got = [(shape(run(f, form)), shape(run(g, form))) for form in annotationlib.Format if form != 2]
    bad = [pair for pair in got if pair[0] != pair[1]]
    print(name, bad or (got[0] if "Error" in got[0][0] else "same"))
print("----")
for o in Outer.method, Outer.plain, Local.method, Outer:
    print(cdbg.decompile(o.__annotate__), end="")
print(Outer.method.__annotate__(1)["b"], again(Outer.method.__annotate__)(1)["b"])
print(again(Hides.method.__annotate__)(1)["a"])
try:
    again(Outer.method.__annotate__)(3)
except NotImplementedError:
    print("refuses other formats")
class Shadow:
    def method(self, a: format) -> None:
        pass
try:
    print(again(Shadow.method.__annotate__)(1) == Shadow.method.__annotate__(1))
except ValueError as e:
    print("refused:", e)
'''
text = compared(SAMPLE, CHECK, 9)
like(text, r"(?m)^def __annotate__\(format, /\):\n    if format > 2:\n        raise NotImplementedError\(?\)?\n    return ",
     "the text is a function of a format")
like(text, r"return \{'a': int, 'b': str, 'c': dict\[str, int\], 'd': x_later, 'return': Outer\}",
     "its names are those of the annotations")
like(text, r"(?m)^<class 'list'> <class 'list'>$", "a name of the class is found before the builtin")
like(text, r"(?m)^5$", "and before a variable of the function around the class")
like(text, r"(?m)^refuses other formats$", "another format is refused as before")
like(text, r"(?m)^refused: cannot recompile '__annotate__': a name that the class may have, and that is a variable, at line \d+$",
     "a name that is that of the argument, too, is refused with its line")
ok("__class_name_" not in text, "no stand-in is in text that is read", text)
done()
