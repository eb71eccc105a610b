# SPDX-License-Identifier: BSD-3-Clause
"""The stages of a graph that is compiled again, apart from the program and without caches: what they are, and inputs to run one on."""
import contextlib

import torch

from .apart import apart, without_transforms
from .errors import Refused
from .forward import placeholders_by_size
from .match import stand_ins
from .modes import in_modes
from .nodes import first_stage, placeholders, symbols_of
from .recompile import Again
from .run import Kept, Program, perform
from .symbols import ones_for
from .values import copies_of


def with_subgraphs(kept):
    """The graph; one with sub-graphs belongs to a module, in which they are found."""
    return kept.module().graph if any(isinstance(v, Kept) for v in kept.named.values()) else kept.graph


def stages_made(made):
    """name, graph (or text) and buffers (those of the graph lowering, or None) of each stage that Collected has seen."""
    found = [(name, with_subgraphs(kept), None) for name, kept in made.stages.items()]
    for g in made.lowered:
        tail = "-backward" if g.backward else ""
        found.append(("post-grad" + tail, with_subgraphs(g.kept), None))
        found.append(("kernel" + tail, g.source, g.buffers))
    return [{"name": name, "graph": graph, "buffers": buffers} for name, graph, buffers in found]


class StageInputs:
    """The inputs of the stages that were made: those that inductor's code was called with, else what the forward graph has."""
    def __init__(self, made, inputs):
        self.called = {g.backward: g.inputs for g in made.lowered}
        self.first = made.stages.get(first_stage(made.stages))
        if self.first is None and made.lowered:
            self.first = made.lowered[0].kept
        self.begin = self.taken(False, self.first) or placeholders_by_size(self.first, inputs)
        if self.begin is None:
            raise Refused("the inputs of the stage are not known: they do not match those of the captured graph")

    def taken(self, backward, kept):
        values = self.called.get(backward)
        return values if values is not None and len(values) == len(placeholders(kept)) else None

    def leaves(self, kept, inputs):
        """The positions of a stage's inputs that are inputs of the captured graph which require a gradient: an operator may ask for that,
        as flex_attention does."""
        starts = placeholders(self.first)
        named = {n.name for n, v in zip(starts[len(starts) - len(inputs):], inputs) if isinstance(v, torch.Tensor) and v.requires_grad}
        return [i for i, n in enumerate(placeholders(kept)) if n.name in named]

    def of(self, stage, kept):
        if stage in ("backend", "forward", "inference", "post-grad"):
            return self.begin
        if stage != "joint" and self.taken(True, kept):
            return self.taken(True, kept)
        names, seen = [n.name for n in self.first.graph.nodes], {}
        with torch.no_grad():
            perform(Program(self.first, keep=True), copies_of(self.begin, False), lambda i, v, s: seen.__setitem__(names[i], v))
        known, states = symbols_of(placeholders(self.first), self.begin), [
            n.name for n in placeholders(kept) if n.name.startswith("rng_state_output")]
        if states:                              # of random numbers drawn again: the forward graph's last results, by other names
            ends = list(self.first.graph.nodes)[-1].all_input_nodes
            seen.update(zip(states, [seen[a.name] for a in ends[-len(states):]]))
        return [seen[n.name] if n.name in seen and "tangents" not in n.name else ones_for(n, known) for n in placeholders(kept)]


def graph_stage(kept, backend, inputs, stage, trained):
    """kept, inputs and stages (see stages_made()): a stage of the captured graph, ready to run.  trained: the program has a forward graph of it."""
    backward = stage in ("joint", "forward", "backward", "post-grad-backward") or (trained and stage == "post-grad")
    with without_transforms(kept, inputs) as inputs, apart(), in_modes(kept.modes), torch.enable_grad() if backward else contextlib.nullcontext():
        made = Again(kept, backend, inputs, backward).run().made
        graphs = dict(made.stages)
        for g in made.lowered:
            graphs.setdefault("post-grad-backward" if g.backward else "post-grad", g.kept)
        if stage not in graphs:
            names = ", ".join(["captured", *graphs])
            why = "; no result of it requires a gradient" if backward and graphs and "joint" not in graphs else ""
            raise Refused("no stage '%s' to run: compiling the graph for these inputs makes %s%s" % (stage, names, why))
        if "backend" in graphs:
            stand_ins(kept, graphs["backend"])
        values = StageInputs(made, inputs)
        graphs[stage].leaves = values.leaves(graphs[stage], inputs)
        return {"kept": graphs[stage], "inputs": values.of(stage, graphs[stage]), "stages": stages_made(made)}


def graph_recompile(kept, backend, inputs, backward, stages):
    """stages_made() of the captured graph compiled again, apart from the program, from Dynamo's cache and from inductor's.  stages: names of
    those that are known.  A graph that the program trains is compiled with its backward graph, or else other code would take the place of
    the one that runs."""
    backward = backward or "forward" in stages or "joint" in stages or (
        not stages and torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in inputs))
    with without_transforms(kept, inputs) as inputs, apart(), in_modes(kept.modes), torch.enable_grad() if backward else contextlib.nullcontext():
        return stages_made(Again(kept, backend, inputs, backward).run().made)
