# SPDX-License-Identifier: BSD-3-Clause
# Compiles a function for each case, changes a class of the program, and calls it again: what one_line_changes.py does, for what
# Dynamo looks up in classes: names that they lack, what they have from a base or from Python, what their classes have.
import collections, enum, sys, types
import torch

x = torch.zeros(2)
kept = []  # what a change must not free


def changed(name):
    return name


def case(name, f, change, *args, backend="eager", undo=None):
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        return
    args = args or (x,)
    torch._dynamo.reset()
    compiled = torch.compile(f, backend=backend)
    compiled(*args)
    kept.append(change())
    changed(name)
    try:
        again = compiled(*args)
        torch.compiler.set_stance("force_eager")
        eager = f(*args)
        said = "right" if torch.equal(eager, again) else "stale"
    except Exception as e:
        said = "raises %s" % type(e).__name__
    torch.compiler.set_stance("default")
    print("%s: %s" % (name, said), flush=True)
    if undo:
        undo()


def put(owner, name, value):
    return lambda: setattr(owner, name, value)


def drop(owner, name):
    return lambda: delattr(owner, name)


# ---- names that a class lacks --------------------------------------------------------------------------------------
class Bare:
    def __init__(self):
        self.k = 2


def of_new(bases=(), **names):
    """A class of its own for each case."""
    return type("New", bases, names)


def bare(**names):
    return of_new((Bare,), **names)()


a = bare()
case("__bool__ added", lambda x: x + (1 if a else 0), put(type(a), "__bool__", lambda s: False))
b = bare()
case("__len__ added", lambda x: x + (1 if b else 0), put(type(b), "__len__", lambda s: 0))
c = bare()
case("__eq__ added", lambda x: x + (1 if c == 3 else 0), put(type(c), "__eq__", lambda s, o: True))
d = bare()
case("attribute added", lambda x: x + getattr(d, "extra", 1), put(type(d), "extra", 50))
e = bare()
case("hasattr added", lambda x: x + hasattr(e, "extra"), put(type(e), "extra", 50))
f1 = bare()
case("__call__ added", lambda x: x + callable(f1), put(type(f1), "__call__", lambda s: 50))
g1 = bare()
case("property added over an attribute", lambda x: x + g1.k, put(type(g1), "k", property(lambda s: 50)))
h1 = bare()
case("plain attribute added below an attribute", lambda x: x + h1.k, put(type(h1), "k", 50))
i1 = bare()
case("__getattribute__ added", lambda x: x + i1.k, put(type(i1), "__getattribute__", lambda s, n: 50))
j1 = bare(get=lambda s, n: 3)
case("__getattr__ added", lambda x: x + getattr(j1, "none", 1), put(type(j1), "__getattr__", lambda s, n: 50))
k1 = bare()


def writes(x):
    k1.k = 2
    return x + k1.k


case("__setattr__ added", writes, put(type(k1), "__setattr__", lambda s, n, v: object.__setattr__(s, n, v * 10)))
l1 = of_new((Bare,))
case("__new__ added", lambda x: x + l1().k, put(l1, "__new__", lambda cls: types.SimpleNamespace(k=50)))
m1 = of_new()
case("__init__ added", lambda x: x + getattr(m1(), "k", 1), put(m1, "__init__", lambda s: setattr(s, "k", 9)))
n1 = bare()
case("__class__ of an object", lambda x: x + (1 if isinstance(n1, Bare) else 0), put(n1, "__class__", of_new()))


# ---- what Python's classes have -----------------------------------------------------------------------------------
def sub(base, *args):
    return of_new((base,))(*args)


o1 = sub(list, [1, 2])
case("__len__ of a list", lambda x: x + len(o1), put(type(o1), "__len__", lambda s: 50))
p1 = sub(list, [1, 2])
case("__getitem__ of a list", lambda x: x + p1[0], put(type(p1), "__getitem__", lambda s, i: 50))
q1 = sub(list, [1, 2])
case("__iter__ of a list", lambda x: x + sum([i for i in q1]), put(type(q1), "__iter__", lambda s: iter((7,))))
r1 = sub(list, [1, 2])
case("__contains__ of a list", lambda x: x + (1 if 3 in r1 else 0), put(type(r1), "__contains__", lambda s, i: True))
s1 = sub(dict, {"k": 2})
case("__getitem__ of a dict", lambda x: x + s1["k"], put(type(s1), "__getitem__", lambda s, i: 50))
t1 = sub(dict, {"k": 2})
case("get of a dict", lambda x: x + t1.get("k"), put(type(t1), "get", lambda s, i: 50))
u1 = sub(dict, {"k": 2})
case("__len__ of a dict", lambda x: x + len(u1), put(type(u1), "__len__", lambda s: 50))
v1 = sub(dict, {"k": 2})
case("__contains__ of a dict", lambda x: x + (1 if "k" in v1 else 0), put(type(v1), "__contains__", lambda s, i: False))
w1 = sub(dict, {"k": 2})
case("keys of a dict", lambda x: x + len(list(w1.keys())), put(type(w1), "keys", lambda s: (1, 2, 3)))
y1 = sub(tuple, (1, 2))
case("__len__ of a tuple", lambda x: x + len(y1), put(type(y1), "__len__", lambda s: 50))
z1 = sub(tuple, (1, 2))
case("__getitem__ of a tuple", lambda x: x + z1[0], put(type(z1), "__getitem__", lambda s, i: 50))
a2 = sub(set, (1, 2))
case("__contains__ of a set", lambda x: x + (1 if 1 in a2 else 0), put(type(a2), "__contains__", lambda s, i: False))
b2 = sub(collections.OrderedDict, {"k": 2})
case("__getitem__ of an OrderedDict", lambda x: x + b2["k"], put(type(b2), "__getitem__", lambda s, i: 50))
c2 = of_new((collections.namedtuple("Two", "a b"),))(1, 2)
case("field of a namedtuple", lambda x: x + c2.a, put(type(c2), "a", property(lambda s: 50)))
d2 = sub(int, 3)
case("__add__ of an int", lambda x: x + (d2 + 1), put(type(d2), "__add__", lambda s, o: 50))
e2 = sub(str, "ab")
case("__len__ of a str", lambda x: x + len(e2), put(type(e2), "__len__", lambda s: 50))


# ---- bases, and classes of classes --------------------------------------------------------------------------------
class Above:
    def m(self, x):
        return x + 1

    def n(self, x):
        return x + 2

    level = 3


class Middle(Above):
    pass


class Below(Middle):
    def m(self, x):
        return super().m(x)


class Other:
    def n(self, x):
        return x + 70


below, below2 = Below(), of_new((Middle,))()
case("super's method hidden by a class between", lambda x: below.m(x), put(Middle, "m", lambda s, x: x + 50))
case("method hidden by a class between", lambda x: below.n(x), put(Middle, "n", lambda s, x: x + 50), undo=lambda: delattr(Middle, "n"))
case("attribute hidden by a class between", lambda x: x + below.level, put(Middle, "level", 50), undo=lambda: delattr(Middle, "level"))
case("__bases__", lambda x: below2.n(x), put(type(below2), "__bases__", (Other, Above)))


class Meta(type):
    def __call__(cls, *args):
        return super().__call__(*args)

    def __len__(cls):
        return 3

    def __instancecheck__(cls, other):
        return False


class OfMeta(metaclass=Meta):
    k = 2


case("__len__ of a class's class", lambda x: x + len(OfMeta), put(Meta, "__len__", lambda c: 50))
case("__instancecheck__", lambda x: x + isinstance(3, OfMeta), put(Meta, "__instancecheck__", lambda c, o: True))
f2 = Meta("F2", (), {"k": 2})
case("property of a class's class over an attribute", lambda x: x + f2.k, put(Meta, "k", property(lambda c: 50)), undo=drop(Meta, "k"))


class Color(enum.Enum):
    RED = 1

    def strength(self):
        return 2


case("method of an enum", lambda x: x + Color.RED.strength(), put(Color, "strength", lambda s: 50))
case("__bool__ of an enum", lambda x: x + (1 if Color.RED else 0), put(Color, "__bool__", lambda s: False))


class Held:
    def __init__(self, k):
        self.k = k

    def __get__(self, owner, cls):
        return self.k


class Holder:
    held = Held(3)
    slot = property(lambda s: 3)


holder = Holder()
case("state of a descriptor", lambda x: x + holder.held, put(Holder.__dict__["held"], "k", 50))
case("descriptor replaced", lambda x: x + holder.held, put(Holder, "held", Held(60)))
case("descriptor that a plain value replaces", lambda x: x + holder.held, put(Holder, "held", 70))
case("property removed", lambda x: x + getattr(holder, "slot", 1), drop(Holder, "slot"))
case("__set__ added to a descriptor", lambda x: x + holder.held, put(Held, "__set__", lambda s, o, v: None))


# ---- torch's classes -----------------------------------------------------------------------------------------------
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Sigmoid(), torch.nn.Sigmoid()])
        self.w = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x + self.w


net = Net()
case("__call__ of all modules", lambda x: net(x), put(torch.nn.Module, "__call__", lambda s, x: x + 50),
     undo=put(torch.nn.Module, "__call__", torch.nn.Module.__call__))
case("__getattr__ of a module added", lambda x: net(x), put(Net, "__getattr__", lambda s, n: torch.nn.Module.__getattr__(s, n)), undo=drop(Net, "__getattr__"))
case("property over a parameter", lambda x: net(x), put(Net, "w", property(lambda s: 50)), undo=drop(Net, "w"))
case("forward of torch's class", lambda x: net(x), put(torch.nn.Sigmoid, "forward", lambda s, x: x + 7),
     undo=put(torch.nn.Sigmoid, "forward", torch.nn.Sigmoid.forward))
case("__iter__ of a ModuleList", lambda x: net(x), put(torch.nn.ModuleList, "__iter__", lambda s: iter(())),
     undo=put(torch.nn.ModuleList, "__iter__", torch.nn.ModuleList.__iter__))
case("method of a tensor", lambda x: x.add(1), put(torch.Tensor, "add", lambda s, n: s + 50), undo=drop(torch.Tensor, "add"))
case("operator of a tensor", lambda x: x * 2 + 1, put(torch.Tensor, "__mul__", lambda s, n: s + 50),
     undo=put(torch.Tensor, "__mul__", torch.Tensor.__mul__))
case("class unchanged", lambda x: net(below.n(x)) + len(o1) + holder.held, lambda: None)
print("done")
