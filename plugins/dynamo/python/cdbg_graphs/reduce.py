# SPDX-License-Identifier: BSD-3-Clause
"""A graph made smaller while the difference from eager remains."""
import torch
import torch.fx

from .apart import apart, without_transforms
from .compare import Sizes, compare_ends
from .errors import Refused
from .found import Found
from .judge import tolerating
from .modes import in_modes, like
from .recompile import Again, gives_gradients
from .run import Kept, Program, perform
from .save import graph_save
from .values import copies_of, copy_of, plain


def cut_behind(kept, ends):
    """The graph with these nodes as results, without what none of them needs."""
    graph, copies, wanted, todo = torch.fx.Graph(), {}, set(), list(ends)
    while todo:
        n = todo.pop()
        if n not in wanted:
            wanted.add(n)
            todo += n.all_input_nodes
    for n in kept.graph.nodes:
        if n in wanted or n.op == "placeholder":
            copies[n] = graph.node_copy(n, copies.get)
    graph.output(tuple(copies[n] for n in ends))
    return like(kept, Kept(graph, {k: v for k, v in kept.named.items()}))


def cut_before(kept, values, starts):
    """(graph, inputs): the values of these nodes are inputs; what nothing needs any more is gone."""
    graph, copies, inputs = torch.fx.Graph(), {}, []
    last = list(kept.graph.nodes)[-1]
    needed, todo = set(), list(last.all_input_nodes)
    while todo:
        n = todo.pop()
        if n not in needed:
            needed.add(n)
            if n not in starts:
                todo += n.all_input_nodes
    order = [n for n in kept.graph.nodes if n in needed]
    for n in order:
        if n.op == "placeholder" or n in starts:
            copies[n] = graph.placeholder(n.name)
            copies[n].meta = {k: v for k, v in n.meta.items() if k in ("example_value", "val", "stack_trace")}
            inputs.append(values[n.name])
    for n in order:
        if n not in copies:
            copies[n] = graph.node_copy(n, copies.get)
    graph.output(torch.fx.map_arg(last.args[0], copies.get))
    named = {n.target for n in graph.nodes if n.op in ("get_attr", "call_module")}
    return like(kept, Kept(graph, {k: v for k, v in kept.named.items() if k in named})), inputs


class Reduction:
    """Makes a graph smaller, step by step, as long as its compiled results differ from eager's."""
    def __init__(self, kept, backend, inputs, most, backward):
        self.backend, self.tries, self.most, self.backward = backend, 0, most, backward
        self.kept, self.inputs = kept, inputs

    def differs(self, kept, inputs, whole=False):
        """Does this graph still differ? whole: it is the graph itself, so an exception is the answer."""
        self.tries += 1
        found = Found()
        try:
            with torch.set_grad_enabled(self.backward):
                wrong, random, off = compare_ends(Again(kept, self.backend, inputs, self.backward, True), found, found)
                wrong = wrong + off
        except Exception:
            if whole:
                raise
            return False                        # it cannot be compiled so: not the difference that is looked for
        return bool(wrong) and not random

    def values(self, wanted=None):
        """{name: value} of these nodes, or, of all, {name: (a tensor?, one of floats?)}."""
        seen, names = {}, [n.name for n in self.kept.graph.nodes]

        def look(i, v, seconds):
            if wanted is None:
                seen[names[i]] = isinstance(v, torch.Tensor), plain(v) and v.is_floating_point()
            elif names[i] in wanted:
                seen[names[i]] = copy_of(v) if isinstance(v, torch.Tensor) else v
        with torch.no_grad():
            perform(Program(self.kept), copies_of(self.inputs, False), look)
        for n in self.kept.graph.nodes if self.backward and wanted else ():     # inputs of a part: gradients reach them as before
            v, traced = seen.get(n.name), n.meta.get("example_value", n.meta.get("val"))
            if plain(v) and v.is_floating_point() and getattr(traced, "requires_grad", False):
                v.requires_grad_(True)
        return seen

    def inputs_of(self, starts):
        """The values of these nodes and of the inputs."""
        return self.values({n.name for n in self.kept.graph.nodes if n in starts or n.op == "placeholder"})

    def calls(self):
        return [n for n in self.kept.graph.nodes if n.op in ("call_function", "call_method", "call_module")]

    def shorten(self):
        """The earliest node that is wrong when it is the only result; found by bisection."""
        seen = self.values()
        nodes = [n for n in self.calls() if seen.get(n.name, (False, False))[1]]
        low, high, best = 0, len(nodes) - 1, None
        while low <= high and self.tries < self.most:
            middle = (low + high) // 2
            part = cut_behind(self.kept, [nodes[middle]])
            if self.differs(part, self.inputs):
                best, high = part, middle - 1
            else:
                low = middle + 1
        if best:
            self.kept = best
        return best is not None

    def give(self):
        """Replaces nodes by inputs, as near to the result as the difference allows."""
        seen, last = self.values(), list(self.kept.graph.nodes)[-1]
        layer, done = list(last.all_input_nodes), set()
        starts, near = [], []
        while layer:
            layer = [a for n in layer for a in n.all_input_nodes if a not in done]
            layer = list(dict.fromkeys(layer))
            done.update(layer)
            if layer and all(n.op == "placeholder" for n in layer):
                break
            if layer and all(seen.get(n.name, (False, False))[0] for n in layer):
                near.append(set(layer))
        for starts in near:
            if self.tries >= self.most:
                return
            kept, inputs = cut_before(self.kept, self.inputs_of(starts), starts)
            if self.differs(kept, inputs):
                self.kept, self.inputs = kept, inputs
                return
        kept, inputs = cut_before(self.kept, self.inputs_of(set()), set())      # inputs that nothing needs
        if len(inputs) < len(self.inputs) and self.differs(kept, inputs):
            self.kept, self.inputs = kept, inputs


MOST_COMPILES = 24                              # of one reduction


def graph_reduce(kept, inputs, path, backend, title, backward, large, allowed, write_beside):
    """Writes the smallest graph that was found and still differs, as graph_save() does.  allowed: see there.  large: also if it takes
    much memory.  before, after: how many nodes; saved: what graph_save() returns."""
    with without_transforms(kept, inputs) as inputs, apart(), in_modes(kept.modes), tolerating(allowed):
        Sizes(kept, inputs, backward and gives_gradients(kept), large)
        r = Reduction(kept, backend, inputs, MOST_COMPILES, backward and gives_gradients(kept))
        before = len(r.calls())
        if not r.differs(kept, inputs, True):
            raise Refused("the compiled graph does not differ from eager with these inputs, so there is nothing to reduce; "
                          "'graph compare' looks at each node")
        r.shorten()
        r.give()
        after = len(r.calls())
        saved = graph_save(r.kept, r.inputs, path, backend, "a part of " + title, backward, allowed, write_beside)
    return {"before": before, "after": after, "compiles": r.tries, "saved": saved}
