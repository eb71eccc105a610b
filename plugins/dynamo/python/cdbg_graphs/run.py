# SPDX-License-Identifier: BSD-3-Clause
"""A captured graph run node by node.  Knows no command and no backend.

Parameters and buffers are read in place and copied only if the graph writes them: see inputs.py."""
import contextlib
import os
import time

import torch
import torch.fx
import torch.utils.checkpoint

from .errors import Enough, NodeRaised, raised_text
from .memory import with_memory
from .modes import in_modes, modes_now, without_autocast
from .nodes import is_harmless, nodes_write_nothing, place_of, traced
from .values import wide


class Kept:
    """A graph with nodes of its own, and the objects that these name: parameters and modules by reference, sub-graphs as Kept."""
    def __init__(self, graph, named):
        self.graph = graph
        self.named = {name: Kept(*v) if type(v) is tuple else v for name, v in named.items()}
        self.prepared = None                    # its Program, from the first run on: the graph never changes
        self.modes = None                       # those in which it runs, see modes.py; None: as what runs it
        self.leaves = ()                        # positions of inputs that require a gradient where the program runs it
        self.given = ()                         # values of its last inputs: see with_tensors_given()

    @classmethod
    def of(cls, module):
        """Copies the graph of a GraphModule."""
        graph, named = torch.fx.Graph(), {}
        graph.output(graph.graph_copy(module.graph, {}))
        for n in graph.nodes:
            if n.op in ("get_attr", "call_module"):
                v = module
                for part in n.target.split("."):
                    v = getattr(v, part)
                named[n.target] = cls.of(v) if isinstance(v, torch.fx.GraphModule) else v
        return cls(graph, named)

    def program(self):
        if self.prepared is None:
            self.prepared = Program(self)
        return self.prepared

    def resizes(self):
        """Does a node of it, or of its sub-graphs, give a storage another size?"""
        return any(map(resizes, self.graph.nodes)) or any(v.resizes() for v in self.named.values() if isinstance(v, Kept))

    def named_object(self, name):
        v = self.named[name]
        return v.module() if isinstance(v, Kept) else v

    def module(self):
        """A new GraphModule, which a backend may change."""
        copy = torch.fx.Graph()
        copy.output(copy.graph_copy(self.graph, {}))
        return torch.fx.GraphModule({name: self.named_object(name) for name in self.named}, copy)


# ---- a run --------------------------------------------------------------------------------------------------------

class Program:
    """A graph as a list of steps: (index, op, what is called, args, kwargs, indexes of values that die).  look(program, index,
    value, seconds): called for each node of its sub-graphs, whose names begin with `prefix`; before(program): what perform() calls there
    before each call."""
    def __init__(self, kept, keep=False, look=None, prefix="", before=None):
        self.kept, self.nodes, self.prefix = kept, list(kept.graph.nodes), prefix
        self.index = {n: i for i, n in enumerate(self.nodes)}
        last = {}
        for i, n in enumerate(self.nodes):
            for a in n.all_input_nodes:
                last[a] = i
        dies = {}
        for n, i in last.items():
            if not keep:
                dies.setdefault(i, []).append(self.index[n])
        self.steps, self.flat = [], True        # flat: no sub-graphs
        for i, n in enumerate(self.nodes):
            op = n.op
            called = kept.named_object(n.target) if op in ("get_attr", "call_module") else function_of(n)
            self.flat = self.flat and not isinstance(called, torch.fx.GraphModule)
            if look and isinstance(called, torch.fx.GraphModule):
                called.forward = Inner(kept.named[n.target], "%s%s." % (prefix, n.target), look, before)
            elif look and op == "call_function":
                called = BY_INTERPRETER.get(str(n.target), called)
            self.steps.append((i, op, called, n.args, n.kwargs, dies.get(i, ())))
        self.labels = [(prefix + n.name, n.op) for n in self.nodes]
        self.derives = any(n.op == "call_function" and getattr(n.target, "__name__", "") in DERIVES for n in self.nodes)
        self.harmless = self.total = self.writing = None        # see writes_nothing(), is_surely_small(), writers()
        self.inner = {name: v for name, v in kept.named.items() if isinstance(v, Kept)}
        self.widens = False                     # inputs are widened where they are read

    def writes_nothing(self):
        """True if, by their names, no node writes one of its arguments, in sub-graphs neither."""
        if self.harmless is None:
            self.harmless = nodes_write_nothing(self.nodes) and all([v.program().writes_nothing() for v in self.inner.values()])
        return self.harmless

    def writers(self):
        """The indexes of nodes that may write one of their arguments."""
        if self.writing is None:
            known = {}
            self.writing = frozenset() if self.writes_nothing() else frozenset(
                [i for i, n in enumerate(self.nodes) if not isinstance(n.target, torch._ops.HigherOrderOperator) and not is_harmless(n, known)])
        return self.writing


def function_of(n):
    """What a node calls.  Inductor makes _foreach_add_ of _foreach_add, which returns nothing, and reads what it wrote as its result.  A
    view that AOTAutograd traced may be given a value of another layout than was traced: its result is then a copy."""
    function = n.target
    if function is torch.ops.aten.view.default:
        return torch.ops.aten.reshape.default
    if has_hook(n):
        return hook_where_wanted
    if str(function) == "tag_activation_checkpoint":
        return checkpoint_again
    if getattr(function, "__name__", "") == "invoke_subgraph" and isinstance(function, torch._ops.HigherOrderOperator):
        return region_again
    if resizes(n):
        return Resize(n)
    if n.op != "call_function" or not isinstance(function, torch._ops.OpOverload) or function._schema.returns or not n.users:
        return function

    def call(*args, **kwargs):
        function(*args, **kwargs)
        return args[0] if args else None
    return call


def resizes(n):
    """Does this node give a tensor's storage another size?  FSDP frees parameters so."""
    return n.op == "call_function" and getattr(n.target, "__name__", "").startswith("resize_storage_bytes_")


class Resize:
    """That operator; in float64 the storage has as many elements as it was traced with."""
    def __init__(self, n):
        self.called, made = n.target, traced(n.args[0]) if isinstance(n.args[0], torch.fx.Node) else None
        self.each = made.element_size() if isinstance(made, torch.Tensor) else None

    def __call__(self, tensor, size):
        return self.called(tensor, size // self.each * tensor.element_size() if self.each else size)


def has_hook(n):
    return isinstance(n.target, torch._ops.HigherOrderOperator) and n.target.__name__ == "register_hook"


def hook_where_wanted(tensor, hook, *args):
    """A hook on the gradient of a tensor, which without autograd has none."""
    if tensor.requires_grad:
        tensor.register_hook(lambda gradient: hook(gradient, *args))
    return tensor


def region_again(module, name, *args):
    """A region of nested_compile_region(), whose operator gives gradients only where it is compiled.  torch 2.6 has its arguments in a
    tuple."""
    return module(*args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args)


def checkpoint_again(module, *args, **kwargs):
    """A checkpoint, whose backward draws the random numbers of its forward again.  The operator's draws others where it is not compiled
    (torch 2.13, _higher_order_ops/wrap.py)."""
    return torch.utils.checkpoint.checkpoint(module, *args, use_reentrant=False)


def checkpoint_plainly(module, *args, **kwargs):
    """A checkpoint keeps less for backward; without autograd it is a call."""
    return module(*args)


def function_plainly(forward, backward, *args, **kwargs):
    """An autograd.Function: its forward returns the result and what is saved for backward.  That of torch 2.6 has a context, too."""
    context = [None] * (sum([n.op == "placeholder" for n in forward.graph.nodes]) - len(args))
    return forward(*context, *args)[0]


# Higher-order operators that run the sub-graph without its forward.
BY_INTERPRETER = {"tag_activation_checkpoint": checkpoint_plainly, "autograd_function_apply": function_plainly}


DERIVES = ("_grad_increment_nesting", "_autograd_grad", "grad")    # autograd inside of the graph: torch.func.grad and its like


class Inner:
    """The forward of a sub-graph, node by node."""
    def __init__(self, kept, prefix, look, before):
        self.program, self.look = Program(kept, look=look, prefix=prefix, before=before), look
        self.before = before(self.program) if before else None

    def __call__(self, *args):
        def look(i, v, seconds):
            if self.look(self.program, i, v, seconds):
                raise Enough
        return perform(self.program, args, look, self.before)


def node_raised(program, i, raised):
    """What to raise where node i of a program raised."""
    n, place = program.nodes[i], place_of(program.nodes[i])
    at = " at %s:%d" % (os.path.basename(place[0]), place[1]) if place else ""
    written = "; the graph writes its inputs, perhaps this index: if it has run on them, give those of before by 'with NAME=EXPR'"
    return NodeRaised("node '%s%s'%s raised %s%s" % (program.prefix, n.name, at, raised_text(raised), (
        written if isinstance(raised, IndexError) and not program.writes_nothing() else "")))


def step(op, called, args, kwargs):
    if op == "call_function" or op == "call_module":
        return called(*args, **kwargs)
    return getattr(args[0], called)(*args[1:], **kwargs) if op == "call_method" else called


def as_returned(v):
    """What a graph returns, with lists and dicts as in the code that torch writes for it: operators compare their classes."""
    if isinstance(v, dict):
        return {k: as_returned(item) for k, item in v.items()}
    if type(v) is tuple:
        return tuple(map(as_returned, v))
    return list(map(as_returned, v)) if isinstance(v, list) else v


def perform(program, inputs, look=None, before=None, modes=True):
    """The graph's result.  look(index, value, seconds): after each node; True ends the run, its result is then None.  before(index, args,
    kwargs): before each call.  modes: in those that it was captured in; else in those that are in force, where the program calls it."""
    given = list(inputs)[::-1]
    del inputs                                  # each lives until its last use
    with in_modes(program.kept.modes if modes else None), torch.enable_grad() if program.derives else contextlib.nullcontext(), with_memory(program.kept.resizes(), given):
        return perform_steps(program, given, look, before)


def perform_steps(program, given, look, before):
    values, index = [None] * len(program.nodes), program.index
    clock, map_arg, seconds = time.perf_counter_ns, torch.fx.map_arg, None

    def get(n):
        return values[index[n]]

    def get_wide(n):
        return wide(values[index[n]]) if n.op == "placeholder" else values[index[n]]
    get = get_wide if program.widens else get
    for i, op, called, args, kwargs, dead in program.steps:
        if op == "call_function" or op not in ("placeholder", "output"):
            args, kwargs = map_arg(args, get), map_arg(kwargs, get) if kwargs else kwargs
            if before:
                before(i, args, kwargs)
            try:
                if op == "call_function":
                    began = clock()
                    v = called(*args, **kwargs)
                else:
                    began = clock()
                    v = step(op, called, args, kwargs)
            except NodeRaised:                  # of a sub-graph
                raise
            except Exception as e:
                raise node_raised(program, i, e) from e
            seconds = (clock() - began) / 1e9   # whole nanoseconds: few digits
        else:
            v, seconds = given.pop() if op == "placeholder" else map_arg(args[0], get), None
        values[i] = v
        if look and look(i, v, seconds):
            return None
        if op == "output":
            return as_returned(v)
        for d in dead:
            values[d] = None
        args = kwargs = None


def stage_of(graph):
    """A graph that AOTAutograd, or inductor below it, traced in the present modes."""
    kept = Kept.of(graph)
    kept.modes = without_autocast(modes_now())
    return kept


def graph_find(name):
    """The graph module that Dynamo gave to the backend under this name, if something still holds it."""
    import gc
    for v in gc.get_objects():
        if issubclass(type(v), torch.fx.GraphModule) and getattr(v, "meta", {}).get("backend_id") == name:
            return v
    return None
