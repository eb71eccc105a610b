#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Captured graphs: with the backend eager nothing is copied while Dynamo compiles; the copy is made when it is needed.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import gc
import sys
import torch

def f(x, k):
    for i in range(k):
        x = torch.sin(x) * 2
    return x

def stop(what):
    return what

%s
x = torch.ones(4)
c = torch.compile(f, backend=%s, dynamic=False)
before = sys.getrefcount(torch.sin)
c(x, 5)
gc.collect()
stop(sys.getrefcount(torch.sin) - before)   # the nodes of a graph, and those of what is kept of it
c(x, 5)
stop("again")
torch._dynamo.reset()
del c
gc.collect()
stop("reset")
'''


def session(backend, before="", keep="on"):
    d = Cdbg(PROGRAM % (before, backend))
    d.do("set keep-graphs " + keep)
    d.do("break stop")
    d.go()
    return d


def kept(d, backend, before=""):
    """The nodes of sin() that cdbg keeps, at the stop after the compile."""
    with session(backend, before, keep="off") as without:
        return int(d.rows("info locals")[0]["value"]) - int(without.rows("info locals")[0]["value"])


RUN = "graph run 0/0 with x=x k=5"


def nodes(d):
    return [r["node"] for r in d.rows(RUN)]


with session("'eager'") as d:
    is_(kept(d, "'eager'"), 0, "eager: no graph is copied while it is compiled")
    is_(nodes(d).count("sin"), 1, "the graph runs node by node")
    d.go()
    ok(len(nodes(d)) > 9, "a second time, too")
    d.go()
    ok(d.error(RUN), "after a reset it is gone, and the answer is an error")

with session("'aot_eager'") as d:
    is_(kept(d, "'aot_eager'"), 5, "aot_eager: the graph is copied before the backend changes it")
    ok(len(nodes(d)) > 9, "and runs")

if torch_has("torch._dynamo.config.debug_backend_override"):
    other = "'eager'", "torch._dynamo.config.debug_backend_override = '>=0:aot_eager'"
    with session(*other) as d:
        is_(kept(d, *other), 5, "another backend by torch._dynamo.config: the graph is copied")
        ok(len(nodes(d)) > 9, "and runs")
else:
    skip("another backend by torch._dynamo.config", "this version of torch has no such setting")
done()
