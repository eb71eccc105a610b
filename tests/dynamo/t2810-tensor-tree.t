#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Modules and tensors in the tree of variables: what is in them, and that reading it changes nothing and runs nothing.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import warnings

    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    warnings.simplefilter("error")


    class Wrapped(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

        def __init__(self, inner):
            self.inner = inner

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            print("RAN dispatch", func)
            return func(*[a.inner if isinstance(a, Wrapped) else a for a in args], **(kwargs or {}))


    class Named(torch.Tensor):
        def stride(self, *args):
            print("RAN stride")
            return ()

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            print("RAN function", func)
            return super().__torch_function__(func, types, args, kwargs or {})


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
            self.named = torch.nn.ModuleDict({"out": torch.nn.Linear(3, 1)})
            self.register_buffer("scale", torch.ones(1))
            self.width = 4

        @property
        def costly(self):
            print("RAN property")

        def forward(self, x):
            return self.named["out"](self.layers(x))


    def work():
        torch.manual_seed(0)
        net = Net()
        x = torch.arange(12.0).view(3, 4)
        y = net(x)
        y.sum().backward()
        bad = torch.tensor([1.0, float("nan"), float("-inf"), 0.0, 3.0])
        many = torch.full((2500, 2500), 2.0)
        turned = torch.arange(6).view(2, 3).t()
        empty, number, flags = torch.zeros(0, 3), torch.tensor(7), torch.tensor([True, False])
        pair = torch.tensor([1 + 2j, 3 - 4j]).conj()
        freed = torch.ones(100)
        freed.untyped_storage().resize_(0)
        meta, sparse = torch.ones(3, device="meta"), torch.eye(3).to_sparse()
        with FakeTensorMode() as mode:
            fake = torch.ones(4)
        wrapped, named = Wrapped(torch.ones(2)), torch.ones(2).as_subclass(Named)
        version = x._version
        print("here")  # stop
        assert x._version == version and net.layers[0].weight.grad is not None
        print("end")


    work()
'''

with Cdbg(PROGRAM, options=["-q"]) as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()

    def parts(path):
        return {r["name"]: r for r in d.rows("info locals " + path)}

    net = parts("net")
    is_([(n, r["kind"]) for n, r in net.items()],
        [(".layers", "module"), (".named", "module"), (".scale", "buffer"), (".training", "attribute"), (".width", "attribute")],
        "a module has its modules, parameters and buffers, then its own attributes")
    is_(list(parts("net.layers")), ["[0]", "[1]", ".training"], "a Sequential has items")
    is_(list(parts("net.named"))[0], "['out']", "a ModuleDict keys")
    linear = parts("net.layers[0]")
    is_([(n, r["kind"], r["value"]) for n, r in linear.items()][:2],
        [(".weight", "parameter", "f32[3,4] cpu grad"), (".bias", "parameter", linear[".bias"]["value"])], "a layer has parameters")
    weight = parts("net.layers[0].weight")
    is_([(n, r["kind"]) for n, r in weight.items()],
        [("values", "values"), ("statistics", "statistics"), ("storage", "storage"), ("._version", "version"), (".grad", "gradient")],
        "a tensor has values, statistics, its storage, its version and its gradient")
    is_(weight[".grad"]["value"], "f32[3,4] cpu", "the gradient is a tensor")
    is_(list(parts("net.layers[-2].weight.grad"))[0], "values", "which is found by the same expressions")
    is_(".grad" in parts("y"), False, "of a tensor that is not a leaf none is read, which would warn")
    is_(parts("x")["values"]["value"], "[0, 1, 2, 3, ...]", "the first values are shown")
    is_(parts("x")["statistics"]["value"], "min 0  max 11  mean 5.5  nan 0  inf 0  zeros 1", "and what all of them are")
    is_(parts("x")["storage"]["value"], "strides (4, 1)  offset 0  48 bytes", "and where they are")
    is_(parts("bad")["statistics"]["value"], "min 0  max 3  mean 1.33333  nan 1  inf 1  zeros 1", "NaN and Inf are counted apart")
    is_(parts("many")["statistics"]["value"], "Enter reads 6250000 elements", "of many only when the user asks")
    is_(parts("turned")["statistics"]["value"][:24], "min 0  max 5  mean 2.5  ", "also where they are not in order")
    is_(parts("turned")["values"]["value"], "[0, 3, ...]", "the first values are those of the last dimension")
    is_([parts(n)["values"]["value"] for n in ("empty", "number", "flags", "pair")], ["[]", "7", "[True, False]", "[1-2j, 3+4j]"],
        "values of an empty tensor, a number, truths and conjugates")
    is_([parts(n)["values"]["value"] for n in ("freed", "meta", "fake")],
        [" storage freed", "a tensor without values", "a tensor without values"], "a tensor without memory reports it")
    like(parts("sparse")["values"]["value"], "a sparse tensor: view its _values", "a sparse one, too")
    is_([(r["name"], r["value"]) for r in d.rows("info locals wrapped")],
        [("values", "its class, of the program, says what they are"), (".inner", "f32[2] cpu [1, 1]")],
        "a class of the program that computes its values is not asked; its attributes are there")
    is_(parts("named")["values"]["value"], "[1, 1]", "one that does not is read")
    is_(d.text("complete print net.layers[0].wei").splitlines(), ["print net.layers[0].weight"], "completion goes through modules")
    ok("print net.named['out'].weight.shape" in d.text("complete print net.named['out'].weight.sh").splitlines(), "up to what tensors have")
    is_(d.text("complete print net.named['"), "print net.named['out']", "and offers keys")
    d.run_out()
    is_(d.out, "here\nend\n", "nothing of that ran the program's code, and nothing is different")
done()
