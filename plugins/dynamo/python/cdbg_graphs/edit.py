# SPDX-License-Identifier: BSD-3-Clause
"""The calls into Dynamo's Python code that edit cache entries.  Decides nothing and keeps no state."""
import copy
import functools
import types
import weakref

import torch
from torch._dynamo import guards

CARRIED = ("closure_vars", "args", "code_parts", "verbose_code_parts", "global_scope", "guard_fail_fn",
           "no_tensor_aliasing_sources", "id_matched_objs", "diff_guard_sources")


def tensor(t):
    """A tensor of the same type, dtype, device and requires_grad, without elements."""
    empty = torch.empty(0, dtype=t.dtype, device=t.device)
    if isinstance(t, torch.nn.Parameter):
        return torch.nn.Parameter(empty, t.requires_grad)
    return empty.requires_grad_() if t.requires_grad else empty


def altered(args, changes, text):
    """The arguments for add_tensor_match_guard(), with the changes that were asked for."""
    t, size, stride, name, _, *more = args     # more: where this torch wants it: stack, class, dispatch keys
    grad = changes.pop("requires_grad", t.requires_grad)
    new = torch.empty(0, dtype=changes.pop("dtype", t.dtype), device=changes.pop("device", t.device))
    new.requires_grad_(grad)
    size = list(changes.pop("size", size))
    stride = list(changes.pop("stride", stride if len(stride) == len(size) else [None] * len(size)))
    if changes:
        raise TypeError("no %s: dtype, size, stride, requires_grad, device" % ", ".join(changes))
    if len(stride) != len(size) or any(v is not None and type(v) is not int for v in size + stride):
        raise TypeError("size and stride are lists of numbers or None, of one length")
    if new.device != t.device and len(more) > 2:
        more[2] = torch._C._dispatch_keys(new)
    return (new, size, stride, name, [text], *more)


def standin(v):
    """A stand-in for this container from which a guard node can be built: same type and length."""
    if isinstance(v, dict):
        keys = range(len(v))
        try:
            d = type(v)()
            d.update(dict.fromkeys(keys))
            return d
        except Exception:
            return dict.fromkeys(keys)
    try:
        return tuple.__new__(type(v), (None,) * len(v)) if isinstance(v, tuple) else type(v)(range(min(1, len(v))))
    except Exception:
        return v


def keys(mapping):
    return types.MappingProxyType(dict.fromkeys(mapping.keys()))


def live(v):
    return v() if type(v) is weakref.ref else v


def manager(root, parent, why):
    """A guard manager with this tree; everything else is that of its parent."""
    new = guards.GuardManagerWrapper(root)
    for name in CARRIED:
        if hasattr(parent, name):
            setattr(new, name, getattr(parent, name))
    new.diff_guard_root = root
    if why:
        new.verbose_code_parts = [why]
    return new


def redirect(old, new):
    """Points Dynamo's finalizers from old to new. A finalizer invalidates an entry when an object that it guards dies."""
    for info in list(weakref.finalize._registry.values()):
        owner = getattr(getattr(info.func, "func", None), "__self__", None)
        if type(owner) is guards.CheckFunctionManager and owner.guard_manager is old:
            owner.guard_manager = new


def watched(manager):
    """Weak references to the objects whose death invalidates this manager's entry."""
    found = []
    for info in list(weakref.finalize._registry.values()):
        owner = getattr(getattr(info.func, "func", None), "__self__", None)
        if type(owner) is guards.CheckFunctionManager and owner.guard_manager is manager:
            v = info.weakref()
            if v is not None:
                found.append(weakref.ref(v))
    return found


def named(of, name):
    """A copy of this compile id with another name."""
    kind = type("CloneId", (type(of),), {"__str__": lambda self: name})
    return kind(frame_id=of.frame_id, frame_compile_id=of.frame_compile_id)


def twin(old, new):
    """Makes the death of an object that `old` guards invalidate the entry of `new` in place of that of `old`."""
    for info in list(weakref.finalize._registry.values()):
        owner, v = getattr(getattr(info.func, "func", None), "__self__", None), info.weakref()
        if type(owner) is guards.CheckFunctionManager and owner.guard_manager is old and v is not None:
            other = copy.copy(owner)
            other.guard_manager = new
            act = functools.partial(getattr(other, info.func.func.__name__), *info.func.args, **info.func.keywords)
            weakref.finalize(v, act)
