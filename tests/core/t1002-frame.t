#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames read and written: position, value stack with its trust rules, locals, jumps."""
import dis
import gc
import os
import signal
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from probe import probe  # noqa: E402

NULL = "<NULL>"
# 3.14 keeps its stack pointer up to date: what it counts is whole
WHOLE = sys.version_info >= (3, 14)
COUNTED = sys.version_info >= (3, 15)       # a loop over a list has the list on the stack, and how far it came
# PRECALL was the first half of a call in 3.11, and LOAD_METHOD became an argument of LOAD_ATTR; 3.13 turned the NULL
# beside a function around.
CALL, METHOD = ("PRECALL", "LOAD_METHOD") if sys.version_info < (3, 12) else ("CALL", "LOAD_ATTR")
def called(function): return [function, NULL] if sys.version_info >= (3, 13) else [NULL, function]
FUNCTION, EMPTY = (0, 1) if sys.version_info >= (3, 13) else (1, 0)


def at(function, name, arg=None, nth=0):
    """Offset of the nth instruction of this name (and of this argument as dis writes it)."""
    return [i.offset for i in dis.get_instructions(function)
            if i.opname.replace("LOAD_FAST_BORROW", "LOAD_FAST") == name and (arg is None or i.argrepr == arg)][nth]


def refused(work, *args):
    try:
        work(*args)
    except RuntimeError as e:
        return str(e)
    return ""


def once(offset, work, when=1):
    """A callback that does work(frame) the when-th time that offset is about to run."""
    count = [0]

    def callback(frame):
        if frame.f_lasti == offset:
            count[0] += 1
            if count[0] == when:
                work(frame)
    return callback


# ---- position and depth at events

def busy(n, *rest, key=None):
    total = []
    for i in range(n):
        with open(os.devnull) as f:
            total.append((i, f.name, {"a": [i, *rest], **{}}))
        try:
            total[99]
        except IndexError as e:
            total.append(str(e) + f"{i!r:>4}")
        finally:
            key = not key
    while n > 0:
        n -= 1
        total = [x for x in total if x] or None
        assert total is not None
    return total, (lambda: n)


wrong, seen = [], set()


def check(frame):
    row = rows[probe.where(frame)[0]]
    seen.add(row[0])
    if row[0] != frame.f_lasti or probe.depth(frame, True) != row[9] or probe.where(frame)[2] != (frame.f_lineno or 0):
        wrong.append((row, frame.f_lasti, probe.depth(frame, True)))
    probe.slots(frame, True)


rows = probe.decode(busy.__code__)
probe.trace(busy.__code__, check, busy, 3, 1, 2)
ok(len(seen) > 60 and not wrong, "at every event position and saved depth are the analysed ones", wrong[:3])


def call(a, b):
    return [a, len(b), a]


stacks = {}
probe.trace(call.__code__, lambda f: stacks.update({f.f_lasti: probe.slots(f, True)}), call, 1, "xy")
is_(stacks[at(call, CALL)], [1, *called(len), "xy"], "before a call its NULL, function and argument are on the stack")
is_(stacks[at(call, "BUILD_LIST")], [1, 2, 1], "before a list is built its items are")
is_(stacks[at(call, "RETURN_VALUE")], [[1, 2, 1]], "before a return the value is")

# ---- suspended frames

def callee(x, y=None):
    found.append(probe.slots(sys._getframe(1), False))
    return x


def python_call(a):
    return [a, callee(a, 2)]


def through_c(a):
    return [a, sorted([2, 1], key=callee)]


def spread(a):
    return [a, callee(*(a, 2), **{})]


def in_compare(a):
    return [a, a < a]


def deleting(a):
    return [a, str(Dying())]


def iterating(a):
    return [a, [i for i in Iterating()]]


def handled_signal(a):
    return [a, signal.raise_signal(signal.SIGUSR1)]


signal.signal(signal.SIGUSR1, lambda n, frame: found.append(probe.slots(frame, False)))


class Dying:
    def __del__(self):
        frame = sys._getframe(1)
        if frame.f_code is deleting.__code__:
            found.append(probe.slots(frame, False))


class Less:
    def __lt__(self, other):
        found.append(probe.slots(sys._getframe(1), False))
        return True


class Iterating:
    def __iter__(self):
        return self

    seen = []

    def __next__(self):
        self.seen.append(self)
        frame = sys._getframe(1)
        found.append((frame.f_code.co_name, probe.slots(frame, False)))
        raise StopIteration


found = []
python_call(7)
ok(found[0] in ([7], [7, *called(callee), 7, 2]), "a frame suspended in a call shows what is sure", found)
found.clear()
probe.trace(callee.__code__, lambda f: None, python_call, 7)
ok(found[0] in ([7], [7, *called(callee), 7, 2]), "and so while the callee is traced", found)
found.clear()
through_c(7)
is_(found[0], [7, sorted, NULL, [2, 1], callee, ("key",)] if WHOLE else [7],
    "a frame suspended in a call of C code shows no operands of it")
found.clear()
spread(7)
ok(found[0] in ([7], [7, *called(callee)]), "a call that unpacks its arguments shows none of them", found)
found.clear()
less = Less()
in_compare(less)
is_(found[0], [less] * 3 if WHOLE else [less], "a frame suspended in a comparison shows what is below the compared")
found.clear()
deleting(7)
ok(found and found[0] == ([7, str, NULL, NULL] if WHOLE else [7]), "a call that drops its arguments, whose finalizer looks, shows none of them", found)
found.clear()
iterating(7)
is_(found[0], ("<listcomp>", [[]]) if sys.version_info < (3, 12) else ("iterating", [7, NULL, [], *Iterating.seen[:WHOLE], *[NULL] * COUNTED]),
    "a loop's iterator is not shown while it runs")


def gen(a):
    x = [a, (yield a), 3]
    yield x


g = gen(5)
next(g)
is_(probe.slots(g.gi_frame, False), [5], "a suspended generator shows its stack")
is_(probe.where(g.gi_frame)[3:], (True, True), "a suspended generator lives")
is_(probe.depth(gen(5).gi_frame, False), 0, "a generator that has not begun has an empty stack")

# with hooks installed CPython inlines no calls, and saves no depth

def uninlined(function, *args):
    found.clear()
    probe.inline_calls(False)
    try:
        return function(*args)
    finally:
        probe.inline_calls(True)


uninlined(python_call, 7)
is_(found[0], [7, *called(callee), 7, 2] if sys.version_info >= (3, 12) else [7],
    "a call that is not inlined shows its operands while the function runs, where they are not the function's alone")
uninlined(spread, 7)
is_(found[0], [7, *called(callee)] + [(7, 2), {}] * WHOLE, "one that unpacks its arguments shows the function alone")
uninlined(through_c, 7)
is_(found[0], [7, sorted, NULL, [2, 1], callee, ("key",)] if WHOLE else [7], "a call of C code shows none that is not sure")
uninlined(deleting, 7)
if COUNTED:                     # the result is there before the arguments are gone
    found[0][1:] = [str, NULL, NULL] if found[0][1:] and type(found[0][1]) is str and "Dying" in found[0][1] else found[0][1:]
ok(found[0] in ([7], [7, str, NULL, NULL][:4 if WHOLE else 1]), "nor does one whose arguments are being dropped", found)
uninlined(handled_signal, 7)
is_(found[0], [7, signal.raise_signal, NULL, signal.SIGUSR1] if WHOLE else [7], "nor one that has exited, a signal's handler running after it")

# ---- another thread, ended frames, tracebacks

ready, go = threading.Event(), threading.Event()
held = []


def waiting(a):
    held.append(sys._getframe())
    ready.set()
    return [a, go.wait()]


t = threading.Thread(target=waiting, args=(7,))
t.start()
ready.wait()
is_(probe.slots(held[0], False)[:1], [7], "a frame of another thread can be read")
go.set()
t.join()
is_(probe.depth(held[0], False), 0, "a frame that ended has an empty stack")
is_(probe.where(held[0])[3], False, "and does not live")
is_(probe.locals(held[0]), {"a": 7}, "its locals can be read")
like(refused(probe.set_local, held[0], "a", 1), "'a'.*exited", "they cannot be set any more")


def raising(n):
    return raising(n - 1) if n else 1 / n


try:
    raising(2)
except ZeroDivisionError as e:
    entries, count = probe.traceback(e.__traceback__, 2)
    all_entries, _ = probe.traceback(e.__traceback__, 8)
is_((len(entries), count), (2, 4), "a traceback's frames are counted beyond the bound")
is_([f.f_code.co_name for f, _, _ in all_entries], ["<module>", "raising", "raising", "raising"], "outermost first")
is_(probe.decode(raising.__code__)[all_entries[-1][1]][1], "BINARY_OP", "with the instruction that raised")
is_(all_entries[-1][2], raising.__code__.co_firstlineno + 1, "and its line")
ok(probe.top() is sys._getframe(), "the innermost frame is found")
ok((lambda: probe.back(sys._getframe()))() is sys._getframe(), "and the one that called it")

# ---- locals

def outer(a, b=2):
    c = 3

    def inner(d):
        nonlocal c
        d = c + d
        return a, c, d
    r = inner(10)
    return a, b, c, r


is_(sorted(probe.trace(outer.__code__, once(at(outer, "RETURN_VALUE"), lambda f: found.append(probe.locals(f))), outer, 1)
           and {k: v for k, v in found[-1].items() if k != "inner"}.items()),
    [("a", 1), ("b", 2), ("c", 3), ("r", (1, 3, 13))], "locals are bound names, cells followed")
inner_code = next(c for c in outer.__code__.co_consts if hasattr(c, "co_code"))
first = lambda code: next(r[0] for r in probe.decode(code) if r[1] not in ("COPY_FREE_VARS", "MAKE_CELL", "RESUME"))


def write(frame):
    probe.set_local(frame, "a", 100)
    probe.set_local(frame, "c", 300)
    probe.set_local(frame, "d", 1000)


is_(probe.trace(inner_code, once(first(inner_code), write), outer, 1), (100, 2, 300, (100, 300, 1300)), "locals and free variables that were set are what the program sees")
is_(probe.trace(outer.__code__, once(at(outer, "STORE_FAST", "r"), lambda f: probe.set_local(f, "c", "C")), outer, 1)[2],
    "C", "a cell of the frame's own can be set")
like(refused(probe.set_local, sys._getframe(), "no such", 1) or "", "^$", "in a module's frame any name can be set")
is_(globals().pop("no such"), 1, "and is a global then")


def unknown():
    return refused(probe.set_local, sys._getframe(), "nope", 1)


like(unknown(), "no local 'nope' in unknown", "a function has only the locals that it has")


def snapshot(a):
    locals()
    probe.set_local(sys._getframe(), "a", 2)
    return a, sys._getframe().f_locals["a"]


is_(snapshot(1), (2, 2), "a snapshot of locals that was taken before follows")


def traced_write(a):
    b = a
    return a, b


def tracer(frame, event, arg):
    if frame.f_code is traced_write.__code__ and event == "line" and frame.f_locals.get("b") is None:
        frame.f_locals
        probe.set_local(frame, "a", "new")
    return tracer


sys.settrace(tracer)
result = traced_write("old")
sys.settrace(None)
is_(result, ("new", "new"), "a local that was set within a Python tracer's call stays set")


class Body:
    x = 1
    probe.set_local(sys._getframe(), "x", 5)
    probe.set_local(sys._getframe(), "y", 6)
    both = sorted(probe.locals(sys._getframe()).items())


is_((Body.x, Body.y), (5, 6), "names of a class body can be set")
ok(("x", 5) in Body.both, "and are its locals")
ok(probe.globals(sys._getframe()) is globals(), "globals are the frame's own dict")

value = object()
before = sys.getrefcount(value)
for _ in range(100):
    probe.trace(traced_write.__code__, once(at(traced_write, "RETURN_VALUE"), lambda f: probe.set_local(f, "a", value)),
                traced_write, value)
gc.collect()
is_(sys.getrefcount(value), before, "writing locals leaves no reference")

# ---- writing slots

def write_slot(slot, new):
    return lambda f: probe.set_slot(f, slot, new)


is_(probe.trace(call.__code__, once(at(call, "RETURN_VALUE"), write_slot(0, "mine")), call, 1, "xy"), "mine",
    "a value that is about to be returned can be replaced")
is_(probe.trace(call.__code__, once(at(call, CALL), write_slot(1 + FUNCTION, lambda s: "called")), call, 1, "xy"),
    [1, "called", 1], "a function that is about to be called can be")
is_(probe.trace(call.__code__, once(at(call, CALL), write_slot(0, 5)), call, 1, "xy"), [5, 2, 1],
    "an operand deep in the stack can be")


def why(function, offset, slot, new, *args, when=1):
    said = []
    probe.trace(function.__code__, once(offset, lambda f: said.append(refused(probe.set_slot, f, slot, new)), when),
                function, *args)
    return said[0]


def loops(n):
    total = []
    for i in n:
        total.append([i])
    return total


def comprehension(n):
    return [i for i in n]


def handling(n):
    try:
        return n / 0
    except ZeroDivisionError as e:
        return str(e)


def makes(a):
    def f(x=1):
        return a
    return f


def dicts(a):
    return {**a, "b": 1}, {*a}, [*a]


# 3.12 runs it in the frame of its function, above what its variable was
comp, filled = next(((c, 0) for c in comprehension.__code__.co_consts if hasattr(c, "co_code")), (comprehension.__code__, 1))
loop = at(loops, METHOD)
like(why(call, at(call, CALL), 1 + EMPTY, 5, 1, "xy"), "slot %d: .*NULL" % (1 + EMPTY), "a NULL cannot be replaced")
like(why(call, at(call, CALL), 4, 5, 1, "xy"), "no slot 4: the stack has slots 0 to 3", "no slot beyond the stack")
like(why(call, first(call.__code__), 0, 5, 1, "xy"), "no slot 0: the stack is empty", "no slot of an empty stack")
like(why(loops, loop, 0, 5, iter([1, 2])), "slot 0: .*iterator", "a loop's iterator cannot become a number")
is_(why(loops, loop, 0, iter([8, 9]), iter([1, 2])), "", "but another iterator")
if COUNTED:
    like(why(loops, loop, 0, iter([8, 9]), [1, 2]), "slot 0: a loop counts through it", "a list that a loop counts through stays")
    like(why(loops, loop, 1, 5, [1, 2]), "slot 1: it holds no object", "and so does how far it came")
is_(probe.trace(loops.__code__, once(loop, lambda f: probe.set_slot(f, 0, iter([8, 9]))), loops, iter([1, 2])), [[1], [8], [9]],
    "which the loop continues with")
like(why(loops, at(loops, CALL), 1 + COUNTED, len, [1]), "slot .: .*method", "half of a method call cannot be replaced")
like(why(loops, at(loops, CALL), 2 + COUNTED, 5, [1]), "slot .: .*method", "nor its object")
is_(why(loops, at(loops, CALL), 3 + COUNTED, 5, [1]), "", "its argument can")
said = []
probe.trace(comp, once(next(r[0] for r in probe.decode(comp) if r[1] == "LIST_APPEND"),
                       lambda f: said.append((refused(probe.set_slot, f, filled, {}), refused(probe.set_slot, f, filled, [7])))),
            comprehension, [1, 2])
like(said[0][0], "slot %d: .*exact type" % filled, "what a comprehension fills must keep its type")
is_(said[0][1], "", "but may be another of it")
like(why(handling, at(handling, "STORE_FAST", "e"), 0, 5, 1), "slot 0: .*exception", "the exception that is handled stays")
like(why(makes, at(makes, "MAKE_FUNCTION"), 2, 5, 1), "exact type", "the code of a function that is made must be code")
like(why(makes, at(makes, "BUILD_TUPLE"), 1, 5, 1), "cell", "a cell must stay one")
like(why(dicts, at(dicts, "DICT_UPDATE"), 0, [], {}), "exact type", "what a display fills must keep its type")


def added(a, i):
    a[i] += 1
    return a


other = [50, 60]
is_(probe.trace(added.__code__, once(at(added, "SWAP"), write_slot(2, 9)), added, [1, 2], 1), [1, 9],
    "a slot can be set before it is swapped")
probe.trace(added.__code__, once(at(added, "COPY"), write_slot(0, other)), added, [1, 2], 1)
is_(other, [50, 61], "a slot can be set before it is copied")


def chosen(a):
    return a[0] or {**a[1]}


like(why(chosen, at(chosen, "DICT_UPDATE"), 0, 5, [0, {}]), "exact type", "a jump is followed to who uses a slot")

said = []


def parent(a):
    return [a, child(3)]


def child(x):
    said.append(refused(probe.set_slot, sys._getframe(1), 0, "changed"))
    for slot in range(1, 5):
        said.append(refused(probe.set_slot, sys._getframe(1), slot, 9))
    return x


is_(parent("old"), ["changed", 3], "a suspended frame's slot below its call can be set")
ok(all(said[1:]), "what its call uses cannot", said)
before = sys.getrefcount(value)
for _ in range(100):
    probe.trace(call.__code__, once(at(call, "RETURN_VALUE"), write_slot(0, value)), call, value, "xy")
gc.collect()
is_(sys.getrefcount(value), before, "writing slots leaves no reference")

# ---- jumps

def jump(function, start, target, *args, when=1):
    said = []
    r = probe.trace(function.__code__, once(start, lambda f: said.append(refused(probe.jump, f, target)), when),
                    function, *args)
    return r, said[0]


def straight():
    x = 1
    x = 2
    y = 3
    return x, y


const = lambda function, value: [i.offset for i in dis.get_instructions(function) if i.argval == value][0]
table = straight.__code__.co_linetable
is_(jump(straight, const(straight, 2), const(straight, 3)), ((1, 3), ""), "a jump forward skips")
is_(jump(straight, const(straight, 3), const(straight, 1)), ((2, 3), ""), "a jump backward runs again")
ok(straight.__code__.co_linetable is table, "the line table is what it was")


def looped(n):
    t = []
    for i in range(n):
        t.append(i)
    return t


is_(jump(looped, at(looped, METHOD), at(looped, "LOAD_FAST", "t", 1), 10, when=4), ([0, 1, 2], ""),
    "a jump out of a loop drops its iterator")
r, said = jump(looped, first(looped.__code__), at(looped, "FOR_ITER"), 3)
like(said, "^cannot jump to offset [0-9]+: .*(loop|stack)", "a jump into a loop is refused")
is_(r, [0, 1, 2], "and changes nothing")
like(jump(looped, first(looped.__code__), at(looped, "CALL") + 4, 3)[1], "no instruction begins at offset",
     "a jump to no instruction is refused")
like(jump(looped, first(looped.__code__), 100000, 3)[1], "no instruction begins at offset",
     "a jump out of the code is refused")


def tried():
    x = 0
    x = 1
    try:
        x = 2
        1 / 0
    except ZeroDivisionError:
        x = 7
        y = sys.exc_info()[0]
    z = 5
    return x, sys.exc_info()[0]


like((lambda: refused(probe.jump, sys._getframe(), 10))(), "cannot jump from here: .*stepi",
     "a frame that is in a call cannot jump")
is_(jump(tried, const(tried, 1), const(tried, 2))[1], "", "a jump into a try body is taken")
is_(jump(tried, at(tried, "LOAD_GLOBAL", next(i.argrepr for i in dis.get_instructions(tried) if i.argval == "sys")), const(tried, 5))[0], (7, None),
    "a jump out of a handler ends what it handles")


def expression(a, b):
    z = 0
    q = (a, b, a)
    return z


before = sys.getrefcount(value)
for _ in range(50):
    r, said = jump(expression, at(expression, "BUILD_TUPLE"), at(expression, "LOAD_FAST", "z"), value, value)
gc.collect()
is_((r, said), (0, ""), "a jump out of an expression drops its operands")
is_(sys.getrefcount(value), before, "without leaving a reference")
for _ in range(50):
    jump(looped, first(looped.__code__), at(looped, "FOR_ITER"), 3)
before = sys.getrefcount(None)
for _ in range(1000):
    jump(looped, first(looped.__code__), at(looped, "FOR_ITER"), 3)
ok(sys.getrefcount(None) < before + 500, "a refused jump leaves no reference")

long = "def long(v1):\n" + "".join("    v%d = %d\n" % (i, 1000 + i) for i in range(300)) + "    while v1:\n        v1 = v299\n" \
    + "        v2 = v1 + v1\n" * 200 + "        return v2\n    return 0\n"
space = {}
exec(compile(long, "<long>", "exec"), space)
long = space["long"]
rows = probe.decode(long.__code__)
k = max(k for k, r in enumerate(rows) if r[1] == "STORE_FAST" and rows[k - 1][1] == "EXTENDED_ARG" and r[3] == "v299")
like(jump(long, first(long.__code__), rows[k][0], 1)[1], "follows the EXTENDED_ARG of offset %d: jump to that" % rows[k - 1][0],
     "a jump after a prefix is refused with where to jump")
k = next(k for k, r in enumerate(rows) if r[1] == "LOAD_CONST" and r[3] == "1299")
is_(rows[k - 1][1], "EXTENDED_ARG", "the constant 1299 is loaded with a prefix")
is_(jump(long, first(long.__code__), rows[k - 1][0], 1), (2598, ""), "a jump to a prefix is a jump to what it prefixes")
done()
