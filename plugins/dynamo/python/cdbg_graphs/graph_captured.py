# SPDX-License-Identifier: BSD-3-Clause
"""The captured nodes that nodes of later stages come from: their names and lines.
Knows no backend."""
import torch
import torch.fx

from .graph_nodes import place_of, traced
from .graph_run import Kept


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
