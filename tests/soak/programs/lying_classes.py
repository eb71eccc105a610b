# SPDX-License-Identifier: BSD-3-Clause
# Metaclasses and classes that lie about what they are.
class Meta(type):
    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        return True

    def __getattribute__(cls, name):
        if name in ("__name__", "__qualname__", "__module__", "__mro__"):
            raise AttributeError(name)
        return type.__getattribute__(cls, name)

    def __eq__(cls, other):
        raise RuntimeError("compared")

    __hash__ = None

class Liar(metaclass=Meta):
    __class__ = int
    __slots__ = ("x",)

    def __getattribute__(self, name):
        raise AttributeError("no %s" % name)

    def __bool__(self):
        raise RuntimeError("asked for its truth")

    def __eq__(self, other):
        raise RuntimeError("compared")

    def __len__(self):
        return -1

    __hash__ = None

class Dict(dict):
    def __getitem__(self, key):
        raise RuntimeError("looked up")

    def __iter__(self):
        raise RuntimeError("iterated")

    keys = items = values = __iter__

class Str(str):
    def __str__(self):
        raise RuntimeError("str")

    __repr__ = __eq__ = __str__
    __hash__ = str.__hash__

def f(liar, d, s, cls):
    local = [liar, d, s, cls]
    for i in range(2):
        local.append(i)
    return len(local)

print(f(Liar(), Dict(a=1), Str("text"), Liar))
try:
    bool(Liar())
except RuntimeError as e:
    print(e)
