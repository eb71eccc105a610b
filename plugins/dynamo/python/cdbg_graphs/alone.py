# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of inductor's graph compiled alone, each an output, and judged.  Shows nothing."""
import torch
import torch.fx

from .inputs import written_arguments
from .judge import Walk, draws_inside
from .nodes import is_harmless, is_random
from .recompile import no_caches
from .rounding import Roundings
from .run import function_of, stage_of, step
from .symbols import laid_as, shadows_for
from .torch_state import storage_of
from .unseen import Counters
from .values import plain
from .window import Made

FUSED_ROUNDS = 16                               # a kernel's rounding, beside the most that other roundings by eager made


def slice_of(n, known):
    """A node and all nodes that it is computed from, back to those whose values are known, in the order of the graph."""
    wanted, todo = set(), [n]
    while todo:
        x = todo.pop()
        if x in wanted or x.op in ("placeholder", "get_attr") or (x is not n and x.name in known):
            continue
        wanted.add(x)
        todo += x.all_input_nodes
    return [x for x in n.graph.nodes if x in wanted]


def without_overwritten(part, made):
    """Without the values of nodes whose memory a later node of the graph writes."""
    written = set()                             # memory that a node from here on writes
    for n in reversed(part.graph.nodes):
        if n.name in made and storage_of(made[n.name])._cdata in written:
            del made[n.name]
        if isinstance(n.target, torch._ops.OpOverload):
            nodes = written_arguments(n.target, n.args, n.kwargs)
            written.update(storage_of(made[x.name])._cdata for x in nodes if isinstance(x, torch.fx.Node) and x.name in made)
    return made


def tapped(kept, nodes, values, collected):
    """{name: value}: these nodes compiled by inductor as a graph whose outputs are all of them; that graph as Kept, its inputs, and
    {node: the one there}."""
    from torch._guards import TracingContext, tracing
    from torch._inductor import config
    from torch._inductor.compile_fx import compile_fx_inner
    inside = set(nodes)
    inside.update(x for n in nodes for x in n.all_input_nodes if isinstance(values.get(x), (tuple, list)))
    nodes = [n for n in kept.graph.nodes if n in inside]
    read = {x for n in nodes for x in n.all_input_nodes}
    outside = [x for x in kept.graph.nodes if x not in inside and x in read]
    graph, copies = torch.fx.Graph(), {}
    for x in outside:
        copies[x] = graph.get_attr(x.target) if x.op == "get_attr" else graph.placeholder(x.name)
        copies[x].meta = dict(x.meta)
    for n in nodes:
        copies[n] = graph.node_copy(n, copies.get)
    ends = [n for n in nodes if isinstance(n.meta.get("val"), torch.Tensor)]
    graph.output(tuple(copies[n] for n in ends))
    part = torch.fx.GraphModule({n: kept.named_object(n) for n in kept.named}, graph)
    given = [x for x in outside if x.op != "get_attr"]
    inputs, alone = [values[x] for x in given], stage_of(part)                   # passes of inductor change the part
    shadows, fake = shadows_for(kept, part, given, inputs)
    collected.quiet = True
    try:
        with Counters(), no_caches(), config.patch(pattern_matcher=False), tracing(TracingContext(fake)), torch.no_grad():
            compiled = compile_fx_inner(part, shadows)
            results = compiled([laid_as(v, s) for v, s in zip(inputs, shadows)])
    finally:
        collected.quiet = False
    made = {copies[n].name: r for n, r in zip(ends, results) if isinstance(r, torch.Tensor)}
    return without_overwritten(part, made), alone, inputs, copies


class Alone:
    """Nodes of a graph compiled by inductor as a graph of their own, and judged.  kept, inputs: that graph's.  copies: {node: the one
    there}.  results: {name there: value}.  first: the first wrong node, or None."""
    def __init__(self, kept, nodes, values, collected):
        self.results, self.kept, self.inputs, self.copies = tapped(kept, nodes, values, collected)
        self.walk = Walk(self.kept, self.inputs, Made(self.results))
        self.first = None if self.walk.first is None else self.original(self.walk.first)

    def original(self, n):
        return next(x for x, copy in self.copies.items() if copy.name == n.name)

    def verdict(self):
        """That on the first wrong node."""
        return self.walk.judged[-1][1]


def made_by_eager(kept, nodes, values):
    """The value of the last of these nodes.  values: {node: value} of what they read."""
    made = {n: v for n, v in values.items() if n not in nodes}
    for n in nodes:
        called = kept.named_object(n.target) if n.op == "get_attr" else function_of(n)
        made[n] = step(n.op, called, torch.fx.map_arg(n.args, made.get), torch.fx.map_arg(n.kwargs, made.get))
    return made[nodes[-1]]


def beyond_rounding(kept, nodes, values, verdict):
    """The nodes are right alone; is what a kernel made of them, in this verdict, still wrong?  A kernel does not round what it keeps to
    itself, so it differs from eager by about what eager differs by where that is rounded otherwise.  values: as in made_by_eager()."""
    known = {}
    if not all([is_harmless(n, known) and not draws_inside(n, kept) for n in nodes]):
        return False

    def run(mode=None):
        return [made_by_eager(kept, nodes, values)]
    base = run()
    if not plain(base[0]) or not (base[0].is_floating_point() or base[0].is_complex()):
        return False
    roundings = Roundings(run, base)
    least = roundings.of(0)
    return roundings.coarsest > 0 and not verdict.difference <= verdict.allowed + FUSED_ROUNDS * least


class Randoms:
    """Makes the random numbers that inductor's code does not store, by inductor from the same seeds, because eager's would differ.
    None for those that are not made of seeds only."""
    def __init__(self, collected):
        self.collected, self.values = collected, None

    def __call__(self, walk, n):
        if not is_of_seeds(n):
            return None
        if self.values is None:
            wanted = [x for x in walk.kept.graph.nodes if is_of_seeds(x) and x.name not in walk.made]
            for x in (x for w in wanted for x in w.all_input_nodes):
                if x not in walk.eager:
                    walk.compute(x)
            made, _, _, copies = tapped(walk.kept, wanted, walk.eager, self.collected)
            self.values = {x.name: made.get(copies[x].name) for x in wanted}
        return self.values.get(n.name)


def is_of_seeds(n):
    """Are these random numbers made of seeds only?  All seeds of a graph are one node."""
    return is_random(n) and n.all_input_nodes and all(["inductor_lookup_seed" in str(a.target) for a in n.all_input_nodes])
