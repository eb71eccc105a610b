# SPDX-License-Identifier: BSD-3-Clause
"""Reads the state of the process that it is executed in, and tells what of it has changed; it changes nothing of it.

    exec(open(PATH).read(), {"__builtins__": dict(vars(builtins))})     puts this into sys.modules["cdbg_soak_state"], once
    sys.modules["cdbg_soak_state"].begin()               finds the program's tensors and modules, and remembers the state
    sys.modules["cdbg_soak_state"].changed()             what differs from the last call, as texts

It imports nothing that is not imported yet, and calls no method of the program's classes: tensors are read with their
own functions and modes off, and their memory by its address.
"""
import atexit
import gc
import itertools
import os
import signal
import sys
import types
import warnings
import weakref

NAME = "cdbg_soak_state"
MOST = 1 << 20          # bytes of a tensor's memory that are compared
PLAIN = (int, float, complex, bool, str, bytes, type(None))
COUNTED = (int, bool, itertools.count)
SIZED = ("list", "dict", "set", "Counter", "defaultdict", "deque", "OrderedDict")
MODES = ("is_grad_enabled", "is_inference_mode_enabled", "is_autocast_enabled", "is_autocast_cpu_enabled", "get_autocast_cpu_dtype",
         "is_autocast_cache_enabled", "get_default_dtype", "get_num_threads", "get_num_interop_threads", "is_anomaly_enabled",
         "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled", "is_warn_always_enabled",
         "get_float32_matmul_precision", "get_deterministic_debug_mode")
mro = type.__dict__["__mro__"].__get__
is_a, length, names_of = isinstance, len, dir
last = {}
tensors, modules = [], []


def torch_of(name="torch"):
    return sys.modules.get(name)


def globals_of(name):
    """The names of a module; none of an object that is only used as a module."""
    module = sys.modules.get(name)
    return object.__getattribute__(module, "__dict__") if types.ModuleType in mro(type(module)) else {}


def attribute(path, default=None):
    """torch_of() and attributes of it, as "torch._dynamo.config:cache_size_limit"; nothing is imported."""
    module, _, names = path.partition(":")
    value = sys.modules.get(module)
    for name in names.split("."):
        value = getattr(value, name, default) if value is not None else default
    return value


def call(path, *args):
    function = attribute(path)
    try:
        return None if function is None else function(*args)
    except Exception as e:
        return type(e).__name__


def value_of(v, depth=0):
    """A text for a value: by its content where that runs no code of the program, otherwise which object it is."""
    kind = type(v)
    if kind in PLAIN:
        return repr(v)[:80]
    if kind in (bytearray, set, frozenset):
        return "%s[%d]" % (kind.__name__, length(v))
    if depth < 3 and kind in (list, tuple) and length(v) <= 200:
        return "[%s]" % ", ".join(value_of(x, depth + 1) for x in v)
    if depth < 3 and (kind is dict or kind is attribute("collections:OrderedDict")) and length(v) <= 200:
        return "{%s}" % ", ".join("%s: %s" % (value_of(k, depth + 1), value_of(x, depth + 1)) for k, x in list(v.items()))
    return "%s at %#x" % (kind.__name__, id(v))


def memory(t):
    """The hash of a tensor's memory, with its size; what cannot be read is named."""
    ctypes = sys.modules.get("ctypes")
    storage = t.untyped_storage()
    if storage.device.type != "cpu" or ctypes is None or call("torch._C:_is_cow_tensor", t) is True:
        return storage.device.type
    size, where = storage.nbytes(), storage.data_ptr()
    return (size, where, hash(ctypes.string_at(where, min(size, MOST))) if where and size else None)


def tensor_state(t):
    found = {"type": type(t).__name__}
    for name in ("shape", "dtype", "requires_grad", "is_leaf", "_version", "retains_grad"):
        try:
            found[name] = str(getattr(t, name))
        except Exception as e:
            found[name] = type(e).__name__
    for name in ("_backward_hooks", "_post_accumulate_grad_hooks"):
        hooks = getattr(t, name, None)
        found[name] = hooks and list(hooks)
    if found["is_leaf"] == "True" or found["retains_grad"] == "True":
        grad = t.grad
        found["grad"] = None if grad is None else (grad._version, memory(grad))
    try:
        found["memory"] = memory(t)
    except Exception as e:
        found["memory"] = type(e).__name__
    return found


def part_tensors():
    found = {}
    torch = torch_of()
    if torch is None:
        return found
    with torch._C.DisableTorchFunction():
        for k, ref in enumerate(tensors):
            t = ref()
            if t is not None:
                for name, value in tensor_state(t).items():
                    found["%d.%s" % (k, name)] = str(value)
    return found


def part_modules():
    found = {}
    for k, ref in enumerate(modules):
        m = ref()
        if m is not None:
            for name, value in list(object.__getattribute__(m, "__dict__").items()):
                found["%d %s.%s" % (k, type(m).__name__, name)] = value_of(value, 1)
    return found


def part_random():
    found = {}
    if "random" in sys.modules:
        found["random"] = hash(sys.modules["random"].getstate())
    if "numpy.random" in sys.modules:
        found["numpy"] = hash(sys.modules["numpy.random"].get_state()[1].tobytes())
    if attribute("torch:default_generator") is not None:
        state = torch_of().default_generator.get_state()
        with torch_of()._C.DisableTorchFunction():
            found["torch"] = memory(state)[2]
    return found


def part_modes():
    torch, found = torch_of(), {}
    if torch is None:
        return found
    with warnings_kept():
        found.update(("torch." + name, str(call("torch:" + name))) for name in MODES if hasattr(torch, name))
    for path in ("_C:_len_torch_dispatch_stack", "_C:_len_torch_function_stack", "_C:_dispatch_tls_local_include_set",
                 "_C:_dispatch_tls_local_exclude_set", "_C:_is_torch_function_enabled", "_C:_autograd._saved_tensors_hooks_is_enabled",
                 "_C:_functorch.maybe_current_level", "_C:_is_multithreading_enabled", "_C:_is_view_replay_enabled",
                 "_C:_get_tracing_state", "_C:_autograd._profiler_enabled", "_C:_get_cudnn_enabled", "_C:_get_mkldnn_enabled"):
        module, _, names = path.partition(":")
        found[names] = str(call("torch.%s:%s" % (module, names)))
    found["forward level"] = attribute("torch.autograd.forward_ad:_current_level")
    found["saved tensor hooks"] = value_of(call("torch._C:_autograd._top_saved_tensors_default_hooks", True))
    for name in ("_global_backward_hooks", "_global_forward_hooks", "_global_forward_pre_hooks", "_global_module_registration_hooks",
                 "_global_parameter_registration_hooks", "_global_buffer_registration_hooks", "_global_backward_pre_hooks"):
        found[name] = value_of(attribute("torch.nn.modules.module:" + name))
    return {name: str(value) for name, value in found.items()}


class warnings_kept:
    """Deprecated getters of torch warn: what they would write is dropped, and which warnings were written stays as it is."""

    def __enter__(self):
        self.show = warnings._showwarnmsg
        self.registries = {name: dict(r) for name, r in registries()}
        warnings._showwarnmsg = lambda message: None

    def __exit__(self, *exc):
        warnings._showwarnmsg = self.show
        for name, r in registries():
            if name not in self.registries:
                del globals_of(name)["__warningregistry__"]
            elif r != self.registries[name]:
                r.clear()
                r.update(self.registries[name])


def registries():
    for name in list(sys.modules):
        names = globals_of(name)
        if type(names.get("__warningregistry__")) is dict:
            yield name, names["__warningregistry__"]


def filters_version():
    """The number of changes of the filters, which a registry is given by its first warning."""
    registry, show = {}, warnings._showwarnmsg
    warnings._showwarnmsg = lambda message: None
    try:
        warnings.warn_explicit("cdbg_soak_state", Warning, NAME, 1, NAME, registry)
    except Warning:
        pass
    finally:
        warnings._showwarnmsg = show
    return registry.get("version")


def part_warnings():
    version = filters_version()         # a registry of another version is emptied by the next warning, which then appears again
    found = {name: "%d, %s" % (length(r), "valid" if r.get("version") == version else "void") for name, r in registries()}
    found["filters"] = value_of(warnings.filters)
    found["once"] = length(warnings.onceregistry)
    return found


def part_torch():
    """Counters, flags and the sizes of tables that are globals of torch's modules."""
    found = {}
    for module in [m for m in list(sys.modules) if type(m) is str and (m == "torch" or m.startswith("torch."))]:
        for name, value in list(globals_of(module).items()):
            kind = type(value)
            if kind in COUNTED:
                found[module, name] = repr(value)
            elif kind.__name__ in SIZED and not name.startswith("__"):
                found[module, name] = length(value)
    counters = attribute("torch._dynamo.utils:counters")
    for name, counter in list((counters or {}).items()):
        found["counters " + str(name)] = str(sorted((str(k), v) for k, v in counter.items()))
    for config in ("torch._dynamo.config", "torch._functorch.config", "torch._inductor.config", "torch.fx.experimental._config"):
        for name, entry in list((attribute(config + ":_config") or {}).items()):
            value = getattr(entry, "user_override", entry)
            value = value.get() if type(value).__name__ == "ContextVar" else value
            unset = type(value) is object or type(value).__name__.startswith("_Unset")     # to read a list or dict sets it to a copy
            found["%s %s" % (config, name)] = value_of(entry.default if unset else value)
    for code in list(attribute("torch._dynamo.convert_frame:input_codes.seen") or []):
        code = code() if type(code) is weakref.ref else code
        if type(code) is types.CodeType:
            entries = call("torch._C._dynamo.eval_frame:_debug_get_cache_entry_list", code)
            found["entries of %s at %#x" % (code.co_name, id(code))] = str(entries and [id(e) for e in entries])
    return found


def part_process():
    found = {"cwd": os.getcwd(), "environ": value_of(dict(os.environ)), "atexit": atexit._ncallbacks(), "path": value_of(sys.path),
             "recursion limit": sys.getrecursionlimit(), "collector": (gc.isenabled(), gc.get_threshold(), length(gc.callbacks)),
             "trace": value_of(sys.gettrace()), "profile": value_of(sys.getprofile()), "switch interval": sys.getswitchinterval()}
    for name in ("excepthook", "displayhook", "unraisablehook", "stdout", "stderr", "stdin", "meta_path", "path_hooks", "breakpointhook"):
        found[name] = value_of(getattr(sys, name, None))
    for k in range(1, signal.NSIG):
        try:
            found["signal %d" % k] = value_of(signal.getsignal(k))
        except ValueError:
            pass
    for fd in os.listdir("/proc/self/fd"):
        try:
            found["descriptor " + fd] = os.readlink("/proc/self/fd/" + fd)
        except OSError:
            pass
    for entry in os.scandir("."):
        data = entry.stat(follow_symlinks=False)
        found["file " + entry.name] = (data.st_size, data.st_mtime_ns, data.st_mode)
    for name in ("threading", "_thread"):
        if name in sys.modules:
            found["threads"] = sys.modules["_thread"]._count()
    return found


def part_program():
    found = {"global %s" % name: value_of(v) for name, v in list(globals_of("__main__").items()) if name != "__warningregistry__"}
    found.update(("module " + name, "") for name in list(sys.modules) if type(name) is str and not name.startswith(("cdbg", "_cdbg")))
    return found


PARTS = {"tensor": part_tensors, "module": part_modules, "random": part_random, "mode": part_modes, "warnings": part_warnings,
         "torch": part_torch, "process": part_process, "program": part_program}


def read():
    return {(part, name): value for part, function in PARTS.items() for name, value in function().items()}


def begin():
    """Which tensors and modules there are, and the state now; the number of them."""
    global last
    torch = torch_of()
    tensor_type, module_type = attribute("torch:Tensor"), attribute("torch.nn:Module")
    del tensors[:], modules[:]
    if torch is not None:
        for o in gc.get_objects():
            types_of = mro(type(o))
            if tensor_type in types_of:
                tensors.append(weakref.ref(o))
            elif module_type in types_of and type(o) is not type:
                modules.append(weakref.ref(o))
    last = read()
    last = read()       # what the first reading itself loads is not a change
    return length(tensors), length(modules), sys.modules["_thread"]._count() if "_thread" in sys.modules else 0


def changed():
    """Texts: what is not as it was at begin() or at the last call."""
    global last
    now, before = read(), last
    last = now
    names = [name for name in before.keys() | now.keys() if before.get(name, "absent") != now.get(name, "absent")]
    texts = {name: "%s: %s" % (name[0], name[1] if type(name[1]) is str else ".".join(name[1])) for name in names}
    return sorted("%s: %s -> %s" % (texts[name], str(before.get(name, "absent"))[:200], str(now.get(name, "absent"))[:200]) for name in names)


if NAME not in sys.modules:
    ours = types.ModuleType(NAME)
    ours.__dict__.update({name: value for name, value in globals().items() if name not in ("__name__", "__builtins__")})
    ours.begin, ours.changed = begin, changed
    sys.modules[NAME] = ours
