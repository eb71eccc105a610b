# SPDX-License-Identifier: BSD-3-Clause
"""Random functions with nested loops, handlers, with statements and walruses, compiled again from their decompiled source: both
get the same 40 lists of answers to their calls, and must make the same calls, while the same exception is handled, and end alike.

    PYTHONPATH=build/inplace python tests/lib/decompiled_random.py SEED COUNT       how many differ, and why others are refused
    PYTHONPATH=build/inplace python tests/lib/decompiled_random.py SEED             one of them and its text
"""
import collections
import random
import re
import signal
import sys
import types
import warnings

import cdbg

JUMP = re.compile(r"^\s*if (_t\d+) == \d+( or \1 == \d+)?:", re.M)
ANSWERS = ["", "", "yes", "yes", "swallow", "ValueError", "KeyError", 0, 1]
PLAIN, ASYNC, GENERATOR, CELLS = range(4)


class Source:
    """The text of one function, fun(f, a, b, c)."""

    def __init__(self, r):
        self.r, self.calls, self.statements, self.assigns_global = r, 0, 0, r.random() < .3
        self.kind = r.choice([PLAIN, PLAIN, PLAIN, ASYNC, GENERATOR, CELLS])

    def call(self):
        self.calls += 1
        return 'f("%d")' % self.calls

    def variable(self):
        return self.r.choice("abc")

    def target(self):
        return self.r.choice(["a", "b", "c"] + ["G"] * self.assigns_global)

    def atom(self):
        return self.r.choice([self.call(), self.call(), self.variable(), str(self.r.randrange(3)), "f", "None"])

    def expression(self, depth=2):
        kind = self.r.randrange(16)
        if depth <= 0 or kind < 5:
            return self.atom()
        one, two, three = (self.expression(depth - 1) for i in range(3))
        return [
            "(%s and %s)" % (one, two), "(%s or %s)" % (one, two), "(%s if %s else %s)" % (one, two, three),
            "(not %s)" % one, "(%s := %s)" % (self.target(), one), "(%s == %s)" % (one, two), "(%s, %s)" % (one, two),
            "[%s for q in f.it(%d)%s]" % (self.element(depth), self.r.randrange(3),
                                          " if " + self.element(depth) if self.r.random() < .4 else ""),
            "f(%s, %s)" % (one, two), "(%s == %s == %s)" % (one, two, three),
            "f'{f(0)}x{%s}'" % self.variable()][kind - 5]

    def element(self, depth):
        """Of a comprehension, or its condition."""
        share = self.r.random()
        if share < .35:
            return "(%s := %s)" % (self.target(), self.atom())
        return "q" if share < .55 else self.expression(depth - 1)

    def condition(self):
        return self.call() if self.r.random() < .6 else self.expression()

    def simple(self, indent, in_loop):
        kind = self.r.randrange(13)
        if kind < 4:
            text = self.call()
        elif kind < 7:
            text = "%s = %s" % (self.target(), self.expression())
        elif kind == 7:
            text = self.target() + " += 1"
        elif kind == 8:
            text = "return " + self.expression(1)
        elif kind == 9 and in_loop:
            text = self.r.choice(["break", "continue"])
        elif kind == 10:
            text = self.r.choice(["raise ValueError(%s)" % self.call(), "assert " + self.condition(), "del " + self.target(),
                                  "raise"])
        else:
            text = "a, b = b, a"
        return [indent + text]

    def block(self, depth, indent, in_loop):
        return [line for i in range(self.r.choice([1, 1, 2, 2, 3])) for line in self.statement(depth, indent, in_loop)]

    def part(self, words, depth, indent, in_loop, share=1.0):
        if self.r.random() >= share:
            return []
        return [indent + words + ":"] + self.block(depth - 1, indent + " ", in_loop)

    def handlers(self, depth, indent, in_loop):
        out, ends = [], self.r.random() < .35
        if not ends or self.r.random() < .5:
            for i in range(self.r.choice([1, 1, 2])):
                out += self.part("except %s%s" % (self.r.choice(["ValueError", "KeyError", "(ValueError, KeyError)", "Exception"]),
                                                  self.r.choice(["", " as e"])), depth, indent, in_loop)
            out += self.part("except", depth, indent, in_loop, .2)
            out += self.part("else", depth, indent, in_loop, .25)
        return out + (self.part("finally", depth, indent, in_loop) if ends else [])

    def statement(self, depth, indent, in_loop):
        self.statements += 1
        kind = self.r.randrange(14)
        if depth <= 0 or self.statements > 40 or kind < 4:
            return self.simple(indent, in_loop)
        if kind < 7:
            out = self.part("if " + self.condition(), depth, indent, in_loop)
            while self.r.random() < .25:
                out += self.part("elif " + self.condition(), depth, indent, in_loop)
            return out + self.part("else", depth, indent, in_loop, .4)
        if kind < 9:
            out = self.part("while " + (self.condition() if self.r.random() < .8 else "True"), depth, indent, True)
            return out + self.part("else", depth, indent, in_loop, .3)
        if kind < 11:
            out = self.part("for %s in f.it(%d)" % (self.variable(), self.r.randrange(4)), depth, indent, True)
            return out + self.part("else", depth, indent, in_loop, .3)
        if kind < 13:
            return self.part("try", depth, indent, in_loop) + self.handlers(depth, indent, in_loop)
        return self.part("with M(f, '%d')%s" % (self.statements, self.r.choice(["", " as a"])), depth, indent, in_loop)

    def text(self):
        lines = ["async " * (self.kind == ASYNC) + "def fun(f, a=0, b=1, c=2):"]
        lines += [" global G"] * self.assigns_global + [" yield 1"] * (self.kind == GENERATOR)
        lines += self.block(3, " ", False) + self.block(2, " ", False)
        return "\n".join(lines + [" return a, b, c"] + [" lambda: (a, c)"] * (self.kind == CELLS))


class TooLong(BaseException):
    """It does not end: what it has done so far depends on the time.  It may handle this exception, too."""
    raised, code = False, None


class Manager:
    def __init__(self, f, name):
        self.f, self.name = f, name

    def __enter__(self):
        return self.f("in" + self.name)

    def __exit__(self, kind, value, tb):
        return self.f("out%s %r" % (self.name, value)) == "swallow"


class Calls:
    """What a function calls: notes each call, and the exception that is handled at that time."""

    def __init__(self, answers):
        self.answers, self.log = answers, []

    def it(self, n):
        for i in range(n):
            self.log.append("it")
            yield i

    def __call__(self, *what):
        self.log.append([repr(w) for w in what] + [type(sys.exc_info()[1]).__name__])
        if len(self.log) > 60:
            raise EOFError
        answer = self.answers[len(self.log) % len(self.answers)]
        if answer in ("ValueError", "KeyError"):
            raise (ValueError if answer == "ValueError" else KeyError)(what)
        return answer

    def __repr__(self):
        return "f"


def contexts(e):
    out = []
    while e is not None and len(out) < 9:
        out.append(repr(e))
        e = e.__context__
    return out


def too_long(number, frame):
    """Ends the code that is compared, never what calls it: the exception would end the whole run."""
    while frame and frame.f_code is not TooLong.code:
        frame = frame.f_back
    if frame:
        TooLong.raised = True
        raise TooLong


def outcome(code, names, kind, answers):
    f, names["G"], TooLong.code = Calls(answers), 5, code
    signal.setitimer(signal.ITIMER_REAL, .04, .04)
    try:
        value = types.FunctionType(code, names, "fun", (0, 1, 2))(f)
        if kind == ASYNC:
            try:
                value.send(None)
            except StopIteration as e:
                value = e.value
        ended = repr(list(value) if kind == GENERATOR else value)
    except BaseException as e:
        ended = contexts(e)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return repr((ended, f.log, names.get("G", "none")))


def compiled(seed):
    """Its kind, text, code and globals; code is None where it cannot be compiled."""
    source, names = Source(random.Random(seed)), {"M": Manager, "__name__": "random"}
    text = source.text()
    try:
        exec(compile(text, "random.py", "exec"), names)
    except SyntaxError:
        return source.kind, text, None, names
    return source.kind, text, names["fun"].__code__, names


def compare(seed, count, why):
    kind, text, code, names = compiled(seed)
    if not code:
        return
    count["functions"] += 1
    try:
        again = cdbg.recompile(code)
    except ValueError as e:
        count["refused"] += 1
        why[re.sub(r"'[^']*'|, at (line )?\d+", "", str(e))].append(seed)
        return
    count["with jumps"] += bool(JUMP.search(cdbg.decompile(code)))
    r = random.Random(seed)
    for i in range(40):
        answers = [r.choice(ANSWERS) for k in range(17)]
        one, two = outcome(code, names, kind, answers), outcome(again, names, kind, answers)
        if TooLong.raised:
            TooLong.raised = False
            count["endless"] += 1
            return
        if one != two:
            count["wrong"] += 1
            print("seed %d differs for %r:\n%s\n%s\n%s\n%s" % (seed, answers, one, two, text, cdbg.decompile(code)))
            return


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_long)
    first = int(sys.argv[1])
    if len(sys.argv) == 2:
        kind, text, code, names = compiled(first)
        print(text, cdbg.decompile(code) if code else "cannot be compiled", sep="\n")
        sys.exit()
    count, why = collections.Counter(wrong=0), collections.defaultdict(list)
    for seed in range(first, first + int(sys.argv[2])):
        compare(seed, count, why)
    print(", ".join("%s %d" % item for item in sorted(count.items())))
    for reason, seeds in sorted(why.items(), key=lambda item: -len(item[1])):
        print(len(seeds), reason, "e.g. seed", *seeds[:5])
