#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that graph save or graph reduce writes has the program's settings of torch and its backend, so that it reproduces a difference
which depends on them."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
# torch can make a lowering wrong on purpose: 'accuracy' adds one to each element of relu.
PROGRAM = """
    import torch, torch._inductor.config as config
    torch.manual_seed(0)
    torch.set_num_threads(1)
    WRONG = {"cpp.inject_relu_bug_TESTING_ONLY": "accuracy"}
    def by_config(x, w):
        return torch.relu(x @ w).sum(-1)
    def by_option(x, w):
        return torch.relu(x @ w).sum(-1) * 2
    def modes(x, w):
        return torch.full((4,), 1e-9) + x @ w
    def passed(x, w):
        return x @ w - 1
    def own_pass(graph):
        return None
    x, w = torch.randn(4, 4), torch.randn(4, 4)
    def run(f, **more):
        c = torch.compile(f, **more)
        for _ in range(2):
            c(x, w)
    with config.patch(WRONG):
        run(by_config)
    run(by_option, options={**WRONG, "epilogue_fusion": False, "fx_graph_cache": False})
    torch.set_default_dtype(torch.float64)
    torch.set_float32_matmul_precision("high")
    with torch.autocast("cpu", torch.bfloat16):
        run(modes)
    torch.set_default_dtype(torch.float32)
    with config.patch(pre_grad_custom_pass=own_pass):
        run(passed)
"""


def settings(file):
    with open(file) as f:
        text = f.read()
    return text, re.findall(r"^    (torch\._(?:inductor|functorch)\.config\..*)", text, re.M)


with Cdbg(PROGRAM, limit=400) as d:
    folder = os.path.dirname(d.path)
    file = os.path.join(folder, "saved.py")

    def at(function):
        d.do("delete")
        d.do("break " + function)
        d.go()
        d.go()
    for function, extra in (("by_config", []), ("by_option", ["torch._inductor.config.epilogue_fusion = False"])):
        at(function)
        for command in ("save", "reduce"):
            d.do("graph %s %s" % (command, file))
            is_(settings(file)[1], ["torch._inductor.config.cpp.inject_relu_bug_TESTING_ONLY = 'accuracy'", *extra],
                "%s, graph %s: what is set is written, and nothing else" % (function, command))
            r = python(file, limit=300)
            ok(r.returncode == 1 and "WRONG" in r.stdout, "... and the program finds the difference", r.stdout + r.stderr)
    at("modes")
    d.do("graph save " + file)
    text = settings(file)[0]
    ok(all([line in text for line in ("torch.set_num_threads(1)", "torch.set_default_dtype(torch.float64)", "torch.set_autocast_enabled('cpu', True)",
                                      "torch.set_autocast_dtype('cpu', torch.bfloat16)", "torch.set_float32_matmul_precision('high')")]),
       "modes: threads, default type, autocast and precision are set", text[-3000:])
    with open(file, "a") as f:
        f.write("\n    print(Graph()(*inputs())[0].dtype)\n")
    with open(file) as f:
        text = f.read().replace("sys.exit(main())", "print(main())")
    with open(file, "w") as f:
        f.write(text)
    r = python(file, limit=300)
    like(r.stdout, r"right\n0\ntorch\.float64\n$", "... and the program computes the same types, and is right")
    at("passed")
    r = d.do("graph save " + file)
    like(r["text"], r"note: the program does not set torch\._inductor\.config\.pre_grad_custom_pass: ", "a setting that cannot be written is reported")
    like(settings(file)[0], r"Note: the program does not set torch\._inductor\.config\.pre_grad_custom_pass: the value cannot be written\.\n", "... in the program, too")
    d.do("delete")
    d.run_out()

BACKENDS = """
    import torch
    from torch._dynamo import register_backend
    from torch._dynamo.backends.common import aot_autograd
    def plain(gm, inputs):
        return lambda *args: [t * 1.001 for t in gm.forward(*args)]
    def compiled(gm, inputs):
        for n in gm.graph.nodes:
            if n.target is torch.ops.aten.sin.default:
                n.target = torch.ops.aten.cos.default
        gm.recompile()
        return gm.forward
    traced = aot_autograd(fw_compiler=compiled)
    @register_backend
    def own_registered(gm, inputs):
        return plain(gm, inputs)
"""
USES = """
    import functools, sys, torch, own_backends
    backends = {"own_backends.plain": own_backends.plain, "own_backends.traced": own_backends.traced, "own_backends.own_registered": "own_registered",
                "inductor": functools.partial(own_backends.plain), "aot_eager": "aot_eager"}
    def f(x):
        return x.sin() + 1
    c = torch.compile(f, backend=backends[sys.argv[1]])
    for _ in range(2):
        c(torch.ones(3))
"""
path = script(USES)
folder = os.path.dirname(path)
script(BACKENDS, "own_backends.py", folder)
for name in "own_backends.plain", "own_backends.traced", "own_backends.own_registered", "inductor", "aot_eager":
    with Cdbg(path, name, limit=300) as d:
        d.do("break f")
        d.go()
        d.go()
        saved = os.path.join(tempfile.mkdtemp(dir=folder), "saved.py")
        text = d.do("graph save " + saved)["text"]
        like(settings(saved)[0], r"compiles the graph with BACKEND \(%s by default\)" % name, "backend %s: the program compiles with it" % name)
        r = python(saved, cwd="/", limit=300)
        wrong = name.startswith("own")
        ok(r.returncode == wrong and ("WRONG" if wrong else ": right") in r.stdout, "... and finds what it makes wrong, or nothing", r.stdout + r.stderr)
        if name == "inductor":
            like(text, r"note: the program compiles with inductor: the entry's backend( '\w+')? is in no module that a saved program can import",
                 "... for a backend that cannot be imported, a note names it")
        else:
            unlike(text, "note", "... without a note")
        d.do("delete")
        d.run_out()
done()
