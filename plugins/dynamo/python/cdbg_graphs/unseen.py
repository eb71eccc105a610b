# SPDX-License-Identifier: BSD-3-Clause
"""A run that is cdbg's and that the program does not see: hooks and modes by which torch would call the program are off for it, and
counters and flags that torch sets once are as before after it.  Knows no graph and no
entry."""
import collections.abc
import contextlib
import functools
import gc
import itertools
import sys
import types
import warnings

import torch
import torch.fx

from .object_state import NOTHING


# ---- hooks and modes ----------------------------------------------------------------------------------------------------------

def saved_tensor_hooks():
    """The pair of hooks that this thread applies to what autograd saves, or None.  torch 2.6 tells only that there is one."""
    A = torch._C._autograd
    if hasattr(A, "_top_saved_tensors_default_hooks"):
        return A._top_saved_tensors_default_hooks(True)
    try:
        A._saved_tensors_hooks_disable("")
        return None
    except RuntimeError:                        # there are hooks, which this refuses
        return as_it_is, as_it_is
    finally:
        A._saved_tensors_hooks_enable()


def as_it_is(t):
    return t


@contextlib.contextmanager
def without_saved_tensor_hooks():
    """Hooks that are graphs stay: AOTAutograd makes them a part of the code that it compiles."""
    A, found, message = torch._C._autograd, [], torch._C._autograd._saved_tensors_hooks_get_disabled_error_message()
    known = hasattr(A, "_top_saved_tensors_default_hooks")
    if message is not None:
        A._saved_tensors_hooks_enable()
    try:
        pair = saved_tensor_hooks()
        while pair and not all([isinstance(hook, torch.fx.GraphModule) for hook in pair]):
            found.append(pair)
            if not known:                       # only the last ones are called
                A._push_saved_tensors_default_hooks(*pair)
                break
            A._pop_saved_tensors_default_hooks()
            pair = saved_tensor_hooks()
        yield
    finally:
        for pair in reversed(found):
            A._push_saved_tensors_default_hooks(*pair) if known else A._pop_saved_tensors_default_hooks()
        if message is not None:
            A._saved_tensors_hooks_disable(message)


def module_hooks():
    """The hooks of all modules: a list of dicts."""
    return [v for name, v in vars(torch.nn.modules.module).items() if name.startswith("_global_") and isinstance(v, dict)]


def compile_callbacks():
    """What the program wants to be called as torch compiles: a list of lists."""
    handler = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
    return [v for v in (getattr(handler, name, None) for name in ("start_callbacks", "end_callbacks")) if isinstance(v, list)]


@contextlib.contextmanager
def emptied(containers):
    held = [(c, c.copy()) for c in containers if c]
    try:
        for c, _ in held:
            c.clear()
        yield
    finally:
        for c, was in held:
            c.clear()
            c.update(was) if isinstance(c, dict) else c.extend(was)


def without_modes():
    """Disables the dispatch modes for the block: AOTAutograd has one of its own while it runs a graph, and the program's would see
    what cdbg computes."""
    from torch.utils import _python_dispatch
    off = getattr(_python_dispatch, "_disable_current_modes", None)
    return off() if off and torch._C._len_torch_dispatch_stack() else contextlib.nullcontext()


def function_modes():
    """The modes that see each call of a function of torch, outermost first."""
    C = torch._C
    return [C._get_function_stack_at(i) for i in range(C._len_torch_function_stack())]


@contextlib.contextmanager
def without_function_modes():
    """What Dynamo traced under a mode has in its graph what the mode did."""
    found = function_modes()
    try:
        while torch._C._len_torch_function_stack():
            torch._C._pop_torch_function_stack()
        yield
    finally:
        for m in found[torch._C._len_torch_function_stack():]:
            torch._C._push_on_torch_function_stack(m)


@contextlib.contextmanager
def without_anomaly_mode():
    was = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    torch.set_anomaly_enabled(False)
    try:
        yield
    finally:
        torch.set_anomaly_enabled(*was)


@contextlib.contextmanager
def without_forward_gradients():
    """Tangents of the program's tensors are left out; a graph that computes tangents switches them on itself."""
    was = torch._C._is_fwd_grad_enabled()
    torch._C._set_fwd_grad_enabled(False)
    try:
        yield
    finally:
        torch._C._set_fwd_grad_enabled(was)


def without_compiled_autograd():
    """In the block no backward is captured and compiled by Dynamo."""
    off = getattr(sys.modules.get("torch._dynamo.compiled_autograd"), "_disable", None)
    return off() if off else contextlib.nullcontext()


unrecorded_blocks: list = []                    # those that run


@contextlib.contextmanager
def unrecorded():
    """In the block a profiler of the program's gets no rows of operations."""
    A = torch._C._autograd
    records = A._profiler_enabled() and not unrecorded_blocks
    if records:
        A._enable_record_function(False)
        unrecorded_blocks.append(True)
    try:
        yield
    finally:
        if records:
            unrecorded_blocks.clear()
            A._enable_record_function(True)


@contextlib.contextmanager
def without_hooks():
    """In the block torch calls nothing of the program's by itself."""
    with contextlib.ExitStack() as stack:
        for off in (without_saved_tensor_hooks, without_modes, without_function_modes, without_anomaly_mode, without_forward_gradients,
                    without_compiled_autograd, unrecorded):
            stack.enter_context(off())
        stack.enter_context(emptied(module_hooks() + compile_callbacks()))
        yield


def unhooked(function, args):
    """Calls the function."""
    with without_hooks():
        return function(*args)


def unhooked_named(function, given):
    """Calls the function with those of the values, {name: value}, that its parameters name."""
    code = function.__code__
    with without_hooks():
        return function(**{name: given[name] for name in code.co_varnames[:code.co_argcount]})


def hooks_of_program(first):
    """[(object, path)]: what torch calls of the program's in a run that is the program's.  first: of first_calls()."""
    found = [(m, "a function mode") for m in function_modes()]
    found += [(m, "a dispatch mode") for m in torch.utils._python_dispatch._get_current_dispatch_mode_stack()]
    found += [(hook, "a hook on all modules") for hooks in module_hooks() for hook in hooks.values()]
    found += [(hook, "a hook on saved tensors") for hook in saved_tensor_hooks() or ()]
    return found + [(getattr(v, "bw_compiler", None), "the backend") for v, name in first if name == "compiled_bw"]


def operator_functions():
    """The Python functions of operators that torch.library.custom_op() made, which torch's dispatcher calls."""
    m = sys.modules.get("torch._library.custom_ops")
    found = []
    for operator in list(getattr(m, "OPDEFS", {}).values()):
        for v in list(vars(operator).values()):
            found += [f for f in (v.values() if type(v) is dict else (v,)) if type(f) is types.FunctionType]
    return found


def first_calls():
    """[(object, attribute)] of what AOTAutograd notes of the first call of each compiled function, and of its backward."""
    m = sys.modules.get("torch._functorch._aot_autograd.runtime_wrappers")
    names = {getattr(m, cls): name for cls, name in (("_FirstInvocationContext", "_is_first"), ("_AutogradBackwardCompiler", "compiled_bw"))
             if hasattr(m, cls)}
    found = [(v, names[type(v)]) for v in gc.get_referrers(*names) if type(v) in names] if names else []     # goes over all objects, once
    return found + [(cls, "compiled_bw") for cls in torch.autograd.Function.__subclasses__() if "compiled_bw" in vars(cls)]


# ---- what happens once ---------------------------------------------------------------------------------------------------------

class Places:
    """Values that are attributes, items, or the contents of a container: as they were."""
    def __init__(self):
        self.held = []

    def keep(self, owner, name):
        """An attribute of an object or of a module."""
        self.held.append((owner, name, vars(owner).get(name, NOTHING)))

    def contents(self, container):
        self.held.append((container, None, container.copy()))

    def restore(self):
        for owner, name, was in self.held:
            if name is None:
                owner.clear()
                owner.extend(was) if isinstance(owner, collections.deque) else owner.update(was) if isinstance(owner, dict) else [
                    owner.add(v) for v in was]
            elif was is NOTHING:
                if name in vars(owner):
                    delattr(owner, name)
            elif vars(owner).get(name, NOTHING) is not was:
                setattr(owner, name, was)


once_names: dict = {}                           # {how many modules are loaded: [(module of torch, name)]}


def is_collection(v):
    return isinstance(v, (dict, collections.abc.MutableSet)) and hasattr(v, "copy")


def said_once():
    """[(module of torch, name)] of flags, collections and functions that make torch warn once."""
    count = len(sys.modules)
    if count not in once_names:
        once_names.clear()
        modules = [m for name, m in list(sys.modules.items()) if name.partition(".")[0] == "torch" and type(m) is types.ModuleType]
        once_names[count] = [(m, name) for m in modules for name, v in vars(m).items() if type(name) is str and (
            "warn" in name.lower() or "once" in name) and (type(v) in (bool, int, LRU) or is_collection(v))]
    return once_names[count]


LRU = type(functools.lru_cache(maxsize=None)(len))


def registries():
    """[(namespace, what Python has warned of there, or None)] of all modules."""
    spaces = [vars(m) for m in list(sys.modules.values()) if isinstance(m, types.ModuleType)]
    return [(space, dict(space["__warningregistry__"]) if type(space.get("__warningregistry__")) is dict else None) for space in spaces]


def restore_registries(before):
    for space, was in before:
        now = space.get("__warningregistry__")
        if was is None and now is not None:
            del space["__warningregistry__"]
        elif was is not None and now != was and type(now) is dict:
            now.clear()
            now.update(was)


class Once:
    """What is done once by torch, or by Python for it, is not used up by what runs between begin() and end(): warnings, and with
    `own`, of first_calls(), where the program's own compiled code runs, checks of its first call and the compile of its backward."""
    def __init__(self, own=()):
        self.own, self.began = own, False

    def begin(self):
        self.places, self.registries, self.began = Places(), registries(), True
        for m, name in said_once():
            v = vars(m).get(name, NOTHING)
            self.places.keep(m, name)
            if is_collection(v):
                self.places.contents(v)
        for m, name in said_once():
            v = vars(m).get(name, NOTHING)
            if type(v) is LRU:
                setattr(m, name, v.__wrapped__)
        if isinstance(getattr(warnings, "onceregistry", None), dict):
            self.places.contents(warnings.onceregistry)
        self.always = torch.is_warn_always_enabled()
        torch.set_warn_always(True)             # C++ code notes that it has warned where it does so once
        for v, name in self.own:
            self.places.keep(v, name)

    def end(self):
        if self.began:
            self.places.restore()
            torch.set_warn_always(self.always)
            restore_registries(self.registries)
            self.began = False

    def __enter__(self):
        self.begin()

    def __exit__(self, *raised):
        self.end()


# ---- counters -----------------------------------------------------------------------------------------------------------------

own_numbers = itertools.count(1 << 20)          # the program's code and what cdbg compiles of the same graph are never equal


class Counters:
    """torch's counters of compiles, which the program may read or which number what it compiles later: restored after cdbg compiles."""
    NUMBERS = (("torch._functorch.aot_autograd", "AOT_COUNTER"), ("torch._inductor.compile_fx", "_graph_counter"),
               ("torch._inductor.graph", "_post_grad_graph_counter"), ("torch._inductor.scheduler", "_post_grad_graph_counter"),
               ("torch._inductor.debug", "save_args_cnt"))
    GLOBALS = ("torch._inductor.metrics", "torch._functorch._aot_autograd.logging_utils")
    NOTES = "compilation_time_metrics", "cumulative_time_spent_ns", "_compilation_metrics"

    def __enter__(self):
        from torch._dynamo import utils
        self.was = {k: v.copy() for k, v in utils.counters.items()}
        self.times = {k: list(v) for k, v in utils.compilation_time_metrics.items()}
        self.places, self.globals = Places(), {}
        for name in self.NOTES[1:]:
            if hasattr(vars(utils).get(name), "copy"):
                self.places.contents(vars(utils)[name])
        for m in filter(None, map(sys.modules.get, self.GLOBALS)):
            self.globals[m] = {k: v for k, v in vars(m).items() if type(v) is int}
        for name, counter in self.NUMBERS:
            m = sys.modules.get(name)
            if isinstance(getattr(m, counter, None), itertools.count):
                self.globals.setdefault(m, {})[counter] = getattr(m, counter)
                setattr(m, counter, own_numbers)        # the program's own stands still
        return self

    def __exit__(self, *raised):
        from torch._dynamo import utils
        utils.counters.clear()
        utils.counters.update(self.was)
        utils.compilation_time_metrics.clear()
        utils.compilation_time_metrics.update(self.times)
        self.places.restore()
        for m, values in self.globals.items():
            for k, v in values.items():
                setattr(m, k, v)
