# SPDX-License-Identifier: BSD-3-Clause
# Compiles a function for each case, changes one line's worth of the program, and calls it again.  `changed` is called between
# the two; after it `result` tells whether the second call used stale code.
import collections, contextlib, dataclasses, enum, functools, inspect, math, operator, os, sys
import torch
import changed_things

x = torch.zeros(2)
kept = []  # what a change must not free


def changed(name):
    return name


def result(name, stale):
    print("%s: %s" % (name, "stale" if stale else "right"), flush=True)


def case(name, f, change, *args, undo=None, **options):
    torch._dynamo.reset()
    compiled = torch.compile(f, backend="eager", **options)
    compiled(*args)
    kept.append(change())
    changed(name)
    again = compiled(*args)
    torch.compiler.set_stance("force_eager")
    eager = f(*args)
    torch.compiler.set_stance("default")
    result(name, not torch.equal(eager, again))
    if undo:
        undo()


def put(owner, name, value):
    return lambda: setattr(owner, name, value)


def item(owner, key, value):
    return lambda: owner.__setitem__(key, value)


# ---- functions and what they close over -------------------------------------------------------------------------
def counter():
    step = 1

    def f(x):
        return x + step

    def more():
        nonlocal step
        step = 40
    return f, more


case("cell", *counter(), x)
left_out = {"guard_filter_fn": lambda guards: [False for g in guards]}
case("cell, guard left out", *counter(), x, options=dict(left_out))
one, other = changed_things.Setting(), changed_things.Setting()
case("class attribute that the object hides, guard left out", lambda x: x + one.level, put(one, "level", 11), x, options=dict(left_out))
case("class attribute that the object hides", lambda x: x + other.level, put(other, "level", 12), x)
case("module dict", lambda x: x * 2 + changed_things.SCALES["low"], item(changed_things.SCALES, "low", 7), x)
case("class attribute", lambda x: x + changed_things.Setting.level, put(changed_things.Setting, "level", 9), x)
case("function of a module", lambda x: changed_things.shift(x), put(changed_things, "shift", lambda x: x - 5), x)


def plus(x):
    return x + 100


def minus(x):
    return x - 100


case("code of a function", lambda x: plus(x), put(plus, "__code__", minus.__code__), x)
os.environ["ONE_LINE"] = "2"
case("environment", lambda x: x + int(os.environ.get("ONE_LINE", "0")), item(os.environ, "ONE_LINE", "6"), x)


def by_default(x, k=3):
    return x + k


case("default", lambda x: by_default(x), put(by_default, "__defaults__", (33,)), x)


def with_attribute(x):
    return x + with_attribute.bias


with_attribute.bias = 2
case("function attribute", with_attribute, put(with_attribute, "bias", 22), x)
FACTOR = 4
case("filtered guard", lambda x: x + FACTOR, lambda: globals().__setitem__("FACTOR", 44), x,
     options=dict(left_out))
state = {"v": 1}


@torch._dynamo.assume_constant_result
def once():
    return state["v"]


case("constant result", lambda x: x + once(), item(state, "v", 6), x)


@functools.lru_cache
def remembered(n):
    return n + state["v"]


case("lru_cache", lambda x: x + remembered(3), lambda: (item(state, "v", 60)(), remembered.cache_clear()), x)
table = {"f": lambda x: x + 1}
case("function in a dict", lambda x: table["f"](x), item(table, "f", lambda x: x + 9), x)
bound = functools.partial(lambda x, k: x + k, k=3)
case("partial keywords", lambda x: bound(x), item(bound.keywords, "k", 30), x)


def counted():
    yield 1
    yield 2


def counted_more():
    yield 1
    yield 20


case("generator code", lambda x: x + sum(counted()), put(counted, "__code__", counted_more.__code__), x)


@contextlib.contextmanager
def opened():
    yield 2


def opened_wide():
    yield 9


def in_context(x):
    with opened() as v:
        return x + v


case("contextmanager code", in_context, lambda: setattr(opened.__wrapped__, "__code__", opened_wide.__code__), x)
case("wraps", functools.wraps(plus)(lambda x: x + changed_things.Setting.level), put(changed_things.Setting, "level", 5), x)
case("signature unchanged", lambda x: x + len(inspect.signature(counted).parameters), lambda: None, x)


# ---- objects ----------------------------------------------------------------------------------------------------
class Gauge:
    v = 1

    @property
    def reading(self):
        return self.v

    def take(self, x):
        return x + 1

    def __add__(self, other):
        return other + 1


g = Gauge()
case("property", lambda x: x + g.reading, put(Gauge, "reading", property(lambda self: 77)), x)
case("method", lambda x: g.take(x), put(Gauge, "take", lambda self, x: x + 9), x)
case("operator", lambda x: g + x, put(Gauge, "__add__", lambda self, other: other + 8), x)


class Hidden:
    def m(self, x):
        return x + 1


hidden = Hidden()
case("instance hides a method", lambda x: hidden.m(x), put(hidden, "m", lambda x: x + 9), x)


class Kind(enum.Enum):
    A = 1


case("enum value", lambda x: x + Kind.A.value, put(Kind.A, "_value_", 12), x)


@dataclasses.dataclass
class Config:
    k: int = 1


config = Config()
case("dataclass field", lambda x: x + config.k, put(config, "k", 31), x)


class Nested:
    def __init__(self):
        self.c = {"k": [1, 2]}


nested = Nested()
case("nested containers", lambda x: x + nested.c["k"][1], item(nested.c["k"], 1, 8), x)
case("constant of Python", lambda x: x + math.pi, put(math, "pi", 3), x, undo=put(math, "pi", math.pi))
case("autocast", lambda x: x + (1 if torch.is_autocast_enabled() else 0), lambda: torch.set_autocast_enabled(True), x,
     undo=lambda: torch.set_autocast_enabled(False))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad


case("autograd.Function", lambda x: Double.apply(x), put(Double, "forward", staticmethod(lambda ctx, x: x * 9)),
     torch.ones(2, requires_grad=True))


class Magic:
    n = 1

    @classmethod
    def of_class(cls, x):
        return x + 1

    @staticmethod
    def static(x):
        return x + 1

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return i + 1

    def __bool__(self):
        return True

    def __iter__(self):
        return iter([1, 2])

    def __call__(self, x):
        return x + 1

    def __getattr__(self, name):
        return 5

    def __eq__(self, other):
        return True

    def __contains__(self, other):
        return True

    def __enter__(self):
        return 2

    def __exit__(self, *exc):
        return None


class Derived(Magic):
    def m(self, x):
        return super().static(x)


o, derived = Magic(), Derived()


def entered(x):
    with o as v:
        return x + v


case("classmethod", lambda x: Magic.of_class(x), put(Magic, "of_class", classmethod(lambda c, x: x + 8)), x)
case("staticmethod", lambda x: Magic.static(x), put(Magic, "static", staticmethod(lambda x: x + 8)), x)
case("super", lambda x: derived.m(x), put(Magic, "static", staticmethod(lambda x: x + 18)), x)
case("__len__", lambda x: x + len(o), put(Magic, "__len__", lambda s: 30), x)
case("__getitem__", lambda x: x + o[1], put(Magic, "__getitem__", lambda s, i: 30), x)
case("__bool__", lambda x: x + (1 if o else 0), put(Magic, "__bool__", lambda s: False), x)
case("__iter__", lambda x: x + sum([i for i in o]), put(Magic, "__iter__", lambda s: iter([7])), x)
case("__call__", lambda x: o(x), put(Magic, "__call__", lambda s, x: x + 30), x)
case("__getattr__", lambda x: x + o.zzz, put(Magic, "__getattr__", lambda s, n: 30), x)
case("__eq__", lambda x: x + (1 if o == 3 else 0), put(Magic, "__eq__", lambda s, n: False), x)
case("__contains__", lambda x: x + (1 if 3 in o else 0), put(Magic, "__contains__", lambda s, n: False), x)
case("__enter__", entered, put(Magic, "__enter__", lambda s: 30), x)
case("root of Python", lambda x: x + math.sqrt(4.0), put(math, "sqrt", lambda v: 9.0), x, undo=put(math, "sqrt", math.sqrt))
case("function of Python", lambda x: x + len(os.path.join("a", "b")), put(os.path, "join", lambda *a: "abcdefgh"), x,
     undo=put(os.path, "join", os.path.join))
case("name of a type", lambda x: x + len(type(o).__name__), put(Magic, "__name__", "Mag"), x)


class Pair(collections.namedtuple("Pair", "a b")):
    pass


Pair.c = 3
pair = Pair(1, 2)
case("attribute of a namedtuple", lambda x: x + pair.c, put(Pair, "c", 30), x)


class Four:
    def __get__(self, owner, cls):
        return 4


class HasFour:
    d = Four()


has_four = HasFour()
case("__get__", lambda x: x + has_four.d, put(Four, "__get__", lambda s, owner, cls: 40), x)


class Meta(type):
    @property
    def q(cls):
        return 3


class OfMeta(metaclass=Meta):
    pass


case("property of a metaclass", lambda x: x + OfMeta.q, put(Meta, "q", property(lambda s: 30)), x)


# ---- modules ----------------------------------------------------------------------------------------------------
class Block(torch.nn.Module):
    K = 1

    def __init__(self):
        super().__init__()
        self.acts = torch.nn.ModuleList([torch.nn.ReLU()])

    @property
    def p(self):
        return 1

    def h(self, x):
        return x + 1

    def forward(self, x):
        return self.h(x) * self.K + self.p


class Plain(torch.nn.Module):
    def forward(self, x):
        return x + 1


block, plain, same, linear = Block(), Plain(), torch.nn.Identity(), torch.nn.Linear(2, 2)
case("forward of a module", lambda x: plain(x), put(Plain, "forward", lambda self, x: x + 9), x)
case("hook", lambda x: same(x), lambda: same.register_forward_hook(lambda m, i, out: out + 5), x)
case("class attribute of a module", lambda x: block(x), put(Block, "K", 4), x)
case("property of a module", lambda x: block(x), put(Block, "p", property(lambda s: 9)), x)
case("method of a module", lambda x: block(x), put(Block, "h", lambda s, x: x + 20), x)
case("module unchanged", lambda x: block(x), lambda: None, x)
case("list of modules", lambda x: block.acts[0](x) + len(block.acts), lambda: block.acts.append(torch.nn.ReLU()), x)
every = torch.nn.modules.module
case("hook of all modules", lambda x: block(x), lambda: every.register_module_forward_hook(lambda m, i, out: out + 5), x,
     undo=every._global_forward_hooks.clear)
case("hook of a linear layer", lambda x: linear(x), lambda: linear.register_forward_hook(lambda m, i, out: out + 5), x)


# ---- twenty more ------------------------------------------------------------------------------------------------
@functools.total_ordering
class Rich:
    def __lt__(self, other):
        return True

    def __radd__(self, other):
        return other + 1

    def __exit__(self, *exc):
        return True

    def __enter__(self):
        return self

    def __hash__(self):
        return 5

    def __int__(self):
        return 3

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

    def scaled(self, x, k=2, *, by=3):
        return x + k * by


rich = Rich()
case("__lt__", lambda x: x + (1 if rich < 3 else 0), put(Rich, "__lt__", lambda s, n: False), x)
case("__radd__", lambda x: x + 2 + rich, put(Rich, "__radd__", lambda s, n: n + 50), x)
case("default of a method", lambda x: rich.scaled(x), lambda: setattr(Rich.scaled, "__defaults__", (12,)), x)
case("named default of a method", lambda x: rich.scaled(x, k=1), lambda: setattr(Rich.scaled, "__kwdefaults__", {"by": 13}), x)
case("code of a method", lambda x: rich.scaled(x), lambda: setattr(Rich.scaled, "__code__", (lambda s, x, k=2, *, by=3: x - k).__code__), x)


class Base:
    def m(self, x):
        return x + 1


class Child(Base):
    pass


child = Child()
case("method that hides its base's", lambda x: child.m(x), put(Child, "m", lambda s, x: x + 9), x)


class Made:
    def __init__(self, k):
        self.k = k


case("__init__", lambda x: x + Made(2).k, put(Made, "__init__", lambda s, k: setattr(s, "k", k * 10)), x)


class Filled(dict):
    def __missing__(self, key):
        return 3


filled = Filled()
case("__missing__", lambda x: x + filled["none"], put(Filled, "__missing__", lambda s, k: 30), x)


class Acts:
    act = staticmethod(torch.relu)


acts = Acts()
case("torch function on a class", lambda x: acts.act(x - 1), put(Acts, "act", staticmethod(torch.neg)), x)
inner = torch.nn.Sequential(torch.nn.Identity(), torch.nn.Identity())
case("pre-hook of an inner module", lambda x: inner(x), lambda: inner[1].register_forward_pre_hook(lambda m, a: (a[0] + 5,)), x)
case("pre-hook of all modules", lambda x: inner(x), lambda: every.register_module_forward_pre_hook(lambda m, a: (a[0] + 5,)), x,
     undo=every._global_forward_pre_hooks.clear)
own = Plain()
case("forward of one module", lambda x: own(x), put(own, "forward", lambda x: x + 70), x)
net = torch.nn.Sequential(Plain())
case("module exchanged", lambda x: net(x), lambda: net.__setitem__(0, torch.nn.Sigmoid()), x)
case("function of torch", lambda x: torch.nn.functional.relu(x - 1), put(torch.nn.functional, "relu", torch.neg), x,
     undo=put(torch.nn.functional, "relu", torch.nn.functional.relu))


class Slots:
    __slots__ = ("k",)


slots = Slots()
slots.k = 2
case("slot", lambda x: x + slots.k, put(slots, "k", 20), x)


def wrapping(f):
    @functools.wraps(f)
    def wrapper(x):
        return f(x) * 2
    return wrapper


def wrapped(x):
    return x + 1


twice = wrapping(wrapped)
case("code inside a decorator", lambda x: twice(x), put(wrapped, "__code__", minus.__code__), x)
case("attribute removed", lambda x: x + getattr(config, "extra", 1), put(config, "extra", 50), x)
levels = [1, 2, 3]
case("item appended", lambda x: x + len(levels), lambda: levels.append(4), x)
class Named(dict):
    pass


named, in_order, counts = Named(k=2), collections.OrderedDict(k=2), collections.defaultdict(int, k=2)
case("item of a dict's subclass", lambda x: x + named["k"], item(named, "k", 5), x)
case("item of an OrderedDict", lambda x: x + in_order["k"], item(in_order, "k", 5), x)
case("item of a defaultdict", lambda x: x + counts["k"], item(counts, "k", 5), x)
case("length of a dict's subclass", lambda x: x + len(named), item(named, "m", 5), x)
case("nothing changed", lambda x: rich.scaled(plain(x)) + linear(x), lambda: None, x)
case("training flag", lambda x: torch.dropout(x + 1, 0.5, plain.training), lambda: plain.eval(), torch.ones(64))
print("done")
