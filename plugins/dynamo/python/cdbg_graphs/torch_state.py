# SPDX-License-Identifier: BSD-3-Clause
"""The state of torch that a call can change: storages, the layout and autograd state of tensors, torch's modes and the random
number generators of the process."""
import contextlib
import random
import sys

import torch

from .object_state import Held, RandomOf
from .unseen import unrecorded


def quiet():
    """While the block runs, the program's torch modes and tensor subclasses do not see cdbg's operations."""
    stack = contextlib.ExitStack()
    stack.enter_context(torch._C.DisableTorchFunction())        # first: modes see the others
    stack.enter_context(torch.inference_mode(False))
    stack.enter_context(torch.no_grad())
    modes = getattr(torch.utils._python_dispatch, "_disable_current_modes", None)
    if modes:
        stack.enter_context(modes())
    stack.enter_context(unrecorded())
    return stack


# ---- tensors --------------------------------------------------------------------------------------------------

def storage_of(t):
    """The storage of a tensor; None if it has none of its own (sparse, fake, or wrapped by the program's class)."""
    try:
        s = t.untyped_storage()
        return s if s.device.type != "meta" else None
    except Exception:
        return None


def bytes_spanned(size, stride, offset, each):
    """The bytes that a storage must have for all elements of a tensor."""
    return 0 if 0 in size else (offset + 1 + sum([(n - 1) * s for n, s in zip(size, stride)])) * each


def has_memory(t):
    """Is there memory for all elements of a strided tensor?  The program may have freed its storage or made it smaller, as FSDP does."""
    s = storage_of(t)
    return s is None or bytes_spanned(t.size(), t.stride(), t.storage_offset(), t.element_size()) <= s.nbytes()


readable = globals().get("readable_in_place", lambda address, size: True)       # cdbg's own: can memory be read?


def is_cut_off(storage):
    """Does a storage map a file that is shorter by now?  Who reads it gets SIGBUS.  torch never cuts off what it allocated itself."""
    return storage.device.type == "cpu" and not storage.resizable() and not readable(storage.data_ptr(), storage.nbytes())


def raw(storage):
    """A tensor of bytes over the whole storage; it shares the memory."""
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


def over(storage, like, offset, size, stride):
    """A tensor over a storage, with the type of another.  The storage may be smaller than the tensor needs."""
    t = torch.empty(0, dtype=like.dtype, device=storage.device)
    if bytes_spanned(size, stride, offset, t.element_size()) <= storage.nbytes():
        return t.set_(storage, offset, size, stride)
    return torch._C._dynamo.guards._reinterpret_tensor(t.set_(storage), size, stride, offset)


def read_as(t, like):
    """t, which has the memory of a tensor like this one: conjugated or negated where that is, whose memory holds other values."""
    t = t.conj() if like.is_conj() else t
    return torch._neg_view(t) if like.is_neg() else t


def version_of(t):
    return None if t.is_inference() else t._version


class StorageOf(Held):
    def now(self):
        return self.target.clone() if self.target.nbytes() else None

    def changed(self):
        if self.was is None or self.target.nbytes() != self.was.nbytes():
            return self.target.nbytes() != 0
        return not torch.equal(raw(self.target), raw(self.was))

    def put(self, values):
        n = 0 if values is None else values.nbytes()
        if self.target.nbytes() != n:
            self.target.resize_(n)
        if n:
            raw(self.target).copy_(raw(values))

    def swap(self, stand):
        pass


class TensorOf(Held):
    """The layout of a tensor in its storage, and its autograd state."""
    def __init__(self, target, path, storage):
        super().__init__(target, path)
        self.storage = storage                  # its StorageOf, or None

    def now(self):
        t = self.target
        place = (t.untyped_storage()._cdata, t.storage_offset(), tuple(t.size()), t.stride()) if self.storage else None
        grad = t.grad if t.is_leaf else None
        return [place, t.requires_grad, t.grad_fn, version_of(t), grad, t._backward_hooks,
                getattr(t, "_post_accumulate_grad_hooks", None)]

    def changed(self):
        return any(p is not q and not (i in (0, 3) and p == q) for i, (p, q) in enumerate(zip(self.was, self.now())))

    def put(self, values):
        t, now = self.target, self.now()
        place, wants, grad_fn, version, grad, hooks, after = values
        if now[0] != place:
            t.data = read_as(over(self.storage.target, t, *place[1:]), t)
        if grad_fn is None and t.grad_fn is not None:
            t.detach_()
        if t.is_leaf and t.requires_grad != wants:
            t.requires_grad_(wants)
        if t.is_leaf and t.grad is not grad:
            t.grad = grad
        if t._backward_hooks is not hooks:
            t._backward_hooks = hooks
        if getattr(t, "_post_accumulate_grad_hooks", None) is not after:
            t._post_accumulate_grad_hooks = after
        if version is not None and version_of(t) != version:
            try:
                torch._C._autograd._unsafe_set_version_counter((t,), (version,))
            except TypeError:                   # in torch before 2.7
                torch._C._autograd._unsafe_set_version_counter(t, version)

    def swap(self, stand):
        pass

    def parts(self):
        yield ".grad", self.was[4]
        yield "._backward_hooks", self.was[5]
        yield "._post_accumulate_grad_hooks", self.was[6]


# ---- global state ---------------------------------------------------------------------------------------------

def modes():
    """Pairs (get, set) for torch's state of the process or of the thread."""
    C, frames = torch._C, sys.modules["torch._dynamo.eval_frame"]
    found = [(lambda: frames._stance, lambda v: setattr(frames, "_stance", v)),
             (torch.is_grad_enabled, C._set_grad_enabled), (torch.get_default_dtype, torch.set_default_dtype),
             (torch.get_num_threads, torch.set_num_threads),
             (lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()), lambda v: torch.set_anomaly_enabled(*v)),
             (lambda: (torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()),
              lambda v: torch.use_deterministic_algorithms(v[0], warn_only=v[1])),
             (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
             (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled)]
    for kind in ("cpu", "cuda"):
        found += [(lambda kind=kind: torch.is_autocast_enabled(kind), lambda v, kind=kind: torch.set_autocast_enabled(kind, v)),
                  (lambda kind=kind: torch.get_autocast_dtype(kind), lambda v, kind=kind: torch.set_autocast_dtype(kind, v))]
    for name in ("enabled", "benchmark", "deterministic"):
        found.append((lambda name=name: getattr(torch.backends.cudnn, name),
                      lambda v, name=name: setattr(torch.backends.cudnn, name, v)))
    return found


def torch_generators():
    """(name, get, set) for each random number generator of torch."""
    found = [("torch's random numbers", torch.get_rng_state, torch.set_rng_state)]
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        found.append(("CUDA's random numbers", torch.cuda.get_rng_state_all, torch.cuda.set_rng_state_all))
    return found


def generators():
    """(name, get, set) for each random number generator of the process."""
    found = torch_generators() + [("random's numbers", random.getstate, random.setstate)]
    numpy = sys.modules.get("numpy")
    if hasattr(numpy, "random"):
        found.append(("numpy's random numbers", numpy.random.get_state, numpy.random.set_state))
    return found


class ModeOf(RandomOf):
    def there(self):
        try:
            self.save()
            return True
        except Exception:                       # not in this torch
            return False

    def changed(self):
        return self.was != self.now()


def own_generator(v):
    """(get, set) for the program's own random number generator; None for any other object."""
    numpy = sys.modules.get("numpy")
    kinds = getattr(numpy, "random", None)
    if isinstance(v, random.Random):            # the numbers of a SystemRandom come from outside: it has no state
        return None if isinstance(v, random.SystemRandom) else (v.getstate, v.setstate)
    if isinstance(v, torch.Generator):
        return v.get_state, v.set_state
    if kinds and isinstance(v, kinds.RandomState):
        return v.get_state, v.set_state
    if kinds and isinstance(v, kinds.Generator):
        return own_generator(v.bit_generator)
    if kinds and isinstance(v, kinds.BitGenerator):
        return lambda: v.state, lambda state: setattr(v, "state", state)
    return None
