# SPDX-License-Identifier: BSD-3-Clause
"""Settings of torch that are others now than they were when something was compiled.  Was: torch's own copies, JSON.  Is: read from where
torch keeps them, without torch's functions.  What does not act on the result of a compile is left out: what torch marks so, and limits,
caches and logs."""
import contextvars
import functools
import json
import sys
import types
from typing import Any

MOST = 60  # characters of a value
SOURCES = "torch._dynamo.config", "torch._functorch.config", "torch._inductor.config"
# beginnings of names: what is done beside the result
BESIDE = (
    ("_custom_ops_profile", "accumulated_", "automatic_dynamic_local_pgo", "automatic_dynamic_remote_pgo", "caching_precompile", "cprofile",
     "debug_", "disable", "enable_aot_compile", "enable_compiler_collectives", "enable_p2p_compilation", "error_on_", "fail_on_",
     "fake_tensor_cache", "graph_deduplication_lint", "inject_", "invalidate_compile_context_weakrefs", "issue_", "log_", "minimum_call_count",
     "only_allow_pt2_compliant_ops", "pt2_compile_id_prefix", "raise_on_", "record_", "recompile_limit", "cache_size_limit", "_shapes_spec",
     "report_guard_failures", "repro_", "run_gc_after_compile", "strict_precompile", "suppress_errors", "verbose"),
    ("autograd_cache_", "bundled_autograd_cache", "bypass_autograd_cache_key", "check_custom_op_aliasing", "debug_", "enable_autograd_cache",
     "enable_remote_autograd_cache", "error_on_", "force_autograd_cache", "memory_budget_pareto_dir", "strict_autograd_cache",
     "torch_compile_graph_format", "visualize_"),
    ("autotune_local", "autotune_remote", "bundle_triton", "bundled_autotune", "compile_threads", "cpp_cache", "cuda.cutlass_dir", "cutlass.cutlass_dir", "debug", "force_disable_caches",
     "_cache_config_", "_save_config_ignore", "force_disable_cudagraph_TESTING_ONLY", "fx_graph_", "log_", "profile", "quiesce_", "remote_", "static_launch", "strict_static", "trace", "verbose", "warn_",
     "worker_", "xpu.cutlass_dir"),
)
# torch.compile(dynamic=) sets these for the time of a call
BY_DYNAMIC = "assume_static_by_default", "automatic_dynamic_shapes"
NO_TEXT = "Value is not JSON serializable"  # torch's word


class NotPlain(Exception):
    """It has no JSON text."""


@functools.lru_cache(maxsize=16)
def parsed(text: str) -> dict:
    try:
        all = json.loads(text)
    except ValueError:  # torch says that there is no copy
        return {}
    return all if type(all) is dict else {}


def as_json(v: Any) -> Any:
    """As JSON gives it back; sets as lists in some order."""
    if v is None or type(v) in (bool, int, float, str):
        return v
    if type(v) in (list, tuple):
        return [as_json(item) for item in v]
    if type(v) in (set, frozenset):
        return in_order([as_json(item) for item in v])
    if type(v) is dict and all(type(key) is str for key in v):
        return {key: as_json(item) for key, item in v.items()}
    raise NotPlain


def in_order(items: list) -> list:
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def now_of(entry: Any, unset: Any) -> Any:
    """The value of a setting, as torch's modules of settings find it."""
    override = entry.user_override
    if type(override) is contextvars.ContextVar:
        override = override.get()
    for v in (entry.env_value_force, override, entry.env_value_default):
        if v is not unset:
            return v
    return entry.default


def differs(was: Any, now: Any) -> bool:
    if type(now) in (set, frozenset) and type(was) is list:
        return in_order(was) != as_json(now)
    return was != as_json(now) or type(was) is bool and type(now) is int


def text(v: Any) -> str:
    try:
        said = repr(as_json(v))
    except NotPlain:
        return "an object of class %s" % type(v).__name__
    return said if len(said) <= MOST else said[:MOST - 1] + "…"


def in_dynamic_call() -> bool:
    """Does a caller of what runs now compile with dynamic=True or False?"""
    f: types.FrameType | None = sys._getframe()
    while f is not None:
        if f.f_code.co_name in ("compile_wrapper", "_fn") and f.f_code.co_filename.endswith("eval_frame.py"):
            if getattr(f.f_locals.get("self"), "_dynamic", None) is not None:
                return True
        f = f.f_back
    return False


def by_dynamic(was: dict) -> bool:
    """Are these what torch.compile(dynamic=) sets?"""
    static, automatic = (was.get(name, True) for name in BY_DYNAMIC)
    return not static or not automatic


def changed_in(module: Any, was: dict, beside: tuple[str, ...], out: list[tuple[str, str, str]]) -> None:
    names = vars(module)
    unset = vars(sys.modules["torch.utils._config_module"]).get("_UNSET_SENTINEL")
    ignored = names.get("_compile_ignored_keys") or ()
    for name, before in was.items():
        entry = names["_config"].get(name)
        if entry is None or name in ignored or name.startswith(beside) or before == NO_TEXT:
            continue
        if getattr(entry, "alias", None) is not None or getattr(entry, "hide", False):
            continue
        now = now_of(entry, unset)
        try:
            if not differs(before, now):
                continue
        except NotPlain:
            if type(before) is str:  # its text, by torch
                continue
        out.append(("%s.%s" % (module.__name__, name), text(before), text(now)))


def changed(copies: tuple[str | None, ...]) -> list[tuple[str, str, str]]:
    """(name, was, is), as texts, of each that differs.  copies: those that act on what was compiled, of SOURCES."""
    out: list[tuple[str, str, str]] = []
    for title, copy, beside in zip(SOURCES, copies, BESIDE):
        module = sys.modules.get(title)
        if not copy or module is None:
            continue
        was = parsed(copy)
        if title == SOURCES[0] and (by_dynamic(was) or in_dynamic_call()):
            beside += BY_DYNAMIC
        changed_in(module, was, beside, out)
    return out
