# SPDX-License-Identifier: BSD-3-Clause
"""Copies the result of a call that cdbg made, and compares two such results by value.

A tensor is compared by its elements: integers exactly, others within the tolerance of their type, NaN with NaN as
equal.  Containers and objects are compared by what they hold; an object that existed before the call is the same only
as itself, and what the call changed in it is compared too.  What has no value that can be compared is named."""
import array
import collections
import functools
import sys
import types

import torch

from .equal import equal_elements
from .object_state import (
    ATOMS, ArrayOf, CellOf, DequeOf, DictOf, ListOf, NamesOf, RandomOf, SetOf, SlotsOf, attributes_of, kin, of, slots_of)
from .printed import unlike_texts
from .state import COPIED
from .torch_state import TensorOf, has_memory, over, quiet, storage_of

TOLERANCE = {torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5), torch.float32: (1.3e-6, 1e-5),
             torch.float64: (1e-7, 1e-7), torch.complex64: (1.3e-6, 1e-5), torch.complex128: (1e-7, 1e-7)}
SHOWN, MOST_PATHS = 10, 100_000
OF_DYNAMO = "._dynamo_"                         # attributes of tensors that mark_dynamic() and the like write


class Node:
    """A copy of one value. kind: "atom", "equal" (compared by ==), "tensor", "is" (an object that existed before the call),
    "holds" (a container, with its parts), "opaque" (not compared)."""
    __slots__ = ("kind", "cls", "data", "parts")

    def __init__(self, kind, cls, data=None):
        self.kind, self.cls, self.data, self.parts = kind, cls, data, []


class Outcome:
    """The outcome of a call: its result, the exception it raised or None, and changes: {index of a Held: Node}.  printed: see Printed.
    drawn: {index: state} of the random number generators that it used.  received: {path: gradient} of tensors that autograd had computed before
    the call."""
    def __init__(self, saved, result, raised):
        self.saved, self.nodes, self.keep, self.changed = saved, {}, [], {}   # changed: {id of a StorageOf: did the call change it?}
        self.printed = saved.printed.texts() if saved.printed else {}
        self.received = {path: sum(seen[1:], seen[0]) for path, seen in saved.received.items() if seen}
        self.drawn = {i: h.now() for i, h in enumerate(saved.held) if type(h) is RandomOf and h.changed()}
        self.origin = {id(stand): key for key, stand in saved.stands.items()}
        with quiet():
            self.result = self.freeze(result, True)
            self.raised = raised and (type(raised), [self.freeze(a, True) for a in raised.args], str(raised))
            self.changes = {i: self.held(h) for i, h in enumerate(saved.compared) if saved.differs(h, self.changed)}

    def held(self, h):
        """A Node with the present contents of this object."""
        if isinstance(h, TensorOf):
            node = Node("holds", None)
            node.parts = [("", self.freeze(h.target, True)), (".grad", self.gradient(h.now()[4])),
                          (".requires_grad", self.freeze(h.target.requires_grad, False))]
            return node
        if isinstance(h, ArrayOf):
            return self.freeze(h.target, True)
        if isinstance(h, SetOf):
            return self.parts(h.target, type(h.target))
        now, node = h.now(), Node("holds", None)
        if not isinstance(now, list):
            return Node("equal", type(now), now)
        was, h.was = h.was, now
        try:
            parts = NamesOf.parts(h) if isinstance(h, NamesOf) else h.parts()
            node.parts = [(step, self.freeze(v, False)) for step, v in parts]
        finally:
            h.was = was
        return node

    def gradient(self, t):
        """Of one that the call made and that has memory of its own: restoring drops it, so that it needs no copy."""
        new = type(t) is torch.Tensor and id(t) not in self.saved.known and id(t) not in self.origin and t.layout is torch.strided
        storage = storage_of(t) if new and not t.is_conj() and not t.is_neg() else None
        if storage is not None and storage.nbytes() == t.numel() * t.element_size() and storage._cdata not in self.saved.storages:
            node = Node("tensor", type(t), t.detach())
            node.parts = self.facts(t)
            self.keep.append(t)
            return node
        return self.freeze(t, False)

    def elements(self, t):
        """A copy of a tensor: that which was saved, where the call did not change it."""
        held = self.saved.storages.get(storage_of(t)._cdata) if storage_of(t) is not None else None
        if held is None or held.was is None or t.is_conj() or t.is_neg():
            return t.resolve_conj().resolve_neg().clone()
        if id(held) not in self.changed:
            self.changed[id(held)] = held.changed()
        return t.clone() if self.changed[id(held)] else over(held.was, t, t.storage_offset(), t.size(), t.stride())

    def floats(self):
        """{path: tensor} of what is not whole numbers, as Comparison names it."""
        todo, found, seen = [(self.result, "result")], {}, set()
        todo += [(node, self.saved.compared[i].path) for i, node in self.changes.items()]
        while todo:
            node, path = todo.pop()
            if node.kind == "tensor":
                found[path] = node.data
            elif (id(node), path) not in seen and len(seen) < MOST_PATHS:
                seen.add((id(node), path))
                todo += [(child, path + step) for step, child in node.parts]
        found.update((path + ".grad", t) for path, t in self.received.items())
        return found

    def freeze(self, v, by_value):
        todo, top = [], self.node(v, by_value, None)
        todo.append((v, top))
        while todo:
            v, node = todo.pop()
            if node.kind != "holds" or node.data is None:
                continue
            parts, node.data = node.data, None
            for step, part in parts:
                key = (id(part), by_value)
                child = self.nodes.get(key)
                if child is None:
                    child = self.node(part, by_value, key)
                    todo.append((part, child))
                node.parts.append((step, child))
        return top

    def node(self, v, by_value, key):
        """A Node for this value without its parts, which `data` has."""
        cls = type(v)
        saved = self.saved
        origin = self.origin.get(id(v))
        live = origin is not None or id(v) in saved.known
        held = kin(cls, list, dict, tuple, set, frozenset, collections.deque, bytearray, torch.Tensor) or cls in COPIED
        if cls in ATOMS:
            node = Node("atom", cls, v)
        elif live and not (by_value and held) and not (kin(cls, tuple) and not by_value):
            node = Node("is", cls, origin if origin is not None else id(v))
        elif kin(cls, torch.Tensor):
            node = self.tensor(v, cls)
        else:
            node = self.parts(v, cls)
        self.keep.append(v)
        self.nodes[key or (id(v), by_value)] = node
        return node

    def tensor(self, t, cls):
        try:
            facts = self.facts(t)
            t = t.detach()
            t = t.to_dense() if t.layout is not torch.strided else t.dequantize() if t.is_quantized else t
            if not has_memory(t):
                node = Node("equal", cls, (t.dtype, t.size(), t.stride(), storage_of(t).nbytes()))
            else:
                node = Node("tensor", cls, self.elements(t))
            node.parts = facts
            return node
        except Exception:
            return Node("opaque", cls)

    def facts(self, t):
        """What a program can see of a tensor beside its elements, as (name, value)."""
        strides = t.layout is torch.strided and t.numel() and [s for s, n in zip(t.stride(), t.shape) if n > 1]
        return [("layout", t.layout), ("requires_grad", t.requires_grad), ("strides", strides), ("memory", self.memory(t))]

    def memory(self, t):
        """(path of a tensor of before the call with the same memory or None, address), or None."""
        if t.layout is not torch.strided or not t.numel() or t.device.type == "meta":
            return None
        at = t.untyped_storage().data_ptr()
        for h in self.saved.compared:
            if isinstance(h, TensorOf) and h.target.layout is torch.strided and h.target.untyped_storage().data_ptr() == at:
                return h.path, at
        return (None, at) if at else None

    def parts(self, v, cls):
        numpy = sys.modules.get("numpy")
        node, parts = Node("holds", cls), []
        if kin(cls, type, types.ModuleType) or cls in (types.BuiltinFunctionType, types.MethodWrapperType):
            return Node("equal", cls, v)
        if hasattr(numpy, "ndarray") and kin(cls, numpy.ndarray) and not v.dtype.hasobject:
            try:
                return Node("tensor", cls, torch.from_numpy(v.copy()))
            except Exception:
                return Node("equal", cls, (v.dtype.str, v.shape, v.tobytes()))
        if kin(cls, set, frozenset):
            base = set if kin(cls, set) else frozenset
            whole = all(type(p) in ATOMS for p in base.__iter__(v))
            return Node("equal", cls, frozenset(base.__iter__(v))) if whole else self.members(v, cls, base)
        if kin(cls, bytearray, array.array):
            return Node("equal", cls, bytes(v))
        if cls is types.FunctionType:
            parts = [(".__code__", v.__code__), (".__defaults__", v.__defaults__), (".__kwdefaults__", v.__kwdefaults__)]
            parts += ((" (%s)" % n, CellOf(c, "").now()[0]) for n, c in zip(v.__code__.co_freevars, v.__closure__ or ()))
        elif cls is types.MethodType:
            parts = [(".__self__", v.__self__), (".__func__", v.__func__)]
        elif kin(cls, functools.partial):
            parts = [(".func", v.func), (".args", v.args), (".keywords", v.keywords)]
        elif kin(cls, BaseException):
            parts = [(".args", v.args)]
        for base, kind in ((dict, DictOf), (list, ListOf), (collections.deque, DequeOf)):
            if kin(cls, base):
                whole = kind(v, "")
                whole.save()
                parts += whole.parts()
        if kin(cls, tuple):
            parts += (("[%d]" % i, p) for i, p in enumerate(tuple.__iter__(v)))
        attributes = attributes_of(v)
        parts += ((".%s" % k, p) for k, p in (attributes or {}).items() if type(k) is str)
        parts += ((".%s" % n, SlotsOf(v, "", {n: d}).get(n)) for n, d in slots_of(cls).items())
        if not parts and attributes is None and not kin(cls, list, dict, tuple, collections.deque):
            compares = any("__eq__" in of(c, "__dict__") for c in of(cls, "__mro__") if c is not object)
            return Node("equal", cls, v) if compares else Node("opaque", cls)
        node.data = parts
        return node

    def members(self, v, cls, base):
        """A Node for a set: comparable if it has only atoms and objects that existed before the call."""
        known = frozenset(p if type(p) in ATOMS else id(p) for p in base.__iter__(v)
                          if type(p) in ATOMS or id(p) in self.saved.known)
        new = len(v) - len(known)
        return Node("equal", cls, (known, new)) if not new else Node("opaque", cls)


class Comparison:
    """differs: [(path, words)].  numbers: {path: (tensor, eager's)} of floats that are not equal; beyond: those of the differences that
    are such.  facts: [(path, name, fact, eager's, eager's elements)].
    known: of both, {address: path of the first tensor there}."""
    def __init__(self):
        self.differs, self.skipped, self.worst, self.within = [], {}, None, {}
        self.numbers, self.beyond, self.facts, self.known = {}, [], [], ({}, {})

    def differ(self, path, text):
        self.differs.append((path, text))

    def gap(self, gap):
        gap = abs(gap)                          # or NaN may have a sign
        if self.worst is None or gap > self.worst or gap != gap:
            self.worst = gap

    def nodes(self, a, b, path):
        seen, todo = set(), [(a, b, path)]
        while todo:
            a, b, path = todo.pop()
            if (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
            if a.kind == b.kind == "holds" and a.cls is b.cls:
                todo += reversed(self.parts(a, b, path))
            else:
                self.node(a, b, path)

    def parts(self, a, b, path):
        left, right = ({s: p for s, p in node.parts if not s.startswith(OF_DYNAMO)} for node in (a, b))
        order = [s for s, _ in a.parts if s in right] == [s for s, _ in b.parts if s in left]
        for s in left.keys() - right.keys():
            self.differ(path + s, "there, but not in eager")
        for s in right.keys() - left.keys():
            self.differ(path + s, "missing, but there in eager")
        if not order:
            self.differ(path, "items in another order than in eager")
        return [(left[s], right[s], path + s) for s in left if s in right]

    def node(self, a, b, path):
        if a.kind == b.kind == "tensor" and a.cls is b.cls:
            self.tensors(a.data, b.data, path)
            for (name, p), (_, q) in zip(a.parts, b.parts):
                if name == "memory":
                    p, q = (self.owner(known, v, path) for known, v in zip(self.known, (p, q)))
                if p != q:
                    self.differ(path, "%s %s, eager %s" % (name, p, q))
                    self.facts.append((path, name, p, q, b.data))
        elif a.kind == b.kind == "is":
            if a.data != b.data:
                self.differ(path, "another object than in eager")
        elif a.kind == b.kind == "atom" and a.cls is b.cls:
            self.atoms(a.data, b.data, path)
        elif "opaque" in (a.kind, b.kind) and a.cls is b.cls:
            self.skipped.setdefault(path, a.cls)
        elif a.kind == b.kind == "equal" and a.cls is b.cls:
            self.equal(a, b, path)
        else:
            self.differ(path, "%s, eager %s" % (said(a), said(b)))

    def equal(self, a, b, path):
        try:
            if a.data is not b.data and not a.data == b.data:
                self.differ(path, "differs")
        except Exception:
            self.skipped.setdefault(path, a.cls)

    def atoms(self, p, q, path):
        if type(p) in (float, complex):
            kind = torch.float64 if type(p) is float else torch.complex128
            self.tensors(torch.tensor(p, dtype=kind), torch.tensor(q, dtype=kind), path, (p, q))
            if p == q and repr(p) != repr(q):   # 0.0 and -0.0
                self.differ(path, "%s, eager %s" % (short(p), short(q)))
        elif p != q:
            self.differ(path, "%s, eager %s" % (short(p), short(q)))
            if type(p) is int:
                self.gap(float(min(abs(p - q), 1 << 1000)))

    def owner(self, known, memory, path):
        """Whose memory a tensor has, in words: that of an input, or of the first tensor that was compared with the same."""
        of, address = memory or (None, None)
        first = of or (known.setdefault(address, path) if memory else path)
        return "of its own" if first == path else "of " + first

    def tensors(self, p, q, path, values=None):
        if p.dtype != q.dtype or p.shape != q.shape or p.device != q.device:
            where = ("", "") if p.device == q.device else (" on %s" % p.device, " on %s" % q.device)
            self.differ(path, "%s %s%s, eager %s %s%s" % (p.dtype, list(p.shape), where[0], q.dtype, list(q.shape), where[1]))
            return
        if not p.numel() or p.device.type == "meta" or torch.equal(p, q):
            self.gap(0.0)
            return
        inexact = p.is_floating_point() or p.is_complex()
        wide = torch.complex128 if p.is_complex() else torch.float64
        a, b = p.cpu().to(wide), q.cpu().to(wide)
        alike = equal_elements(a, b) if inexact else equal_elements(p, q).cpu()
        if alike.all():
            self.gap(0.0)
            return
        gap = torch.where(alike, torch.zeros((), dtype=torch.float64), (a - b).abs()).max().item()
        self.gap(gap if gap or inexact else 1.0)
        rtol, atol = TOLERANCE.get(p.dtype, (0, 0)) if inexact else (0, 0)
        if inexact:
            self.numbers[path] = p, q
        if inexact and (alike | torch.isclose(a, b, rtol, atol)).all():
            self.within[str(p.dtype).partition(".")[2]] = (rtol, atol)
        elif values:
            self.differ(path, "%s, eager %s" % (short(values[0]), short(values[1])))
        else:
            self.differ(path, "%d of %d elements differ, by at most %g" % ((~alike).sum().item(), p.numel(), gap))
            self.beyond += self.differs[-1:] if inexact else []


def short(v):
    text = repr(v)
    return text if len(text) < 60 else text[:57] + "..."


def said(node):
    if node.kind == "atom":
        return short(node.data)
    return "an object of before the call, a %s" % of(node.cls, "__name__") if node.kind == "is" else \
        "a %s" % of(node.cls, "__name__") if node.cls else "changed"


def compared(made, eager):
    """The Comparison of two outcomes."""
    c, a, b = Comparison(), made.raised, eager.raised
    with quiet():
        if not a and not b:
            c.nodes(made.result, eager.result, "result")
        elif not (a and b and a[0] is b[0] and a[2] == b[2]):
            c.differ("", "raises %s, eager %s" % (a[0].__name__ + ": " + a[2] if a else "nothing",
                                                  b[0].__name__ + ": " + b[2] if b else "returns"))
        for i, h in enumerate(made.saved.compared):
            if i in made.changes or i in eager.changes:
                if h.of_library:
                    c.skipped.setdefault(h.path, type(h.target))
                    continue
                c.nodes(made.changes.get(i) or made.held(h), eager.changes.get(i) or eager.held(h), h.path)
        for path in made.received.keys() | eager.received.keys():
            none = torch.zeros_like((made.received.get(path) if path in made.received else eager.received[path]))
            c.tensors(made.received.get(path, none), eager.received.get(path, none), path + ".grad")
    for words in unlike_texts(made.printed, eager.printed):
        c.differ("", words)
    return c


def compare(made, eager):
    """equal; how: words for how it was compared; worst: the largest difference or None; lines: the differences; skipped: what was not
    compared."""
    c, a = compared(made, eager), made.raised
    how = ": both raise %s: %s" % (a[0].__name__, short(a[2])[1:-1]) if a and eager.raised and not c.differs else ""
    if c.within and not c.differs:
        how = " within tolerance" + how
    lines = ["%s: %s" % d if d[0] else d[1] for d in c.differs[:SHOWN]]
    if len(c.differs) > SHOWN:
        lines.append("and %d more" % (len(c.differs) - SHOWN))
    if c.within:
        lines += ["within rtol %g, atol %g: %s" % (*t, name) for name, t in sorted(c.within.items())]
    skipped = ["%s (%s)" % (p, of(cls, "__name__")) for p, cls in list(c.skipped.items())[:SHOWN]]
    return {"equal": not c.differs, "how": how, "worst": c.worst, "lines": lines, "skipped": skipped}


def outcome(saved, result, raised):
    return Outcome(saved, result, raised)
