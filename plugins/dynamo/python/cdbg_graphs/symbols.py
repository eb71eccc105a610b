# SPDX-License-Identifier: BSD-3-Clause
"""A captured graph compiled by its backend, with numbers or with symbols as the sizes of its inputs.  Watches no compile and knows no stage."""
import re

import torch
import torch.fx

from .errors import Refused, raised_text
from .nodes import placeholders, traced
from .values import copy_of, is_holder, plain


def is_about_sizes(e):
    """Did the compile fail because sizes depend on values? Such graphs can only be traced with symbolic sizes."""
    return type(e).__name__ in ("DynamicOutputShapeException", "DataDependentOutputException", "GuardOnDataDependentSymNode") or (
        isinstance(e, AssertionError) and "shape_env" in str(e))


def needs_symbols(e):
    """Did the compile fail because sizes are numbers?  A while_loop needs symbols, and in inductor the sub-graphs of a graph that has
    some."""
    return isinstance(e, AttributeError) and "ignore_fresh_unbacked_symbols" in str(e) or "FakeTensorUpdater" in str(e)


def numbers_read(graph):
    """The nodes that read a number from a tensor by item()."""
    return [n for n in graph.nodes if n.op == "call_method" and n.target == "item"]


def with_numbers(module, given):
    """The module with the numbers that it reads from its inputs by item() as constants: only Dynamo's own compile has symbols."""
    numbers = dict(zip((n for n in module.graph.nodes if n.op == "placeholder"), given))
    read = [n for n in numbers_read(module.graph) if plain(numbers.get(n.args[0]))]
    for n in read:
        value = numbers[n.args[0]].item()

        def with_value(a, n=n, value=value):
            return value if a is n else a
        for user in list(n.users):
            user.args, user.kwargs = (torch.fx.map_arg(v, with_value) for v in (user.args, user.kwargs))
        module.graph.erase_node(n)
    if read:
        module.recompile()
    return module


def as_captured(module):
    """The module with what AOTAutograd expects of those that Dynamo makes: then it reads in the inputs' meta["tensor_dict"] which are
    parameters, whose memory costs the backward graph nothing (torch 2.13, _functorch/_aot_autograd/frontend_utils.py)."""
    from torch._dynamo.source import ConstantSource
    names = [name for name, _ in (*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False))]
    module.meta["dynamo_compile_id"] = None
    module._param_name_to_source = {name: ConstantSource("__" + name) for name in names}
    for n in module.graph.nodes:
        if n.op == "placeholder":
            n._dynamo_source = ConstantSource("__" + n.name)
    return module


def ones_for(n, known):
    """A gradient of ones with the size that was traced."""
    val = n.meta.get("val")
    if not isinstance(val, torch.Tensor):
        raise Refused("the value of input '%s' of the stage cannot be made: it is not a tensor" % n.name)

    def number(s):
        expr = getattr(getattr(s, "node", None), "expr", None)
        return int(s) if expr is None else int(expr.xreplace(known))
    return torch.ones([number(s) for s in val.shape], dtype=val.dtype, device=val.device)


def forget_symbols(module):
    """Symbols that the graph makes, as the size of what nonzero() finds, get new names: those known are of Dynamo's own compile."""
    for part in module.modules():
        for n in part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ():
            n.meta.pop("unbacked_bindings", None)


def symbol_in(size):
    """The symbol that a traced size is; None for numbers and expressions."""
    expr = getattr(getattr(size, "node", None), "expr", None)
    return expr if getattr(expr, "is_symbol", False) else None


class Symbols:
    """Dynamo's symbols in a ShapeEnv of this compile: of the same names, hints and ranges, so that a backend writes the same code."""
    def __init__(self):
        from torch.fx.experimental.symbolic_shapes import ShapeEnv
        symbols = self

        class Named(ShapeEnv):
            def _generate_unique_id(self, source_name):         # the number in a symbol's name, asked by torch 2.7 and later
                return symbols.number if symbols.number is not None else super()._generate_unique_id(source_name)
        self.env, self.known, self.number = Named(), {}, None

    def known_values(self, was):
        """{Dynamo's symbol: the number that its compile saw}; was: its ShapeEnv."""
        return getattr(was, "backed_var_to_val", None) or was.var_to_val

    def can_have(self, s):
        """Is it a number, or made of symbols for one?  The length of a jagged dimension is not."""
        expr = getattr(getattr(s, "node", None), "expr", None)
        return type(s) is int or expr is not None and all([
            getattr(self.known_values(s.node.shape_env).get(old), "is_Integer", False) for old in expr.free_symbols])

    def symbol(self, old, was):
        """Dynamo's symbol here."""
        from torch._dynamo.source import ConstantSource
        from torch.fx.experimental.symbolic_shapes import DimDynamic
        if old not in self.known:
            self.number = int(re.search(r"\d+$", old.name)[0])
            try:
                new = self.env.create_symbol(int(self.known_values(was)[old]), ConstantSource("__" + old.name),
                                             DimDynamic.DYNAMIC, do_not_specialize_zero_one=True)
            finally:
                self.number = None
            self.env.var_to_range[new] = was.var_to_range[old]
            self.known[old] = new
        return self.known[old]

    def size(self, s):
        """The same of a size or of a stride, which may be computed from symbols."""
        if not isinstance(s, torch.SymInt):
            return s
        expr = s.node.expr
        new = expr.xreplace({old: self.symbol(old, s.node.shape_env) for old in expr.free_symbols})
        return self.env.create_symintnode(new, hint=s.node.hint)

    def allow(self, values):
        """Does what the compile found out of the symbols hold for these values, {Dynamo's symbol: number}?"""
        here = {new: values[old] for old, new in self.known.items() if old in values}
        return all([g.expr.xreplace(here) != False for g in self.env.guards])       # noqa: E712, one of sympy's truths


class Symbolic:
    """Inputs without memory, as Dynamo gives them to a backend: with symbols where the sizes were traced as symbols."""
    def __init__(self, nodes, given):
        from torch._subclasses.fake_tensor import FakeTensorMode
        self.symbols, self.values = Symbols(), {}       # values: {Dynamo's symbol: what it is in the inputs given}
        self.mode = FakeTensorMode(shape_env=self.symbols.env, allow_non_fake_inputs=True)
        self.jagged = {}                        # Dynamo's symbol for a length: that of this compile
        pairs = list(zip(nodes, given))
        made = {n: self.tensor(n.name, traced(n), v) for n, v in pairs if isinstance(v, torch.Tensor)}
        self.inputs = [made[n] if n in made else self.number(traced(n), v) for n, v in pairs]

    def note(self, was, v):
        if symbol_in(was) is not None and type(v) is int:
            self.values.setdefault(symbol_in(was), v)

    def kinds(self, was, source):
        """Which sizes of a tensor are symbols, as it was traced; of one that holds others, also of these."""
        from torch.fx.experimental.symbolic_shapes import DimDynamic, StatelessSymbolicContext, SubclassSymbolicContext
        kinds = [DimDynamic.STATIC if type(s) is int else DimDynamic.DYNAMIC for s in was.shape]
        if not is_holder(was):
            return StatelessSymbolicContext(dynamic_sizes=kinds)
        inner = {name: self.kinds(getattr(was, name), source) for name in was.__tensor_flatten__()[0]}
        return SubclassSymbolicContext(dynamic_sizes=kinds, constraint_sizes=[None] * len(kinds), tensor_source=source,
                                       inner_contexts=inner)

    def tensor(self, name, was, v):
        from torch._dynamo.source import ConstantSource
        sizes = list(was.shape) if isinstance(was, torch.Tensor) and was.dim() == v.dim() else []
        if all([type(s) is int for s in sizes]):
            return self.mode.from_tensor(v, static_shapes=True)
        for s, size in zip(sizes, v.shape):
            self.note(s, size)
        if is_holder(was) or not all([self.symbols.can_have(s) for s in (*sizes, *was.stride())]):
            source = ConstantSource("__" + name)
            fake = self.mode.from_tensor(v, source=source, symbolic_context=self.kinds(was, source))
            for old, new in zip(sizes, fake.shape):
                if symbol_in(old) is not None and self.symbols.can_have(old):
                    bool(self.symbols.size(old) == new)         # one symbol from here on
                elif symbol_in(old) is not None:
                    self.jagged.setdefault(symbol_in(old), new)
            return fake
        with self.mode, self.symbols.env.suppress_guards():
            strides = [self.symbols.size(s) for s in was.stride()]
            return torch.empty_strided([self.symbols.size(s) for s in sizes], strides, dtype=v.dtype, device=v.device,
                                       requires_grad=v.requires_grad)

    def number(self, was, v):
        if symbol_in(was) is None or type(v) is not int or not self.symbols.can_have(was):
            return self.jagged.get(symbol_in(was), v)
        self.note(was, v)
        return self.symbols.size(was)


def compiled_with_symbols(backend, kept, given, numbers):
    """The graph compiled for tensors without memory.  numbers: what it reads by item() are constants."""
    from torch._guards import TracingContext, tracing
    symbolic, module = Symbolic(placeholders(kept), given), as_captured(kept.module())
    forget_symbols(with_numbers(module, given) if numbers else module)
    with tracing(TracingContext(symbolic.mode)):
        compiled = backend(module, symbolic.inputs)
    if not symbolic.symbols.allow(symbolic.values):
        raise Refused("the entry's code is not for inputs of these sizes")
    return compiled


def shadows_for(kept, part, given, inputs):
    """(inputs without memory, their mode) for a part of a graph.  Those that were traced; in numbers where their sizes depend on values,
    since nothing in the part computes these.  given: the nodes of the inputs."""
    from torch._guards import detect_fake_mode
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv, free_unbacked_symbols
    from torch.fx.passes.fake_tensor_prop import FakeTensorProp
    if not any([free_unbacked_symbols(x.meta["val"]) for x in given]):
        return [x.meta["val"] for x in given], detect_fake_mode([
            n.meta["val"] for n in kept.graph.nodes if isinstance(n.meta.get("val"), torch.Tensor)])
    mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
    shadows = [mode.from_tensor(v, static_shapes=True) if isinstance(v, torch.Tensor) else v for v in inputs]
    forget_symbols(part)
    FakeTensorProp(part, mode).propagate_dont_convert_inputs(*shadows)
    return shadows, mode


def laid_as(v, shadow):
    """A copy with the strides that code was compiled for: inductor changed those of a buffer that it fed, for a convolution for
    example."""
    strides = shadow.stride() if isinstance(shadow, torch.Tensor) else ()
    strides = tuple([s if type(s) is int else s.node.hint for s in strides])
    if not plain(v) or strides == v.stride() or not all(strides):
        return copy_of(v)
    return torch.empty_strided(v.shape, strides, dtype=v.dtype, device=v.device).copy_(v)


def has_symbols(kept):
    """Did Dynamo trace sizes of the inputs as symbols?"""
    found = [traced(n) for n in placeholders(kept)]
    return any([not isinstance(v, torch.Tensor) and symbol_in(v) is not None or
                isinstance(v, torch.Tensor) and any([type(s) is not int for s in v.shape]) for v in found])


def compiler_error(e):
    """The line of a compiler's output, which torch writes after its command, that tells what is wrong."""
    lines = [line.strip() for line in str(e).partition("Output:\n")[2].splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "no output")


def backend_raised(who, when, e):
    return Refused("%s raised %s %s; 'graph run' and 'stepg' need no backend" % (who, raised_text(e), when))


def compiled_by(backend, kept, given):
    """The graph compiled for these values: with symbols where Dynamo had some, so that the code is for any size as the program's."""
    try:
        if has_symbols(kept) or numbers_read(kept.graph):
            try:
                return compiled_with_symbols(backend, kept, given, False)
            except Exception:                   # numbers may do
                pass
        try:
            return backend(with_numbers(as_captured(kept.module()), given), given)
        except Exception as e:
            if not needs_symbols(e) and not is_about_sizes(e):
                raise
        return compiled_with_symbols(backend, kept, given, True)
    except Exception as e:
        if "InvalidCxxCompiler" in type(e).__name__ + str(e):
            raise Refused("inductor finds no C++ compiler, so the graph cannot be compiled again: install one, or set the environment "
                          "variable CXX to its path; 'graph run', 'stepg' and 'catch nan' need none") from e
        if "CppCompileError" in type(e).__name__ + str(e):
            raise Refused("the C++ compiler fails on inductor's code for the graph: %s; 'graph run', 'stepg' and 'catch nan' need no "
                          "compiler" % compiler_error(e)) from e
        if isinstance(e, Refused):
            raise
        raise backend_raised("the entry's backend", "as it compiled the graph again", e) from e
