# SPDX-License-Identifier: BSD-3-Clause
"""Saves and restores the contents of one object, and lists the objects that it refers to.  state.py chooses the
objects.  Runs no code of the program except hashes of keys."""
import collections
import types

import torch

ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented), range, torch.dtype,
                   torch.device, torch.layout, torch.memory_format, torch.Size, types.CodeType,
                   types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
                   types.GetSetDescriptorType, types.MemberDescriptorType, types.FrameType, types.TracebackType))
NOTHING = object()


def same(a, b):
    return len(a) == len(b) and all(p is q for p, q in zip(a, b))


def of(cls, name):
    """The __dict__ of the class itself; the metaclass is not asked."""
    return type.__getattribute__(cls, name)


def kin(cls, *bases):
    return any(c is base for c in of(cls, "__mro__") for base in bases)


def slots_of(cls):
    """{name: descriptor} of all __slots__; that of the most derived class counts."""
    found = {}
    for c in of(cls, "__mro__"):
        if "__slots__" in of(c, "__dict__"):
            found.update((n, d) for n, d in of(c, "__dict__").items()
                         if type(d) is types.MemberDescriptorType and d.__objclass__ is c and n not in found)
    return found


def attributes_of(o):
    try:
        d = object.__getattribute__(o, "__dict__")
    except Exception:
        return None
    return d if isinstance(d, dict) else None


class Held:
    """The contents of one object. now() reads them, put() writes them back, parts() lists (step, object) for what it refers to."""
    of_library = False                          # its state is not the program's, see state.py

    def __init__(self, target, path):
        self.target, self.path, self.was = target, path, None

    def save(self):
        self.was = self.now()

    def changed(self):
        return not same(self.was, self.now())

    def restore(self):
        self.put(self.was)

    def swap(self, stand):
        """Replaces values that cannot be restored after use (iterators, for example) by stand-ins."""
        new = [stand(v) for v in self.was]
        if not same(new, self.was):
            self.put(new)

    def parts(self):
        return ()


class ListOf(Held):
    def now(self):
        return list.__getitem__(self.target, slice(None))

    def put(self, values):
        list.__setitem__(self.target, slice(None), values)

    def parts(self):
        return (("[%d]" % i, v) for i, v in enumerate(self.was))


class DequeOf(ListOf):
    def now(self):
        return list(collections.deque.__iter__(self.target))

    def put(self, values):
        collections.deque.clear(self.target)
        collections.deque.extend(self.target, values)


class SetOf(ListOf):
    def now(self):
        return list(set.__iter__(self.target))

    def changed(self):
        now = self.now()
        return not same(self.was, now) and {id(v) for v in now} != {id(v) for v in self.was}

    def put(self, values):
        set.clear(self.target)
        set.update(self.target, values)

    def swap(self, stand):
        pass


class DictOf(Held):
    """The keys and values of a dict, alternating."""
    def __init__(self, target, path, step="[%s]"):
        super().__init__(target, path)
        self.kind = collections.OrderedDict if kin(type(target), collections.OrderedDict) else dict
        self.step = step                        # "%s" or ".%s": keys are names

    def now(self):
        return [v for pair in self.kind.items(self.target) for v in pair]

    def put(self, values):
        now = self.now()
        if not same(now[::2], values[::2]):
            self.kind.clear(self.target)
            now = [NOTHING] * len(values)
        for k, v, had in zip(values[::2], values[1::2], now[1::2]):
            if v is not had:
                self.kind.__setitem__(self.target, k, v)

    def swap(self, stand):
        for k, v in zip(self.was[::2], self.was[1::2]):
            if stand(v) is not v:
                self.kind.__setitem__(self.target, k, stand(v))

    def parts(self):
        for i, (k, v) in enumerate(zip(self.was[::2], self.was[1::2])):
            name = k if type(k) is str and self.step != "[%s]" else repr(k) if type(k) in ATOMS else "key %d" % i
            yield self.step % name, v
            if type(k) not in ATOMS:
                yield ".keys()[%d]" % i, k


class NamesOf(Held):
    """Some names of a namespace. there() reads all of its values; get(), set() and drop() act on one name."""
    step = ".%s"

    def __init__(self, target, path, names=()):
        super().__init__(target, path)
        self.names = dict.fromkeys(names)       # an ordered set

    def there(self):
        return ()

    def now(self):
        self.add(n for n in self.there() if n not in self.names)
        return [self.get(name) for name in self.names]

    def add(self, names):
        """Adds these names to what was saved, as absent at that time."""
        for n in list(names):
            self.names[n] = None
            if self.was is not None:
                self.was.append(NOTHING)

    def put(self, values):
        for name, now, v in zip(self.names, self.now(), values):
            if v is NOTHING and now is not NOTHING:
                self.drop(name)
            elif v is not now:
                self.set(name, v)

    def parts(self):
        return [(self.step % name, v) for name, v in zip(self.names, self.was) if v is not NOTHING]


class GlobalsOf(NamesOf):
    """A module's namespace. whole: all names are saved, as for the function's own module; else only those in `names`."""
    step, whole = "%s", False

    def there(self):
        return [n for n in self.target if type(n) is str and not n.startswith("__")] if self.whole else ()

    def want(self, names):
        """Adds names that code looks up, with their present values."""
        for n in sorted(names):
            if n not in self.names:
                self.names[n] = None
                self.was.append(self.get(n))

    def get(self, name):
        return self.target.get(name, NOTHING)

    def set(self, name, v):
        self.target[name] = v

    def drop(self, name):
        del self.target[name]

    def parts(self):
        return ()                               # state.py follows the names that code has, not all of them


class ClassOf(NamesOf):
    OWN = ("__dict__", "__weakref__", "__doc__", "__module__", "_abc_impl", "__abstractmethods__")

    def there(self):
        return [n for n in of(self.target, "__dict__") if n not in self.OWN]

    def get(self, name):
        return of(self.target, "__dict__").get(name, NOTHING)

    def set(self, name, v):
        type.__setattr__(self.target, name, v)

    def drop(self, name):
        type.__delattr__(self.target, name)


class SlotsOf(NamesOf):
    def __init__(self, target, path, slots):
        super().__init__(target, path, slots)
        self.slots = slots

    def get(self, name):
        try:
            return self.slots[name].__get__(self.target)
        except AttributeError:
            return NOTHING

    def set(self, name, v):
        self.slots[name].__set__(self.target, v)

    def drop(self, name):
        self.slots[name].__delete__(self.target)


class CellOf(Held):
    def now(self):
        try:
            return [self.target.cell_contents]
        except ValueError:
            return [NOTHING]

    def put(self, values):
        if values[0] is NOTHING:
            del self.target.cell_contents
        else:
            self.target.cell_contents = values[0]

    def parts(self):
        return (("", v) for v in self.was if v is not NOTHING)


class ClassIs(Held):
    """The __class__ and the __dict__ of an object; both can be assigned."""
    def now(self):
        return [type(self.target), attributes_of(self.target)]

    def put(self, values):
        if type(self.target) is not values[0]:
            object.__setattr__(self.target, "__class__", values[0])
        if values[1] is not None and attributes_of(self.target) is not values[1]:
            object.__setattr__(self.target, "__dict__", values[1])

    def swap(self, stand):
        pass


class BytesOf(Held):
    """The bytes of a bytearray or array.array, whose elements are not objects."""
    def now(self):
        return bytes(self.target)

    def changed(self):
        return self.was != self.now()

    def put(self, values):
        if type(self.target) is bytearray:
            self.target[:] = values
        else:
            del self.target[:]
            self.target.frombytes(values)

    def swap(self, stand):
        pass


class ArrayOf(Held):
    """A numpy array; one of objects holds references."""
    def now(self):
        return self.target.copy()

    def changed(self):
        a, b = self.was, self.target
        if a.shape != b.shape or a.dtype != b.dtype:
            return True
        if a.dtype.hasobject:
            return not same(a.ravel().tolist(), b.ravel().tolist())
        return a.tobytes() != b.tobytes()

    def put(self, values):
        if values.shape != self.target.shape:
            self.target.resize(values.shape, refcheck=False)
        self.target[...] = values

    def swap(self, stand):
        pass

    def parts(self):
        return ((".flat[%d]" % i, v) for i, v in enumerate(self.was.ravel().tolist())) if self.was.dtype.hasobject else ()


class RandomOf(Held):
    """The state of a random number generator, read and written by its own functions."""
    def __init__(self, target, path, get, put):
        super().__init__(target, path)
        self.get, self.give = get, put

    def now(self):
        return self.get()

    def changed(self):
        return not alike(self.was, self.now())

    def put(self, values):
        self.give(values)

    @staticmethod
    def alike_states(a, b):
        return alike(a, b)

    def swap(self, stand):
        pass


def alike(a, b):
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and torch.equal(a, b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(alike(p, q) for p, q in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(v, b[k]) for k, v in a.items())
    return bytes(a) == bytes(b) if hasattr(a, "tobytes") else a == b
