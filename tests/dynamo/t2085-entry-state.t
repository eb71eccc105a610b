#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`entry run` and `entry diff` leave the program as it was, whatever the code that they run changes; `entry diff`
compares by value what both runs returned and changed."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()

PROGRAM = PRELUDE + '''
    import hashlib, random
    torch.manual_seed(1)
    numpy = None
    try:
        import numpy
    except ImportError:
        pass

    COUNT, LOG, TABLE = 0, [], {"a": [1]}

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(4, 4)
            self.tied = torch.nn.Linear(4, 4)
            self.tied.weight = self.lin.weight
            self.bn = torch.nn.BatchNorm1d(4)
            self.drop = torch.nn.Dropout(0.5)
            self.seen = []

        def forward(self, x):
            self.seen.append(x.shape[0])
            return self.drop(self.bn(self.tied(self.lin(x))))

    class Plain:
        made = [0]
        __slots__ = ("slot", "__dict__")

        def __init__(self):
            self.slot, self.total, self.me, self.parts, self.kinds = 1, torch.zeros(3), self, {"n": [1]}, {1}

        def work(self, x):
            self.total += x
            self.slot = "written"
            self.parts["n"].append(2)
            self.parts["new"] = x
            self.kinds.add(2)
            self.made.append(1)
            self.later = x * 2
            return self.later + 1

    def make():
        n, past = 0, []

        def closed(x):
            nonlocal n
            torch._dynamo.graph_break()
            n += 1
            past.append(n)
            return x + n

        return closed, lambda: (n, past)

    def globs(x):
        global COUNT, FRESH
        torch._dynamo.graph_break()
        COUNT += 1
        FRESH = COUNT
        LOG.append(COUNT)
        TABLE["b"] = 1
        TABLE["a"].append(2)
        del globals()["GONE"]
        return x + COUNT

    GONE = 1

    def inplace(x, view, grown):
        x.add_(1)
        view.mul_(2)
        torch._dynamo.graph_break()
        grown.resize_(40)
        grown.fill_(3.0)
        return view.sum() + x.sum()

    def raises(x, items):
        x.mul_(3)
        items.append(x)
        torch._dynamo.graph_break()
        raise ValueError("raised on purpose")

    def chance(x):
        torch._dynamo.graph_break()
        return x + random.random() + torch.rand(3) + own.random() + torch.rand(3, generator=gen)

    def learn(x):
        opt.zero_grad()
        loss = (weight * x).sum()
        torch._dynamo.graph_break()
        loss.backward()
        opt.step()
        weight.register_hook(print)
        frozen.requires_grad_(False)
        frozen.data = torch.zeros(5)
        weight.grad.mul_(7)
        torch.set_default_dtype(torch.float64)
        return loss

    def scales(h):
        h.mul_(2)
        return h + 1

    def backs(h):
        torch._dynamo.graph_break()
        h.sum().backward()
        return h.detach() + 1

    def tracks(x, buf):
        buf.add_(weight)
        return buf * x

    def eats(x, it, gen):
        torch._dynamo.graph_break()
        return x + next(it) + next(gen)

    def remakes(x, o):
        torch._dynamo.graph_break()
        o.__class__ = Other
        o.__dict__ = {"other": 1}
        o.made = x
        return x

    class Other:
        pass

    @torch.compile(backend="eager", dynamic=False)
    def inner(x, n):
        return x * n

    def calls(x):
        torch._dynamo.graph_break()
        return inner(x, LOG[0] if LOG else 77)

    x, y = torch.ones(3), torch.ones(4)
    net, plain, thing = Net(), Plain(), Other()
    closed, peek = make()
    own, gen = random.Random(3), torch.Generator()
    weight, frozen = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(2))
    opt = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    thing.kept = 5
    kept = plain.__dict__, thing.__dict__

    def compiled(f, *args):
        try:
            torch.compile(f, backend="eager", dynamic=False)(*args)
        except ValueError:
            pass
        torch.set_default_dtype(torch.float32)

    scratch = Net()
    compiled(scratch.forward, torch.randn(8, 4)), compiled(Plain().work, x), compiled(make()[0], x), compiled(globs, x)
    GONE = 1
    compiled(inplace, torch.ones(3), torch.ones(4)[1:], torch.ones(2)), compiled(raises, torch.ones(3), [])
    compiled(chance, x), compiled(scales, weight * 1), compiled(backs, weight * 1), compiled(tracks, x, torch.zeros(3))
    compiled(eats, x, iter([1, 2]), (i for i in (1, 2))), compiled(remakes, x, Other()), compiled(calls, x), compiled(learn, x)
    weight.grad, weight._backward_hooks, weight.data, frozen.data = None, None, torch.ones(3), torch.ones(2)
    opt.state.clear()
    Plain.made[:] = [0]
    h = weight * 3
    node = h.grad_fn
    loss = (h * h).sum()                    # its backward wants h as it is
    items, it, numbers = [], iter([1, 2, 3]), (i for i in range(9))
    batch = torch.randn(8, 4)
    whole = torch.arange(6.0)
    view, grown, buf = whole[2:5], torch.ones(2), torch.zeros(3)

    def sums():
        """Of all that the functions above can change."""
        tensors = [*net.state_dict().values(), x, y, weight, frozen, h, whole, view, grown, buf, plain.total, batch]
        text = [(t.dtype, tuple(t.shape), t._version, t.requires_grad, t.is_leaf) for t in tensors]
        tensors += [torch.get_rng_state(), gen.get_state()]
        text += [whole.data_ptr() + 8 == view.data_ptr(), net.tied.weight is net.lin.weight, h.grad_fn is node] + [None if t.grad is None else t.grad.tolist() for t in (weight, frozen)]
        text += [repr(weight._backward_hooks), repr(opt.state_dict()), random.getstate(), own.getstate(), torch.get_default_dtype()]
        text += [plain.slot, plain.parts, plain.kinds, Plain.made, sorted(plain.__dict__), kept[0] is plain.__dict__]
        text += [type(thing), thing.__dict__, kept[1] is thing.__dict__, net.seen, peek(), COUNT, LOG, TABLE, GONE, "FRESH" in globals()]
        text += [items, it.__length_hint__(), compiles(), len(entries(inner.__wrapped__)), torch.is_grad_enabled()]
        text += [numpy and str(numpy.random.get_state()), net.training]
        # clone(): from torch 2.14 on no storage can be resized that numpy has ever shared.
        data = b"".join(t.detach().clone().contiguous().view(-1).view(torch.uint8).numpy().tobytes() if numpy else
                        bytes(t.detach().contiguous().view(-1).view(torch.uint8).tolist()) for t in tensors)
        return hashlib.sha256(data + repr(text).encode()).hexdigest()

    del FRESH, COUNT
    COUNT = 0
    LOG.clear()

    def stop(what):
        return what

    stop("here")
    loss.backward()
    print(weight.grad.tolist(), net(batch).sum().item(), h.tolist(), next(it))
'''

CALLS = {
    "forward": ("self=net x=batch", "a module with BatchNorm, Dropout and tied parameters"),
    "work": ("self=plain x=x", "a plain object with slots, containers and class attributes"),
    "globs": ("x=x", "globals that are written, made and deleted"),
    "inplace": ("x=x view=view grown=grown", "in-place operations on a view, and a tensor that is resized"),
    "raises": ("x=x items=items", "a function that raises after it changed its arguments"),
    "chance": ("x=x", "random numbers of torch, of Python and of generators of their own"),
    "learn": ("x=x", "backward, an optimizer's step, hooks, requires_grad, .data and torch's modes"),
    "scales": ("h=h", "an in-place operation on a tensor that autograd has computed"),
    "backs": ("h=h", "a backward through the program's own graph"),
    "tracks": ("x=x buf=buf", "a buffer that becomes part of a graph"),
    "remakes": ("x=x o=thing", "an object that gets another class and other attributes"),
    "calls": ("x=x", "a call of a compiled function that would compile"),
}

with Editing(PROGRAM) as d:
    d.do("break stop")
    d.go()
    before = d.value("sums()")
    ids = {r["function"]: r["entry"] for r in reversed(d.rows("info entries"))}
    for name, (words, what) in CALLS.items():
        reply = d.cmd("entry run %s with %s" % (ids[name], words))
        said = reply.get("text") or reply.get("error")
        like(said, "raised on purpose" if name == "raises" else "tensor", "entry run runs " + what)
        is_(d.value("sums()"), before, "... and puts everything back")
        unlike(said, "not restored", "... without a remark")
        if name == "raises":
            like(d.text("entry diff %s with %s" % (ids[name], words)), r"^equal to eager: both raise ValueError: raised on purpose",
                 "... entry diff compares what both raise")
        else:
            like(d.text("entry diff %s with %s" % (ids[name], words)), "^equal to eager", "... entry diff finds it equal to eager")
        is_(d.value("sums()"), before, "... and puts everything back")

    said = d.text("entry run %s with x=x it=it gen=numbers" % ids["eats"])
    like(said, r"the run may change what cannot be restored: the state of a generator \(gen\)", "a generator is announced")
    unlike(said, "list_iterator", "an iterator of a list is not: the run gets a copy")
    is_(d.value("sums()"), before, "... and the program's own is where it was")
    is_(d.value("next(numbers)"), "1", "... the generator is not")
    d.go()
    d.run_out()
    debugged = d.out

status, out, _ = bare(PROGRAM)
is_((status, debugged), (0, out), "the program prints what it prints without cdbg")

MORE = PRELUDE + '''
    def make():
        n, past = 0, []

        def closed(x):
            nonlocal n
            torch._dynamo.graph_break()
            n += 1
            past.append(n)
            return x + n                    # in closed

        return closed, lambda: (n, past)

    class Box:
        def __init__(self, v):
            self.v, self.me, self.ring = v, self, [1]
            self.ring.append(self.ring)

    class Opaque:
        __slots__ = ()

    def lists(x):
        return [x, {"k": (x + 1, 2.5)}], x.sum()

    def boxes(x):
        torch._dynamo.graph_break()
        return Box(x)

    def lasts(x):
        torch._dynamo.graph_break()
        return Opaque(), (i for i in (1, 2)), x

    def nans(x):
        return x / 0 - x / 0, x / 0

    def alike(x, o):
        torch._dynamo.graph_break()
        return o, o.v

    def near(x):
        return x * 3

    def count(x):
        return x, 10

    def fails(x):
        return x * 2

    closed, peek = make()
    x, box = torch.ones(3), Box(torch.ones(2))
    cc = torch.compile(closed, backend="eager")
    cc(x)
    for f, args in (lists, (x,)), (boxes, (x,)), (lasts, (x,)), (nans, (x,)), (alike, (x, box)):
        torch.compile(f, backend="eager")(*args)

    def off(gm, example):
        return lambda *args: [o * (1 + 1e-7) + 1e-9 if o.dtype == torch.float32 else o for o in gm(*args)]

    def wrong(gm, example):
        return lambda *args: [torch.cat([o[:1] * float("nan"), o[1:] + 2]) for o in gm(*args)]

    torch.compile(near, backend=off)(x)
    torch.compile(fails, backend=wrong)(x)
    torch.compile(count, backend="eager")(x)

    def stop(what):
        return what

    stop("here")
    cc(x)
    stop("after")
'''

with Editing(MORE) as d:
    d.do("break stop")
    d.go()
    ids = {r["function"]: r["entry"] for r in reversed(d.rows("info entries"))}

    def diff(name, words="x=x"):
        return d.text("entry diff %s with %s" % (ids[name], words))

    like(diff("lists"), "^equal to eager, max difference 0\n", "nested containers are compared by value")
    like(diff("boxes"), "^equal to eager, max difference 0\n", "new objects with cycles are compared by their attributes")
    like(diff("nans"), "^equal to eager, max difference 0\n", "NaN equals NaN, infinity infinity")
    like(diff("alike", "x=x o=box"), "^equal to eager", "an object that existed before is the same as itself")
    said = diff("lasts")
    like(said, r"^equal to eager", "what cannot be compared does not count as different")
    like(said, r"not compared: result\[0\] \(Opaque\)\n +not compared: result\[1\] \(generator\)", "... and is named")
    like(diff("near"), r"^equal to eager within tolerance, max difference \d.*\n +within rtol 1.3e-06, atol 1e-05: float32\n",
         "a small difference is reported with the tolerance that it is within")
    like(diff("fails"), r"^not equal to eager, max difference nan\n +result: 3 of 3 elements differ, by at most nan\n",
         "NaN where eager has none is a difference")
    d.do("break closed")
    d.go()
    like(d.text("entry diff " + ids["closed"]), "^equal to eager, max difference 0\n", "a closure is compared in its own frame")
    is_(d.value("x.sum().item()"), "3.0", "... whose arguments stay")
    d.do("delete")
    d.do("break stop")
    d.go()
    is_(d.value("peek()"), "(2, [1, 2])", "... and whose free variables are written by the program's own calls only")
done()
