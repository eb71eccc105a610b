#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""At random stops of random programs, random commands that read: they change nothing and do not contradict each other.

    random_reading.py COUNT [SEED]       COUNT stops, of the seeds SEED, SEED + 1, ...; by default 20 from 1

A failure prints its seed, the program, the stop, and the fewest commands that show it.  `python3 tests/lib/forked.py` before
the command makes it several times as fast.
"""
import glob
import os
import random
import sys

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
sys.path[:0] = [here, os.path.join(top, "tests", "lib")]
import agreement  # noqa: E402
import reading  # noqa: E402
from cdbgtest import Cdbg, Trouble, need_torch, script  # noqa: E402

COMMANDS = 50
UNARY = ("sin", "cos", "tanh", "sigmoid", "relu", "exp", "abs", "neg", "square")
BINARY = ("+", "-", "*")
# Programs whose stops are not read: threads change the state, or memory and time are the program's subject.
LEFT_OUT = {"threads_compare", "ddp_split", "torch_threads", "torch_autograd_threads", "torch_spawn", "torch_loader_fork", "torch_loader_spawn",
            "torch_fork", "torch_profile", "torch_recursion", "faulthandler_torch", "dynamo_replaced", "fork_in_compiled", "settrace_torch"}


def generated(rnd):
    """A program with one compiled function: operators, a branch, a loop, a break of the graph, a side effect, a module."""
    body, names = [], ["a", "b"]
    for k in range(rnd.randrange(3, 9)):
        x, y = rnd.choice(names), rnd.choice(names)
        kind = rnd.randrange(7)
        if kind < 2:
            body.append("v%d = torch.%s(%s)" % (k, rnd.choice(UNARY), x))
        elif kind < 4:
            body.append("v%d = %s %s %s" % (k, x, rnd.choice(BINARY), y))
        elif kind == 4:
            body.append("v%d = layer(%s)" % (k, x))
        elif kind == 5:
            body.append("seen.append(%d)\n    v%d = %s.clone()\n    v%d.mul_(0.5)" % (k, k, x, k))
        else:
            body.append("v%d = %s\n    for turn in range(%d):\n        v%d = v%d * 0.5 + turn" % (k, x, rnd.randrange(1, 3), k, k))
        names.append("v%d" % k)
        if rnd.randrange(6) == 0:
            body.append("torch._dynamo.graph_break()")
        if rnd.randrange(8) == 0:
            body.append("if v%d.sum() > 0:\n        v%d = v%d - 1" % (k, k, k))
    training = rnd.randrange(2)
    return ("import torch\ntorch.manual_seed(%d)\nlayer = torch.nn.Linear(4, 4)\nseen = []\n\n\ndef f(a, b):\n    %s\n    return %s\n\n\n"
            "compiled = torch.compile(f, backend=%r)\nfor size in (2, 2, 3):\n    with torch.set_grad_enabled(%s):\n"
            "        out = compiled(torch.randn(size, 4), torch.ones(size, 4))\n    if %s and out.requires_grad:\n        out.sum().backward()\n"
            "    print(size, round(out.sum().item(), 3), len(seen))\n"
            % (rnd.randrange(100), "\n    ".join(body), names[-1], rnd.choice(("eager", "aot_eager")), bool(training), bool(training)))


def programs():
    found = [os.path.join(top, "doc", "examples", "toy.py")]
    for path in sorted(glob.glob(os.path.join(top, "tests", "cases", "*.py")) + glob.glob(here + "/programs/*.py")):
        with open(path, encoding="utf-8", errors="replace") as f:
            head = f.read(300)
        if "# needs: torch\n" in head and os.path.basename(path)[:-3] not in LEFT_OUT:
            found.append(path)
    return found


class Try:
    """A seed's program, stop and commands."""

    def __init__(self, seed, files=True):
        self.rnd = rnd = random.Random(seed)
        self.seed = seed
        self.path = rnd.choice(programs()) if files and rnd.randrange(3) else script(generated(rnd))
        with open(self.path) as f:
            text = f.read()
        lines = [k for k, line in enumerate(text.split("\n"), 1) if line.strip() and not line.lstrip().startswith(("#", "@", '"', "import"))]
        functions = reading.BREAK_ON.findall(text)
        kind = rnd.randrange(3)
        if kind == 0 or not functions:
            self.where = "break %s:%d" % (self.path, rnd.choice(lines))
        elif kind == 1:
            self.where = "break " + rnd.choice(functions)
        else:
            self.where = "catch " + rnd.choice(reading.CATCH)
        self.turns, self.then = rnd.randrange(3), rnd.choice(("", "", "stepi 3", "step"))

    @staticmethod
    def ended(d):
        return d.exited or d.stop.get("dead")

    def stop(self, d):
        """Runs to the stop.  False: the program ended before it."""
        if not d.cmd(self.where).get("ok"):
            return False
        for turn in range(self.turns + 1):
            if self.ended(d):
                return False
            d.go()
        if not self.ended(d) and self.then:
            d.go(self.then)
        return not self.ended(d)

    def run(self, lines=None):
        """(what is wrong, the commands); None where the program does not reach the stop.  lines: these instead of random ones."""
        with Cdbg(self.path, limit=200, cwd=os.path.dirname(script("pass\n"))) as d:
            reader = reading.Reader(d.cmd, self.seed)
            reader.start()
            if not self.stop(d):
                return None
            if not reader.begin():
                return None
            before = agreement.views(reader)
            lines = [reader.some_line() for k in range(COMMANDS)] if lines is None else lines
            reader.changed()
            wrong = []
            for k in range(0, len(lines), reading.GROUP):
                found, replies = reader.run(lines[k:k + reading.GROUP])
                wrong += ["'%s': %s" % (line, w) for line in found for w in found[line]]
            after = agreement.views(reader)
            wrong += ["%s is other than before the commands: %s -> %s" % ((view,) + difference(before[view], after[view]))
                      for view in before if before[view] != after[view]]
            wrong += agreement.disagreements(reader)
            wrong += ["after the checks: " + c for c in reader.changed()]
            return wrong, lines

    def fewest(self, lines):
        """A shorter list of commands that is wrong, too: none, where the checks alone show it, else a half of a half, and so on."""
        if (self.run([]) or [None])[0]:
            return ["none: the checks alone show it"]
        while len(lines) > 1:
            halves = [lines[:len(lines) // 2], lines[len(lines) // 2:]]
            wrong = [half for half in halves if (self.run(half) or [None])[0]]
            if not wrong:
                break
            lines = wrong[0]
        return lines


def difference(a, b):
    for x, y in zip(a + [None], b + [None]):
        if x != y:
            return str(x)[:200], str(y)[:200]
    return len(a), len(b)


def check(seed, files=True):
    """(what is wrong, the Try, the commands); the seeds seed, seed + 1000, ... until a stop is reached.  files: not only
    generated programs."""
    for again in range(20):
        attempt = Try(seed + 1000 * again, files)
        try:
            got = attempt.run()
        except Trouble as e:
            return ["the conversation ended: %s" % e], attempt, []
        if got:
            return got[0], attempt, got[1]
    return None, attempt, []


def main(count=20, seed=1):
    need_torch()
    failed = 0
    for k in range(seed, seed + count):
        wrong, attempt, lines = check(k)
        said = "seed %d: %s, %s, continue %d, %s" % (attempt.seed, os.path.relpath(attempt.path, top), attempt.where, attempt.turns + 1, attempt.then)
        print(said + ": " + ("no stop" if wrong is None else "differs" if wrong else "agrees"), flush=True)
        if wrong:
            failed += 1
            print(*("    " + w for w in dict.fromkeys(wrong)), sep="\n")
            print("    commands: " + "; ".join(attempt.fewest(lines)), flush=True)
    print("%d of %d stops differ" % (failed, count))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*(int(a) for a in sys.argv[1:])))
