# SPDX-License-Identifier: BSD-3-Clause
"""What a saved program needs beside the graph, so that it compiles and computes as the program does: the backend, the modes of a run, and
the configuration that is not torch's default.  Knows no graph."""
import sys
import types

import torch

from .graph_nodes import is_literal, is_of_torch
from .graph_operators import import_module

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
    return "'inductor'", "inductor", ("the program compiles with inductor: the entry's backend%s is in no module that a saved program can "
                                      "import" % (" '%s'" % name if name else ""))
