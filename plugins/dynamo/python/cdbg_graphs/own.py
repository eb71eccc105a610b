# SPDX-License-Identifier: BSD-3-Clause
"""The code that the program itself runs for a graph, on copies of the inputs.  The graph compiled again is other code where a cache had
wrong code, or where a backend depends on more than the graph."""
import itertools

import torch
import torch.fx

from .ends import given_of, gradients_of, judge_gradient
from .errors import raised_text
from .judge import result_kind, results_in
from .nodes import has_size, is_unset, place_of, placeholders, traced
from .recompile import backend_inputs, changed_inputs
from .run import Kept
from .values import plain, tensors


def is_as_traced(n, v):
    """Was the code compiled for values of this type, and of this size where it is fixed?  With others it would read other memory."""
    t = traced(n)
    if not isinstance(v, torch.Tensor) or not isinstance(t, torch.Tensor):
        return isinstance(v, torch.Tensor) == isinstance(t, torch.Tensor)
    return (plain(v) and (v.dtype, v.device) == (t.dtype, t.device) and has_size(t, v) and
            all([type(a) is not int or a == b for a, b in zip(t.stride(), v.stride())]))


def is_the_graph(function):
    """Is it the graph's module itself, as backend eager returns it?  Its results are those of the graph then."""
    function = getattr(function, "_torchdynamo_orig_callable", function)
    return isinstance(getattr(function, "__self__", function), torch.fx.GraphModule)


def names_objects(kept):
    """Does the graph name objects besides sub-graphs?  The program's own code has the program's tensors then, not copies, and may write
    them."""
    return bool(kept.given) or any([not isinstance(v, Kept) or names_objects(v) for v in kept.named.values()])


class Own:
    """What the program's own code made: result and after as in Again; gradients, None where there is nothing to judge."""
    def __init__(self, result, after, gradients):
        self.result, self.after, self.gradients = result, after, gradients

    def is_that_of(self, again):
        """Is it the same as what the graph compiled again made?"""
        lists = (self.result, again.result), ([*self.after.items()], [*again.after.items()]), (self.gradients or (), again.gradients or ())
        return all([len(a) == len(b) and all(map(is_same, a, b)) for a, b in lists[:2]]) and (
            self.gradients is None or all(map(is_same, *lists[2])))


def is_same(a, b):
    """Are two results, gradients or (position, value) the same in each bit?"""
    if isinstance(a, tuple):
        return a[0] == b[0] and is_same(a[1], b[1])
    if not plain(a) or not plain(b):
        return a is b
    return result_kind(a) == result_kind(b) and torch.equal(a, b)


def run_own(again, function, found):
    """The Own of the program's code; None: the same as the graph compiled again makes, or it cannot be run here."""
    starts = placeholders(again.kept)
    if function is None or is_the_graph(function) or names_objects(again.kept):
        return None
    if len(starts) != len(again.inputs) or not all(map(is_as_traced, starts, again.inputs)):
        return None
    given = backend_inputs(again.kept, again.inputs, again.wants)
    torch.set_rng_state(again.seed)
    try:
        with torch.set_grad_enabled(again.wants):
            taken = given_of(again.kept, given)
            made = function(*taken)
    except Exception as e:
        found.note("own raised", raised_text(e))
        return None
    result = results_in(made)
    gradients = own_gradients(again, made, given, found) if again.gradients is not None else None
    own = Own(result, changed_inputs(again, taken), gradients)
    return None if own.is_that_of(again) else own


def backward_nodes(made):
    """The nodes of autograd by which gradients of these tensors are computed."""
    seen, todo = set(), [t.grad_fn for t in tensors(made)]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [n for n, _ in node.next_functions]
    return seen


def is_compiled(node):
    """Is the code of this node there, if AOTAutograd compiles it?  It does when the program's first backward runs."""
    function = getattr(type(node), "_forward_cls", None)
    return not hasattr(function, "compiled_bw") or function.compiled_bw is not None


def own_gradients(again, made, given, found):
    """The gradients that the program's own backward code makes; None if there is none yet: the program's first backward compiles it."""
    if not all(map(is_compiled, backward_nodes(made))):
        return None
    try:
        gradients = gradients_of(made, given)
    except Exception as e:
        found.note("own backward raised", raised_text(e))
        return None
    return None if gradients is None else [g if g is None else g.detach() for g in gradients]


def judge_own(own, again, ends, wrong, found):
    """Judges what the program's own code made where the graph compiled again is right.  wrong: where it is not."""
    bad = ends.judge(own, "program", found, lambda n, verdict, e: None if is_unset(n) else not verdict.wrong, wrong)
    results, written = [str(i) for i in bad if type(i) is int], [i for i in bad if type(i) is str]
    if results:
        found.note("own", "results " + ", ".join(results))
    if written:
        found.note("own", "the values written into " + ", ".join(written))


def judge_own_gradients(own, roundings, starts, eager, exact, wrong, found):
    """The same for gradients.  starts: [(node, input)]"""
    bad = []
    for i, (n, v), g, e, x in zip(itertools.count(), starts, own.gradients, eager, exact):
        verdict = judge_gradient(roundings, i, v, g, e, x) if n.name not in wrong else None
        if verdict and verdict.wrong:
            found.row("%s (gradient)" % n.name, "program", n, place_of(n), None, verdict, False)
            bad.append(n.name)
    if bad:
        found.note("own", "gradients of " + ", ".join(bad))
