# SPDX-License-Identifier: BSD-3-Clause
"""The graph that a backend makes of the captured one by passes of its own: stage "backend".  Knows no comparison."""
import torch
import torch.fx

from .graph_captured import graphs_in, origins_of
from .graph_modes import modes_now
from .graph_nodes import is_same_operator, traced
from .graph_run import Kept


def outline(module):
    """What is compared to tell whether a backend changed a module's graph, or one in it."""
    return [[(n.name, n.op, str(n.target), str(n.args), str(n.kwargs)) for n in graph.nodes] for graph, _ in graphs_in(module).values()]


def changed_by(compiled, module, before):
    """The graph whose code a backend returned, or that it left in the module that it was given, as a Kept; None: it is the one that was
    given.  before: outline() of that."""
    own = getattr(compiled, "__self__", compiled)
    made = own if isinstance(own, torch.fx.GraphModule) else module
    if outline(made) == before:
        return None
    kept = with_values(Kept.of(made))
    kept.modes = modes_now()
    return kept


def with_values(kept):
    """The graph, whose nodes have their traced values in 'val', as those of later stages do."""
    for n in kept.graph.nodes:
        if traced(n) is not None:
            n.meta["val"] = traced(n)
    for inner in kept.named.values():
        if isinstance(inner, Kept):
            with_values(inner)
    return kept


def is_same_call(n, own):
    """Do two nodes call the same, by their targets or as an operator of aten?"""
    return (n.op, str(n.target)) == (own.op, str(own.target)) or is_same_operator(n, own)


def stand_ins(kept, graph, prefix=""):
    """{node of the backend's graph: the name of the captured node whose value it has}: the one that torch notes, else the one of its name and
    operation; else the one in whose place a node that both graphs have, or the output, takes it.  prefix: of the names in a sub-graph."""
    captured, found = {n.name: n for n in kept.graph.nodes}, {}
    for n in graph.graph.nodes:
        own, noted = captured.get(n.name), next((s.name for s in origins_of(n) if s.name in captured), None)
        if noted:
            found[n] = noted
        elif own is not None and (own.op, str(own.target)) == (n.op, str(n.target)):
            found[n] = own.name
    named, claimed = set(found), set(found.values())
    for n in reversed(graph.graph.nodes):
        own = captured[found[n]] if n in found else None
        if own is None or len(n.all_input_nodes) != len(own.all_input_nodes) or not (n in named or is_same_call(n, own)):
            continue
        for a, b in zip(n.all_input_nodes, own.all_input_nodes):
            if a not in found and b.name not in claimed and (a.op == "placeholder") == (b.op == "placeholder"):
                found[a] = b.name
                claimed.add(b.name)
    for n, name in found.items():
        if traced(n) is None and traced(captured[name]) is not None:
            n.meta["val"] = traced(captured[name])
    found = {n: prefix + name for n, name in found.items()}
    for name, inner in graph.named.items():
        if isinstance(inner, Kept) and isinstance(kept.named.get(name), Kept):
            found.update(stand_ins(kept.named[name], inner, "%s%s." % (prefix, name)))
    return found
