# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a graph that is compiled in parts, as DDPOptimizer does: a graph that calls them is kept, with them."""
import torch
import torch.fx

from .apart import apart, without_transforms
from .errors import Enough
from .inputs import copied_inputs, memory_of
from .match import wants_gradient
from .modes import like
from .nodes import placeholders
from .rows import graph_kept
from .run import Kept, Program, perform


def returning_tuple(kept):
    """The graph as the backend gets it: a single result becomes a tuple."""
    copy, last = torch.fx.Graph(), list(kept.graph.nodes)[-1]
    result = copy.graph_copy(kept.graph, {})
    copy.output(result if isinstance(last.args[0], tuple) else (result,)).meta = dict(last.meta)
    return Kept(copy, kept.named)


def memory_or_id(t):
    return memory_of(t) or id(t)


def arguments_of(split, name, inputs):
    """[(value, is it the program's own?)] of what the graph that calls the parts passes to one of them.  An input of the graph that no part
    before it writes is the program's own."""
    found, program = [], Program(split)

    def reached(*args):
        found.extend(args)
        raise Enough
    program.steps = [(i, op, reached if op == "call_module" and program.nodes[i].target == name else called, *rest)
                     for i, op, called, *rest in program.steps]
    with without_transforms(split, inputs) as given, apart(), torch.no_grad():
        copies = copied_inputs(split, given)
        before = [None if not isinstance(c, torch.Tensor) or c.is_inference() else c._version for c in copies]
        try:
            perform(program, copies)
        except Enough:
            pass
        written = {memory_or_id(c) for c, version in zip(copies, before) if isinstance(c, torch.Tensor) and (
            version is None or c._version != version)}
    own = {id(c): v for c, v in zip(copies, inputs) if not isinstance(c, torch.Tensor) or memory_or_id(c) not in written}
    return [(own[id(v)], True) if id(v) in own else (v, False) for v in found]


def graph_part(whole, split, inputs, name):
    """kept and inputs of a part, as the program runs it after the parts before it.  split: the graph that calls the parts, as graph_keep.c
    kept it; whole, inputs: the graph as it was captured, and its inputs."""
    split = like(whole, graph_kept(split))
    part, values = like(whole, returning_tuple(split.named[name])), []
    given = [*inputs[:len(inputs) - len(whole.given)], *split.given]
    for n, (v, own) in zip(placeholders(part), arguments_of(split, name, given)):
        if isinstance(v, torch.Tensor) and not own:             # gradients reach it as in the program
            v = v.detach().requires_grad_(wants_gradient(n))
        values.append(v)
    return {"kept": part, "inputs": values}


def graph_part_function(function, name):
    """What the program runs for a part, from what it calls for the whole graph; None: it is not known."""
    function = getattr(function, "_torchdynamo_orig_callable", function)
    part = getattr(getattr(function, "__self__", function), "compiled_" + name, None)
    return getattr(part, "submod", None)


def joined(results):
    """One result of graph_compare() for the parts of a graph, [(name, result)]; the name is "" for a graph that is compiled whole.  part: the
    first in which something is wrong, or None."""
    if len(results) == 1 and not results[0][0]:
        return results[0][1]
    wrong = [(name, r) for name, r in results if r["first"]] or [
        (name, r) for name, r in results if any([row["ok"] is False for row in r["rows"]])]
    part, chosen = wrong[0] if wrong else (None, results[0][1])
    return {"first": chosen["first"], "part": part,
            "rows": [{**row, "part": name} for name, r in results for row in r["rows"]],
            "notes": ["%s: %s" % (name, note) for name, r in results for note in r["notes"]],
            "largest": max([r["largest"] for _, r in results if r["largest"]], key=lambda v: v["share"], default=None),
            **{key: max([r[key] for _, r in results]) for key in ("needs", "estimate")}}
