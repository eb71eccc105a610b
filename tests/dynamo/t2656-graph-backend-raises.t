#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare of a graph whose backend raises says what raised; a graph runs whose input is one number that is expanded to billions."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    times = []
    def compiles_once(gm, inputs):
        times.append(gm)
        if len(times) > 1:
            raise ValueError("compiled once only\\nand no more")
        return gm.forward
    def runs_once(gm, inputs):
        def run(*args):
            times.append(gm)
            if len(times) != 1:
                raise KeyError("at call")
            return gm(*args)
        return run
    def backward_fails(gm, inputs):
        class Fails(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()
            @staticmethod
            def backward(ctx, g):
                raise KeyError("in backward")
        return lambda *args: tuple(Fails.apply(v) for v in gm(*args))
    def f(x):
        return x.sin() * 2
    def large(x, big):
        return x + big[0]
    x = torch.ones(3, requires_grad=True)
    def stop(what):
        return what
    c = torch.compile(f, backend=compiles_once)
    c(x)
    stop(c)
    torch._dynamo.reset()
    times.clear()
    c = torch.compile(f, backend=runs_once)
    c(x)
    stop(c)
    torch._dynamo.reset()
    c = torch.compile(f, backend=backward_fails)
    c(x)
    stop(c)
    torch._dynamo.reset()
    c = torch.compile(large, backend="aot_eager")
    big = torch.ones(1).expand(10**10)
    with torch.no_grad():
        c(x, big)
    stop(c)
    print("done")
"""


with Cdbg(PROGRAM) as d:
    d.do("break stop")
    d.go()
    needs = "'graph run' and 'stepg' need no backend"
    like(d.error("graph compare f with x=x"), r"the entry's backend raised ValueError: compiled once only as it compiled .*" + needs,
         "a backend that raises when the graph is compiled again is named")
    ok(d.rows("graph run f with x=x"), "its graph runs")
    d.go()
    like(d.error("graph compare f with x=x"), r"code that the entry's backend made raised KeyError: 'at call' as it ran; " + needs,
         "code that raises is, too")
    like(d.error("graph reduce f with x=x"), r"raised KeyError: 'at call'", "graph reduce says the same")
    d.go()
    like(d.error("graph compare -backward f with x=x"), r"backward code .* raised KeyError: 'in backward'", "and of a backward that raises")
    d.go()
    is_(len(d.rows("graph run large with x=x big=big")), 5, "an input that is expanded to 40 GB takes as much as it has")
    d.run_out()
    is_(d.out, "done\n", "the program ends as ever")
done()
