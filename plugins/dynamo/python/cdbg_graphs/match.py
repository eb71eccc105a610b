# SPDX-License-Identifier: BSD-3-Clause
"""Which captured node a node of a later graph stands for: by what torch notes of its origin, or by its place in a graph that a backend
changed by passes of its own (stage "backend").  Knows no backend and no comparison."""
import torch
import torch.fx

from .modes import modes_now
from .nodes import is_same_operator, place_of, traced
from .run import Kept


def origins_of(n):
    """The nodes of earlier graphs that a node comes from, as torch notes them, nearest first."""
    found, todo = [], list(n.meta.get("from_node") or ())
    while todo:
        s = todo.pop(0)
        found.append(s)
        todo += list(getattr(s, "from_node", None) or ())
    return found


def graphs_in(module, prefix=""):
    """{id of a graph: (the graph, what the names of its nodes begin with)} of a captured module and its sub-graphs."""
    found = {id(module.graph): (module.graph, prefix)}
    for n in module.graph.nodes:
        inner = getattr(module, n.target, None) if n.op == "get_attr" and "." not in n.target else None
        if isinstance(inner, torch.fx.GraphModule):
            found.update(graphs_in(inner, "%s%s." % (prefix, n.target)))
    return found


def wants_gradient(n):
    return bool(getattr(traced(n), "requires_grad", False))


class Captured:
    """Names and lines of captured nodes, for nodes of later stages.  The name of a node in a sub-graph begins with the sub-graph's.
    graphs: those that were compiled, see graphs_in().  stands: names of captured nodes, see stand_ins()."""
    def __init__(self, kept, forward, graphs, stands=None):
        self.nodes, self.called, self.by_number, self.graphs = {}, {}, {}, graphs       # called: names here, by the node's own
        self.stands = stands or {}
        self.kept, self.operators = kept, {}    # operators: captured nodes with sub-graphs, by the number that their gradients have, too
        self.add(kept, "")
        for n in forward.graph.nodes if forward else ():
            number, name = n.meta.get("seq_nr"), self.name_by_origin(n)
            if isinstance(n.target, torch._ops.HigherOrderOperator) and name in self.nodes:
                self.operators[number] = self.nodes[name]
            if number is not None and name and wants_gradient(self.nodes[name]):
                self.by_number.setdefault(number, name)     # nodes after it that autograd does not see have the same number

    def add(self, kept, prefix):
        for n in kept.graph.nodes:
            self.nodes[prefix + n.name] = n
            if n.op != "placeholder":
                self.called.setdefault(n.name, []).append(prefix + n.name)
        for name, inner in kept.named.items():
            if isinstance(inner, Kept):
                self.add(inner, "%s%s." % (prefix, name))

    def name_by_origin(self, n):
        """Nodes of different sub-graphs may have one name: the one of the graph that was compiled, else the one that the same line made."""
        if n in self.stands:
            return self.stands[n]
        origins = origins_of(n)
        for s in reversed(origins):
            graph, prefix = self.graphs.get(getattr(s, "graph_id", None), (None, ""))
            if graph and prefix + s.name in self.nodes:
                return prefix + s.name
        names = next(filter(None, (self.called.get(s.name) for s in origins)), [])
        places = [place_of(self.nodes[name]) for name in names]
        place = place_of(n) if len(names) > 1 or any(["." in name for name in names]) else None
        same = [name for name, at in zip(names, places) if place and at == place]
        # a sub-graph that torch made for gradients calls operations as those of the program do
        other = [name for name, at in zip(names, places) if not place or not at or "." not in name]
        return next(iter(same + other), None)

    def name(self, n):
        return self.name_by_origin(n) or self.by_number.get(n.meta.get("seq_nr"))

    def own_place(self, n):
        name = self.name(n)
        return place_of(n) or (place_of(self.nodes[name]) if name else None)

    def place(self, n):
        """The place of a node that a pass of inductor made: that of its nearest user, else that of its nearest input."""
        for near in (lambda x: x.users, lambda x: x.all_input_nodes):
            seen, layer = {n}, [n]
            while layer:
                found = next(filter(None, map(self.own_place, layer)), None)
                if found:
                    return found
                layer = [y for x in layer for y in near(x) if y not in seen and y.op == "call_function"]
                layer = list(dict.fromkeys(layer))
                seen.update(layer)
        return None


# ---- a graph that a backend changed

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
