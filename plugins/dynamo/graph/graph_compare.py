# SPDX-License-Identifier: BSD-3-Clause
"""Where a compiled graph first computes something else than eager.  Runs in the same namespace as graph_again.py.

The captured graph is compiled again by the entry's backend, apart from the program and from Dynamo's cache, so that every
stage is at hand.  Each value that a stage makes is judged against eager and float64 and then fed into both, so that errors do
not add up and each judgement is local.  Knows no command."""
MOST_DOUBTS = 8


# ---- graph compare ----------------------------------------------------------------------------------------------------------

class Found:
    """rows: (node, stage, target, file, line, kernel, max_diff, reference_diff, ok).  first: see graph_compare()."""
    def __init__(self):
        self.rows, self.first, self.notes, self.largest = [], None, [], None

    def row(self, name, stage, n, place, kernel, verdict, ok):
        target = torch.fx.node._get_qualified_name(n.target) if callable(n.target) else str(n.target)
        target = str(n.target) if isinstance(n.target, torch._ops.OpOverload) else target
        self.rows.append((name, stage, target, place[0] if place else None, place[1] if place else None, kernel,
                          verdict.difference, verdict.reference, ok))
        share = verdict.difference / verdict.allowed if verdict.allowed else 0.0
        if ok and (self.largest is None or share > self.largest[0]):
            self.largest = (share, name, stage, verdict.difference)
        return self.rows[-1]


def statistics_of(values):
    lines = []
    for n, v in values:
        f = figures(v) if isinstance(v, torch.Tensor) else None
        if f and f[0] is not None:
            lines.append("%s: min %.6g, max %.6g, mean %.6g, NaN %d, Inf %d" % (n.name, *f))
    return lines


def compare_lowered(g, collected, captured, found):
    """One graph of inductor; True: something is wrong in it."""
    stage = "kernel-backward" if g.backward else "kernel"
    made = g.call()
    values, randoms = {k: v for k, (v, _) in made.items()}, Randoms(collected)
    for _ in range(MOST_DOUBTS + 1):
        walk = Walk(g.kept, g.inputs, values, randoms)
        if walk.first is None:
            break
        bad, kernel = walk.first, made[walk.first.name][1].kernel
        verdict, exact = walk.judged[-1][1], True
        parts = slice_of(bad, values)
        if sum(x.op == "call_function" for x in parts) > 1:
            results, part, inputs, copies = tapped(g.kept, parts, walk.eager, collected)
            alone = Walk(Kept.of(part), inputs, results)
            exact = alone.first is not None
            if exact:
                back = {copies[x].name: x for x in copies}
                bad, verdict = back[alone.first.name], alone.judged[-1][1]
        if exact:
            add_rows(walk, stage, captured, made, found, skip=walk.first)
            place = captured.place(bad)
            found.row(captured.name(bad) or bad.name, stage, bad, place, kernel, verdict, False)
            inputs = [(a, walk.eager[a]) for a in bad.all_input_nodes if a in walk.eager]
            found.first = (captured.name(bad) or bad.name, stage, bad.name, str(bad.target), place, kernel,
                           kernel_source(g.source, kernel), verdict, statistics_of(inputs))
            return True
        found.notes.append("kernel %s as fused differs by %.3g at node %s, its nodes alone are right" % (
            kernel, verdict.difference, bad.name))
        values.pop(bad.name)
    add_rows(walk, stage, captured, made, found)
    return False


def add_rows(walk, stage, captured, made, found, skip=None):
    for n, verdict in walk.judged:
        if n is not skip:
            found.row(captured.name(n) or n.name, stage, n, captured.place(n), made[n.name][1].kernel if n.name in made else None,
                      verdict, not verdict.wrong)


def compare_results(kept, inputs, results, seed, found):
    """The graph's results as a whole; the positions of those that are wrong."""
    torch.set_rng_state(seed)
    given = copies_of(inputs, False)
    eager = tensors(perform(Program(kept), given))
    torch.set_rng_state(seed)
    try:
        exact = tensors(perform_exact(kept, copies_of(inputs, False)))
    except Exception:
        exact = [wide(t) for t in eager]
    last, wrong = list(kept.graph.nodes)[-1], []
    ends = last.all_input_nodes
    for i, (b, e, x) in enumerate(zip(tensors(results), eager, exact)):
        verdict = judge(b, e, x)
        if verdict and verdict.wrong:
            wrong.append(i)
        if verdict:
            n = ends[i] if i < len(ends) and len(ends) == len(eager) else last
            found.row("%s (result %d)" % (n.name, i), "result", n, place_of(n), None, verdict, not verdict.wrong)
    return wrong, any(is_random(n) or "dropout" in str(n.target) or "rand" in str(n.target) for n in kept.graph.nodes)


def perform_exact(kept, inputs):
    program = Program(kept)
    program.steps = [(i, op, called, pytree.tree_map(wide, args), pytree.tree_map(wide, dict(kwargs)), dead)
                     for i, op, called, args, kwargs, dead in program.steps]
    return perform(program, [wide(v) for v in inputs])


def compare_stage(kept, inputs, stage, graph, captured, found):
    """AOTAutograd's graph beside the captured one, captured values fed: a wrong decomposition."""
    values, last = {}, {}
    with torch.no_grad():
        perform(Program(kept, keep=True), copies_of(inputs, False),
                lambda i, v, s: values.__setitem__(names[i], v) if isinstance(v, torch.Tensor) else None) if (
                    names := [n.name for n in kept.graph.nodes]) else None
    for n in graph.graph.nodes:
        name = captured.name_by_origin(n)
        if name in values and n.op == "call_function" and not is_random(n):
            last[name] = n
    wanted = {n.name: values[name] for name, n in last.items() if isinstance(n.meta.get("val"), torch.Tensor)
              and tuple(n.meta["val"].shape) == tuple(values[name].shape) and n.meta["val"].dtype == values[name].dtype}
    given = placeholders_by_size(graph, inputs)
    if given is None:
        return False
    walk = Walk(graph, given, wanted)
    add_rows(walk, stage, captured, {}, found)
    if walk.first is None:
        return False
    n, verdict = walk.first, walk.judged[-1][1]
    found.first = (captured.name(n) or n.name, stage, n.name, str(n.target), captured.place(n), None, None, verdict,
                   statistics_of([(a, walk.eager[a]) for a in n.all_input_nodes if a in walk.eager]))
    return True


def placeholders_by_size(graph, inputs):
    """AOTAutograd keeps the order of inputs; None where the sizes say that it did not."""
    nodes = [n for n in graph.graph.nodes if n.op == "placeholder"]
    if len(nodes) != len(inputs):
        return None
    for n, v in zip(nodes, inputs):
        val = n.meta.get("val")
        if isinstance(val, torch.Tensor) != isinstance(v, torch.Tensor) or (
                isinstance(v, torch.Tensor) and tuple(val.shape) != tuple(v.shape)):
            return None
    return copies_of(inputs, False)


def graph_compare(kept, backend, inputs, backward):
    """(first, rows, notes, largest).  first: (captured name, stage, node, target, (file, line, function), kernel, kernel
    source, (max_diff, reference_diff, allowed, words), lines about its inputs) of the first wrong node, or None.  rows: see
    Found.  largest: (share of what is allowed, node, stage, difference) among what is right."""
    found = Found()
    with apart():
        grad = torch.is_grad_enabled()
    with apart(), torch.enable_grad() if backward else contextlib.nullcontext():
        again = Again(kept, backend, inputs, backward)
        collected = again.made
        captured = Captured(kept, collected.stages.get("forward") or collected.stages.get("inference"))
        with torch.no_grad():
            wrong, random = compare_results(kept, inputs, again.result, again.seed, found)
            for g in collected.lowered:
                if g.inputs is not None and compare_lowered(g, collected, captured, found):
                    break
            stage = "forward" if "forward" in collected.stages else "inference"
            if found.first is None and wrong and not random and stage in collected.stages:
                compare_stage(kept, inputs, stage, collected.stages[stage], captured, found)
    if found.first is None and wrong and not random:
        found.notes.append("results %s differ from eager; no single node explains it" % ", ".join(map(str, wrong)))
    elif wrong and random:
        found.notes.append("the graph draws random numbers: its results are other numbers in eager, its nodes were compared")
    if not collected.stages and not collected.lowered:
        found.notes.append("torch reports no stages of this backend: only the results were compared")
    first = found.first
    if first:
        v = first[7]
        first = first[:7] + ((v.difference, v.reference, v.allowed, v.what),) + first[8:]
    return first, found.rows, found.notes, found.largest
