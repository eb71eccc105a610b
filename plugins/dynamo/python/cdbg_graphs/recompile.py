# SPDX-License-Identifier: BSD-3-Clause
"""A captured graph compiled again, apart from the program and from Dynamo's cache, so that every stage of it is at hand;
and what inductor's code makes of its inputs, statement by statement."""
import ast
import contextlib
import importlib
import sys
import threading

import torch

from .ends import eager_gradients, given_of, gradients_of, in_place_of, inputs_of, leaves, written_of
from .equal import same_elements
from .errors import Refused
from .exact import random_states, results_of
from .inputs import read_by_foreign
from .judge import results_in
from .match import changed_by, graphs_in, outline
from .memory import may_lack
from .modes import in_modes
from .nodes import CALLS, is_harmless, is_random, placeholders, traced
from .run import has_hook, stage_of
from .symbols import backend_raised, compiled_by
from .unseen import Counters
from .values import copies_of, copy_of, plain, tensors


# ---- the code that inductor writes ------------------------------------------------------------------------------------------

WrapperText = globals().get("wrapper_text")     # cdbg's own: what inductor's code reads and writes
LIBRARIES = ("extern_kernels.", "torch.ops.", "aten.", "_quantized.", "fallback", "inductor_ops.")


def outputs_of_kernels(code):
    """{kernel: [is this argument written?]}"""
    return {name: k["written"] for name, k in code["kernels"].items() if k["written"] is not None}


def kernel_source(source, name):
    source = WrapperText(source)["kernels"].get(name, {}).get("source")
    return source.strip("\n") if source else None


class Statement:
    """One statement of `call`.  kernel: what it calls to compute; writes: names whose values it makes; reads: names in it;
    view: (name, of): it makes a name for a part of the memory of another."""
    def __init__(self, row):
        library = (row["called"] or "").startswith(LIBRARIES)
        self.line, self.reads, self.view = row["line"], row["reads"], row["view"]
        self.kernel = row["called"] if row["kernel"] or library else None
        # a bare name is renamed only, its value comes later
        self.writes = row["writes"] if self.kernel or row["part"] else []
        if library and row["in_place"]:
            self.writes = self.writes + [row["in_place"]]


def statements_of(code, function):
    return [Statement(row) for row in code["statements"] if row["function"] == function]


def base_of(node):
    """The name of a variable whose memory an argument is: its own, or reinterpret_tensor(name, ...)."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "reinterpret_tensor" and node.args:
        node = node.args[0]
    return node.id if isinstance(node, ast.Name) else None


def gather_parts(statements):
    """A tensor that kernels write part by part, as for torch.cat: who reads the whole reads its parts, and the last statement that writes
    a part makes the whole.  Returns {name: the last line that reads it}."""
    last, views, writers = {}, [s.view for s in statements if s.view], {}
    for s in statements:
        last.update((name, s.line) for name in s.reads)
        for name in s.writes:
            writers.setdefault(name, []).append(s)
    for part, whole in views:                   # a whole is named before its parts
        last[part] = max(last.get(part, 0), last.get(whole, 0))
    for whole in dict.fromkeys(whole for _, whole in reversed(views)):
        parts = [part for part, of in views if of == whole]
        if whole not in writers and all(part in writers for part in parts):
            end = max((writers[part][-1] for part in parts), key=lambda s: s.line)
            if end.line < last[whole]:          # else another name may have its memory by then
                end.writes.append(whole)
                writers[whole] = [end]
    return last


def names_read_by(node, outputs):
    """The variables that a call or return only reads and does not keep."""
    if isinstance(node, ast.Return):
        return [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    kernel = name.removesuffix(".run")
    if name in ("assert_size_stride", "assert_alignment"):
        return [base_of(a) for a in node.args]
    if kernel in outputs:
        return [base_of(a) for a, written in zip(node.args, outputs[kernel]) if not written]
    if name.startswith("extern_kernels.") and not name.endswith("_"):
        return [base_of(a) for a in node.args] + [base_of(k.value) for k in node.keywords if k.arg != "out"]
    return []


def only_read(function, outputs):
    """[does `call` only read this input?].  Where another statement has its name, it may be written by another name."""
    starts = [n.targets[0] for n in ast.walk(function) if isinstance(n, ast.Assign) and base_of(n.value) == "args"]
    names = [t.id for t in starts[0].elts] if len(starts) == 1 and isinstance(starts[0], ast.Tuple) else []
    uses = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    reads = [name for n in ast.walk(function) for name in names_read_by(n, outputs)]
    return [uses.count(name) == reads.count(name) for name in names]


class Reporting(ast.NodeTransformer):
    """Puts a call after each statement that makes values, so that they are seen without a trace function."""
    def __init__(self, statements):
        self.statements = statements

    def body(self, body):
        out = []
        for node in body:
            out.append(self.visit(node))
            s = self.statements.get(node.lineno)
            if s and s.writes:
                args = ", ".join("%s=%s" % (w, w) for w in dict.fromkeys(s.writes))
                out.append(ast.copy_location(ast.parse("_cdbg_made(%d, %s)" % (node.lineno, args)).body[0], node))
        return out

    def visit_With(self, node):
        node.body = self.body(node.body)
        return node


def buffers_of(lowering, inside=False):
    """[(buffer, the node whose value it has or None, the nodes that it is computed from)].  inside: of a sub-graph, where inductor also
    names nodes around the operator: without these."""
    def own(n):
        return n is not None and (not inside or n.graph is lowering.graph)
    found = []
    for name, buffer in lowering.name_to_buffer.items():
        origin = getattr(buffer, "origin_node", None)
        names = [n.name for n in getattr(buffer, "origins", None) or () if own(n)]
        found.append((name, origin.name if own(origin) else None, " ".join(names)))
    return found


class Lowered:
    """One graph as inductor compiled it: the graph after its passes, the file, the buffers, and the inputs of its last call."""
    def __init__(self, lowering, module):
        self.kept, self.module, self.backward = stage_of(lowering.orig_gm), module, bool(lowering.is_backward)
        with open(module.__file__, encoding="utf-8") as f:
            self.source = f.read()
        self.buffers = buffers_of(lowering)
        self.node_of = {name: origin for name, origin, _ in self.buffers if origin is not None}
        order = {n.name: i for i, n in enumerate(self.kept.graph.nodes)}
        for name, _, origins in self.buffers:   # a kernel may write over a value that it made: it stays only what was written last
            last = max(origins.split(), key=lambda n: order.get(n, -1), default=None)
            for written in lowering.name_to_buffer[name].get_mutation_names():
                if self.node_of.get(written) != last:
                    self.node_of.pop(written, None)
        self.inside = {}                        # (function of the code, buffers) of each sub-graph
        self.add_inside(self.kept, lowering, "")
        self.inputs, self.kernels, self.plan, self.made, self.code = None, {}, None, None, None

    def add_inside(self, kept, lowering, path):
        held = [v for op in getattr(lowering, "operations", ()) for v in vars(op).values()]
        held += [part for v in held if isinstance(v, (list, tuple)) for part in v]      # torch 2.15 has a list of a cond's branches
        subgraphs = [v for v in held if type(v).__name__ == "Subgraph"]
        for v in subgraphs:
            if v.graph is not None and v.name in kept.named:
                inner, prefix, buffers = kept.named[v.name], "%s%s." % (path, v.name), buffers_of(v.graph, True)
                if inner not in self.inside:
                    self.buffers += [(buffer, node and prefix + node, " ".join([prefix + n for n in names.split()]))
                                     for buffer, node, names in buffers]
                self.inside[inner] = v.graph.name, buffers
                self.add_inside(inner, v.graph, prefix)

    def kernel_inside(self, n):
        """The kernel that computes a node of a sub-graph; None: it is not known."""
        for kept, (name, buffers) in self.inside.items():
            stored = [buffer for buffer, _, origins in buffers if n.name in origins.split()] if kept.graph is n.graph else ()
            if stored:
                statements = statements_of(WrapperText(self.source), name)
                return next((s.kernel for s in statements if s.kernel and set(stored) & set(s.writes)), None)
        return None

    def read(self):
        """Reads the source: `call` as a function that reports what its statements make, and which of that is a node's value."""
        tree, text = ast.parse(self.source), WrapperText(self.source)
        owner = next((c for c in tree.body if isinstance(c, ast.ClassDef) and c.name == "Runner"), tree)
        function = next((f for f in owner.body if isinstance(f, ast.FunctionDef) and f.name == "call"), None)
        self.made, self.reads = {}, []
        if function is None:                    # it is C++ around the kernels
            return
        self.reads = only_read(function, outputs_of_kernels(text))
        statements = statements_of(text, "call")
        last, times = gather_parts(statements), {}          # times: how often a buffer is written
        function.body = Reporting({s.line: s for s in statements}).body(function.body)
        code = compile(ast.fix_missing_locations(ast.Module([function], [])), self.module.__file__, "exec")
        for s in statements:
            for name in set(s.writes):
                times[name] = times.get(name, 0) + 1
        # one that is written more often has the node's value between, or after; one that is not read may never be stored
        self.made = {(s.line, name): (self.node_of[name], s.kernel) for s in statements for name in s.writes
                     if name in self.node_of and times[name] == 1 and last.get(name, 0) > s.line}
        self.code, self.has_runner = code, owner is not tree

    def may_share(self, i):
        """Does `call` leave this input as it is?"""
        self.stored()
        return len(self.reads) == len(placeholders(self.kept)) and self.reads[i]

    def stored(self):
        """The names of the nodes whose values call() reports."""
        if self.made is None:
            self.read()
        return {node for node, _ in self.made.values()}

    def is_wrapped(self):
        """Does C++ call the kernels (torch._inductor.config.cpp_wrapper), so that nothing between them can be seen?"""
        self.stored()
        return self.code is None

    def call(self, look):
        """Runs `call` on the inputs, on copies of those that it may write.  look(name of a node, its value): after the statement that
        made it.  Sets self.kernels, {name of a node: kernel}."""
        if not self.stored():
            return

        def made(line, **values):
            for name, v in values.items():
                node, kernel = self.made.get((line, name), (None, None))
                if node and isinstance(v, torch.Tensor):
                    self.kernels[node] = kernel
                    look(node, v)
        names = dict(vars(self.module), _cdbg_made=made)
        exec(self.code, names)
        args = [v if self.may_share(i) and is_aligned(v) else copy_of(v) for i, v in enumerate(self.inputs)]
        with in_modes(self.kept.modes):
            names["call"](getattr(self.module, "runner", None), args) if self.has_runner else names["call"](args)


# ---- compiled again, apart ------------------------------------------------------------------------------------------------

class Collected:
    """What backends make of a graph while the block runs in this thread: stages {name: Kept} and graphs lowered by inductor."""
    POINTS = (("torch._functorch._aot_autograd.graph_compile", "_log_joint_graph"),
              ("torch._functorch._aot_autograd.graph_compile", "_log_fw_bw_graphs"),
              ("torch._functorch._aot_autograd.graph_compile", "_log_inference_graph"),
              ("torch._functorch._aot_autograd.jit_compile_runtime_wrappers", "lazy_format_graph_code"),       # torch 2.6
              ("torch._functorch._aot_autograd.dispatch_and_compile_graph", "lazy_format_graph_code"),
              ("torch._functorch._aot_autograd.runtime_wrappers", "call_func_at_runtime_with_args"),
              ("torch._inductor.graph", "GraphLowering.compile_to_module"),
              ("torch._inductor.output_code", "CompiledFxGraph.__call__"))

    def __init__(self):
        self.stages, self.lowered, self.thread, self.undo = {}, [], threading.get_ident(), []
        self.quiet, self.own = False, {}        # own: the program's tensors, by those that were given instead
        self.backward = None                    # a list for what the backward graph is called with, and what its code returns
        self.graphs = {}                        # the captured graphs as they were given to the backend, see graphs_in()

    def __enter__(self):
        for module, path in self.POINTS:
            if module.startswith("torch._inductor") and "torch._inductor.compile_fx" not in sys.modules:
                continue                        # the program's own compile did not need it, and loading it takes seconds
            try:
                owner, name = importlib.import_module(module), path
            except ImportError:                 # this version of torch has another one
                continue
            if "." in path:
                first, name = path.split(".")
                owner = getattr(owner, first)
            original = vars(owner).get(name)
            if original is not None:
                setattr(owner, name, self.around(original, getattr(self, name.strip("_"))))
                self.undo.append((owner, name, original))
        return self

    def __exit__(self, *raised):
        for owner, name, original in reversed(self.undo):
            setattr(owner, name, original)
        self.undo.clear()

    def around(self, original, note):
        def call(*args, **kwargs):
            if threading.get_ident() != self.thread or self.quiet:
                return original(*args, **kwargs)
            return note(original, *args, **kwargs)
        return call

    def log_joint_graph(self, original, graph, *rest, **kwargs):
        self.stages["joint"] = stage_of(graph)
        return original(graph, *rest, **kwargs)

    def log_fw_bw_graphs(self, original, forward, backward, *rest, **kwargs):
        self.stages["forward"], self.stages["backward"] = stage_of(forward), without_dead_draws(stage_of(backward))
        return original(forward, backward, *rest, **kwargs)

    def log_inference_graph(self, original, graph, *rest, **kwargs):
        self.stages["inference"] = stage_of(graph)
        return original(graph, *rest, **kwargs)

    def lazy_format_graph_code(self, original, name, graph, *rest, **kwargs):
        stage = {"Joint graph": "joint", "Backward graph": "backward", "Forward graph": "forward" if "joint" in self.stages else "inference"}
        if name in stage:
            self.stages[stage[name]] = without_dead_draws(stage_of(graph)) if stage[name] == "backward" else stage_of(graph)
        return original(name, graph, *rest, **kwargs)

    def call_func_at_runtime_with_args(self, original, function, args, *rest, **kwargs):
        if self.backward is None or self.backward:
            return original(function, args, *rest, **kwargs)
        self.backward.append([copy_of(v) for v in args])
        made = original(function, args, *rest, **kwargs)
        self.backward.append([copy_of(v) for v in made])
        return made

    def compile_to_module(self, original, lowering, *rest, **kwargs):
        module = original(lowering, *rest, **kwargs)
        self.lowered.append(Lowered(lowering, module))
        return module

    def noting(self, backend):
        """The backend, whose graphs are noted: those of its last attempt to compile."""
        def compile(module, inputs):
            self.stages.clear()
            self.lowered.clear()
            self.graphs.update(graphs_in(module))
            before = outline(module)
            compiled = backend(module, inputs)
            changed = None if self.stages or self.lowered else changed_by(compiled, module, before)
            if changed:
                self.stages["backend"] = changed
            return compiled
        return compile

    def given(self, copies, inputs):
        """The backend runs on copies of inputs that the graph does not write: the program's stand for them afterwards."""
        for c, v in zip(copies, inputs):
            if plain(c) and c.numel():
                self.own[same_memory(c)] = v.detach()

    def input(self, v):
        own = self.own.get(same_memory(v)) if plain(v) else None
        return copy_of(v) if own is None else own

    def call(self, original, compiled, inputs):
        for g in reversed(self.lowered):
            if g.source == compiled.source_code:
                g.inputs = [self.input(v) for v in inputs]
                break
        return original(compiled, inputs)


def without_dead_draws(kept):
    """A backward graph without random nodes that nothing reads, and without what only these read: torch leaves them out where Dynamo
    compiles, which it does not here."""
    dead = set()
    for n in reversed(list(kept.graph.nodes)):
        if n.op == "call_function" and not n.users and (is_random(n) or n in dead and is_harmless(n, {})):
            dead.update(n.all_input_nodes)
            kept.graph.erase_node(n)
    return kept


def is_aligned(v):
    return plain(v) and v.data_ptr() % 64 == 0


def same_memory(t):
    return t.data_ptr(), t.dtype, t.shape, t.stride()


@contextlib.contextmanager
def replaced(owner, name, value):
    was = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, was)


@contextlib.contextmanager
def no_caches(eager_numbers=False):
    """In the block inductor compiles everything, in this process, and writes no files for people.  eager_numbers: what it compiles draws
    eager's random numbers."""
    with contextlib.ExitStack() as stack:
        debug = sys.modules.get("torch._inductor.debug")
        if hasattr(debug, "enable_aot_logging"):
            stack.enter_context(replaced(debug, "enable_aot_logging", contextlib.nullcontext))
        inductor, functorch = sys.modules.get("torch._inductor.config"), sys.modules.get("torch._functorch.config")
        if inductor:
            random = {"fallback_random": True} if eager_numbers else {}
            stack.enter_context(inductor.patch({"fx_graph_cache": False, "compile_threads": 1, "trace.enabled": False, **random}))
        if functorch and hasattr(functorch, "enable_autograd_cache"):
            stack.enter_context(functorch.patch(enable_autograd_cache=False))
        yield


def backend_inputs(kept, inputs, wants):
    """What a backend's code runs on, which may write where it must not: copies, but of the parameters that the graph only reads."""
    own = kept.program().writes_nothing()
    others = read_by_foreign(kept, inputs) if own else ()
    return leaves(inputs, own, others) if wants else copies_of(inputs, own, others)


def gives_gradients(kept):
    """Can a gradient reach the graph's inputs?  Not in one that writes tensors without autograd, as that of an optimizer."""
    return kept.program().writes_nothing() or has_gradients(kept)


def has_gradients(kept):
    """Was the graph compiled with autograd?"""
    return any([
        t.requires_grad and not t.is_leaf for n in kept.graph.nodes if n.op in CALLS and n.op != "get_attr" for t in tensors(traced(n))])


def changed_inputs(again, given):
    """{position: value} of the inputs that the graph writes, and of those that code changed besides, after it ran on `given`.  The program's
    own memory, see backend_inputs(), is not looked at."""
    def is_changed(c, v):
        return plain(c) and plain(v) and c.numel() > 0 and c.data_ptr() != v.data_ptr() and not same_elements(c, v)
    after = [v.detach() if isinstance(v, torch.Tensor) else v for v in given]
    return {i: v for i, v in enumerate(after) if i in again.written or is_changed(v, again.inputs[i])}


def uses_cuda_graphs(backend, inputs):
    """Would the compiled graph be a CUDA graph?  By inductor's configuration, or by the mode it was asked for."""
    if not any(isinstance(v, torch.Tensor) and v.is_cuda for v in inputs):
        return False
    config = sys.modules.get("torch._inductor.config")
    own = getattr(backend, "config", None)
    return bool(own.get("triton.cudagraphs") if isinstance(own, dict) and "triton.cudagraphs" in own else
                config is not None and config.triton.cudagraphs)


class Again:
    """The graph compiled again.  run(): its result on copies, and gradients where they are asked for.  eager_numbers: see no_caches()."""
    def __init__(self, kept, backend, inputs, backward, eager_numbers=False):
        self.kept, self.inputs, self.backward, self.eager_numbers = kept, inputs, backward, eager_numbers
        hooks = any(map(has_hook, kept.graph.nodes))        # AOTAutograd traces them with gradients only
        self.wants = backward or ((torch.is_grad_enabled() or hooks or has_gradients(kept)) and any(
            isinstance(v, torch.Tensor) and v.requires_grad for v in inputs))
        self.seed, self.made = torch.get_rng_state(), Collected()
        self.written, self.writes = written_of(kept, inputs)
        if uses_cuda_graphs(backend, inputs):
            raise Refused("the entry's backend replays CUDA graphs, whose kernels and memory cannot be looked into; compile without "
                          "mode='reduce-overhead' to compare")
        with self.watched():
            given = given_of(kept, in_place_of(kept, inputs)) if self.wants else inputs_of(kept, inputs)
            self.function, given = compiled_by(self.made.noting(backend), kept, given), None

    @contextlib.contextmanager
    def watched(self):
        with Counters(), no_caches(self.eager_numbers), self.made, torch.set_grad_enabled(self.wants or self.kept.program().derives):
            yield

    def run(self, note_backward=False):
        """note_backward: sets self.made.backward.  Sets self.failed where backward raises."""
        with self.watched():
            unsure = may_lack(self.kept.resizes(), self.inputs)
            if unsure:                          # eager raises where this code would end the program
                results_of(self.kept, self.inputs, False, ())
            given = backend_inputs(self.kept, self.inputs, self.wants)
            if self.kept.program().writes_nothing():
                self.made.given(given, self.inputs)
            torch.set_rng_state(self.seed)
            try:
                taken = given_of(self.kept, given)
                self.result = self.function(*taken)
            except Exception as e:
                raise backend_raised("the code that the entry's backend made", "as it ran", e) from e
            self.drawn = random_states()        # equal to eager's after it, if the same numbers were drawn
            self.made.backward = [] if note_backward else None
            self.gradients = self.failed = None
            try:
                if unsure and self.backward:
                    eager_gradients(self.kept, self.inputs)
                self.gradients = gradients_of(self.result, given) if self.backward else None
            except Exception as e:
                self.failed = e
            self.after, self.result = changed_inputs(self, taken), results_in(self.result)
            self.made.own.clear()
        return self
