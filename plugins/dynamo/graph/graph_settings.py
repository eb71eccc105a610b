# SPDX-License-Identifier: BSD-3-Clause
"""What of torch's settings a saved program needs, so that it compiles and computes as the program does: the modes of a run, and the
configuration that is not torch's default.  Runs in the same namespace as graph_save.py.  Knows no graph."""

MODULES = "torch._inductor.config", "torch._functorch.config"
# What is asked of a compile, and not how it is done: files and logs for people, caches, processes.
ASIDE = ("trace.", "debug", "aot_inductor.", "force_disable_caches", "fx_graph_cache", "fx_graph_remote_cache", "autotune_local_cache",
         "autotune_remote_cache", "bundled_autotune_remote_cache", "bundle_triton_into_fx_graph_cache", "compile_threads",
         "worker_start_method", "quiesce_async_compile_pool", "verbose_progress", "enable_autograd_cache", "enable_remote_autograd_cache",
         "autograd_cache_allow_custom_autograd_functions", "strict_autograd_cache", "error_on_custom_op_aliasing")


def is_literal(v):
    if isinstance(v, (list, tuple)):
        return all(map(is_literal, v))
    if isinstance(v, dict):
        return all(map(is_literal, [*v, *v.values()]))
    return v is None or type(v) in (bool, int, str) or (type(v) is float and v - v == 0)


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
