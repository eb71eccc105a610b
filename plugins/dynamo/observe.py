# SPDX-License-Identifier: BSD-3-Clause
"""Wrappers around Dynamo's own functions: each forwards to the original and tells `see` (C) what went by.

Nothing is decided here, nothing kept, no result changed, and no argument but the
backend that the user set.  `see` never raises."""
import functools


def compile(original, see):
    @functools.wraps(original)
    def _compile(code, *args, **kw):
        see.begin(code, kw.get("compile_id"))
        if type(kw.get("skip")) is int:
            kw["skip"] += 1                    # frames between torch's log and the user's code: this is one
        try:
            result = original(code, *see.backend(code, args), **kw)
        except BaseException as e:
            see.failed(code, e)
            raise
        see.compiled(code, result)
        return result
    return _compile


def catch(original, see):
    @functools.wraps(original)
    def __call__(self, frame, *args, **kw):
        see.enter(frame)
        result = None
        try:
            result = original(self, frame, *args, **kw)
            return result
        finally:
            see.leave(frame, result)
    return __call__


def reasons(original, see):
    @functools.wraps(original)
    def get_reasons(entries, frame, backend, *args, **kw):
        see.missed(entries, frame, backend)
        result = original(entries, frame, backend, *args, **kw)
        see.reasons(result)
        return result
    return get_reasons


def guards(original, see):
    @functools.wraps(original)
    def __init__(self, *args, **kw):
        see.guards(*args, *kw.values())
        original(self, *args, **kw)
    return __init__


def log_break(original, see):
    @functools.wraps(original)
    def log_graph_break(self, code_options, reason, exc, *args, **kw):
        see.broke(self, reason, exc)
        return original(self, code_options, reason, exc, *args, **kw)
    return log_graph_break


def user_compiler(original, see):
    @functools.wraps(original)
    def call_user_compiler(self, gm, *args, **kw):
        see.graph(self, gm)
        return original(self, gm, *args, **kw)
    return call_user_compiler


def stage(original, see):
    @functools.wraps(original)
    def log_graphs(*args, **kw):
        see.stage(original.__name__, args)
        return original(*args, **kw)
    return log_graphs


def lowered(original, see):
    @functools.wraps(original)
    def compile_to_module(self, *args, **kw):
        module = original(self, *args, **kw)
        see.lowered(self, module)
        return module
    return compile_to_module


def resume_global(original, see):
    @functools.wraps(original)
    def install_resume_function_global(self, name, code, *args, **kw):
        see.resume(self, name, code)
        return original(self, name, code, *args, **kw)
    return install_resume_function_global


def effects(original, see):
    @functools.wraps(original)
    def codegen_update_mutated(self, *args, **kw):
        see.effects(self)
        return original(self, *args, **kw)
    return codegen_update_mutated


def wrap(original, see):
    @functools.wraps(original)
    def __call__(self, fn):
        result = original(self, fn)
        see.wrapped(fn, result)
        return result
    return __call__


def disable(original, see):
    @functools.wraps(original)
    def __call__(self, fn):
        result = original(self, fn)
        see.disabled(fn, result)
        return result
    return __call__


def reset(original, see):
    @functools.wraps(original)
    def reset():
        original()
        see.reset()
    return reset


def unsupported(original, see):
    @functools.wraps(original)
    def __init__(self, *args, **kw):
        original(self, *args, **kw)
        see.unsupported(self)
    return __init__


def step(original, see):
    @functools.wraps(original)
    def step(self):
        see.step(self)
        return original(self)
    return step
