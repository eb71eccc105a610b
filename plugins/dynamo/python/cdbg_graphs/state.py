# SPDX-License-Identifier: BSD-3-Clause
"""What a call that cdbg makes can change in the program: saved before the call, restored after it.

The call works on the program's own objects, so that identities, aliases and views are what they are in a real call.
Saved is what can be reached from the arguments, from free variables and from the globals that code names: contents of
tensors and containers, attributes, cells, class attributes, autograd state, random number generators, torch's modes.
Knows no entry and prints nothing."""
import array
import collections
import contextlib
import copy
import functools
import gc
import os
import sys
import types
import weakref

import torch
import torch.fx

from .errors import Refused
from .object_state import (
    ATOMS, NOTHING, ArrayOf, BytesOf, CellOf, ClassIs, ClassOf, DequeOf, DictOf, GlobalsOf, ListOf, RandomOf,
    SetOf, SlotsOf, attributes_of, kin, of, same, slots_of)
from .printed import Printed, descriptor_of
from .torch_state import (
    ModeOf, StorageOf, TensorOf, generators, is_cut_off, modes, over, own_generator, quiet, storage_of)
from .unseen import Counters, Once, compile_callbacks, emptied, first_calls, hooks_of_program, operator_functions, unrecorded

MOST = 2_000_000                                # objects that are followed
SKIPPED = frozenset("logging importlib inspect warnings re enum typing abc ast unittest".split())
HELD: tuple = ([], (), "", b"", range(0), bytearray(), {}, {}.values(), {}.items(), set())
COPIED: frozenset = frozenset(type(iter(v)) for v in HELD) | {type(reversed([]))}      # iterators that are in one place of something
OVER = frozenset((enumerate, zip, map, filter)) # ... of other iterators
STREAMS = frozenset("_io _socket socket mmap sqlite3 _sqlite3 _queue select".split())
HEAP = 1 << 9                                   # Py_TPFLAGS_HEAPTYPE


def module_of(cls):
    name = of(cls, "__dict__").get("__module__")
    return name if isinstance(name, str) else "builtins"


def in_c(cls, method):
    """Does its class have this method, implemented in C?"""
    for c in of(cls, "__mro__"):
        if method in of(c, "__dict__"):
            return type(of(c, "__dict__")[method]) is not types.FunctionType
    return False


def foreign(module):
    """Is this module part of Python or torch? Its code and classes are not followed; its objects are."""
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or top in (
        "torch", "numpy", "functorch", "builtins", "pybind11_builtins", "cdbg_graphs")


@functools.lru_cache(maxsize=None)
def is_library(module):
    """Was this module installed, so that its state is not the program's?"""
    m = sys.modules.get(module) if type(module) is str else None
    file = attributes_of(m).get("__file__") if isinstance(m, types.ModuleType) else None
    return isinstance(file, str) and module != "__main__" and not {"site-packages", "dist-packages"}.isdisjoint(file.split(os.sep))


def skipped(module):
    own = (module + ".").startswith(("torch._", "torch.fx.")) and not module.startswith("torch._C")
    return own or module.partition(".")[0] in SKIPPED


def names_in(code):
    """All global and attribute names that this code, and code nested in it, looks up."""
    found, codes = set(), [code]
    while codes:
        code = codes.pop()
        found.update(code.co_names)
        codes += [c for c in code.co_consts if type(c) is types.CodeType]
    return found


# ---- stand-ins -------------------------------------------------------------------------------------------------

class Apart(torch.autograd.Function):
    """Gives a tensor an autograd graph of its own over the same memory: a backward() of the call ends here."""
    @staticmethod
    def forward(ctx, leaf, held, received):
        ctx.received = received
        return held[0]

    @staticmethod
    def backward(ctx, grad):
        ctx.received.append(grad.detach().clone())
        return grad.new_zeros(()), None, None


def stand_in(v, received):
    """Returns a stand-in for a value that cannot be restored after use: a tensor with a grad_fn, an iterator.  received: a list that gets
    the gradients of the tensor."""
    if type(v) in COPIED:
        return copy.copy(v)
    with torch.enable_grad():
        leaf = torch.zeros((), dtype=v.dtype, device=v.device, requires_grad=True)
        return Apart.apply(leaf, [over(v.untyped_storage(), v, v.storage_offset(), v.size(), v.stride())], received)


# ---- all of it -------------------------------------------------------------------------------------------------

class Saved:
    """All that one call can change. values: the arguments. cells: those of the free variables, of the function itself where
    it is found. unsafe: a text for each thing that cannot be restored.  also: objects that are restored and not compared.  most: bytes of
    tensors that may be copied; None: as many as there is memory for."""
    def __init__(self, values, code, made, namespace, also=(), most=None):
        self.held, self.known, self.storages, self.stands, self.spaces = [], {}, {}, {}, {}
        self.todo, self.later, self.last, self.unsafe, self.keep, self.left = [], [], [], [], [], MOST
        self.codes, self.classes, self.compared, self.unseen = set(), set(), [], contextlib.ExitStack()
        self.modes = [m for m in (ModeOf(None, "modes of torch", get, put) for get, put in modes()) if m.there()]
        self.of_library, self.most, self.printed, self.received = False, most, None, {}
        self.first = first_calls()
        hooks = hooks_of_program(self.first) + list(also)       # before quiet() hides some
        with quiet():
            self.values = dict(values)
            self.cells = self.cells_of(code, values)
            self.add(DictOf(self.values, "", "%s"))
            self.own, self.near = namespace, True
            self.space(namespace, True)
            for c in (code, made):
                self.code(c, namespace)
            for name, cell in self.cells.items():
                self.todo.append((cell, name))
            for name, get, put in generators():
                self.add(RandomOf(None, name, get, put))
            self.walk()
            self.near = False                   # a library's globals: restored as far as possible, without a report
            self.walk_later()
            self.compared += (h for h in self.held if not isinstance(h, (RandomOf, ClassIs)))
            self.called_by_torch(hooks)
            self.fits()
            for h in self.storages.values():
                h.save()
            self.held[:0] = self.storages.values()      # restored first: then the storage of each tensor

    def cells_of(self, code, values):
        """The cells of the function, if exactly one function has this code and these values."""
        if not code.co_freevars:
            return {}
        wanted = [values.get(n, NOTHING) for n in code.co_freevars]
        for f in gc.get_referrers(code):
            if type(f) is types.FunctionType and f.__code__ is code and f.__closure__:
                if same(wanted, [CellOf(c, "").now()[0] for c in f.__closure__]):
                    return dict(zip(code.co_freevars, f.__closure__))
        return {n: types.CellType() if v is NOTHING else types.CellType(v) for n, v in zip(code.co_freevars, wanted)}

    def called_by_torch(self, hooks):
        """What torch calls of the program's in the run is restored, too; eager code may call it more often, or less."""
        compared = list(self.compared)
        self.todo += hooks + [(f, f.__qualname__) for f in operator_functions() if not is_library(f.__module__)]
        self.walk()
        self.walk_later()
        self.compared = compared

    def walk_later(self):
        """What is found first in another module of the program's is the program's, too; what only a library leads to is not."""
        while self.later or self.last:
            self.of_library = not self.later
            follow, *what = (self.later or self.last).pop()
            follow(*what)
            self.walk()
        self.of_library = False

    def put_off(self, module, *what):
        (self.last if is_library(module) else self.later).append(what)

    def add(self, held):
        held.save()
        held.of_library = self.of_library
        self.held.append(held)
        if held.target is not None and self.known.get(id(held.target)) is None:
            self.known[id(held.target)] = held
        self.todo += ((v, held.path + step) for step, v in held.parts())
        return held

    def walk(self):
        while self.todo:
            v, path = self.todo.pop()
            if type(v) in ATOMS or v is NOTHING or id(v) in self.known:
                continue
            if not self.left:
                self.warn("what more than %d objects lead to" % MOST, path)
                break
            self.left -= 1
            self.known[id(v)] = None
            self.keep.append(v)
            self.look(v, type(v), path)

    def warn(self, what, path):
        if self.near and all(what != w for w, _ in self.unsafe):
            self.unsafe.append((what, path))

    # -- what is reached from code

    def space(self, namespace, whole=False):
        g = self.spaces.get(id(namespace))
        if not g:
            g = self.spaces[id(namespace)] = GlobalsOf(namespace, "")
            g.whole = whole
            self.add(g)
        return g

    def code(self, code, namespace):
        if (id(code), id(namespace)) in self.codes:
            return
        self.codes.add((id(code), id(namespace)))
        names = names_in(code)
        self.space(namespace).want(names)
        for n in names & namespace.keys():
            v = namespace[n]
            self.todo.append((v, n))
            self.module(v, n, names)

    def module(self, v, path, names):
        """Follows the names that code looks up in a module."""
        if not isinstance(v, types.ModuleType) or foreign(v.__name__):
            return
        space = attributes_of(v)
        self.space(space).want(names & space.keys())
        for n in names & space.keys():
            self.todo.append((space[n], path + "." + n))

    def function(self, f, path):
        for step, part in (("", f.__closure__), ("", f.__defaults__), ("", f.__kwdefaults__), ("", attributes_of(f))):
            if part:
                self.todo += ((v, path + step) for v in part) if type(part) is tuple else [(part, path)]
        if not foreign(f.__globals__.get("__name__") or "builtins"):
            if f.__globals__ is self.own:
                self.code(f.__code__, f.__globals__)
            else:
                self.put_off(f.__globals__.get("__name__"), self.code, f.__code__, f.__globals__)

    def made_by(self, cls, path):
        """Follows the classes of an object, and what their methods refer to."""
        for c in of(cls, "__mro__"):
            if c in self.classes or foreign(module_of(c)) or not of(c, "__flags__") & HEAP:
                continue
            self.classes.add(c)
            held = ClassOf(c, of(c, "__qualname__"))
            if module_of(c) == self.own.get("__name__"):
                self.add(held)
            else:
                self.put_off(module_of(c), self.add, held)

    # -- one object

    def look(self, v, cls, path):
        if kin(cls, torch.Tensor):
            self.tensor(v, path)
        elif kin(cls, type):
            self.made_by(v, path)
        elif kin(cls, types.ModuleType) or skipped(module_of(cls)):
            pass
        elif cls in COPIED:
            self.stands[id(v)] = stand_in(v, None)
        elif cls in OVER:
            self.iterator(v, cls, path)
        elif not self.callable(v, cls, path):
            self.container(v, cls, path)
            if of(cls, "__flags__") & HEAP or of(cls, "__dictoffset__"):
                self.instance(v, cls, path)

    def iterator(self, v, cls, path):
        """An iterator over something that has a stand-in, or that is reported, gets a stand-in itself."""
        inner = v.__reduce__()[1]
        self.todo += ((p, path) for p in inner)
        self.stands[id(v)] = None               # made by stand()

    def callable(self, v, cls, path):
        """Follows what a call of this object uses; False if it is another kind of object."""
        if cls is types.FunctionType:
            self.function(v, path)
        elif cls is types.CellType:
            self.add(CellOf(v, path))
        elif cls is types.MethodType:
            self.todo += [(v.__self__, path + ".__self__"), (v.__func__, path)]
        elif cls in (types.BuiltinFunctionType, types.MethodWrapperType):
            self.todo.append((v.__self__, path + ".__self__"))
        elif cls is property:
            self.todo += ((f, path) for f in (v.fget, v.fset, v.fdel))
        elif cls in (staticmethod, classmethod):
            self.todo.append((v.__func__, path))
        elif kin(cls, functools.partial):
            self.todo += [(v.func, path), (v.args, path), (v.keywords, path)]
            self.instance(v, cls, path)
        elif kin(cls, weakref.ref):
            self.todo.append((weakref.ref.__call__(v), path + "()"))
        else:
            return False
        return True

    def container(self, v, cls, path):
        numpy = sys.modules.get("numpy")
        for base, kind in ((dict, DictOf), (list, ListOf), (set, SetOf), (collections.deque, DequeOf),
                           (bytearray, BytesOf), (array.array, BytesOf)):
            if kin(cls, base):
                self.add(kind(v, path))
                return
        if kin(cls, tuple, frozenset):
            base = tuple if kin(cls, tuple) else frozenset
            self.todo += ((p, "%s[%d]" % (path, i)) for i, p in enumerate(base.__iter__(v)))
        elif hasattr(numpy, "ndarray") and kin(cls, numpy.ndarray):
            self.add(ArrayOf(v, path))
        elif own_generator(v):
            self.add(RandomOf(v, path, *own_generator(v)))
        elif in_c(cls, "__next__") or cls is types.CoroutineType or module_of(cls).partition(".")[0] in STREAMS:
            if descriptor_of(v) is None:        # what these get is kept, see Printed
                self.warn("the state of a %s" % of(cls, "__name__"), path)
        elif kin(cls, torch.jit.ScriptModule):
            self.todo += ((p, path + "." + n) for n, p in [*v.named_parameters(), *v.named_buffers()])
        elif not of(cls, "__flags__") & HEAP:
            self.todo += ((p, path) for p in gc.get_referents(v) if not isinstance(p, type))

    def instance(self, v, cls, path):
        """Follows the attributes of an object and of its classes."""
        own, slots = attributes_of(v), slots_of(cls)
        if own is not None:
            self.add(ClassIs(v, path))
            if id(own) not in self.known:
                self.keep.append(own)
                self.add(DictOf(own, path, ".%s"))
        if slots:
            self.add(SlotsOf(v, path, slots))
        if own is None and not slots and self.known[id(v)] is None and not foreign(module_of(cls)) and not kin(cls, tuple, frozenset):
            self.warn("the state of a %s" % of(cls, "__name__"), path)
        self.made_by(cls, path)

    def tensor(self, t, path):
        storage = storage_of(t) if not hasattr(type(t), "__tensor_flatten__") else None
        if storage is None and t.layout is not torch.strided:
            self.warn("the elements of a sparse tensor", path)
        if storage is not None:
            storage = self.storages.setdefault(storage._cdata, StorageOf(storage, path))
        if t.grad_fn is not None and storage and type(t) is torch.Tensor and not t.is_conj() and not t.is_neg():
            self.stands[id(t)] = stand_in(t, self.received.setdefault(path, []))
            self.compared.append(TensorOf(self.stands[id(t)], path, storage))
            self.compared[-1].save()
        elif t.grad_fn is not None:
            self.warn("what autograd knows of a tensor that it has computed", path)
        if id(t) not in self.stands:
            self.add(TensorOf(t, path, storage))
        if type(t) not in (torch.Tensor, torch.nn.Parameter) or attributes_of(t):
            self.instance(t, type(t), path)

    # -- the call

    def announce(self):
        return ["%s%s" % (what, path and " (%s)" % path) for what, path in self.unsafe]

    def fits(self):
        """Raises if copies of all tensors would not fit into memory, or cannot be made."""
        need, whole = {}, sum([h.target.nbytes() for h in self.storages.values()])
        if self.most is not None and whole > self.most:
            raise Refused("tensors of %.1f GB have to be copied first; '-f' copies them all the same" % (whole / 1e9))
        for h in self.storages.values():
            if is_cut_off(h.target):
                raise MemoryError("the memory of '%s' cannot be read: it maps a file that is shorter by now" % h.path)
            kind = h.target.device
            need[kind] = need.get(kind, 0) + h.target.nbytes()
        for kind, n in need.items():
            free = free_memory(kind)
            if free is not None and n > 0.8 * free:
                raise MemoryError("tensors of %.1f GB on %s have to be saved, and %.1f GB are free"
                                  % (n / 1e9, kind, free / 1e9))

    def stand(self, v):
        """The stand-in of an object if it has one, else the object."""
        cls = type(v)
        if id(v) in self.stands:
            if self.stands[id(v)] is None:
                self.stands[id(v)] = cls(*[self.stand(p) for p in v.__reduce__()[1]])
            return self.stands[id(v)]
        if kin(cls, tuple) and (of(cls, "__new__") is tuple.__new__ or hasattr(cls, "_fields")):
            new = [self.stand(p) for p in tuple.__iter__(v)]
            return v if same(new, v) else tuple.__new__(cls, new)
        return v

    def enter(self, stance, captures=False):
        """Puts the stand-ins in place until restore(). Until then calls of compiled functions do not compile.  captures: what is
        printed is kept until then, and compared."""
        for seen in self.received.values():
            seen.clear()
        self.printed = Printed() if captures else None
        if captures:
            self.printed.begin()
        with quiet():
            for h in self.held if self.stands else ():
                h.swap(self.stand)
        self.unseen = contextlib.ExitStack()
        for one in (Once(self.first), Counters(), unrecorded(), emptied(compile_callbacks())):
            self.unseen.enter_context(one)
        frames = sys.modules["torch._dynamo.eval_frame"]
        if hasattr(frames, "DynamoStance"):
            frames._stance = frames.DynamoStance(stance)
        return self.values

    def differs(self, h, known):
        """Did the call change the contents of this object? known: answers for storages, kept while one outcome is read."""
        if not isinstance(h, TensorOf):
            return h.changed()
        was, now, key = h.was, h.now(), id(h.storage)
        if key not in known:
            known[key] = h.storage is not None and h.storage.changed()
        return known[key] or was[:2] != now[:2] or was[4] is not now[4]

    def restore(self):
        """Restores everything; returns a text for each thing that could not be restored."""
        failed, done = [], []
        if self.printed:
            self.printed.end()
        self.unseen.close()
        with quiet():
            for h in self.held:
                try:
                    if h.changed():
                        done.append(h)
                        h.restore()
                except Exception as e:
                    failed.append("%s: %s" % (h.path or "globals", str(e).partition("\n")[0]))
            failed += ["%s: it is still changed" % h.path for h in done if h.changed()]
        with torch._C.DisableTorchFunction():
            for h in self.modes:
                if h.changed():
                    h.restore()
        return failed

    def forget(self):
        """Drops the copies, after the last restore(): objects that refer to each other would keep them."""
        for h in self.storages.values():
            h.was = None


def free_memory(device):
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    try:
        with open("/proc/meminfo") as f:
            return next(1024 * int(line.split()[1]) for line in f if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        return None


def save(values, code, made, namespace):
    return Saved(values, code, made, namespace)
