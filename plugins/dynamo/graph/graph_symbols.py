# SPDX-License-Identifier: BSD-3-Clause
"""A captured graph compiled by its backend, with numbers or with symbols as the sizes of its inputs.  Runs in the same namespace as
graph_again.py.  Watches no compile and knows no stage."""


def is_about_sizes(e):
    """Did the compile fail because sizes depend on values? Such graphs can only be traced with symbolic sizes."""
    return type(e).__name__ in ("DynamicOutputShapeException", "DataDependentOutputException", "GuardOnDataDependentSymNode") or (
        isinstance(e, AssertionError) and "shape_env" in str(e))


def needs_symbols(e):
    """Did the compile fail because sizes are numbers?  A while_loop needs symbols, and in inductor the sub-graphs of a graph that has
    some."""
    return isinstance(e, AttributeError) and "ignore_fresh_unbacked_symbols" in str(e) or "FakeTensorUpdater" in str(e)


def with_numbers(module, given):
    """The module with the numbers that it reads from its inputs by item() as constants: only Dynamo's own compile has symbols."""
    numbers = dict(zip((n for n in module.graph.nodes if n.op == "placeholder"), given))
    read = [n for n in module.graph.nodes if n.op == "call_method" and n.target == "item" and plain(numbers.get(n.args[0]))]
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


def forget_symbols(module):
    """Symbols that the graph makes, as the size of what nonzero() finds, get new names: those known are of Dynamo's own compile."""
    for part in module.modules():
        for n in part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ():
            n.meta.pop("unbacked_bindings", None)


def symbol_in(size):
    """The symbol that a traced size is; None for numbers and expressions."""
    expr = getattr(getattr(size, "node", None), "expr", None)
    return expr if getattr(expr, "is_symbol", False) else None


class Symbolic:
    """Inputs without memory, as Dynamo gives them to a backend: with symbols where the sizes were traced as symbols."""
    def __init__(self, nodes, given):
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import ShapeEnv
        self.mode = FakeTensorMode(shape_env=ShapeEnv(), allow_non_fake_inputs=True)
        self.known = {}                         # Dynamo's symbol: that of this compile
        pairs = list(zip(nodes, given))
        made = {n: self.tensor(n.name, traced(n), v) for n, v in pairs if isinstance(v, torch.Tensor)}
        self.inputs = [made[n] if n in made else self.number(n.name, traced(n), v) for n, v in pairs]

    def source(self, name):
        from torch._dynamo.source import ConstantSource
        return ConstantSource("__" + name)

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
        sizes = list(was.shape) if isinstance(was, torch.Tensor) and was.dim() == v.dim() else []
        if all([type(s) is int for s in sizes]):
            return self.mode.from_tensor(v, static_shapes=True)
        source = self.source(name)
        fake = self.mode.from_tensor(v, source=source, symbolic_context=self.kinds(was, source))
        for old, new in zip(sizes, fake.shape):
            if symbol_in(old) is not None:
                bool(self.known.setdefault(symbol_in(old), new) == new)         # one symbol from here on
        return fake

    def number(self, name, was, v):
        from torch.fx.experimental.symbolic_shapes import DimDynamic
        symbol, env = symbol_in(was), self.mode.shape_env
        if symbol is None or type(v) is not int and symbol not in self.known:
            return v
        if symbol not in self.known:
            source = self.source(name)
            self.known[symbol] = env.create_symintnode(env.create_symbol(v, source, DimDynamic.DYNAMIC), hint=v, source=source)
        return self.known[symbol]


def compiled_with_symbols(backend, kept, given, numbers):
    """The graph compiled for tensors without memory.  numbers: what it reads by item() are constants."""
    from torch._guards import TracingContext, tracing
    symbolic, module = Symbolic(placeholders(kept), given), kept.module()
    forget_symbols(with_numbers(module, given) if numbers else module)
    with tracing(TracingContext(symbolic.mode)):
        return backend(module, symbolic.inputs)


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


def compiled_by(backend, kept, given):
    """The graph compiled for these values: with symbols where Dynamo had some, so that the code is for any size as the program's."""
    symbols = has_symbols(kept)
    try:
        if symbols:
            try:
                return compiled_with_symbols(backend, kept, given, False)
            except Exception:                   # numbers may do
                pass
        try:
            return backend(with_numbers(kept.module(), given), given)
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
        raise
