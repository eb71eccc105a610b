# SPDX-License-Identifier: BSD-3-Clause
"""Finds the node of AOTAutograd's forward or inference graph that a wrong decomposition made, or that of the graph which a backend of
the program's made by a wrong pass.

The captured graph is run node by node; each value is compared with the node of AOTAutograd's graph that stands for it, on the same
inputs.  In a higher-order operator that is wrong, its sub-graphs are compared with the captured ones in the same way."""
import operator

import torch
import torch.utils._pytree as pytree

from .ends import inputs_of, inputs_read
from .errors import NodeRaised
from .judge import Walk
from .nodes import CALLS, has_size, is_same_operator, nodes_write_nothing, operator_of, placeholders
from .run import Program, perform
from .subgraphs import calls_of
from .values import copies_of, copy_of, is_list
from .window import Window


def part_of(n):
    """Which part of a node that makes several tensors this is; None: it is none of them."""
    return n.args[1] if n.target is operator.getitem and type(n.args[1]) is int else None


def is_detached(n):
    """Is this the value of another node, for backward?"""
    return n.target is torch.ops.aten.detach.default


class Counterparts:
    """The nodes of AOTAutograd's graph that have the values of captured nodes."""
    def __init__(self, graph, captured):
        self.made = {}                          # lists of them, by the name of the captured node that they come from
        for n in graph.graph.nodes:
            name = captured.name_by_origin(n)
            if name and n.op in CALLS and isinstance(n.meta.get("val"), torch.Tensor) and not is_detached(n):
                self.made.setdefault(name, []).append(n)

    def of(self, name, own, v):
        """[(node, tensor)] for a captured node and its value, a tensor or several.  What an operator makes beside its result, a mask
        or sums for backward, comes after it."""
        nodes = self.made.get(name, ())
        if isinstance(v, torch.Tensor):
            ends = [n for n in nodes if not part_of(n) and fits_traced(n, v) and n.meta["val"].dtype == v.dtype]
            return [(ends[-1], v)] if ends else []
        if not is_list(v):
            return []
        parts = [n for n in nodes if part_of(n) is not None and part_of(n) < len(v) and is_same_operator(n.args[0], own)]
        if parts:
            return [(n, v[part_of(n)]) for n in parts if fits_traced(n, v[part_of(n)])]
        kinds = [(t.dtype, t.shape) for t in v]
        alone = [t for t, kind in zip(v, kinds) if kinds.count(kind) == 1]
        ends = [([n for n in nodes if fits_traced(n, t) and n.meta["val"].dtype == t.dtype], t) for t in alone]
        return [(found[-1], t) for found, t in ends if found]


def walk_beside(graph, given, run, most, feeds=True):
    """(Walk over a graph whose values are compared with those of run(), see Window; {node: value} of what the first wrong node reads)"""
    values = Window(graph.graph, run, most)
    walk = Walk(graph, given, values, feeds=feeds)
    if walk.first is None:
        return walk, {}
    called = operator_of(walk.first)
    read = set(walk.first.all_input_nodes + (called.all_input_nodes if called else []))
    return walk, Walk(graph, given, values, keep=read, until=walk.first, feeds=feeds).eager


def first_wrong(kept, inputs, graph, given, captured, prefix, most):
    """(Walk over AOTAutograd's graph, (node, Verdict, [(input, value)]) of the first wrong node or None).  prefix: of the names of the
    captured nodes, in a sub-graph.  most: the bytes of values held at once."""
    counterparts, feeds = Counterparts(graph, captured), not captured.stands or nodes_write_nothing(kept.graph.nodes)

    def run(look):
        def see(program, i, v, seconds):
            for n, t in counterparts.of(program.labels[i][0], program.nodes[i], v):
                look(n.name, t)
        program = Program(kept, look=see, prefix=prefix)
        with torch.no_grad():
            perform(program, inputs_of(kept, inputs), lambda *step: see(program, *step))
    walk, eager = walk_beside(graph, given, run, most, feeds)
    n = walk.first
    if n is None:
        return walk, None
    called = operator_of(n)
    inside = wrong_in_operator(kept, inputs, graph, called, eager, captured, most) if called else None
    return walk, inside or (n, walk.judged[-1][1], inputs_read(n, eager))


def values_read(kept, inputs, n):
    """{node: its value} of the inputs of a captured node."""
    found, nodes = {}, list(kept.graph.nodes)

    def see(i, v, seconds):
        if nodes[i] in n.all_input_nodes:
            found[nodes[i]] = pytree.tree_map(copy_of, v)
        return nodes[i] is n
    perform(Program(kept), inputs_of(kept, inputs), see)
    return found


def wrong_in_operator(kept, inputs, graph, called, values, captured, most):
    """(node, Verdict, [(input, value)]) of the first wrong node in the sub-graphs that a higher-order operator of AOTAutograd's graph
    calls; None: there is none.  values: those of the operator's inputs."""
    name = captured.name_by_origin(called)
    own = captured.nodes.get(name)
    if own is None or own not in kept.graph.nodes:
        return None
    prefix = name[:len(name) - len(own.name)]
    try:
        calls = zip(calls_of(kept, own, values_read(kept, inputs, own), most), calls_of(graph, called, values, most))
        for (sub, read), (stage, given) in calls:
            inner = next(k for k, v in kept.named.items() if v is sub)
            same = len(read) == len(given) and all(map(fits_traced, placeholders(stage), read))
            _, wrong = first_wrong(sub, read, stage, copies_of(read, False) if same else given, captured, "%s%s." % (prefix, inner), most)
            if wrong:
                return wrong
    except Exception:                           # it does not run by itself: the operator is named
        return None
    return None


def compare_forward(kept, inputs, stage, graph, captured, found, most, wrong):
    """Adds a row for each node that is compared, and sets found.first.  wrong: is a result wrong?  If none is, a node that differs is
    neither right nor wrong, and a note names it."""
    given = placeholders_by_size(graph, inputs)
    if given is None:
        return
    try:
        walk, first = first_wrong(kept, inputs, graph, given, captured, "", most)
    except (NodeRaised, RuntimeError) as e:     # it is not laid out in eager as it was traced
        found.not_compared(stage, e)
        return
    found.add_rows(walk, stage, captured, {}, skip=walk.first)
    if first is None:
        return
    n, verdict, read = first
    found.row(captured.name(n) or n.name, stage, n, captured.place(n), None, verdict, False if wrong else None)
    if wrong:
        found.name_first(n, stage, captured, verdict, read)
    else:
        found.note("no result", captured.name(n) or n.name, stage, verdict.difference)


def placeholders_by_size(graph, inputs):
    """Copies of the captured graph's inputs for AOTAutograd's graph, which keeps their order; None if sizes do not agree."""
    nodes, tokens = placeholders(graph), tokens_of(graph)
    rest = nodes[len(tokens):]
    return tokens + copies_of(inputs, False) if len(rest) == len(inputs) and all(map(fits_traced, rest, inputs)) else None


def tokens_of(graph):
    """What AOTAutograd's graph is given before its inputs, to keep operations with effects in order: torch gives it None, too."""
    first = next((n for n in placeholders(graph) if not n.users or not all(map(has_effects, n.users))), None)
    return [None] * (placeholders(graph).index(first) if first else len(placeholders(graph)))


def has_effects(n):
    return isinstance(n.target, torch._ops.HigherOrderOperator) and n.target.__name__ == "with_effects"


def fits_traced(n, v):
    """Is this a value for the placeholder, by what was traced?"""
    val = n.meta.get("val")
    return isinstance(val, torch.Tensor) == isinstance(v, torch.Tensor) and (not isinstance(v, torch.Tensor) or has_size(val, v))
