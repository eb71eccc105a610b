# SPDX-License-Identifier: BSD-3-Clause
"""A captured graph run node by node, on copies of its inputs.  Runs in the same namespace as object_state.py and state.py.

The program does not see the run: autograd, random numbers, torch's modes and the graph's inputs are as before it.  Parameters
and buffers are read in place and copied only if the graph writes them.  Knows no command and no backend."""
import contextlib
import logging
import math
import re
import threading
import time
import warnings

import torch
import torch.fx
import torch.utils._pytree as pytree

WIDENED = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
           torch.complex32: torch.complex128, torch.complex64: torch.complex128}
CALLS = ("call_function", "call_method", "call_module", "get_attr")
SUMMED = (torch.float16, torch.bfloat16)        # added up in float32, or the sum overflows


class Kept:
    """A graph with nodes of its own, and the objects that these name: parameters and modules by reference, sub-graphs as Kept."""
    def __init__(self, graph, named):
        self.graph = graph
        self.named = {name: Kept(*v) if type(v) is tuple else v for name, v in named.items()}
        self.prepared = None                    # its Program, from the first run on: the graph never changes
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

    def named_object(self, name):
        v = self.named[name]
        return v.module() if isinstance(v, Kept) else v

    def module(self):
        """A new GraphModule, which a backend may change."""
        copy = torch.fx.Graph()
        copy.output(copy.graph_copy(self.graph, {}))
        return torch.fx.GraphModule({name: self.named_object(name) for name in self.named}, copy)


# ---- values -----------------------------------------------------------------------------------------------------

def plain(v):
    """A tensor whose elements can be read here: dense, real memory, torch's own class."""
    return (isinstance(v, torch.Tensor) and type(v) in (torch.Tensor, torch.nn.Parameter) and v.layout is torch.strided
            and not v.is_quantized and v.device.type != "meta" and not is_wrapped(v))


functorch = getattr(torch._C, "_functorch", None)


def is_wrapped(t):
    """Is it a tensor that vmap or grad of functorch made, which has no elements of its own?"""
    return hasattr(functorch, "is_functorch_wrapped_tensor") and functorch.is_functorch_wrapped_tensor(t)


def copy_of(v):
    """A tensor's copy that autograd does not know, with its strides; anything else as it is."""
    if not isinstance(v, torch.Tensor):
        return v
    t = v.detach()
    if not plain(v) or any(s < 0 for s in t.stride()):
        return t.clone()
    span = 1 + sum((n - 1) * s for n, s in zip(t.size(), t.stride())) if t.numel() else 0
    whole = torch.empty(max(span, 0), dtype=t.dtype, device=t.device)
    if span:
        whole.copy_(t.as_strided((span,), (1,)))
    return whole.as_strided(t.size(), t.stride()) if span else torch.empty_strided(t.size(), t.stride(), dtype=t.dtype, device=t.device)


def place_of_view(v):
    return v.storage_offset(), v.size(), v.stride()


def base_of_all(found):
    """The tensor that all of these are or are views of, which AOTAutograd has to know; None: there is none, or autograd is involved."""
    bases = [v if v._base is None else v._base for v in found]
    one = all([b is bases[0] for b in bases]) and plain(bases[0]) and not any(
        [v.requires_grad or v.is_inference() for v in [*bases, *found]])
    return bases[0] if one else None


def copies_of(values, own):
    """Copies that share memory where the values do.  own: keep parameters as they are."""
    stores, out, sharing = {}, [], {}
    for v in values:
        if plain(v) and storage_of(v) is not None:
            sharing.setdefault(storage_of(v)._cdata, []).append(v)
    for v in values:
        if not isinstance(v, torch.Tensor) or (own and isinstance(v, torch.nn.Parameter)):
            out.append(v.detach() if isinstance(v, torch.nn.Parameter) else v)
            continue
        store = storage_of(v) if plain(v) else None
        if store is None:
            out.append(copy_of(v))
            continue
        shared = [w for w in sharing[store._cdata] if w is not v]
        if not shared:
            out.append(copy_of(v))
            continue
        base = base_of_all([v, *shared])
        copied = stores.get(store._cdata)
        if copied is None:
            copied = stores[store._cdata] = store.clone() if base is None else over(store.clone(), base, *place_of_view(base))
        if base is None:
            out.append(over(copied, v, *place_of_view(v)))
        else:
            out.append(copied if v is base else copied.as_strided(v.size(), v.stride(), v.storage_offset()))
    return out


def wide(v):
    """The value in float64 or complex128; a dtype argument becomes that dtype."""
    if isinstance(v, torch.dtype):
        return WIDENED.get(v, v)
    return v.to(WIDENED[v.dtype]) if isinstance(v, torch.Tensor) and v.dtype in WIDENED else v


in_place = row_in_place = None                  # cdbg's own functions, which read elements where they lie, or None


def use_numbers(numbers, row):
    global in_place, row_in_place
    in_place, row_in_place = numbers, row


def figures(t):
    """(min, max, mean, NaN count, Inf count) of a tensor, five times None where it has none.  The first three are of the finite
    elements, None if there is none."""
    found = in_place(t) if in_place else None
    if found is not None:
        return found
    while isinstance(t, torch.Tensor) and is_wrapped(t):        # of all that vmap maps over
        t = functorch.get_unwrapped(t)
    if isinstance(t, torch.Tensor) and is_holder(t):            # parts of several kinds: how many of their elements are NaN or Inf
        odd = [f[3:] for f in map(figures, parts_in([t])) if f[3] is not None]
        return (None, None, None, sum([nan for nan, _ in odd]), sum([inf for _, inf in odd])) if odd else (None,) * 5
    if not plain(t) or not t.numel():
        return (None,) * 5
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj())
    if t.dtype == torch.bool:
        ones = int(t.sum())
        return (bool(ones == t.numel()), bool(ones), ones / t.numel(), 0, 0)
    try:
        low, high = torch.aminmax(t)
    except (RuntimeError, NotImplementedError):
        return (None,) * 5
    if not t.is_floating_point():
        return (int(low), int(high), float(t.to(torch.float64).mean()), 0, 0)
    total = t.sum(dtype=torch.float32) if t.dtype in SUMMED else t.sum()
    low, high, total = torch.stack((low.to(total.dtype), high.to(total.dtype), total)).tolist()
    if total - total == 0.0:                    # a finite sum: neither NaN nor Inf in it
        return (low, high, total / t.numel(), 0, 0)
    nan, inf = int(torch.isnan(t).sum()), int(torch.isinf(t).sum())
    finite = t[torch.isfinite(t)] if nan or inf else t
    if not finite.numel():
        return (None, None, None, nan, inf)
    low, high = torch.aminmax(finite)
    return (low.item(), high.item(), float(finite.to(torch.float64).mean()), nan, inf)


def size_of(v):
    return v.numel() * v.element_size() if isinstance(v, torch.Tensor) and v.layout is torch.strided else None


# ---- a run --------------------------------------------------------------------------------------------------------

def without_modes():
    """Disables the dispatch modes for the block: AOTAutograd has one of its own while it runs a graph, and the program's would see
    what cdbg computes."""
    from torch.utils import _python_dispatch
    off = getattr(_python_dispatch, "_disable_current_modes", None)
    return off() if off and torch._C._len_torch_dispatch_stack() else contextlib.nullcontext()


@contextlib.contextmanager
def without_warnings():
    """Python's warnings of this thread are dropped in the block: they are not the program's, which still has to see its own once."""
    thread, warn, show = threading.get_ident(), warnings.warn, warnings.showwarning

    def quiet(message, category=None, stacklevel=1, source=None, **rest):
        if threading.get_ident() != thread:
            warn(message, category, stacklevel + 1, source, **rest)

    def quiet_show(*args, **kwargs):
        if threading.get_ident() != thread:
            show(*args, **kwargs)
    warnings.warn, warnings.showwarning = quiet, quiet_show
    try:
        yield
    finally:
        if warnings.warn is quiet:
            warnings.warn = warn
        if warnings.showwarning is quiet_show:
            warnings.showwarning = show


@contextlib.contextmanager
def without_logs():
    """What torch logs in this thread is dropped in the block: the program did not compile.  What torch's trace has written once, as
    the name of a file, counts as not written."""
    from torch._logging import structured
    thread, handle = threading.get_ident(), logging.Logger.handle
    names, files = (getattr(structured, n, None) for n in ("INTERN_TABLE", "DUMPED_FILES"))
    names_before, files_before = dict(names or ()), set(files or ())

    def quiet(self, record):
        if threading.get_ident() != thread:
            handle(self, record)
    logging.Logger.handle = quiet
    try:
        yield
    finally:
        if logging.Logger.handle is quiet:
            logging.Logger.handle = handle
        for now, before in ((names, names_before), (files, files_before)):
            if now is not None:
                now.clear()
                now.update(before)


@contextlib.contextmanager
def apart():
    """Restores torch's modes and random number state at the end of the block, in which torch warns of nothing and logs nothing."""
    held = [ModeOf(None, "", get, put) for get, put in modes()]
    held = [m for m in held if m.there()] + [RandomOf(None, "", get, put) for _, get, put in generators()]
    depth = len(functorch.get_interpreter_stack() or ()) if hasattr(functorch, "get_interpreter_stack") else None
    for h in held:
        h.save()
    try:
        with torch.inference_mode(False), torch.no_grad(), without_modes(), without_warnings(), without_logs():
            yield
    finally:
        if depth is not None and len(functorch.get_interpreter_stack() or ()) > depth:
            functorch.pop_dynamic_layer_stack_and_undo_to_depth(depth)
        for h in held:
            if h.changed():
                h.restore()


class Program:
    """A graph as a list of steps: (index, op, what is called, args, kwargs, indexes of values that die).  look(program, index,
    value, seconds): called for each node of its sub-graphs, whose names begin with `prefix`."""
    def __init__(self, kept, keep=False, look=None, prefix=""):
        self.nodes, self.prefix = list(kept.graph.nodes), prefix
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
                called.forward = Inner(kept.named[n.target], "%s%s." % (prefix, n.target), look)
            elif look and op == "call_function":
                called = BY_INTERPRETER.get(str(called), called)
            self.steps.append((i, op, called, n.args, n.kwargs, dies.get(i, ())))
        self.labels = [(prefix + n.name, n.op) for n in self.nodes]
        self.derives = any(n.op == "call_function" and getattr(n.target, "__name__", "") in DERIVES for n in self.nodes)
        self.harmless = self.total = None       # see writes_nothing(), is_surely_small()
        self.inner = {name: v for name, v in kept.named.items() if isinstance(v, Kept)}
        self.widens = False                     # inputs are widened where they are read

    def writes_nothing(self):
        """True if, by their names, no node writes one of its arguments."""
        if self.harmless is None:
            known = {}
            self.harmless = all([is_harmless(n, known) for n in self.nodes])
        return self.harmless


def function_of(n):
    """What a node calls.  Inductor makes _foreach_add_ of _foreach_add, which returns nothing, and reads what it wrote as its result."""
    function = n.target
    if n.op != "call_function" or not isinstance(function, torch._ops.OpOverload) or function._schema.returns or not n.users:
        return function

    def call(*args, **kwargs):
        function(*args, **kwargs)
        return args[0] if args else None
    return call


def checkpoint_plainly(module, *args, **kwargs):
    """A checkpoint keeps less for backward; without autograd it is a call."""
    return module(*args)


def function_plainly(forward, backward, *args, **kwargs):
    """An autograd.Function: its forward returns the result and what is saved for backward."""
    return forward(*args)[0]


# Higher-order operators that run the sub-graph without its forward.
BY_INTERPRETER = {"tag_activation_checkpoint": checkpoint_plainly, "autograd_function_apply": function_plainly}


DERIVES = ("_grad_increment_nesting", "_autograd_grad", "grad")    # autograd inside of the graph: torch.func.grad and its like


class Inner:
    """The forward of a sub-graph, node by node."""
    def __init__(self, kept, prefix, look):
        self.program, self.look = Program(kept, look=look, prefix=prefix), look

    def __call__(self, *args):
        def look(i, v, seconds):
            if self.look(self.program, i, v, seconds):
                raise Enough
        return perform(self.program, args, look)


class Enough(BaseException):
    """Ends a run inside a sub-graph."""


class Refused(Exception):
    """An error whose text says what cannot be done, and why."""


class NodeRaised(Refused):
    """A node raised; its exception is the __cause__."""
    def __init__(self, node, raised, prefix=""):
        super().__init__("node '%s%s' raised %s: %s" % (prefix, node.name, type(raised).__name__, str(raised).partition("\n")[0]))


def step(op, called, args, kwargs):
    if op == "call_function" or op == "call_module":
        return called(*args, **kwargs)
    return getattr(args[0], called)(*args[1:], **kwargs) if op == "call_method" else called


def perform(program, inputs, look=None):
    """The graph's result.  look(index, value, seconds): after each node; True ends the run, its result is then None."""
    given = list(inputs)[::-1]
    del inputs                                  # each lives until its last use
    with torch.enable_grad() if program.derives else contextlib.nullcontext():
        return perform_steps(program, given, look)


def perform_steps(program, given, look):
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
                raise NodeRaised(program.nodes[i], e, program.prefix) from e
            seconds = (clock() - began) / 1e9   # whole nanoseconds: few digits
        else:
            v, seconds = given.pop() if op == "placeholder" else map_arg(args[0], get), None
        values[i] = v
        if look and look(i, v, seconds):
            return None
        if op == "output":
            return v
        for d in dead:
            values[d] = None
        args = kwargs = None


class Writes(torch.utils._python_dispatch.TorchDispatchMode):
    """Notes the memory that operations write."""
    def __init__(self):
        super().__init__()
        self.written = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        schema = func._schema
        if schema.is_mutable:
            named = dict(zip((a.name for a in schema.arguments), args), **kwargs)
            for a in schema.arguments:
                if a.alias_info is not None and a.alias_info.is_write:
                    for t in pytree.tree_leaves(named.get(a.name)):
                        if isinstance(t, torch.Tensor):
                            self.written.add(t.untyped_storage()._cdata)
        return func(*args, **kwargs)


IN_PLACE = ("iadd", "isub", "imul", "imatmul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift",
            "irshift", "iconcat", "setitem", "delitem")
WITH_STATE = ("batch_norm", "instance_norm", "embedding", "embedding_bag")      # may write their arguments


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
    return known[id(n.target)] and not (getattr(n.target, "__module__", None) == "torch.nn.functional" and any(
        a is True for a in n.args))             # relu(x, True) is in place


def is_harmless_function(target):
    if isinstance(target, torch._ops.OpOverload):
        return not target._schema.is_mutable
    name, module = getattr(target, "__name__", ""), getattr(target, "__module__", None) or ""
    if name.endswith("_") or name in IN_PLACE or name in WITH_STATE:
        return False
    return module in ("torch", "_operator", "math", "torch.nn.functional", "torch._C._nn", "torch._C._linalg", "torch._C._fft",
                      "torch._C._special") or (
        type(target).__name__ == "builtin_function_or_method" and module.startswith("torch._"))


def written_inputs(program, inputs):
    """The positions of inputs that the graph writes, found by a run without values; None: it cannot be run that way."""
    if program.writes_nothing():
        return set()
    from torch._subclasses import fake_tensor
    fake = fake_tensor.FakeTensorMode(allow_non_fake_inputs=True)
    try:
        with apart():
            shadows = pytree.tree_map_only(torch.Tensor, lambda t: fake.from_tensor(t.detach(), static_shapes=True), list(inputs))
            stores = {i: t.untyped_storage()._cdata for i, t in enumerate(shadows) if isinstance(t, torch.Tensor)}
            with fake, Writes() as seen:
                perform(program, shadows)
    except Exception:                           # what is not possible without values
        return None
    real = {}
    for i, v in enumerate(inputs):
        if isinstance(v, torch.Tensor) and storage_of(v) is not None:
            real.setdefault(storage_of(v)._cdata, []).append(i)
    found = {i for i, s in stores.items() if s in seen.written}
    return found | {j for same in real.values() if found & set(same) for j in same}


def copied_inputs(program, inputs):
    """Inputs that the graph may read and write. The program's own parameters are used only if the graph does not write them."""
    written = written_inputs(program, inputs)
    if written is None or any(isinstance(inputs[i], torch.nn.Parameter) for i in written):
        return copies_of(inputs, False)
    return copies_of(inputs, True)


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


def graph_inputs(kept, sources, values, namespace, arguments):
    """The placeholders' values.  sources: "L['x']" of each, or None.  values: the function's arguments, by name, and globals
    to be replaced.  arguments: names of the former."""
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
    return found + list(kept.given)
