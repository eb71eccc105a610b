# SPDX-License-Identifier: BSD-3-Clause
"""Keeps cdbg's own runs of a graph from memory that is not there: the storage of an input may be freed, and a graph may free one.  The
program's own call reads only what is there at that time; another run of it need not."""
import contextlib

import torch

from .errors import NoMemory
from .nodes import RESIZE
from .torch_state import bytes_spanned, has_memory, storage_of
from .values import dense, tensors

READ_NOTHING = (RESIZE, "aten::set_", "aten::resize_", "aten::is_same_size", "aten::record_stream")


def reads_nothing(function):
    """Does an operator look only at the shape and type of its arguments?"""
    name = function._schema.name
    return name in READ_NOTHING or name.startswith("aten::") and (
        name.endswith("_like") or name[len("aten::"):].startswith(("new_", "sym_")))


def is_view_of(argument):
    """Is an operator's argument the memory of a result, which it does not write?"""
    return argument.alias_info is not None and not argument.alias_info.is_write


class WithMemory(torch.utils._python_dispatch.TorchDispatchMode):
    """In the block, an operation that needs elements without memory raises, in place of the signal that would end the program."""
    supports_higher_order_operators = True

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if isinstance(function, torch._ops.OpOverload) and not reads_nothing(function):
            named = dict(zip([a.name for a in function._schema.arguments], args), **kwargs)
            for a in function._schema.arguments:
                for t in () if is_view_of(a) else tensors(named.get(a.name)):
                    self.check(function, t)
        return function(*args, **kwargs)

    def check(self, function, t):
        if dense(t) and not has_memory(t):
            raise NoMemory("'%s' needs the elements of a tensor of shape %s whose storage %s" % (
                str(function).removesuffix(".default"), list(t.shape), storage_in_words(t)))


def storage_in_words(t):
    size = storage_of(t).nbytes()
    return "has %d of %d bytes" % (size, bytes_spanned(t.size(), t.stride(), t.storage_offset(), t.element_size())) if size else "is freed"


def may_lack(resizing, values):
    """Can a run come to elements without memory?  resizing: it may change the size of a storage.  values: what it is given."""
    return resizing or any([dense(t) and not has_memory(t) for t in tensors(values)])


def with_memory(resizing, values):
    """WithMemory where may_lack() is true."""
    return WithMemory() if may_lack(resizing, values) else contextlib.nullcontext()
