# SPDX-License-Identifier: BSD-3-Clause
"""A block in which torch computes and compiles apart from the program, which sees nothing of it: torch's modes, random numbers, counters,
hooks, warnings and logs are as before it."""
import contextlib
import logging
import sys
import threading
import warnings

import torch

from .errors import Refused
from .nodes import placeholders
from .object_state import RandomOf
from .torch_state import ModeOf, generators, modes
from .unseen import Once
from .values import functorch, is_wrapped


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


def unchecked():
    """In the block AOTAutograd leaves the check of a function's first call to the program."""
    config = sys.modules.get("torch._functorch.config")
    return config.patch(check_custom_op_aliasing=False) if hasattr(config, "check_custom_op_aliasing") else contextlib.nullcontext()


@contextlib.contextmanager
def apart():
    """Restores torch's modes and random number state at the end of the block, in which torch warns of nothing and logs nothing.
    It calls nothing of the program's: see unhooked()."""
    held = [ModeOf(None, "", get, put) for get, put in modes()]
    held = [m for m in held if m.there()] + [RandomOf(None, "", get, put) for _, get, put in generators()]
    depth = len(functorch.get_interpreter_stack() or ()) if hasattr(functorch, "get_interpreter_stack") else None
    for h in held:
        h.save()
    try:
        with Once(), unchecked(), torch.inference_mode(False), torch.no_grad(), without_warnings(), without_logs():
            yield
    finally:
        if depth is not None and len(functorch.get_interpreter_stack() or ()) > depth:
            functorch.pop_dynamic_layer_stack_and_undo_to_depth(depth)
        for h in held:
            if h.changed():
                h.restore()


@contextlib.contextmanager
def without_transforms(kept, inputs):
    """In the block none of torch.func's transforms is active, as Dynamo compiles.  Yields the inputs without what grad() made of them; what
    vmap() maps over has no value that code could be compiled for."""
    found = list(inputs)
    for i, n in enumerate(placeholders(kept)):
        while isinstance(found[i], torch.Tensor) and is_wrapped(found[i]):
            if functorch.is_batchedtensor(found[i]):
                raise Refused("vmap() maps over input '%s', whose values the graph cannot be compiled for here; 'with NAME=EXPR' gives it a "
                              "tensor" % n.name)
            found[i] = functorch.get_unwrapped(found[i])
    if not functorch or functorch.peek_interpreter_stack() is None:
        yield found
        return
    from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
    with temporarily_clear_interpreter_stack():
        yield [f if f is v or not v.requires_grad else f.detach().requires_grad_(True) for f, v in zip(found, inputs)]
