# SPDX-License-Identifier: BSD-3-Clause
"""Finds where a compiled graph first computes something else than eager.

The captured graph is compiled again by the entry's backend, apart from the program and from Dynamo's cache, so that every
stage is at hand.  Each value that a stage makes is judged against eager and float64 and then fed into both, so that errors do
not add up and each judgement is local.  Knows no command."""
import contextlib
import itertools
import os

import torch
import torch.utils._pytree as pytree

from .alone import Alone, Randoms, beyond_rounding, slice_of
from .apart import apart, without_transforms
from .backward import compare_backward
from .claims import broken_claims, name_claim, told_claims
from .ends import eager_gradients, inputs_read, judge_gradient
from .equal import same_elements
from .errors import Refused, raised_text
from .exact import exact_gradients, random_states, results_of
from .forward import compare_forward
from .found import Found
from .inputs import writers_of_inputs
from .judge import Walk, judge_end, same_draws, tolerating, unlike_results
from .kinds import compare_kinds, unlike_kernel, unlike_verdict
from .match import Captured, stand_ins
from .modes import in_modes, told_autocast
from .nodes import (
    CALLS, LARGE, LEAST_HELD, first_stage, is_unset, needed_for, place_of, placeholders, symbols_of, traced)
from .own import judge_own, judge_own_gradients, run_own
from .passes import compare_all_passes
from .recompile import Again, gives_gradients, kernel_source
from .rounding import Roundings
from .size import bound_of, bytes_of, estimate, how_exact, needed_by_lowered, size_of_lowered, size_of_run, wide_size
from .subgraphs import captured_inside, wrong_inside
from .symbols import backend_raised
from .values import parts_in, size_of, wide
from .window import Window

MOST_DOUBTS = 8


# ---- graph compare ----------------------------------------------------------------------------------------------------------

def compare_lowered(g, collected, captured, found, most):
    """Compares one graph of inductor. Returns True if a node in it is wrong. most: the bytes of values held at once."""
    if g.is_wrapped():
        found.note("wrapped", "backward" if g.backward else "forward")
        return False
    stage = "kernel-backward" if g.backward else "kernel"
    values, randoms = Window(g.kept.graph, g.call, most, g.plan), Randoms(collected)
    for _ in range(MOST_DOUBTS + 1):
        walk = Walk(g.kept, g.inputs, values, randoms)
        if walk.first is None:
            break
        bad, kernel = walk.first, g.kernels.get(walk.first.name)
        verdict, exact = walk.judged[-1][1], True
        parts = slice_of(bad, values)
        eager = Walk(g.kept, g.inputs, values, randoms, keep=needed_for(parts + [bad]), until=bad).eager
        if sum(x.op == "call_function" for x in parts) > 1:
            alone = Alone(g.kept, parts, eager, collected)
            exact = alone.first is not None
            if exact:
                bad, verdict = alone.first, alone.verdict()
            elif not alone.walk.rounded and beyond_rounding(g.kept, parts, eager, verdict):
                exact = True
                found.note("only fused", kernel, bad.name)
        if exact:
            found.add_rows(walk, stage, captured, g.kernels, skip=walk.first)
            inputs, own = inputs_read(bad, eager), None
            inside = wrong_inside(g.kept, bad, eager, collected, most)
            if inside:
                bad, verdict, inputs, calls = inside
                kernel = g.kernel_inside(bad) or kernel
                own = captured_inside(captured, g.kept, bad, calls) if g.backward else None
            name, place = own[0] if own else captured.name(bad) or bad.name, place_of(own[1]) if own else captured.place(bad)
            found.row(name, stage, bad, place, kernel, verdict, False)
            if place and not own and not captured.own_place(bad):
                found.note("line near", bad.name)
            found.wrong_first(name, stage, bad, place, verdict, inputs, kernel, kernel and kernel_source(g.source, kernel))
            return True
        if alone.walk.rounded:
            rounded = [alone.original(n) for n in alone.walk.rounded]
            found.rounded += [captured.name(n) or n.name for n in rounded]
        else:
            found.note("fused", kernel, verdict.difference, bad.name)
        values.pop(bad.name)
    found.add_rows(walk, stage, captured, g.kernels)
    found.rounded += [captured.name(n) or n.name for n in walk.rounded]
    return bool(found.unlike) and not g.backward and name_unlike_kernel(g, walk, values, collected, captured, found)


def name_unlike_kernel(g, walk, values, collected, captured, found):
    """Sets found.first where a kernel makes a value of another type or shape; returns True then."""
    unlike = unlike_kernel(g, walk, lambda parts, end: Walk(g.kept, g.inputs, values, Randoms(collected), keep=needed_for(parts + [end]),
                                                            until=end).eager, collected)
    if unlike is None:
        return False
    n, verdict = unlike
    name, kernel, place = captured.name(n) or n.name, g.kernels.get(walk.unlike[0][0].name), captured.place(n)
    found.row(name, "kernel", n, place, kernel, verdict, False)
    found.wrong_first(name, "kernel", n, place, verdict, (), kernel, kernel and kernel_source(g.source, kernel))
    return True


def compare_results(again, exact, found, own):
    """Judges the results of the graph and the inputs that it wrote.  own: see run_own().  Returns (the positions and names of the wrong ones, and of those
    that may be computed from other random numbers; may it draw others than eager?).  exact: see results_of()."""
    torch.set_rng_state(again.seed)
    states, positions = random_states(), list(dict.fromkeys([*again.written, *again.after, *(own.after if own else ())]))
    eager, after = results_of(again.kept, again.inputs, False, positions)
    same = not any([state.changed() for state in again.drawn])
    random = any([state.changed() for state in states]) and not (same and again.eager_numbers)

    def run(mode):
        torch.set_rng_state(again.seed)
        made, written = results_of(again.kept, again.inputs, False, positions)
        return parts_in(made) + written
    ends = Ends(again, eager, dict(zip(positions, after)), exact, run)

    def is_right(n, verdict, e):
        """None: it may be computed from other random numbers than eager's, or is not set."""
        return None if is_unset(n) or random and not (same and same_draws(verdict, e)) else not verdict.wrong
    wrong = ends.judge(again, "result", found, is_right)
    if own:
        judge_own(own, again, Ends(again, again.result, again.after, None, None) if random else ends, wrong, found)
    return wrong, random


class Ends:
    """What a graph must make: eager's results, and what eager writes into inputs, {position: value}, beside float64.  exact: see results_of();
    run: see Roundings.  They may be None."""
    def __init__(self, again, results, after, exact, run):
        self.again, self.results, self.eager, self.after = again, results, parts_in(results), after
        found, written = exact or ((), ())
        self.exact = parts_in(found) if exact else list(map(wide, self.eager))
        self.exact_after = {i: wide(v) for i, v in after.items()} | dict(zip(again.written, written))
        last = list(again.kept.graph.nodes)[-1]
        self.nodes = last.all_input_nodes if len(last.all_input_nodes) == len(self.eager) else [last] * len(self.eager)
        self.last, self.starts = last, placeholders(again.kept)
        self.roundings = Roundings(run, self.eager + list(after.values())) if run else None

    def judge(self, made, stage, found, is_right, known=None):
        """Adds a row for each result and each input that is written; returns the positions and names of those that are not right.  made: has
        results as `result` and inputs as `after`.  known: what is known as wrong; then only what is wrong besides has a row."""
        unlike, bad, none = unlike_results(made.result, self.results, known is not None), [], (None, None, None)
        results = list(zip(parts_in(made.result), self.eager, self.exact))

        def compare(key, n, label, i, b, e, x):
            if known is not None and key in known:
                return
            verdict = unlike.VERDICT if i in unlike.parts else judge_end(self.roundings, i, b, e, x)
            ok = is_right(n, verdict, e) if verdict else True
            if verdict and (known is None or not ok):
                found.row("%s (%s)" % (n.name, label), stage, n, place_of(n), None, verdict, ok)
            if not ok and not is_unset(n):
                bad.append(key)
        for i in range(max([len(results), *[k + 1 for k in unlike.parts]])):
            compare(i, self.node(i), "result %d" % i, i, *(results[i] if i < len(results) else none))
        for k, (i, e) in enumerate(self.after.items(), len(self.eager)):
            values = made.after.get(i, self.again.inputs[i]), e, self.exact_after[i]
            if self.again.writes or not all([same_elements(v, self.again.inputs[i]) for v in values[:2]]):
                compare(self.starts[i].name, self.starts[i], "written", k, *values)
        found.notes += unlike.notes
        if known is None and unlike.kinds:
            found.unlike = {i: self.node(i) for i in sorted(unlike.kinds) if i in bad}
            found.unlike_as = next((unlike_verdict(*unlike.kinds[i]) for i in found.unlike), None)
        return bad

    def node(self, i):
        return self.nodes[i] if i < len(self.nodes) else self.last


def told_writers(kept, inputs, written):
    """Where each of these inputs has one node that writes it: words that name those nodes with their lines.  Else None."""
    names, writers = [n.name for n in placeholders(kept)], writers_of_inputs(kept.program(), inputs) or {}
    nodes = [writers.get(names.index(name), ()) for name in written]
    if any([len(found) != 1 for found in nodes]):
        return None
    told = []
    for n in dict.fromkeys([found[0] for found in nodes]):
        place = place_of(n)
        told.append("node '%s' writes it%s" % (n.name, " at %s:%d in %s" % (os.path.basename(place[0]), *place[1:]) if place else ""))
    return "only " + " and ".join(told)


def explain_by_rounding(kept, found, wrong, off):
    """Results that are computed from a sum which rounds more than eager's, and gradients, are neither right nor wrong where they
    differ.  What is left of the positions and names."""
    behind, rounded = set(), {name.partition(".")[0] for name in found.rounded}     # that of a sub-graph, for a node in it
    for n in kept.graph.nodes:
        if n.name in rounded or (n.op == "get_attr" and n.target in rounded) or any([a.name in behind for a in n.all_input_nodes]):
            behind.add(n.name)
    for row in found.rows:
        if row.ok is False and row.max_diff == row.max_diff and (
                row.stage == "gradient" or row.stage == "result" and row.node.partition(" (")[0] in behind):
            row.ok = None
    found.note("sums", ", ".join(dict.fromkeys(found.rounded)))
    ends = [row.node for row in found.rows if row.ok is False]
    return [i for i in wrong if any([name.endswith("(result %s)" % i) or name == "%s (written)" % i for name in ends])], [
        name for name in off if name + " (gradient)" in ends]


def compare_gradients(again, exact, found, own=None, differs=False):
    """Judges the gradients of the inputs beside those of eager and float64; returns the names of the wrong ones.  own: see run_own().
    differs: is a result wrong?"""
    torch.set_rng_state(again.seed)
    try:
        eager = eager_gradients(again.kept, again.inputs)
    except Exception as e:
        found.note("no gradients", "eager's backward raised " + raised_text(e))
        return []
    if again.failed and differs:
        found.note("no gradients", "the backward code that the entry's backend made raised %s; results differ already" % raised_text(again.failed))
        return []
    if again.failed:
        raise backend_raised("the backward code that the entry's backend made", "as it ran", again.failed) from again.failed
    exact = [g if g is None else wide(g) for g in eager or ()] if exact is None else exact
    starts = [(n, v) for n, v in zip((n for n in again.kept.graph.nodes if n.op == "placeholder"), again.inputs)
              if isinstance(v, torch.Tensor) and v.requires_grad]
    none, wrong = [None] * len(starts), []

    def run(mode):
        torch.set_rng_state(again.seed)
        return eager_gradients(again.kept, again.inputs)
    roundings = Roundings(run, eager or none)
    for i, (n, v), g, of_eager, x in zip(itertools.count(), starts, again.gradients or none, eager or none, exact or none):
        verdict = judge_gradient(roundings, i, v, g, of_eager, x)
        if verdict:
            found.row("%s (gradient)" % n.name, "gradient", n, place_of(n), None, verdict, not verdict.wrong)
        if verdict and verdict.wrong:
            wrong.append(n.name)
    if own and own.gradients is not None:
        judge_own_gradients(own, roundings, starts, eager or none, exact or none, wrong, found)
    return wrong


def compare_ends(again, found, gradients, own=None):
    """Runs the graph by its backend, and judges its results and gradients.  gradients: the Found for these.  own: the function that the
    program calls, or None.  Returns (positions of
    wrong results, does it draw random numbers?, names of wrong gradients).  Gradients are computed from the numbers that were drawn for
    the results, so they can be compared where all results could.

    float64 comes first, and then eager last: what needs the most memory runs while least else is held."""
    with torch.no_grad():
        torch.set_rng_state(again.seed)
        exact_g = exact_gradients(again.kept, again.inputs) if again.backward else None
        torch.set_rng_state(again.seed)
        exact = results_of(again.kept, again.inputs, True, again.written)
    try:
        again.run()
    except Exception:
        with torch.no_grad():                   # where eager raises too, it names the node
            results_of(again.kept, again.inputs, False, again.written)
        raise
    with torch.no_grad():
        mine = run_own(again, own, found)
        wrong, random = compare_results(again, exact, found, mine)
        exact = again.result = again.after = None
        same = not random or (found.rows and not wrong)
        off = compare_gradients(again, exact_g, gradients, mine, bool(wrong)) if again.backward and same else []
        again.gradients = None
    return wrong, random, off


def compare_ends_alike(kept, backend, inputs, backward, found):
    """Judges the results and gradients of a graph that draws other random numbers than eager, compiled again so that it draws eager's.
    Their rows in found are replaced.  Returns (Again, what compare_ends() returns, the Found for the gradients)."""
    ends, gradients = Found(), Found()
    again = Again(kept, backend, inputs, backward, True)
    wrong, random, off = compare_ends(again, ends, gradients)
    if not random or not wrong:
        found.rows = [row for row in found.rows if row.stage != "result"] + ends.rows
        found.take_largest(ends)
        found.note("alike", " and gradients" if gradients.rows else "")
    return again, wrong, random, off, gradients


def compare_graphs(again, wrong, off, captured, found, most):
    """Compares the graphs of each stage, where no kernel is wrong but results or gradients are, or where there are no kernels."""
    collected = again.made
    stage = first_stage(collected.stages)
    passed = [g for g in collected.lowered if (off if g.backward else wrong)]
    with torch.no_grad():
        if found.first is None and passed:
            compare_all_passes(again, passed, captured, found, most)
        if found.first is None and stage and (wrong or not collected.lowered):
            torch.set_rng_state(again.seed)
            compare_forward(again.kept, again.inputs, stage, collected.stages[stage], captured, found, most, bool(wrong))


def captured_of(again):
    stages = again.made.stages
    stands = stand_ins(again.kept, stages["backend"]) if "backend" in stages else None
    return Captured(again.kept, stages.get("forward") or stages.get("inference"), again.made.graphs, stands)


def estimate_exact(kept, inputs):
    """The most bytes that are alive in a run in float64 beside the results of the backend."""
    program, given, made, alive, most = kept.program(), iter(inputs), [], 0, 0
    known = symbols_of(placeholders(kept), inputs)
    for n, (i, op, called, args, kwargs, dead) in zip(program.nodes, program.steps):
        value = next(given) if op == "placeholder" else traced(n)
        wide_bytes = sum([wide_size(t, known) for t in pytree.tree_leaves(value)])
        made.append(wide_bytes if op != "output" else 0)
        read = sum([made[program.index[a]] for a in n.all_input_nodes if a.op == "placeholder"]) if op in CALLS else 0
        alive += made[i] if op in CALLS else 0
        most = max(most, alive + read)
        alive -= sum([made[d] for d in dead if program.nodes[d].op in CALLS])
    if not program.writes_nothing():            # then all inputs are copied
        most += sum([wide_size(v) for v in inputs])
    return most + sum([bytes_of(a, known) for a in program.nodes[-1].all_input_nodes])


def check_need(bytes_taken, large, word):
    if bytes_taken > LARGE and not large:
        raise Refused("the comparison needs %s %.1f GB of memory; '-f' makes it all the same" % (word, bytes_taken / 1e9))


class Sizes:
    """needs: the most bytes that a graph which is compared needs itself.  taken: the most that comparing takes."""
    def __init__(self, kept, inputs, backward, large):
        self.large, rough = large, estimate(kept.program(), inputs)
        needs, taken = None, bound_of(kept, inputs, backward)
        if taken is None:
            needs, taken = size_of_run(kept, inputs, backward)
        self.word = "about"
        if taken is None:                       # by the sizes that were traced
            self.word = how_exact(kept.program(), inputs)
            taken = max(rough, estimate_exact(kept, inputs))
            if backward:                        # autograd keeps most values, in float64 too
                taken = max(taken, 2 * (sum([bytes_of(n) for n in kept.graph.nodes if n.op in CALLS]) +
                                        sum([size_of(v) or 0 for v in inputs])))
        self.needs, self.taken = needs or rough, taken
        self.window, self.lowered = max(min(rough, self.needs) // 2, LEAST_HELD), 0
        check_need(self.taken, large, self.word)

    def add(self, lowered):
        """Graphs that inductor compiled since."""
        if len(lowered) != self.lowered:
            self.lowered = len(lowered)
            bounds = [bound_of(g.kept, None, False) for g in lowered]
            if None not in bounds:
                self.taken = max(self.taken, *bounds)
                return
            self.needs = max(self.needs, needed_by_lowered(lowered) or 0)
            self.taken = max(self.taken, size_of_lowered(lowered, 2 * self.needs, self.window) or 0)
            check_need(self.taken, self.large, self.word)


# ---- the questions ---------------------------------------------------------------------------------------------------------

class GraphComparison:
    """A comparison under way, and what is known so far.  wrong, random, off: see compare_ends().  own: the function that the program calls
    for the graph, or None."""
    def __init__(self, kept, backend, inputs, backward, large, own):
        self.kept, self.backend, self.inputs, self.own, self.asked = kept, backend, inputs, own, backward
        self.backward = backward and gives_gradients(kept)
        self.found, self.gradients = Found(), Found()
        self.sizes = Sizes(kept, inputs, self.backward, large)
        self.take(Again(kept, backend, inputs, self.backward))
        self.claims = broken_claims(self.again)

    def take(self, again):
        self.again = again
        self.sizes.add(again.made.lowered)

    def stages(self):
        """The graphs of the stages, beside the captured one."""
        compare_graphs(self.again, self.wrong, self.off, self.captured, self.found, self.sizes.window)


def ask_ends(c):
    """Are the results and the gradients right?"""
    try:
        c.wrong, c.random, c.off = compare_ends(c.again, c.found, c.gradients, c.own)
    except Refused as e:
        raise Refused("; ".join([str(e), *told_claims(c.claims)])) from e
    c.sizes.add(c.again.made.lowered)
    c.captured = captured_of(c.again)


def ask_kernels(c):
    """Which kernel of inductor makes the first wrong value?"""
    with torch.no_grad():
        for g in c.again.made.lowered:
            if g.inputs is not None and compare_lowered(g, c.again.made, c.captured, c.found, c.sizes.window):
                break
            g.inputs = None


def ask_kinds(c):
    """Which node gives a result another type or shape?"""
    if c.found.first is None and c.found.unlike:
        compare_kinds(c.again, c.captured, c.found)


def ask_stages(c):
    """Which stage's graph computes something else than the one before?"""
    c.stages()


def ask_alike(c):
    """Are results right that the graph makes from eager's random numbers, compiled again so that it draws these?"""
    if c.found.first is None and c.random and c.wrong and c.again.made.lowered:
        c.again = None                          # before it is compiled again
        c.again, c.wrong, c.random, c.off, c.gradients = compare_ends_alike(c.kept, c.backend, c.inputs, c.backward, c.found)
        c.captured = captured_of(c.again)
        c.stages()


def ask_claims(c):
    """Does an operator that breaks its claims come before what is named so far?"""
    if c.found.first is None and c.found.unlike:
        c.found.name_unlike_result()
    c.found.rows += c.gradients.rows
    c.found.notes += told_claims(c.claims) + told_autocast(c.again, c.off)
    if c.claims and c.found.is_wrong():
        name_claim(c.claims, c.captured, c.found)


def ask_rounding(c):
    """Does rounding explain it?"""
    if c.found.rounded and c.found.first is None and (c.wrong or c.off):
        c.wrong, c.off = explain_by_rounding(c.kept, c.found, c.wrong, c.off)
    c.found.take_largest(c.gradients)


def ask_backward(c):
    """Which node of the backward graph makes the first wrong gradient?"""
    if c.found.first is None and c.off:
        with apart(), in_modes(c.kept.modes):
            compare_backward(c.again, c.captured, c.found, c.sizes.window)


def ask_what_is_left(c):
    """What differs though no node explains it, and what was not compared?"""
    found = c.found
    if found.first is None and c.off:
        found.note("gradients", ", ".join(c.off))
    if found.first is None and c.wrong and not c.random:
        results, written = [str(i) for i in c.wrong if type(i) is int], [i for i in c.wrong if type(i) is str]
        told = " and ".join([words + ", ".join(of) for words, of in (("results ", results), ("what is written into ", written)) if of])
        writers = None if results else told_writers(c.kept, c.inputs, written)
        found.note("results", told, "" if results else "s", writers or "no single node explains it")
    elif c.wrong and c.random:
        found.note("random", "" if any([row.stage != "result" for row in found.rows]) else "not ")
    found.notes += c.gradients.notes
    if c.asked and not c.gradients.rows and not c.gradients.notes:
        found.note("no gradients", why_no_gradients(c))
    if not c.again.made.stages and not c.again.made.lowered:
        found.note("no stages")


def why_no_gradients(c):
    if not any([getattr(v, "requires_grad", False) for v in c.inputs]):
        return "no input requires one"
    if not c.backward:
        return "no value in the graph needs a gradient, as in that of an optimizer"
    return "the graph draws random numbers, which may be others in eager" if c.random else "the graph gives none to its inputs"


APART = ask_ends, ask_kernels, ask_kinds, ask_stages, ask_alike         # these run the graph
AFTER = ask_claims, ask_rounding, ask_backward, ask_what_is_left


def graph_compare(kept, backend, inputs, backward, large, allowed, own):
    """Compares with what the user allows, (relative, absolute), or None.  large: also if it takes much memory.  own: see GraphComparison.  What
    Found.answer() has, and needs: bytes that the graph needs; estimate: bytes that this takes."""
    with tolerating(allowed), without_transforms(kept, inputs) as inputs:
        with apart(), in_modes(kept.modes), torch.enable_grad() if backward and gives_gradients(kept) else contextlib.nullcontext():
            c = GraphComparison(kept, backend, inputs, backward, large, own)
            for ask in APART:
                ask(c)
        for ask in AFTER:
            ask(c)
        return {**c.found.answer(), "needs": c.sizes.needs, "estimate": c.sizes.taken}
