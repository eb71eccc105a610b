# SPDX-License-Identifier: BSD-3-Clause
"""Facts about the nodes of a graph: what they are, what they call, what was traced of them.  Runs nothing."""
import inspect
import operator
import os
import re

import torch
import torch.fx

SAME_DRAWS = 0.1                                # eager's difference from float64, beside eager's largest value, if both drew the same

LEAST_HELD = 16 << 20                           # bytes of a backend's values that may be held at once


def target_of(n):
    """What makes the tensor that n is, in words; for a part of several with its place among them, as in aten.topk.default[1].  AOTAutograd calls
    an operator that writes its arguments through another, which returns what is written."""
    part = ""
    while n.target is operator.getitem and isinstance(traced(n.args[0]), (tuple, list)):
        n, part = n.args[0], "[%s]%s" % (n.args[1], part)
    if getattr(n.target, "__name__", "").startswith("auto_functionalized") and n.args:
        return str(n.args[0])
    plain_name = isinstance(n.target, torch._ops.OperatorBase) or not callable(n.target)
    return (str(n.target) if plain_name else torch.fx.node._get_qualified_name(n.target)) + part


def needed_for(parts):
    """These nodes and their inputs; for a part of a tuple also the node that made the tuple."""
    found = {x for n in parts for x in (n, *n.all_input_nodes)}
    return found | {x for n in found if isinstance(n.meta.get("val"), (tuple, list)) for x in n.all_input_nodes}


def is_literal(v):
    if isinstance(v, (list, tuple)):
        return all(map(is_literal, v))
    if isinstance(v, dict):
        return all(map(is_literal, [*v, *v.values()]))
    return v is None or type(v) in (bool, int, str) or (type(v) is float and v - v == 0)


def is_shadow(t):
    """Is it a tensor without memory, as the estimate computes with?"""
    from torch._subclasses.fake_tensor import FakeTensor
    return type(t) is FakeTensor


def is_backward(n):
    return n.meta.get("partitioner_tag") == "is_backward" or n.op == "placeholder" and "tangents" in n.name


def numbers_of(t):
    """The elements of a tensor, real, on the CPU."""
    t = t.detach()
    return (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t).cpu()

RESIZE = "inductor::resize_storage_bytes_"


def placeholders(kept):
    return [n for n in kept.graph.nodes if n.op == "placeholder"]


def first_stage(stages):
    """The name of the stage that takes the captured graph's inputs first; None: there is none."""
    return next((name for name in ("forward", "inference", "backend") if name in stages), None)


def is_same_operator(n, own):
    """Does a node call what a captured node calls, by name: an operator of aten, or a higher-order operator?"""
    if isinstance(own.target, torch._ops.HigherOrderOperator):
        return n.target is own.target
    name = own.target if own.op == "call_method" else getattr(own.target, "__name__", None)
    return getattr(getattr(n.target, "_schema", None), "name", None) == "aten::%s" % name

CALLS = ("call_function", "call_method", "call_module", "get_attr")


def is_random(n):
    if n.op != "call_function":
        return False
    name = str(n.target)
    if "inductor_random" in name or "inductor_seed" in name or "inductor_randint" in name:
        return True
    if not isinstance(n.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in n.target.tags:
        return False
    if "attention" not in name:
        return True
    odds = [v for a, v in zip(n.target._schema.arguments, n.args) if a.name == "dropout_p"] + [n.kwargs.get("dropout_p", 0.0)]
    return any(isinstance(v, float) and v > 0 for v in odds)


def calls_operator(n):
    """The overloads of aten's operator of the same name that a captured node calls: torch.bernoulli(x), x.normal_()."""
    name = n.target if n.op == "call_method" else getattr(n.target, "__name__", "")
    packet = getattr(torch.ops.aten, name, None) if n.op in ("call_function", "call_method") and name.isidentifier() else None
    return [getattr(packet, o) for o in packet.overloads()] if isinstance(packet, torch._ops.OpOverloadPacket) else []


def argument(n, overload, *names):
    """The argument with one of these names of a node, as an operator's overload has it; None: it has none."""
    for i, a in enumerate(overload._schema.arguments):
        if a.name in names:
            return n.kwargs.get(a.name, n.args[i] if i < len(n.args) else a.default_value)
    return None


def draws(n):
    """Does this captured node draw random numbers?  Not a dropout with probability 0, or outside of training."""
    name = str(n.target)
    if "dropout" in name and n.op == "call_function":
        p, training = [*n.args[1:3], None, None][:2]
        if n.kwargs.get("p", p) == 0 or n.kwargs.get("training", training) is False:
            return False
    if is_random(n) or "dropout" in name or "rand" in name or "gumbel_softmax" in name:
        return True
    if getattr(n.target, "__name__", "") == "multi_head_attention_forward":
        given = inspect.signature(n.target).bind(*n.args, **n.kwargs).arguments
        return bool(given["dropout_p"]) and given.get("training", True)
    for o in calls_operator(n):
        rate = argument(n, o, "dropout", "dropout_p")                   # of attention and of recurrent networks
        if rate is not None or torch.Tag.nondeterministic_seeded in o.tags:
            return rate is None or type(rate) is float and rate > 0
    return False

# Operators that write running statistics, which their schemas (torch 2.13, native_functions.yaml) do not say, and the argument that makes
# them do so; None: they always do.
WRITE_STATISTICS = {
    "batch_norm": "training", "_batch_norm_impl_index": "training", "native_batch_norm": "training", "cudnn_batch_norm": "training",
    "miopen_batch_norm": "training", "instance_norm": "use_input_stats", "batch_norm_update_stats": None, "batch_norm_gather_stats": None,
    "batch_norm_gather_stats_with_counts": None}


def is_statistic(schema):
    """Does this operator write running statistics without saying so?"""
    return schema.name.startswith("aten::") and schema.name[len("aten::"):] in WRITE_STATISTICS

IN_PLACE = ("iadd", "isub", "imul", "imatmul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift",
            "irshift", "iconcat", "setitem", "delitem")

FLAGS = {"embedding": (3, "max_norm"), "embedding_bag": (3, "max_norm"),         # write an argument if that one is given
         "dropout": (3, "inplace"), "alpha_dropout": (3, "inplace"), "feature_alpha_dropout": (3, "inplace")}

# Higher-order operators that write what their sub-graphs write, and nothing else.
BY_SUBGRAPHS = ("cond", "while_loop", "map", "map_impl", "associative_scan", "scan", "invoke_subgraph", "flex_attention", "wrap",
                "tag_activation_checkpoint", "autograd_function_apply")


def is_harmless(n, known):
    """True if, by its name, this node writes none of its arguments. known: answers for functions asked before."""
    if n.op in ("placeholder", "get_attr", "output"):
        return True
    if n.op == "call_method":
        return not n.target.endswith("_") or n.target.endswith("__")
    if n.op != "call_function" or "out" in n.kwargs or n.kwargs.get("inplace"):
        return False
    if id(n.target) not in known:               # the graph holds it
        known[id(n.target)] = is_harmless_function(n.target)
    if not known[id(n.target)] or getattr(n.target, "__module__", None) != "torch.nn.functional":
        return known[id(n.target)]
    if n.target.__name__ in FLAGS:
        place, name = FLAGS[n.target.__name__]
        return not n.kwargs.get(name, n.args[place] if len(n.args) > place else None)
    return not any(a is True for a in n.args)   # relu(x, True) is in place


def is_harmless_function(target):
    if isinstance(target, torch._ops.OpOverload):
        return not target._schema.is_mutable and not is_statistic(target._schema) and target._schema.name != RESIZE
    name, module = getattr(target, "__name__", ""), getattr(target, "__module__", None) or ""
    if name.endswith("_") or name in IN_PLACE or name in WRITE_STATISTICS or (
            name in FLAGS and module != "torch.nn.functional"):
        return False
    return module in ("torch", "_operator", "math", "torch.nn.functional", "torch._C._nn", "torch._C._linalg", "torch._C._fft",
                      "torch._C._special") or (
        type(target).__name__ == "builtin_function_or_method" and module.startswith("torch._"))


def nodes_write_nothing(nodes):
    """True if, by their names, none of these nodes writes one of its arguments, those aside that sub-graphs write."""
    known = {}
    return all([is_harmless(n, known) or (
        isinstance(n.target, torch._ops.HigherOrderOperator) and n.target.__name__ in BY_SUBGRAPHS) for n in nodes])


def operator_of(n):
    """The higher-order operator that a node is, or is a result of; None: it is neither."""
    while n.target is operator.getitem:
        n = n.args[0]
    return n if isinstance(n.target, torch._ops.HigherOrderOperator) else None


def place_of(n):
    """(file, line, function) of the program's line, or None."""
    found = re.findall(r'File "(.*)", line (\d+), in (.*)', n.meta.get("stack_trace") or "")
    for file, line, function in reversed(found):
        if not is_of_torch(file):
            return file, int(line), function
    return (found[-1][0], int(found[-1][1]), found[-1][2]) if found else None

LARGE = 2 << 30                                 # bytes: a run that needs more has to be asked for


def number_of(n, known):
    """A size as a number; None for one of a symbol without a known value, {symbol: int}."""
    if type(n) is int:
        return n
    expr = getattr(getattr(n, "node", None), "expr", None)
    expr = expr.xreplace(known) if known and expr is not None else None
    return int(expr) if type(expr) is int or getattr(expr, "is_number", False) else None


def traced(n):
    """A node's value, as it was traced."""
    return n.meta.get("example_value", n.meta.get("val"))


def has_size(traced, v):
    """Does a tensor have the size that was traced, as far as that is known?"""
    sizes = [number_of(s, None) for s in traced.shape]
    return len(sizes) == v.dim() and all([a is None or a == b for a, b in zip(sizes, v.shape)])


def symbols_of(nodes, values):
    """{symbol: int}: what the sizes of these placeholders' values say of their symbolic sizes."""
    known = {}

    def note(symbolic, v):
        expr = getattr(getattr(symbolic, "node", None), "expr", None)
        if type(v) is int and getattr(expr, "is_symbol", False):     # that of a nested tensor may be a symbol, too
            known[expr] = v
    for n, v in zip(nodes, values):
        val = traced(n)
        if isinstance(val, torch.Tensor) and isinstance(v, torch.Tensor) and val.dim() == v.dim():
            for symbolic, size in zip(val.shape, v.shape):
                note(symbolic, size)
        elif type(v) is int:
            note(val, v)
    return known


def is_unset(n):
    """Does this node allocate memory that holds no value yet?"""
    return "empty" in str(n.target) and n.op in ("call_function", "call_method")


def is_of_torch(file):
    return os.path.normpath(file).startswith(os.path.dirname(os.path.normpath(torch.__file__)) + os.sep)
