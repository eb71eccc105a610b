# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison found: rows, the first wrong node, and notes, whose words are in one table.  Compares nothing."""
from .ends import statistics_of
from .nodes import CALLS, place_of, target_of

MESSAGES = {
    "not run": "stage %s was not compared: %s",
    "wrapped": "kernels of the %s graph were not compared: inductor wrote C++ that calls them (cpp_wrapper)",
    "only fused": "kernel %s computes node %s wrongly only as fused: its nodes alone are right",
    "fused": "kernel %s as fused differs by %.3g at node %s, its nodes alone are right",
    "line near": "node '%s' was made by a pass of inductor: the line is that of the nearest node",
    "pass": "passes of inductor %s",
    "no result": "node '%s' (stage %s) differs from the captured graph's by %.3g, but no result does",
    "sums": "sums that a kernel makes by adding one value after the other round more than eager's: %s; what is computed from them differs by "
            "that",
    "alike": "results%s are those of the graph, compiled again with torch._inductor.config.fallback_random, which draws eager's random numbers",
    "random": "the graph draws random numbers: its results, which may be other numbers in eager, were not judged, its nodes were %scompared",
    "results": "%s differ%s from eager; %s",
    "gradients": "gradients of %s differ from eager; no single node explains it",
    "no gradients": "gradients of inputs were not compared: %s",
    "own raised": "the code that the program runs was not compared: it raised %s",
    "own backward raised": "the backward code that the program runs was not compared: it raised %s",
    "own": "%s of the code that the program runs are wrong; the graph compiled again is right, so look for a cache with wrong code, or for what "
           "the backend depends on besides the graph",
    "no stages": "torch reports no stages of this backend: only the results were compared",
}


class Row:
    """A value that was judged.  Its attributes are columns of the view graph-compare (graph_compare.c).  ok: None where it is not judged."""
    def __init__(self, node, stage, n, place, kernel, verdict, ok):
        self.node, self.stage, self.target, self.kernel, self.ok = node, stage, target_of(n), kernel, ok
        self.file, self.line = place[:2] if place else (None, None)
        self.max_diff, self.reference_diff = verdict.difference, verdict.reference


class FirstWrong:
    """The first wrong node, as graph_compare.c reports it.  node: its name in the captured graph; inner: in the stage's graph."""
    def __init__(self, node, stage, inner, n, place, kernel, source, verdict, inputs):
        self.node, self.stage, self.inner, self.target, self.kernel, self.source = node, stage, inner, target_of(n), kernel, source
        self.file, self.line, self.function = place or (None, None, None)
        self.difference, self.reference, self.allowed, self.words = verdict.difference, verdict.reference, verdict.allowed, verdict.what
        self.inputs = statistics_of(inputs)


class Found:
    """first: a FirstWrong or None.  largest: what uses the largest share of what is allowed among what is right."""
    def __init__(self):
        self.rows, self.first, self.notes, self.largest, self.rounded = [], None, [], None, []
        self.unlike, self.unlike_as = {}, None  # {position of a result of another type or shape: the node that makes it}, Verdict

    def row(self, node, stage, n, place, kernel, verdict, ok):
        self.rows.append(Row(node, stage, n, place, kernel, verdict, ok))
        if ok and (self.largest is None or verdict.share > self.largest["share"]):
            self.largest = {"share": verdict.share, "node": node, "stage": stage, "difference": verdict.difference}

    def add_rows(self, walk, stage, captured, kernels, skip=None):
        """A row for each node that a Walk judged."""
        for n, verdict in walk.judged:
            if n is not skip:
                self.row(captured.name(n) or n.name, stage, n, captured.place(n), kernels.get(n.name), verdict, not verdict.wrong)

    def take_largest(self, other):
        """Another Found's largest share, if it is larger."""
        self.largest = max(filter(None, (self.largest, other.largest)), key=lambda v: v["share"], default=None)

    def note(self, message, *args):
        """message: of MESSAGES."""
        self.notes.append(MESSAGES[message] % args)

    def not_compared(self, stage, raised):
        """A stage did not run in eager."""
        self.note("not run", stage, str(raised).partition("\n")[0])

    def is_wrong(self):
        """Is a row wrong?"""
        return any([row.ok is False for row in self.rows])

    def wrong_first(self, node, stage, n, place, verdict, inputs=(), kernel=None, source=None, inner=None):
        """This node is the first wrong one.  inputs: [(node, value)]"""
        self.first = FirstWrong(node, stage, inner or n.name, n, place, kernel, source, verdict, inputs)

    def name_first(self, n, stage, captured, verdict, inputs):
        """A node of a stage without kernels is the first wrong one."""
        self.wrong_first(captured.name(n) or n.name, stage, n, captured.place(n), verdict, inputs)

    def name_unlike_result(self):
        """The first result of another type or shape is wrong: the backend shows nothing that is between."""
        n = next(iter(self.unlike.values()))
        if n.op in CALLS:
            self.wrong_first(n.name, "result", n, place_of(n), self.unlike_as)

    def answer(self):
        """What C reads."""
        return {"first": self.first and vars(self.first), "rows": [vars(row) for row in self.rows], "notes": self.notes,
                "largest": self.largest}
