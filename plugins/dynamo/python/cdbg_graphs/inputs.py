# SPDX-License-Identifier: BSD-3-Clause
"""The inputs of a captured graph: which of them it writes, copies for those, and their values in the program."""
import re

import torch
import torch.fx
import torch.utils._pytree as pytree

from .apart import apart
from .errors import Refused
from .modes import modes_now
from .nodes import BY_SUBGRAPHS, RESIZE, WRITE_STATISTICS, is_statistic, nodes_write_nothing, traced
from .run import Kept, perform
from .torch_state import is_cut_off, storage_of
from .values import copies_of, copy_of, dense, tensors


# ---- what a graph writes ----------------------------------------------------------------------------------------------------

class Writes(torch.utils._python_dispatch.TorchDispatchMode):
    """Notes the memory that operations write."""
    supports_higher_order_operators = True

    def __init__(self):
        super().__init__()
        self.written = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.HigherOrderOperator):
            modules = [v for v in pytree.tree_leaves((args, kwargs)) if isinstance(v, torch.nn.Module)]
            if func.__name__ not in BY_SUBGRAPHS or not all([isinstance(m, torch.fx.GraphModule) and module_writes_nothing(m) for m in modules]):
                raise Refused("it is not known what '%s' writes" % func.__name__)
            return func(*args, **kwargs)
        self.written.update(t.untyped_storage()._cdata for t in written_arguments(func, args, kwargs) if isinstance(t, torch.Tensor))
        return func(*args, **kwargs)


def written_arguments(target, args, kwargs):
    """The arguments of a call that an operator writes, by its schema: tensors, or the nodes that stand for them."""
    schema = target._schema
    if schema.name == RESIZE:                   # it does not say that it writes
        return list(args[:1])
    named = dict(zip((a.name for a in schema.arguments), args), **kwargs)
    if is_statistic(schema):
        flag = WRITE_STATISTICS[schema.name[len("aten::"):]]
        return [named.get(name) for name in ("running_mean", "running_var") if flag is None or named.get(flag)]
    if not schema.is_mutable:
        return []
    return [v for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write for v in pytree.tree_leaves(named.get(a.name))]


def module_writes_nothing(module):
    return all([nodes_write_nothing(m.graph.nodes) for m in module.modules() if isinstance(m, torch.fx.GraphModule)])


def writers_of_inputs(program, inputs):
    """{position: the nodes that write it} of the inputs that the graph writes, found by a run without values; None: it cannot be run
    that way."""
    if program.writes_nothing():
        return {}
    from torch._subclasses import fake_tensor
    fake, writers = fake_tensor.FakeTensorMode(allow_non_fake_inputs=True), {}

    def note(i, value, seconds):
        for store in seen.written:
            writers.setdefault(store, []).append(program.nodes[i])
        seen.written.clear()
    try:
        with apart():
            shadows = pytree.tree_map_only(torch.Tensor, lambda t: fake.from_tensor(t.detach(), static_shapes=True), list(inputs))
            stores = {i: t.untyped_storage()._cdata for i, t in enumerate(shadows) if isinstance(t, torch.Tensor)}
            with fake, Writes() as seen:
                perform(program, shadows, note)
    except Exception:                           # what is not possible without values
        return None
    found, shared = {i: writers[s] for i, s in stores.items() if s in writers}, {}
    for i, v in enumerate(inputs):
        if isinstance(v, torch.Tensor) and storage_of(v) is not None:
            shared.setdefault(storage_of(v)._cdata, []).append(i)
    for same in shared.values():
        nodes = {n for i in same for n in found.get(i, ())} if len(same) > 1 else ()
        if nodes:
            found.update(dict.fromkeys(same, [n for n in program.nodes if n in nodes]))
    return found


def written_inputs(program, inputs):
    """The positions of inputs that the graph writes; None: see writers_of_inputs()."""
    found = writers_of_inputs(program, inputs)
    return None if found is None else set(found)


def copied_inputs(kept, inputs):
    """Inputs that the graph may read and write. The program's own parameters are used only if the graph does not write them."""
    written = written_inputs(kept.program(), inputs)
    if written is None or any(isinstance(inputs[i], torch.nn.Parameter) for i in written):
        return copies_of(inputs, False)
    return copies_of(inputs, True, read_by_foreign(kept, inputs))


# ---- operators that are not torch's ------------------------------------------------------------------------------------------

OF_TORCH = frozenset((
    "aten c10d c10d_functional _c10d_functional _c10d_functional_autograd debugprims dtensor _dtensor fsdp higher_order inductor mkl mkldnn "
    "onednn prepacked prim prims profiler quantized quantized_decomposed rngprims streams symm_mem").split())


def is_foreign(target):
    """Is this an operator that is not torch's own?"""
    if not isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return False
    return str(getattr(target, "_qualified_op_name", None) or target._schema.name).partition("::")[0] not in OF_TORCH


def calls_foreign(kept):
    return any([is_foreign(n.target) for n in kept.graph.nodes]) or any([
        calls_foreign(v) for v in kept.named.values() if isinstance(v, Kept)])


def read_by_foreign(kept, inputs):
    """Those of the inputs whose memory operators outside of torch are given: they may write it and not declare that."""
    if not calls_foreign(kept):
        return []
    calls = [n for n in kept.graph.nodes if is_foreign(n.target)]
    if any([calls_foreign(v) for v in kept.named.values() if isinstance(v, Kept)]):
        return list(inputs)
    stores = {memory_of(t) for n in calls for a in n.all_input_nodes for t in tensors(traced(a))}
    starts = [n for n in kept.graph.nodes if n.op == "placeholder"]
    return [v for n, v in zip(starts, inputs) if memory_of(traced(n)) is None or memory_of(traced(n)) in stores]


def detached(kept, inputs):
    """The inputs without autograd in the program's own memory; copies of those that an operator outside of torch may write."""
    others = set(map(id, read_by_foreign(kept, inputs)))
    return [(copy_of(v) if id(v) in others else v.detach()) if isinstance(v, torch.Tensor) else v for v in inputs]


def memory_of(t):
    """What a tensor that was traced has in common with its views; None: it is not known."""
    try:
        return t.untyped_storage()._cdata
    except Exception:
        return None


# ---- inputs --------------------------------------------------------------------------------------------------------

def taken_out(values, sources, namespace, arguments):
    """The values of globals that the graph reads, as given after 'with'."""
    globals_given = {}
    for name in [k for k in values if k not in arguments]:
        if name not in namespace or not any("G[%r]" % name in (s or "") for s in sources):
            others = sorted({k for s in sources for k in re.findall(r"G\['(\w+)'\]", s or "") if not k.startswith("__")})
            raise Refused("the graph has no input from '%s'; 'with' takes %s" % (name, ", ".join([*arguments, *others]) or "no name"))
        globals_given[name] = values.pop(name)
    return globals_given


def without_class(v):
    """A tensor of a class that has functions of its own but no dispatch, as a plain one: the graph has what these functions did."""
    if not isinstance(v, torch.Tensor) or type(v) in (torch.Tensor, torch.nn.Parameter) or (
            type(v).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__):
        return v
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        t = v.detach().as_subclass(torch.Tensor)
        return t.requires_grad_(True) if v.requires_grad else t


def as_traced(n, v):
    """Dynamo gives a number that may change, and a NumPy array, to the graph as a tensor."""
    made = n.meta.get("example_value", n.meta.get("val"))
    if not isinstance(made, torch.Tensor) or isinstance(v, torch.Tensor):
        return v
    return getattr(torch, "_as_tensor_fullprec", torch.as_tensor)(v)


def graph_inputs(kept, sources, values, namespace, arguments, captured_in=None):
    """The placeholders' values.  sources: "L['x']" of each, or None.  values: the function's arguments, by name, and globals
    to be replaced.  arguments: names of the former.  captured_in: torch's modes
    as Dynamo captured the graph, see modes_now(); None: they are not known, those of the stop stand for them."""
    kept.modes = captured_in or modes_now()
    given = taken_out(values, sources, namespace, arguments)
    namespace = {**namespace, **given} if given else namespace
    from torch._dynamo import guards
    scope = dict(guards._get_closure_vars()) if hasattr(guards, "_get_closure_vars") else {}
    scope.update(L=values, G=namespace, __builtins__=__builtins__, torch=torch)
    scope.update({k: v for k, v in namespace.items() if k.startswith("__")})
    found = []
    nodes = [n for n in kept.graph.nodes if n.op == "placeholder"]
    for n, source in zip(nodes, sources):
        name = n.name
        if source is None:                      # compiled before cdbg was loaded: Dynamo names "L['x']" l_x_
            source = next(("L[%r]" % k for k in values if re.sub(r"[^a-zA-Z0-9]+", "_", "L['%s']" % k).lower() == name.lower()),
                          None)
        if source is None:
            raise Refused("the value of input '%s' cannot be found: Dynamo names no source for it" % name)
        try:
            v = without_class(eval(source, scope))
        except Exception as e:
            raise Refused("the value of input '%s' cannot be found: %s raised %s: %s" % (
                name, source, type(e).__name__, e)) from e
        try:
            found.append(as_traced(n, v))
        except Exception as e:
            raise Refused("input '%s' was a tensor when the graph was compiled, and %s is of class '%s' now" % (
                name, source, type(v).__name__)) from e
    found += kept.given
    check_cut_off(kept, found, [n.name for n in nodes] + ["an input"] * len(kept.given))
    return found


def check_cut_off(kept, inputs, names):
    """Raises if an input of a graph, or a tensor that it names, cannot be read: even a look at it would end the program."""
    for name, v in [*zip(names, inputs), *kept.named.items()]:
        for t in tensors(v) if not isinstance(v, Kept) else ():
            if dense(t) and storage_of(t) is not None and is_cut_off(storage_of(t)):
                raise Refused("the memory of '%s' cannot be read: it maps a file that is shorter by now; 'with NAME=EXPR' gives another "
                              "value" % name)
