# SPDX-License-Identifier: BSD-3-Clause
"""A captured graph as a Python program of its own, which compares a backend with eager on the same inputs.  The program needs torch and nothing else."""
import base64
import os
import re
import sys
import types
import zlib

import torch

from .ends import written_of
from .errors import Refused
from .judge import ROUNDING_ERRORS
from .memory import storage_in_words
from .nodes import draws, is_literal, is_of_torch, placeholders
from .operators import (
    DIRECT, WRITTEN, WRITTEN_CLASS, Imports, define_object, given_as_it_is, import_function, import_module, import_operator,
    import_submodules, recorded)
from .recompile import gives_gradients
from .rounding import OTHER_ROUNDING, ROUNDED_AGAIN
from .run import Kept
from .torch_state import has_memory
from .values import dense, is_wrapped, plain

EMBEDDED = 1 << 20                              # bytes of inputs that are written into the program; more go into a file

PROGRAM = '''\
"""%(title)s

Run it: python %(name)s [BACKEND] [-tol RTOL ATOL]
It compiles the graph with BACKEND (%(default)s by default), runs it on the inputs below, and compares each result with eager and
with float64.  The exit status is 1 if a result differs by more than eager's own error allows; with tolerances, if an element
differs from float64 by more than ATOL + RTOL * its size.%(told)s
Written by cdbg with torch %(torch)s on Python %(python)s.
"""
import base64
import sys
import zlib

import torch
%(imports)s

def tensor(data, dtype, size, stride):
    """A tensor of these bytes, with its strides."""
    span = 1 + sum((n - 1) * s for n, s in zip(size, stride)) if 0 not in size else 0
    whole = torch.empty(span, dtype=dtype)
    if span:
        raw = bytearray(zlib.decompress(base64.b85decode(data)))
        whole.view(torch.uint8).copy_(torch.frombuffer(raw, dtype=torch.uint8))
    return whole.as_strided(size, stride) if span else torch.empty_strided(size, stride, dtype=dtype)


%(classes)s
%(rounding)sdef inputs():
%(inputs)s


def wide(v):
    if not isinstance(v, torch.Tensor) or v.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        return v
    return v.detach().double().requires_grad_(v.requires_grad)


def incoming(t):
    """A gradient between 0.5 and 1.5, other along each dimension: what is normalized has none of gradients that are alike."""
    made = torch.ones_like(t)
    for d in range(t.dim() if type(t) is torch.Tensor and t.layout is torch.strided else 0):
        row = torch.arange(t.shape[d], device=t.device).cos().mul(8 / t.dim()).round() / 16
        made += row.to(t.dtype).view([-1 if k == d else 1 for k in range(t.dim())])
    return made


def results(function, given):
    out = [t for t in torch.utils._pytree.tree_leaves(function(*given)) if isinstance(t, torch.Tensor)]
    out = [t.values() if t.is_nested else t for t in out]
    ends, starts = ([t for t in ts if isinstance(t, torch.Tensor) and t.requires_grad] for ts in (out, given))
    if starts:
        none, begin = [None] * len(starts), [incoming(t) for t in ends]
        with torch.autocast("cuda" if starts[0].is_cuda else "cpu", enabled=False):         # as programs call backward()
            gradients = torch.autograd.grad(ends, starts, begin, allow_unused=True) if ends else none
        out = out + [torch.zeros_like(t) if g is None else g for g, t in zip(gradients, starts)]
    return [t.detach() for t in out%(written)s]


def arguments():
    """The backend, and (relative, absolute) tolerances or None."""
    words, tolerance = sys.argv[1:], %(tolerance)r
    if "-tol" in words:
        at = words.index("-tol")
        try:
            tolerance = float(words[at + 1]), float(words[at + 2])
        except (IndexError, ValueError):
            sys.exit("expected two numbers after -tol, relative and absolute, as in '-tol 1e-3 1e-5'")
        del words[at:at + 3]
    if len(words) > 1:
        sys.exit("usage: %%s [BACKEND] [-tol RTOL ATOL]" %% sys.argv[0])
    return words[0] if words else %(backend)s, tolerance


def main():
    backend, tolerance = arguments()
%(settings)s    torch.set_grad_enabled(%(gradients)r)
    torch.manual_seed(0)
    eager = results(Graph(), inputs())
    try:
        torch.manual_seed(0)
        exact = results(Graph().double(), [wide(v) for v in inputs()])
    except Exception as e:
        print("float64 is not possible:", e)
        exact = [wide(t) for t in eager]
    torch.manual_seed(0)
    made = results(%(compiled)s, inputs())
    wrong = len(made) != len(eager)
    if wrong:
        print("%%d results, %%d in eager: WRONG" %% (len(made), len(eager)))
    for i, (b, e, x) in enumerate(zip(made, eager, exact)):
        kinds = ["%%s %%s" %% (t.dtype, list(t.shape)) for t in (b, e)]
        if b.is_complex():
            b, e, x = (torch.view_as_real(t.resolve_conj()) for t in (b, e, x))
        if kinds[0] != kinds[1]:
            bad, text = True, "%%s, eager's is %%s" %% tuple(kinds)
        elif b.device.type == "meta":
            bad, text = False, "on meta, without values"
        elif not b.is_floating_point():
            bad, text = not torch.equal(b, e), "equal" if torch.equal(b, e) else "different"
        else:
            kind, b, e, x = b.dtype, b.double().flatten(), e.double().flatten(), x.double().flatten()
            odd = (b.isfinite() != e.isfinite()) & (b.isfinite() != x.isfinite())
            other = [(b != t) & ~(b.isnan() & t.isnan()) & ~b.isfinite() & ~t.isfinite() for t in (e, x)]
            odd |= other[0] & other[1]
            whole = b.isfinite() & e.isfinite() & x.isfinite()
            zero = torch.zeros(1, dtype=torch.float64)
            b, e, x = (torch.cat((zero, t[whole])) for t in (b, e, x))
            off, own = (b - x).abs().max().item(), (e - x).abs().max().item()
            epsilon = torch.finfo(kind).eps
            allowed = 8 * own + (32 if epsilon < 0.05 else 2) * epsilon * x.abs().max().item()
%(judged)s            if tolerance:
                over = (b - x).abs() - tolerance[1] - tolerance[0] * x.abs()
                allowed = tolerance[1] + tolerance[0] * x[over.argmax()].abs().item()
                off = (b - x)[over.argmax()].abs().item()
            bad = bool(odd.any()) or off > allowed
            text = "differs from float64 by %%.6g, eager by %%.6g, allowed %%.6g" %% (off, own, allowed)
        print("result %%d: %%s: %%s" %% (i, text, "WRONG" if bad else "right"))
        wrong = wrong or bad
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
'''


OTHERWISE = OTHER_ROUNDING + '''

def otherwise(i, eager):
    """The most that an element of result i of eager differs by where what it is computed from is rounded otherwise."""
    most = 0.0
    for seed in range(%d):
        torch.manual_seed(0)
        with OtherRounding(seed) as mode:
            other = results(Graph(), inputs())[i]
        if torch.finfo(eager.dtype).eps <= mode.coarsest:
            most = max([most, *(other - eager).abs().double().nan_to_num(0, 0).flatten().tolist()])
    return most


''' % ROUNDED_AGAIN

JUDGED = '''\
            if off > allowed and not tolerance:
                allowed += %g * otherwise(i, eager[i])
''' % ROUNDING_ERRORS

SETTINGS = "    # As in the program that the graph is of."
RANDOM = '''\
    # The graph draws random numbers. So inductor draws the same as eager.
    torch._inductor.config.fallback_random = True
'''


def described(v):
    """What is special about a value, for people."""
    if not isinstance(v, torch.Tensor):
        return "is of type %s" % type(v).__name__
    if is_wrapped(v):
        return "is a tensor of torch.func"
    if v.is_nested:
        return "is a nested tensor"
    if type(v) not in (torch.Tensor, torch.nn.Parameter):
        return "is of class %s" % type(v).__name__
    if dense(v) and not has_memory(v):
        return "has no memory: its storage " + storage_in_words(v)
    return "is quantized" if v.is_quantized else "has layout %s" % v.layout


def literal(v, large, name):
    """An expression for a value; large: a list that takes tensors that are too large to be written.  name: who needs it."""
    if v is None or type(v) in (bool, int, float, complex, str):
        return "float(%r)" % str(v) if type(v) is float and v - v != 0 else repr(v)
    if type(v) is torch.Tensor and v.device.type == "meta" and v.layout is torch.strided:
        return "torch.empty_strided(%r, %r, dtype=%s, device='meta')" % (tuple(v.size()), v.stride(), v.dtype)
    if not plain(v):
        raise Refused("'%s' cannot be written: it %s; 'with NAME=EXPR' gives the program a plain tensor or number for it"
                      % (name, described(v)))
    if v.is_conj():                             # operators tell it from one with such values in memory
        return literal(v.detach().conj(), large, name) + ".conj()"
    t = v.detach().cpu().resolve_neg()
    span = 1 + sum((n - 1) * s for n, s in zip(t.size(), t.stride())) if t.numel() else 0
    if span * t.element_size() > EMBEDDED:
        large.append(t)
        return "loaded[%d]" % (len(large) - 1)
    data = bytes(t.as_strided((span,), (1,)).contiguous().view(torch.uint8).tolist()) if span else b""
    text = base64.b85encode(zlib.compress(data, 9)).decode() if span else ""
    return "tensor(%r, %s, %r, %r)" % (text, t.dtype, tuple(t.size()), t.stride())


def check_nested(names, inputs):
    """The size of a nested tensor, which is an input of the graph too, exists only together with the tensor."""
    for name, v in zip(names, inputs):
        if isinstance(v, torch.Tensor) and v.is_nested:
            literal(v, [], name)                # refuses it


COMPILED = "torch.compile(Graph(), backend=backend, fullgraph=True%s)"
GIVEN = "torch._dynamo.lookup_backend(backend)(graph_of(Graph()), inputs())"


def class_of(kept, name, imports, large, direct, region=False):
    """The lines of a module class for a graph, those of its sub-graphs before it.  direct: see given_as_it_is().  region: it is one of
    nested_compile_region()."""
    module = kept.module()
    for n in module.graph.nodes:                # a class of the program, that of a tensor for example
        if (getattr(n.type, "__module__", None) or "").partition(".")[0] not in ("torch", "builtins"):
            n.type = None
    code = module.graph.python_code("self")
    for n in kept.graph.nodes:
        import_operator(n, imports)
    source = code.src
    if direct:
        source = recorded(source)
    for operator, written in WRITTEN.items() if not direct else ():
        if operator in source:
            source = source.replace(operator, written)
            imports[WRITTEN_CLASS] = True
    for known, v in code.globals.items():
        if known != "torch" and re.search(r"\b%s\b" % re.escape(known), code.src):
            name_here = known.lstrip("_") or known              # in a class, Python changes names that begin with two underscores
            source = re.sub(r"\b%s\b" % re.escape(known), name_here, source)
            import_function(name_here, v, kept, imports)
    import_submodules(source, imports)
    regions = {n.args[0].target for n in kept.graph.nodes if getattr(n.target, "__name__", "") == "invoke_subgraph"}
    before, made = [], []
    for target, v in kept.named.items():
        if "." in target:
            raise Refused("the graph names '%s' of a module, which cannot be written" % target)
        if isinstance(v, Kept):
            inner = "%s_%s" % (name, target)
            before += class_of(v, inner, imports, large, direct, target in regions)
            made.append(("        self.%s = graph_of(%s())" if direct else "        self.%s = %s()") % (target, inner))
        else:
            made.append("        self.%s = %s" % (target, literal(v, large, target)))
    body = ["class %s(torch.nn.Module):" % name]
    if made:
        body += ["    def __init__(self):", "        super().__init__()"] + made + [""]
    body += ["    @torch.compiler.nested_compile_region"] * (region and not direct)
    body += ["    " + line if line else "" for line in source.strip().splitlines()]
    return before + body + ["", ""]


class Output:
    """What a file is written through.  torch.save() reports a failing write as another error: it is kept here instead."""
    def __init__(self, fd):
        self.fd, self.failed = fd, None

    def write(self, data):
        rest = memoryview(data).cast("B")
        size = len(rest)
        try:
            while rest and self.failed is None:
                rest = rest[os.write(self.fd, rest):]
        except OSError as e:
            self.failed = e.errno
        return size

    def flush(self):
        pass


def write_whole(path, write, write_beside):
    """Calls write(output); the file gets its name when it is complete.  write_beside: cdbg's own function, see graph_save.c."""
    def fill(fd):
        out = Output(fd)
        write(out)
        return out.failed
    trouble = write_beside(path, fill)
    if trouble is not None:
        raise Refused("the graph cannot be saved: " + trouble)


def is_drawing(kept):
    return any(draws(n) for n in kept.graph.nodes) or any(is_drawing(v) for v in kept.named.values() if isinstance(v, Kept))


def graph_save(kept, inputs, path, backend, title, backward, allowed, write_beside):
    """Writes the program, and its large inputs to PATH.inputs.pt.  backend: the entry's, or None.  backward: inputs require gradients
    where they do now, and these are compared.  allowed: (relative, absolute) of the user, or None.  bytes: of the
    program; inputs: the path of the large ones or None; notes: lines.  Nothing half-written is left: both files are renamed into place."""
    import platform
    imports, large, backward = Imports(), [], backward and gives_gradients(kept)
    chosen, default, note = backend_of(backend, imports)
    direct = given_as_it_is(kept)
    classes = (DIRECT.splitlines() + ["", ""] if direct else []) + class_of(kept, "Graph", imports, large, direct)
    dynamic = any([type(v) is int for v in inputs])                             # sizes that are symbols stay symbols
    wants = ["%s.requires_grad_(True)" if backward and isinstance(v, torch.Tensor) and v.requires_grad else "%s" for v in inputs]
    gradients = kept.program().derives or any([want != "%s" for want in wants])
    names, written = [n.name for n in placeholders(kept)], written_of(kept, inputs)[0]
    modules, settings, left = settings_of(backend)
    notes = ["the program does not set %s: the value cannot be written" % name for name in left] + [note] * bool(note) + imports.notes
    if is_drawing(kept):
        modules.append("torch._inductor.config")
    imports.update(("import " + module, True) for module in modules)
    check_nested(names, inputs)
    given = ["        %s," % (want % literal(v, large, name)) for v, want, name in zip(inputs, wants, names)]
    lines = (["    loaded = torch.load(__file__ + %r)" % ".inputs.pt"] if large else []) + ["    return ["] + given + ["    ]"]
    text = "# SPDX-License-Identifier: CC0-1.0\n" + PROGRAM % dict(
        title=(title[:1].upper() + title[1:] + ".").replace("\\", "\\\\").replace('"', "'"), name=os.path.basename(path), backend=chosen, default=default, torch=torch.__version__,
        python=platform.python_version(), tolerance=allowed,
        rounding=OTHERWISE, judged=JUDGED, written=" + [given[i] for i in %r]" % (written,) if written else "",
        told=("\nWithout -tol the tolerances are %r and %r." % allowed if allowed else "") + "".join(["\nNote: %s." % note for note in notes]),
        imports="".join(line + "\n" for line in imports), classes="\n".join(classes),
        compiled=GIVEN if direct else COMPILED % (", dynamic=True" if dynamic else ""),
        inputs="\n".join(lines), gradients=gradients,
        settings="\n".join([SETTINGS, *["    " + line for line in settings], ""]) + (RANDOM if is_drawing(kept) else ""))
    compile(text, path, "exec")
    saved, data = path + ".inputs.pt" if large else None, text.encode()

    def write(out):
        out.write(data)
        if large and out.failed is None:        # the program is written, but has not got its name yet
            write_whole(saved, lambda out: torch.save(large, out), write_beside)
    write_whole(path, write, write_beside)
    return {"bytes": len(data), "inputs": saved, "notes": notes}


# ---- settings

MODULES = "torch._inductor.config", "torch._functorch.config"
# What is asked of a compile, and not how it is done: files and logs for people, caches, processes.
ASIDE = ("trace.", "debug", "aot_inductor.", "force_disable_caches", "fx_graph_cache", "fx_graph_remote_cache", "autotune_local_cache",
         "autotune_remote_cache", "bundled_autotune_remote_cache", "bundle_triton_into_fx_graph_cache", "compile_threads",
         "worker_start_method", "quiesce_async_compile_pool", "verbose_progress", "enable_autograd_cache", "enable_remote_autograd_cache",
         "autograd_cache_allow_custom_autograd_functions", "strict_autograd_cache", "error_on_custom_op_aliasing",
         "check_custom_op_aliasing")


def changed_settings(config, options):
    """{name: value} of a configuration of torch's with these options, where it is not the default.  A value that is set counts as another
    for torch's own _get_dict(), torch/utils/_config_module.py, also where it is equal."""
    if not hasattr(config, "_get_dict"):
        return {}
    found = {**config._get_dict(skip_default=True), **options}
    return {k: v for k, v in sorted(found.items()) if not k.startswith(ASIDE) and v != getattr(config._config.get(k), "default", config)}


def mode_lines():
    lines = ["torch.set_num_threads(%d)" % torch.get_num_threads()]
    if torch.get_default_dtype() is not torch.float32:
        lines.append("torch.set_default_dtype(%s)" % torch.get_default_dtype())
    if torch.get_float32_matmul_precision() != "highest":
        lines.append("torch.set_float32_matmul_precision(%r)" % torch.get_float32_matmul_precision())
    if torch.are_deterministic_algorithms_enabled():
        lines.append("torch.use_deterministic_algorithms(True, warn_only=%r)" % torch.is_deterministic_algorithms_warn_only_enabled())
    for kind in ("cpu", "cuda"):
        if torch.is_autocast_enabled(kind):
            lines += ["torch.set_autocast_enabled(%r, True)" % kind,
                      "torch.set_autocast_dtype(%r, %s)" % (kind, torch.get_autocast_dtype(kind))]
    return lines


def settings_of(backend):
    """(modules to import, statements, names of settings whose values cannot be written).  backend: the entry's, or None; inductor's has
    settings of its own, from the options or the mode of torch.compile()."""
    modules, lines, left = [], mode_lines(), []
    for module in MODULES:
        options = getattr(backend, "config", None) if module == MODULES[0] else None
        found = changed_settings(sys.modules.get(module), options if isinstance(options, dict) else {})
        modules += [module] * any(map(is_literal, found.values()))
        lines += ["%s.%s = %r" % (module, k, v) for k, v in found.items() if is_literal(v)]
        left += ["%s.%s" % (module, k) for k, v in found.items() if not is_literal(v)]
    return modules, lines, left


def function_of_backend(backend):
    """The function below the wrappers that torch puts around a backend."""
    for _ in range(8):
        inner = next((v for v in (getattr(backend, name, None) for name in ("compiler_fn", "_torchdynamo_orig_backend")) if callable(v)), None)
        if inner is None:
            break
        backend = inner
    return backend


def place_in_modules(v):
    """(module, name) of an object that the program can import, as a function or what aot_autograd() returns; (None, None): it has none."""
    for where, m in list(sys.modules.items()):
        file = m.__dict__.get("__file__") if isinstance(m, types.ModuleType) and where not in ("__main__", "__mp_main__") else None
        if file and not is_of_torch(file):
            name = next((name for name, one in list(vars(m).items()) if one is v and name.isidentifier()), None)
            if name:
                return where, name
    return None, None


def backend_of(backend, imports):
    """(what torch.compile takes for the entry's backend, as an expression, its name for people, what is to be noted or None).  One of the
    program's is imported from its module; inductor stands for one that cannot be."""
    name = getattr(backend, "compiler_name", None) or getattr(backend, "__name__", None)
    function = function_of_backend(backend)
    known = name in torch._dynamo.list_backends(exclude_tags=())
    if backend is None or name == "inductor":
        return "'inductor'", "inductor", None
    if known and (getattr(function, "__module__", None) or "").partition(".")[0] == "torch":
        return repr(name), name, None
    where, what = place_in_modules(function)
    if where:
        import_module(where, sys.modules[where].__file__, "from %s import %s as program_backend" % (where, what), what, imports)
        return "program_backend", "%s.%s" % (where, what), None
    if isinstance(function, types.FunctionType) and not is_of_torch(function.__code__.co_filename) and define_object(function, "program_backend", imports):
        return "program_backend", name, None
    return "'inductor'", "inductor", ("the program compiles with inductor: the entry's backend%s is in no module that a saved program can "
                                      "import" % (" '%s'" % name if name and "<" not in name else ""))
