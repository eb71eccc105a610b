#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Expressions and statements in a frame's names: what they see, what they change, what they cost."""
import dis
import gc
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from probe import probe  # noqa: E402

G = "global"
shared = "global shared"
counter = 0


def refused(work, *args):
    try:
        return "no error, but %r" % (work(*args),)
    except RuntimeError as e:
        return str(e)


def here(text, at_event=False):
    return probe.eval(text, sys._getframe(1), at_event)


def do(text):
    return probe.exec(text, sys._getframe(1), False)


# ---- expressions

def outer(a, shared="local shared"):
    free = 5

    def inner(b):
        local = 7
        return a, free, shared, {
            "local": here("local + b"), "free": here("free"), "argument of the outer": here("a"), "shadowed": here("shared"),
            "global": here("G"), "builtin": here("len([1, 2])"), "comprehension": here("[x + b for x in (1, 2)]"),
            "lambda": here("(lambda y: y + local)(1)"), "nested": here("[[x * free for x in range(y)] for y in (1, 2)]"),
            "all": here("sorted(locals())"), "eval": here("eval('local * 2')")}
    return inner(10)


got = outer(1)[-1]
for what, want in (("local", 17), ("free", 5), ("argument of the outer", 1), ("shadowed", "local shared"), ("global", "global"),
                   ("builtin", 2), ("comprehension", [11, 12]), ("lambda", 8), ("nested", [[0], [0, 5]]),
                   ("all", ["a", "b", "free", "local", "shared"]), ("eval", 14)):
    is_(got[what], want, "an expression sees: " + what)
like(refused(lambda: (lambda a: (lambda: here("a"))())(1)), "NameError: name 'a' is not defined",
     "a name of the outer function that a function does not use is not one of its own")
is_(here("shared"), "global shared", "in a module's frame names are its globals")
is_(here("[shared for _ in (1,)]"), ["global shared"], "in comprehensions too")


class Body:
    inside = 3
    seen = here("inside + 1")
    listed = here("[inside for _ in (1,)]")


is_((Body.seen, Body.listed), (4, [3]), "in a class body its names are seen")
is_(probe.eval("x + 1", None, False, {"x": 1}), 2, "names can be given")
is_(probe.eval("x + y", None, False, {"x": 1}, {"y": 5}), 6, "and globals")
is_(probe.eval("[x + y for _ in (1,)]", None, False, {"x": 1}, {"y": 5}), [6], "for comprehensions too")
is_(probe.eval("__name__"), "__main__", "without a frame names are those of __main__")
is_(probe.eval("  1 + 1"), 2, "spaces before an expression do not matter")

# ---- the value stack

def call(a, b):
    return [a, len(b), a]


def on_stack(text):
    found = []

    def callback(frame):
        if frame.f_lasti == offset:
            found.append(probe.eval(text, frame, True))
    offset = next(i.offset for i in dis.get_instructions(call) if i.opname in ("PRECALL", "CALL"))
    probe.trace(call.__code__, callback, call, 1, "xy")
    return found[0]


is_(on_stack("__stack__[0]"), 1, "__stack__ starts at the bottom")
is_(on_stack("repr(__stack__)"), "[1, %s, %s, 'xy']" % tuple(["<NULL>", repr(len)][::-1 if sys.version_info >= (3, 13) else 1]), "its NULLs print so")
is_(on_stack("$0 + len($3)"), 3, "$N is slot N")
is_(on_stack("['$0', \"$1\", '''$2 ' $3''', '\\'$4'][$0 - 1]"), "$0", "but not in texts")
is_(on_stack("[$0 for x in (1, 2)]"), [1, 1], "in comprehensions too")
is_(on_stack("$0 # $1 ("), 1, "nor in comments")
is_(on_stack("$3[0] + f'{a}$0'"), "x1$0", "nor in f-strings")
like(refused(on_stack, "$9"), "IndexError", "a slot that is not there is an error")
is_(probe.eval("__stack__"), [], "without a frame the stack is empty")

# ---- errors

is_(probe.syntax("a +* b"), "SyntaxError: invalid syntax, at column 4 of 'a +* b'", "a syntax error says where")
like(probe.syntax("(a,\nb +* c)"), "SyntaxError: invalid syntax, at line 2", "in several lines by the line")
like(probe.syntax("x = 1"), "^SyntaxError: ", "a statement is not an expression")
like(probe.syntax("$0 +* 1"), r"^SyntaxError: invalid syntax, in '\$0 \+\* 1'$", "one with $N shows what was typed")
is_(probe.syntax("   "), "an expression is missing", "empty text is not an expression")
is_(refused(probe.eval, "1 / 0"), "ZeroDivisionError: division by zero", "an exception is an error")
is_(refused(probe.eval, "[][1]"), "IndexError: list index out of range", "with its type and message")
is_(refused(probe.eval, "__import__('sys').exit(3)"), "SystemExit: 3", "sys.exit too")
is_(probe.true("1 < 2"), (1, ""), "a condition is true")
is_(probe.true("[]"), (0, ""), "or false")
is_(probe.true("nope"), (-1, "NameError: name 'nope' is not defined"), "or an error")


class NoTruth:
    def __bool__(self):
        raise ValueError("ambiguous")


is_(probe.true("v", None, False, {"v": NoTruth()}), (-1, "ValueError: ambiguous"), "a value without a truth is an error")

# ---- statements

def assigns(a, b=2):
    c = 3

    def inner():
        return a, c
    said = (do("a = 10"), do("c += 4"), do("b, new = 20, 'made'"), do("new2 = [b for _ in range(2)]"))
    return said, a, b, c, inner(), here("new"), here("new2"), "new" in globals()


is_(assigns(1), ((None,) * 4, 10, 20, 7, (10, 7), "made", [20, 20], False), "statements assign locals and cells")
is_(probe.eval("new"), "made", "any other name is the prompt's from then on")
new = "global new"
is_(probe.eval("new"), "global new", "unless the program has one of that name")
del new


def globally():
    do("counter = counter + 1")
    do("global made_global\nmade_global = 5")
    return counter


is_(globally(), 1, "a name that is a global here is assigned there")
is_(globals().get("made_global"), 5, "a statement can make a global")


def blocks(n):
    do("total = 0\nfor i in range(n):\n    total += i\nn = total\n")
    do("def double(x):\n    return helper(x) + n\ndef helper(x):\n    return 2 * x\nn = double(1)")
    return n


is_(blocks(4), 8, "several lines run as one, and their functions see each other and the locals")


is_(refused(probe.exec, "n = 5\nn = n / 0", None), "ZeroDivisionError: division by zero",
    "an exception in statements is an error")


def failed(n):
    refused(probe.exec, "n = 5\n1 / 0", sys._getframe(), False)
    return n


is_(failed(1), 5, "what was assigned before it stays, as in a function")


def values(n):
    return do("n + 1"), do("None"), do("n"), do("print(end='')")


is_(values(4), (5, None, 4, None), "a single expression's value is given")
like(refused(probe.exec, "n +* 1", None), "SyntaxError: .*column 4", "a syntax error says where")
like(refused(probe.exec, "for x in 3:\n  +* 1", None), "SyntaxError: .*line 2", "in several lines by the line")


def deletes(n):
    return refused(lambda f: probe.exec("del n", f, False), sys._getframe()), n


like(deletes(1)[0], "'n' was not deleted", "a local is not deleted, and that is reported")
is_(deletes(1)[1], 1, "it stays bound")
gone = 1
(lambda: do("global gone\ndel gone"))()
ok("gone" not in globals(), "a global is")
do("from_module = 1\nimport os as from_import")
is_((globals().pop("from_module"), globals().pop("from_import") is os), (1, True), "in a module's frame names become globals")


class Assigned:
    x = 1
    do("x = x + 1; y = 5")


is_((Assigned.x, Assigned.y), (2, 5), "in a class body they become its own")
given = {"a": 1}
probe.exec("a = 2; other = 3", None, False, given)
is_(given, {"a": 2}, "given names are assigned where they were given")


def stacked(text):
    found = []

    def callback(frame):
        if frame.f_lasti == offset:
            probe.exec("a = %s" % text, frame, True)
    offset = next(i.offset for i in dis.get_instructions(call) if i.opname in ("PRECALL", "CALL"))
    return probe.trace(call.__code__, callback, call, 1, "xy")


is_(stacked("$3 + 'z'"), [1, 2, "xyz"], "statements see the value stack and the program sees what they assigned")

# ---- more lines wanted?

for text, want in (("x = 1", 0), ("1 +", -1), ("(1,", 1), ("for x in y:", 1), ("for x in y:\n    z", 1), ("for x in y:\n    z\n", 0),
                   ("if x:\n    y\nelse:", 1), ("'''a", 1), ("'a", -1), ("x = [\n1,", 1), ("def f():", 1), ("a b", -1),
                   ("", 0), ("# note", 0), ("x = 1\ny = 2", 0), ("$0 + 1", 0), ("@d", 1), ("x = \\", 1)):
    is_(probe.complete(text), want, "%r %s" % (text, {0: "is whole", 1: "wants more", -1: "is wrong"}[want]))

# ---- nothing is left, and the cost

def counted(value, n=1):
    frame = sys._getframe()
    before = sys.getrefcount(value)
    for _ in range(200):
        probe.eval("[value, value]", frame, False)
        probe.true("value is None and n", frame)
        probe.exec("m = value; del m", frame, False)
        refused(probe.eval, "value.nope", frame, False)
    gc.collect()
    return sys.getrefcount(value) - before


is_(counted(object()), 0, "evaluating leaves no reference")


def cost(n, a=1, b=2, c=3):
    return min(probe.cost("n > 10**9", sys._getframe(), True, None, None, 2000) for _ in range(50))


spent = cost(5)
note("a condition on a local: %.0f ns" % spent)
ok(spent < (2000 if "asan" not in str(os.environ.get("CDBG_PRELOAD")) and not os.environ.get("CDBG_WRAP") else 10**6),
   "a condition on a local costs less than 2 us", spent)
done()
