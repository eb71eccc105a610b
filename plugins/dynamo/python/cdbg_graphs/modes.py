# SPDX-License-Identifier: BSD-3-Clause
"""torch's modes in which a graph computes.  The captured graph, and what a backend makes of it without AOTAutograd, run in those that were
in force when Dynamo captured it: its guards hold the program to them.  AOTAutograd has traced the casts of autocast, so that its graphs, and
code that is made of them, run without it (torch 2.13, _functorch/_aot_autograd/runtime_wrappers.py)."""
import contextlib
import sys

import torch

AUTOCAST_KINDS = ("cpu", "cuda")


def is_deterministic():
    return torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()


def modes_now():
    """(default type, deterministic algorithms as is_deterministic() has them, {kind of device: (autocast is on, its type)})."""
    return (torch.get_default_dtype(), is_deterministic(),
            {kind: (torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)) for kind in AUTOCAST_KINDS})


def without_autocast(modes):
    return (*modes[:2], {kind: (False, kind_type) for kind, (_, kind_type) in modes[2].items()})


def like(kept, other):
    """The other graph, in the modes of this one."""
    other.modes = kept.modes
    return other


def grad_plainly(*args, **kwargs):
    """torch.autograd.grad() without autocast, as programs call backward, and as AOTAutograd's code runs then."""
    with in_modes(without_autocast(modes_now())):
        return torch.autograd.grad(*args, **kwargs)


def told_autocast(again, off):
    """A note where gradients are wrong that AOTAutograd computes as in a backward() under autocast.  off: their names."""
    config = sys.modules.get("torch._functorch.config")
    on = any([on for on, _ in (again.kept.modes or modes_now())[2].values()])
    if not off or not on or "joint" not in again.made.stages or getattr(config, "backward_pass_autocast", None) != "same_as_forward":
        return []
    return ["gradients are compared with those of a backward() outside of autocast; AOTAutograd computes them as if it ran under the forward's: "
            "torch._functorch.config.backward_pass_autocast = 'off' changes that"]


def autocast_depth():
    depth = torch.autocast_increment_nesting() - 1
    torch.autocast_decrement_nesting()
    return depth


def set_modes(modes, was):
    kind_type, deterministic, autocast = modes
    if kind_type is not was[0]:
        torch.set_default_dtype(kind_type)
    if deterministic != was[1]:
        torch.use_deterministic_algorithms(deterministic[0], warn_only=deterministic[1])
    for kind, (on, dtype) in autocast.items():
        torch.set_autocast_enabled(kind, on)
        torch.set_autocast_dtype(kind, dtype)


@contextlib.contextmanager
def in_modes(modes):
    """In the block, these modes are in force; None: those that are.  No cast of a parameter is put into autocast's cache, from where the
    program would take it."""
    if modes is None:
        yield
        return
    was, cached, depth = modes_now(), torch.is_autocast_cache_enabled(), autocast_depth()
    set_modes(modes, was)
    torch.set_autocast_cache_enabled(False)
    try:
        yield
    finally:
        set_modes(was, modes_now())
        while autocast_depth() > depth:         # of a run that ended inside
            torch.autocast_decrement_nesting()
        torch.set_autocast_cache_enabled(cached)


def modes_at(kept, n):
    """The modes in which a captured node runs: the graph itself may turn autocast on and off before it."""
    modes, entered = kept.modes or modes_now(), []
    for m in kept.graph.nodes:
        if m is n:
            break
        name = getattr(m.target, "__name__", "")
        if m.op == "call_function" and name == "_enter_autocast":
            kind, dtype, on = (*m.args, None, True)[:3] if len(m.args) < 3 else m.args[:3]
            entered.append(modes)
            dtype = dtype if dtype is not None else modes[2].get(kind, (None, None))[1]
            modes = (*modes[:2], {**modes[2], kind: (on, dtype)})
        elif m.op == "call_function" and name == "_exit_autocast" and entered:
            modes = entered.pop()
    return modes
