#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A stage that a graph has not is refused with those that it has, and with what makes it; a nested tensor is compared, and graph save says
# why it cannot write it.
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import sys
    import torch
    def forward(x):
        return (x * 2).sin()
    x = torch.nested.nested_tensor([torch.ones(3, 4), torch.ones(5, 4)], layout=torch.jagged) if "nested" in sys.argv else torch.ones(4)
    if "trained" in sys.argv:
        x.requires_grad_(True)
    c = torch.compile(forward, backend=sys.argv[1])
    for i in range(2):
        r = c(x)
    print("done")
    """


def stopped(*args):
    d = Cdbg(PROGRAM, *args, limit=300)
    d.__enter__()
    d.do("break forward")
    d.go()
    d.go()
    return d


def refused(d, line, stage, text, name):
    like(d.error(line), "^no stage '%s' of '__compiled_fn_1': there %s$" % (stage, text), "%s: %s" % (name, line))


with stopped("aot_eager") as d:
    refused(d, "graph diff captured post-grad", "post-grad",
            "are captured, inference; backend 'aot_eager' makes no such stage, 'inductor' does", "aot_eager")
    refused(d, "graph diff captured kernel", "kernel",
            "are captured, inference; backend 'aot_eager' makes no such stage, 'inductor' does", "aot_eager")
    refused(d, "graph show joint", "joint",
            "are captured, inference; 'graph recompile -backward __compiled_fn_1' makes it where an input requires a gradient", "aot_eager")
    like(d.error("graph diff captured nonsense"), "^no graph 'nonsense': there are __compiled_fn_1", "another word is refused")
    ok(d.rows("graph diff captured inference"), "the stages that exist are compared")
with stopped("aot_eager", "trained") as d:
    refused(d, "graph code inference", "inference", "are captured, joint, forward, backward; a graph that is trained has no such stage",
            "aot_eager, trained")
    ok(d.rows("graph diff captured forward"), "a stage has precedence over a function with its name")
with stopped("inductor", "trained") as d:
    refused(d, "graph show kernel-backward", "kernel-backward", "are captured, joint, forward, backward, post-grad, kernel; "
            "'graph recompile -backward __compiled_fn_1' makes it where an input requires a gradient", "inductor, trained")
    d.do("graph recompile -backward")
    like(d.text("graph show kernel-backward"), "cpp_fused", "... and it does")
with stopped("eager") as d:
    refused(d, "graph diff captured post-grad", "post-grad", "is captured; backend 'eager' makes no others", "eager")
    refused(d, "graph diff captured forward", "forward", "is captured; backend 'eager' makes no others", "eager, of a function with that name")
    ok(d.rows("graph show forward"), "without such a stage, a function's name is the function")

for backend in ("eager", "aot_eager", "inductor"):
    with stopped(backend, "nested") as d:
        r = d.cmd("graph compare")
        ok(r["ok"] and r["first"] is None and r["rows"], "%s: a graph of a nested tensor is compared" % backend, str(r)[-300:])
        is_(d.error("graph save /dev/null"), "'l_x_' cannot be written: it is a nested tensor; 'with NAME=EXPR' gives the program a plain "
            "tensor or number for it", "%s: graph save names the nested tensor" % backend)
        with tempfile.TemporaryDirectory() as folder:
            ok(d.cmd("graph save %s/saved.py with x=torch.ones(3, 4)" % folder)["ok"], "%s: ... and writes another value" % backend)
        d.do("delete")
        d.go()
        is_(d.out, "done\n", "%s: the program continues" % backend)
done()
