#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values as text: summaries that run no code, reprs bounded and guarded."""
import collections
import os
import re
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from probe import probe  # noqa: E402


def refused(work, *args):
    try:
        return "no error, but %r" % (work(*args),)
    except RuntimeError as e:
        return str(e)


class Touchy:
    touched = []

    def _touch(name):
        def method(self, *args):
            Touchy.touched.append(name)
            raise AssertionError("touched: " + name)
        return method

    for _n in ("__repr__", "__str__", "__hash__", "__eq__", "__len__", "__iter__", "__getattr__", "__bool__", "__format__"):
        locals()[_n] = _touch(_n)


class List(list):
    __repr__ = __len__ = __iter__ = Touchy.__repr__


class Dict(dict):
    __repr__ = __len__ = __iter__ = keys = items = Touchy.__repr__


class Error(Exception):
    __repr__ = __str__ = Touchy.__repr__


def function(a):
    yield a


# ---- summaries

for v in (0, -1, 10**40, True, None, ..., NotImplemented, 1.5, 1e300, float("inf"), 2 - 3j, "", "it's", 'a"b\'', "\n\0é",
          b"", b"\xff'", [], [1], (), (1,), (1, 2), [[1, [2]], (3,)], {}, {1: 2, "a": [None]}, set(), {1}, frozenset(),
          frozenset([1]), slice(1, None, 2), [True, {2: (3,)}]):
    is_(probe.show(v), repr(v), "%s is shown as its repr" % repr(v))
is_(probe.show(function), "function function", "a function is shown by its name")
is_(probe.show(function.__code__), "code function", "a code object is")
is_(probe.show(len), "builtin len", "a builtin is")
is_(probe.show(sys), "module sys", "a module is")
is_(probe.show(int), "class int", "a type is")
is_(probe.show(Touchy), "class __main__.Touchy", "a class is, with its module")
is_(probe.show(collections.OrderedDict), "class collections.OrderedDict", "a type of C is")
is_(probe.show(function(1)), "generator function", "a generator is")
is_(probe.show(probe.show.__self__.__class__), "class module", "the type of modules is")
is_(probe.show(ValueError("no", 3)), "ValueError('no', 3)", "an exception is shown with its arguments")
is_(probe.show(KeyError("k")), "KeyError('k')", "with one argument too")


def closing(a):
    return lambda: a


is_(probe.show(closing(5).__closure__), "(cell 5,)", "a cell is shown with what it holds")
is_(probe.show("".join), "builtin join", "a bound builtin is shown by its name")
is_(probe.show(Touchy().__init__.__class__), "class method-wrapper", "a type without a module is")
Pair = collections.namedtuple("Pair", "a b")
del Touchy.touched[:]
like(probe.show(Touchy()), r"^<__main__\.Touchy at 0x[0-9a-f]+>$", "an object of the program's is shown by its type")
like(probe.show(List([1])), r"^<__main__\.List at 0x", "a list of its own kind too")
like(probe.show(Dict(a=1)), r"^<__main__\.Dict at 0x", "and a dict")
is_(probe.show(Pair(1, Touchy)), "__main__.Pair(1, class __main__.Touchy)", "a named tuple has the name of its class and its items")
like(probe.show([Touchy(), {"k": Touchy()}]), r"^\[<__main__\.Touchy at 0x[0-9a-f]+>, \{'k': <__main__", "inside others too")
is_(probe.show(Error(1)), "Error(1)", "an exception of the program's is shown without its own repr")
like(probe.show(Error(Touchy())), r"^Error\(<__main__\.Touchy at", "whatever its arguments are")
is_(Touchy.touched, [], "none of it runs code of the program")

million = list(range(10**6))
start = time.process_time()
for v in (million, tuple(million), dict.fromkeys(million), set(million), "x" * 10**7, b"x" * 10**7):
    text = probe.show(v)
    ok(len(text) <= 120, "a huge %s is shown within the bound" % type(v).__name__, text)
spent = time.process_time() - start
def cut_within(shown):
    return shown[-1] not in "])}" or "..." in shown and not re.search(r"\.\.\. \d more[])}]", shown) and "'..." not in shown


long = ["a" * 17, "b" * 30, "c" * 11, "d" * 20]
is_([s for n in range(40, 100) for v in (long, tuple(long), dict.fromkeys(long), [long, long]) for s in [probe.show(v, n)] if cut_within(s)], [],
    "summaries of any length are cut between items")
like(probe.show(million), r"^\[0, 1, 2, .*, \.\.\. 9999\d\d more\]$", "how many items are not shown is reported")
like(probe.show(dict.fromkeys(million)), r"^\{0: None, .*\.\.\. 9999\d\d more\}$", "of a dict too")
like(probe.show("x" * 10**7), r"^'x+'\.\.\.$", "a long text keeps its quotes and says that it continues")
like(probe.show(10**100000), "^<int of 332193 bits>$", "a huge number is not written out")
start = time.process_time()
for _ in range(1000):
    probe.show(million)
ok((time.process_time() - start) / 1000 < 0.002, "a list of a million items takes no time", time.process_time() - start)
too_long = []
for bound in (1, 2, 3, 4, 5, 8, 13, 20, 21, 34, 55):
    for v in (million, "é" * 100, {"é" * 10: [1] * 50}, function, Touchy(), (1, "é" * 50), b"\0" * 40):
        if len(probe.show(v, bound).encode()) > bound:
            too_long.append((bound, probe.show(v, bound)))
is_(too_long, [], "summaries keep to their bound and cut no character")
deep = []
for _ in range(1000):
    deep = [deep]
is_(probe.show(deep), "[[[[[...]]]]]", "containers within containers end after some")
me = []
me.append(me)
is_(probe.show(me), "[[[[[...]]]]]", "a list that holds itself ends too")
cell = closing(1).__closure__[0]
cell.cell_contents = cell
is_(probe.show(cell), "cell cell cell cell cell ...", "a cell that holds itself")
error = ValueError()
error.args = (error,)
ok(probe.show(error).startswith("ValueError(ValueError("), "an exception that holds itself")
sliced = slice(1)
for _ in range(1000):
    sliced = slice(sliced, sliced)
ok(len(probe.show(sliced, 10000)) < 5000, "slices of slices")
is_(probe.show("\ud800"), r"'\ud800'", "a lone surrogate is shown escaped")
is_(probe.type(Touchy()), "Touchy", "a type's name is reported")
is_(probe.type(collections.deque()), "deque", "without its module")

probe.format(True)
is_(probe.show([1j]), "[complex!]", "formatters are asked first, inside containers too")
probe.format(False)
is_(probe.show([1j]), "[1j]", "until they are dropped")

# ---- reprs

for v in (0, "it's", [1, (2,), {3: {4}}], (), (1,), {}, set(), frozenset(), frozenset([1]), {"a": [1.5, None]}, b"x", me,
          {1: me}, function, collections.OrderedDict(a=1), range(3)):
    is_(probe.repr(v), (repr(v), False), "the repr of %s is its own" % repr(v)[:60])
holds = {}
holds["self"] = [holds]
ordered = collections.OrderedDict(a=[])
ordered["a"].append(ordered)
is_(probe.repr(ordered["a"]), (repr(ordered["a"]), False), "what holds itself through an object of C as well")
deep = []
for _ in range(500):
    deep = [deep]
ok(probe.repr(deep, 2000)[1], "very deep nesting is cut")
is_(probe.repr(holds), (repr(holds), False), "what holds itself within others is reported as Python does")
huge = (million, [million], tuple(million), dict.fromkeys(million), {"k": million}, set(million), "x" * 10**7)
start = time.process_time()             # of this process alone: other load does not count
for v in huge:
    text, cut = probe.repr(v, 200)
    ok(cut and len(text) == 200, "the repr of a huge %s is cut" % type(v).__name__, text)
ok(time.process_time() - start < 0.5, "without walking it whole", time.process_time() - start)
is_(probe.repr(list(range(100)), 10**6), (repr(list(range(100))), False), "what fits is not cut")
is_(probe.repr("é" * 10, 4), ("'é", True), "no character is cut through")
is_(probe.repr("\ud800")[0], r"'\ud800'", "a lone surrogate is escaped")


class Says:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        if isinstance(self.text, BaseException):
            raise self.text
        return self.text

    __str__ = __repr__


is_(probe.repr([Says("mine"), Says("")]), ("[mine, ]", False), "a repr of the program's is asked")
is_(probe.repr(Says("x\ud800y"))[0], r"x\ud800y", "even one that says a lone surrogate")
is_(refused(probe.repr, Says(ValueError("no repr"))), "ValueError: no repr", "an exception in it is an error")
is_(refused(probe.repr, [1, Says(KeyError("k"))]), "KeyError: 'k'", "inside a list too")
is_(refused(probe.repr, Says(SystemExit(3))), "SystemExit: 3", "sys.exit in it as well")
is_(refused(probe.repr, Says(KeyboardInterrupt())), "KeyboardInterrupt", "and Ctrl-C")
is_(refused(probe.repr, Says(5)), "TypeError: " + ("Says.__repr__() must return a str, not int" if sys.version_info >= (3, 15) else
                                           "__repr__ returned non-string (type int)"), "and a repr that is not text")
is_(refused(probe.repr, Says(ValueError(Says(ValueError())))), "ValueError",
    "an exception that cannot be shown is shown by its type")


class Shrinks:
    def __repr__(self):
        del shrinking[1:]
        shrinking_dict.clear()
        return "gone"


shrinking = [Shrinks()] + [[i] for i in range(50)]
shrinking_dict = {Shrinks(): 1, "b": [2]}
ok(probe.repr(shrinking)[0].startswith("[gone, [0], "), "a repr that changes its list does no harm")
shrinking_dict = {1: Shrinks(), "b": [2]}
is_(probe.repr(shrinking_dict), ("{1: gone, 'b': [2]}", False), "nor one that changes its dict")
is_(probe.str("it's"), "it's", "str of a text is the text")
is_(probe.str(Says("mine")), "mine", "str of the program's is asked")
is_(refused(probe.str, Says(ValueError("no str"))), "ValueError: no str", "an exception in it is an error")
is_(probe.str("x" * 10**7, 50), "x" * 50, "str is bounded")

try:
    try:
        raise LookupError("on its way")
    finally:
        refused(probe.repr, Says(ValueError("other")))
except LookupError as e:
    is_((str(e), e.__context__), ("on its way", None), "an exception that is handled stays as it is")
done()
