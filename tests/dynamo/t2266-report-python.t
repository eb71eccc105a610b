#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Python can read each .py file of a report: graphs with slices, devices, infinity, long lists, sub-graphs and objects without a text of
Python's."""
import ast
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
path = script("""
    import torch

    @torch.compile(backend="aot_eager")
    def parts(x):
        y = x[:, 1:3]
        z = torch.zeros(4, 4, device=x.device)
        z[0, ::2] = 1.5
        z = torch.clamp(z, max=float("inf"))
        return y.sum() + z[:, None][..., 0].sum() + x[0]

    @torch.compile(backend="eager")
    def many(xs):
        return torch.cat(xs)

    @torch.compile(backend="eager")
    def branch(x):
        return torch.cond(x.sum() > 0, lambda x: x[1:].sin(), lambda x: x[1:].cos(), (x,))

    @torch.compile(backend="eager")
    def context(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x

    parts(torch.ones(4, 4))
    many([torch.ones(2) for i in range(600)])
    branch(torch.ones(4))
    context(torch.ones(4, 4))
    print("done")
""")
status, out, err, where = report(path, "python")
is_((status, out), (0, "done\n"), "the program runs")
files = glob.glob(os.path.join(where, "*", "*.py"))
texts = {os.path.relpath(name, where): open(name, encoding="utf-8").read() for name in files}


def broken(text):
    try:
        ast.parse(text)
    except SyntaxError as error:
        return str(error)


is_({name: broken(text) for name, text in texts.items() if broken(text)}, {}, "Python can read each file")
ok(len(texts) > 10, "there are files of entries, guards and graphs")
parts = next(text for name, text in texts.items() if "parts/graph" in name and "captured" in name)
like(parts, r"(?m)^    y = l_x_\[:, 1:3\]  #", "a slice is written in brackets")
like(parts, r"(?m)^    z\[0, ::2\] = 1\.5", "an assignment to a part is written as one")
like(parts, r"device='cpu'", "a device is written as in source")
like(parts, r"max=float\('inf'\)", "infinity, too")
many = next(text for name, text in texts.items() if "many/graph" in name and "captured" in name)
like(many, r"not Python: .*torch\.cat\(\[", "a call whose arguments are too long to be kept is a comment")
branch = next(text for name, text in texts.items() if "branch/graph" in name and "captured" in name)
like(branch, r"(?m)^def \w+\(self, ", "a graph that takes values of its module has the module as its first argument")
unlike("\n".join(text for name, text in texts.items() if "parts/graph" in name or "branch/graph" in name), "not Python", "nothing else is")

folder = os.path.dirname(script("import torch\nCOUNT = 1\n\ndef small(x):\n    return x * COUNT\n", name="a/layers.py"))
script("def first(x):\n    return x + 1\n\ndef large(x):\n    for i in range(20):\n        x = x.sin() + i\n    return x\n", name="z/layers.py",
       folder=os.path.dirname(folder))
path = script("""
    import os, sys
    here = os.path.dirname(os.path.abspath(__file__))
    import importlib.util

    def load(name):
        spec = importlib.util.spec_from_file_location(name, os.path.join(here, name, "layers.py"))
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    import torch
    a, z = load("a"), load("z")

    def before(x):
        return x - 1

    @torch.compile(backend="eager")
    def model(x):
        return z.large(a.small(after(before(x))))

    def after(x):
        return x - 2

    model(torch.ones(2))
    print("done")
""", folder=os.path.dirname(folder))
status, out, err, where = report(path, "order")
is_((status, out), (0, "done\n"), "a program of three files runs")
page = next(open(name, encoding="utf-8").read() for name in glob.glob(os.path.join(where, "model*", "index.html")))
is_([title.replace("prog.py", "its own file") for title in re.findall(r"Inlined from ([^<]*)", page)],
    ["z/layers.py", "its own file", "its own file", "a/layers.py"], "inlined files with most nodes are first, and name their folders where names are the same")

path = script("""
    import torch

    class Net(torch.nn.Module):
        def forward(self, x, names):
            if "p" not in names and "q" not in names:
                x = x * len(names)
            return x + isinstance(names, dict)

    net = torch.compile(Net(), backend="eager", dynamic=False)
    net(torch.ones(2), {"a": 1})
    net(torch.ones(3), {"a": 1})
    print("done")
""")
status, out, err, where = report(path, "sides")
is_((status, out), (0, "done\n"), "a program with two entries runs")
page = next(open(name, encoding="utf-8").read() for name in glob.glob(os.path.join(where, "Net*", "index.html")))
differ = page.split("Guards that differ", 1)[1].split("</table>", 1)[0]
is_(re.findall(r"<tr><th[^>]*><code>([^<]*)</code> <small>([^<]*)</small>", differ), [("x", "TENSOR_MATCH")],
    "entries side by side: the guard that differs is the only one; the others have other names in each entry")
done()
