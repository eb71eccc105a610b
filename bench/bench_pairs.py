# SPDX-License-Identifier: BSD-3-Clause
"""What hooks cost in one process: batches with and without them in pairs.

Two processes differ by several per cent in their memory layout alone.  Here both halves of a pair run in the same process,
in random order and after the same commands, and each pair has a second one beside it whose halves are both without: the
spread of these null pairs is the noise of the run."""
import random

from cdbgtest import has, version

TORCH = has("torch")
HALVES = [True, False]


def interval(values):
    """The median, and the values between which the true one is in 95 of 100 runs (by ranks, no distribution assumed)."""
    values, n = sorted(values), len(values)
    reach = round(0.98 * n ** 0.5)
    return values[n // 2], values[max(0, n // 2 - reach)], values[min(n - 1, n // 2 + reach)]


def measured(count, put, batch, rng):
    """Ratios of `count` pairs, and of as many null pairs: put(armed) brings the process into a state, batch() takes time."""
    ratios = {"armed": [], "null": []}
    for _ in range(count):
        for kind in ratios:
            took = {}
            for half in rng.sample(HALVES, 2):
                put(half and kind == "armed")
                took[half] = batch()
            ratios[kind].append(took[True] / took[False])
    return ratios


class Attached:
    """A worker without cdbg, which starts cdbg and detaches it on request."""

    def __init__(self, plain):
        self.worker = plain("attached")

    def put(self, on):
        self.worker.line.ask("%s - 0" % ("attach" if on else "detach"))


class Toggled:
    """A worker under cdbg with one breakpoint, enabled and disabled at a stop."""

    def __init__(self, debugged, command):
        self.worker = debugged(command)
        self.number = self.worker.rows("info breakpoints")[-1]["number"]

    def put(self, on):
        d = self.worker.cdbg
        d.do("interrupt")
        d.wait()
        for word in ("disable", "enable") + (() if on else ("disable",)):
            d.do("%s %s" % (word, self.number))
        d.do("continue")


def not_taken(d):
    """Sets a breakpoint on the branch of toy_example that is not taken."""
    entry = [r["entry"] for r in d.rows("info entries") if r["function"] == "toy_example"][0]
    return "break %s*%d" % (entry, [r["offset"] for r in d.rows("info code " + entry) if r["region"] == "resume call"][0])


def row(b, state, what, request, reach):
    def batch():
        return state.worker.line.ask(request)

    batch()
    ratios = measured(b.batches, state.put, batch, random.Random(1))
    null, low, high = interval(ratios["null"])
    b.row("(noise of the next row: null pairs, %.3f to %.3f)" % (low, high), null, "ratio", digits=3)
    value, low, high = interval(ratios["armed"])
    b.row(what, value, "ratio", reach, digits=3, between=(low, high))


def rows(b, plain, debugged):
    new = version() >= (3, 12)
    kinds = [(lambda: Attached(plain), (("fib(24), nothing armed / without, in one process", "cpu fib 1", 1.01),) + ((
        ("compiled call, cdbg loaded, nothing armed / without, in one process", "cpu ten 300", 1.01 if new else 1.02),)
        if TORCH else ()))]
    if TORCH:
        kinds += [
            (lambda: Toggled(debugged, "break other"),
             (("fib(24), breakpoint in a compiled function / disabled, in one process", "cpu fib 1", 1.02),
              ("compiled call, breakpoint in another compiled function / disabled, in one process", "cpu ten 300", 1.05))),
            (lambda: Toggled(debugged, not_taken),
             (("a breakpoint in toy_example that is not reached / disabled, in one process", "cpu toy 300",
               1.02 if new else 1.05),))]
    for make, measures in kinds:
        measures = [m for m in measures if b.wanted("in one process", m[0])]
        if not measures:
            continue
        state = make()
        try:
            for what, request, reach in measures:
                row(b, state, what, request, reach)
        finally:
            state.worker.close()
