# SPDX-License-Identifier: BSD-3-Clause
"""What a record costs: batches with and without it in pairs, in one process, under cdbg both times."""
import itertools
import random

from bench_pairs import interval, measured
from cdbgtest import has, version

TORCH = has("torch")
LOOPS = 20000
# What is recorded, the limits of: toy_example, a training step, fib; without and with values.
LIMITS = {"generated": ((1.20, 1.06, 1.05), (1.30, 1.08, 1.06)), "graph": ((1.5, 1.12, 1.05), (1.5, 1.12, 1.05))}


class Recorded:
    """A worker under cdbg that begins and ends a record at a stop."""

    def __init__(self, debugged, what, values, warm):
        self.worker, self.what, self.warm = debugged("set record-values " + values), what, warm

    def put(self, on):
        d = self.worker.cdbg
        d.do("interrupt")
        d.wait()
        if any(r["what"] == "threads" for r in d.rows("info record")):
            d.do("record off")
        d.do("record " + self.what)
        if not on:
            d.do("record off")
        d.do("continue")
        self.batch(self.warm)           # the pages of the ring come in

    def batch(self, request):
        return self.worker.line.ask("cpu " + request)


def pairs(b, debugged, what, values, request, warm):
    """The ratio of recorded over not, and where it is; and what a batch takes more, in ns."""
    state, took = Recorded(debugged, what, values, warm), {True: [], False: []}
    try:
        def put(on):
            state.put(on)
            state.on = on

        def batch():
            took[state.on].append(state.batch(request))
            return took[state.on][-1]

        ratios = measured(b.batches // 2 or 1, put, batch, random.Random(1))
        ran = state.worker.line.ask("count " + request) if what == "loop" else 1
    finally:
        state.worker.close()
    return interval(ratios["armed"]), (min(took[True]) - min(took[False])) / ran


def rows(b, debugged):
    for values in ("off", "on"):
        what = "extra time of a recorded instruction, values " + values
        if b.wanted("record", what):
            b.row(what, pairs(b, debugged, "loop", values, "loop %d" % LOOPS, "loop 4000")[1], "ns",
                  (25 if version() >= (3, 12) else 50) if values == "on" else None)
    batches = (("compiled call of toy_example", "toy 300", "toy 400"), ("training step", "train 40", "train 40"),
               ("fib(24)", "fib 1", "fib 1"))
    for recorded, values, batch in itertools.product(LIMITS if TORCH else (), (0, 1), range(len(batches))):
        what = "record %s, values %s, over no record: %s" % (recorded, ("off", "on")[values], batches[batch][0])
        if b.wanted("record", what):
            (ratio, low, high), _ = pairs(b, debugged, recorded, ("off", "on")[values], *batches[batch][1:])
            b.row(what, ratio, "ratio", LIMITS[recorded][values][batch], digits=3, between=(low, high))
