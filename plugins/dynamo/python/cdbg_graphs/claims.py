# SPDX-License-Identifier: BSD-3-Clause
"""Finds operators, defined outside of torch, that do other than their schema or their fake kernel declares: compilers believe these.  Knows no backend."""
import os

import torch
import torch.utils._pytree as pytree

from .ends import leaves, perform_with_gradients
from .equal import same_elements
from .inputs import calls_foreign, copied_inputs, is_foreign
from .judge import Verdict
from .nodes import place_of
from .run import Program, perform
from .torch_state import storage_of
from .values import copy_of, plain


class Claims(torch.utils._python_dispatch.TorchDispatchMode):
    """In the block, each call of such an operator is compared with what it claims.  broken: [(operator, words)] since it was emptied."""
    supports_higher_order_operators = True

    def __init__(self):
        super().__init__()
        self.broken = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not is_foreign(function):
            return function(*args, **kwargs)
        named = dict(zip([a.name for a in function._schema.arguments], args), **kwargs)
        given = [(a, t) for a in function._schema.arguments for t in pytree.tree_leaves(named.get(a.name)) if plain(t)]
        before = [copy_of(t) for _, t in given]
        said = said_by_fake(function, args, kwargs)
        made = function(*args, **kwargs)
        written = {storage_of(t)._cdata for a, t in given if a.alias_info and a.alias_info.is_write and storage_of(t)}
        for (a, t), was in zip(given, before):
            if not (storage_of(t) and storage_of(t)._cdata in written) and not same_elements(t, was):
                self.note(function, "writes its argument '%s', which its schema does not declare" % a.name)
        for r, v in zip(function._schema.returns, made if len(function._schema.returns) > 1 else [made]):
            stores = [storage_of(t) for t in pytree.tree_leaves(v) if plain(t) and t.numel()]
            for a, t in given:
                if not r.alias_info and storage_of(t) and storage_of(t)._cdata in [s._cdata for s in stores if s]:
                    self.note(function, "returns memory of its argument '%s', which its schema does not declare" % a.name)
        for v, s in zip(pytree.tree_leaves(made), said or ()):
            if isinstance(v, torch.Tensor) and isinstance(s, torch.Tensor) and in_words(v) != in_words(s):
                self.note(function, "returns %s, its fake kernel %s" % (in_words(v), in_words(s)))
        return made

    def note(self, function, words):
        self.broken.append((str(function).removesuffix(".default"), words))


def in_words(t):
    """Type, sizes and, where they are not the default, strides of a tensor in words."""
    kind = "%s %s" % (str(t.dtype).removeprefix("torch."), list(t.shape))
    if t.layout is not torch.strided or not t.numel():
        return kind
    strides, size = [], 1
    for s in reversed(t.shape):
        strides, size = [size if s != 1 else None, *strides], size * s
    own = [n if s != 1 else None for n, s in zip(t.stride(), t.shape)]
    return kind + (" with strides %s" % list(t.stride()) if own != strides else "") + (
        " on %s" % t.device.type if t.device.type != "cpu" else "")


def said_by_fake(function, args, kwargs):
    """The parts of what the operator's fake kernel makes of these arguments; None: it has none, or the sizes depend on values."""
    from torch._subclasses import fake_tensor
    try:
        with fake_tensor.FakeTensorMode(allow_non_fake_inputs=True) as fake:
            shadows = pytree.tree_map_only(torch.Tensor, lambda t: fake.from_tensor(t, static_shapes=True), (args, kwargs))
            return pytree.tree_leaves(function(*shadows[0], **shadows[1]))
    except Exception:
        return None


def broken_claims(again):
    """[(captured node or None, operator, words)] of the operators that the graph, and its gradients if they are compared, call."""
    kept, found, mode = again.kept, {}, Claims()
    if not calls_foreign(kept) and not any(map(calls_foreign, again.made.stages.values())):
        return []

    def look(program, i, v, seconds):
        for operator_name, words in mode.broken:
            found.setdefault((operator_name, words), program.nodes[i])
        mode.broken.clear()
    program = Program(kept, look=look)
    try:
        torch.set_rng_state(again.seed)
        with torch.no_grad(), mode:
            perform(program, copied_inputs(kept, again.inputs), lambda *step: look(program, *step))
        if again.backward:
            torch.set_rng_state(again.seed)
            with mode:
                perform_with_gradients(kept, Program(kept), [leaves(again.inputs)])
    except Exception:                           # eager raises, which the comparison shows; or such a mode cannot see an operation
        pass
    for broken in mode.broken:
        found.setdefault(broken)
    if any(["writes its argument" in words for _, words in found]):
        kept.program().harmless = False         # so that the program's own tensors are copied
    return [(n, *broken) for broken, n in found.items()]


def told_claims(claims):
    """Lines about them."""
    lines = []
    for n, operator_name, words in claims:
        place = place_of(n) if n else None
        where = "" if n is None else " (node '%s'%s)" % (n.name, " at %s:%d" % (os.path.basename(place[0]), place[1]) if place else "")
        lines.append("operator %s%s %s" % (operator_name, where, words))
    return lines


def name_claim(claims, captured, found):
    """Something is wrong: names the first node whose operator breaks its claims, where what was named so far does not come before it."""
    order = list(captured.nodes)
    claim = next(((n, words) for n, _, words in claims if n is not None), None)
    if claim is None:
        return
    n, words = claim
    name = next((k for k, v in captured.nodes.items() if v is n), n.name)
    if found.first and found.first.node in order and order.index(found.first.node) < order.index(name):
        return
    verdict = Verdict(True, float("nan"), 0.0, 0.0, "the operator " + words)
    found.row(name, "captured", n, place_of(n), None, verdict, False)
    found.wrong_first(name, "captured", n, place_of(n), verdict, inner=name)
