#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recording compiled code: back from the return through a resume function into the graph, node by node."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
TEXT = """\
import torch

def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b

fn = torch.compile(toy_example, backend="eager")
for i in range(3):
    fn(torch.ones(10), torch.ones(10) * (1 - 2 * i))
last = 1                                # stop
"""


def screen(d):
    frames = [(r["function"], r["line"], r["offset"], r["kind"], r["entry"], r["region"]) for r in d.rows("info frames")]
    stack = [(r["value"], r["type"], r["kind"]) for r in d.rows("info stack")]
    return frames, stack, [(r["name"], r["value"]) for r in d.rows("info locals")], d.stop["frame"].get("node")


with Cdbg(TEXT) as d:
    like(d.text("record"), r"recording generated code and graphs", "compiled code and graphs are recorded from the start")
    d.cmd("break %d" % d.line_of("# stop"))
    d.go()
    facts = {r["what"]: r["value"] for r in d.rows("info record")}
    ok(facts["instructions"] > 300 and facts["code objects"] >= 6, "three calls of generated code, resume functions and graphs", facts)
    stop = d.go("rstep")
    is_((stop["frame"]["kind"], stop["frame"]["entry"][:2], stop["frame"]["region"]), ("generated", "0/", "return"),
        "the last region of the last call comes first")
    stop = d.go("rstep")
    like(stop["frame"]["qualname"], r"resumed at line", "then the resume function")
    is_([r["kind"] for r in d.rows("info frames")], ["generated", "generated"], "inside the frame that called it")
    regions, nodes = [], []
    while len(regions) < 40 and not (stop["frame"]["region"] == "graph call" and stop["frame"]["entry"].startswith("0/")):
        stop = d.go("rstep")
        regions.append(stop["frame"]["region"])
    ok("graph call" in regions, "rstep goes back region by region to the graph call", regions)
    d.cmd("break node:abs*")
    d.go("now")
    seen = []
    for i in range(3):
        stop = d.go("rcontinue")
        seen.append((stop["reason"], stop["frame"]["kind"], stop["frame"].get("node"), stop["past"]["call"]))
    is_(seen, [("breakpoint", "graph", "abs_1", n) for n in (3, 2, 1)], "rcontinue goes to a node of the graph in each call")
    is_([r["kind"] for r in d.rows("info frames")], ["graph", "generated"], "called by the generated code")
    stop = d.go("step")
    like(stop["frame"]["node"], r"add", "step goes on to the next node")
    like(d.text("print abs_1"), r"Tensor|f32", "what a node computed is answered from the record")
    stop = d.go("rfinish")
    is_((stop["frame"]["kind"], stop["frame"]["region"]), ("generated", "graph call"), "rfinish goes to the call of the graph")
    d.go("now")
    back, wrong = [], []
    for i in range(120):
        d.go("rstepi")
        back.append(screen(d))
    for i in range(119):
        d.go("stepi")
        if screen(d) != back[-2 - i]:
            wrong.append((i, back[-2 - i], screen(d)))
    ok(not wrong, "120 instructions back and forward show the same screens", wrong[:2])
    is_(d.go("stepi").get("past"), None, "then the present")
    d.go()

out = []
for commands in ((), ("record",)):
    status, text, err = run(script(TEXT + "print(fn(torch.arange(3.), torch.arange(3.) - 2))\n"), options=("--plain", "-q"),
                            commands=[*commands, "continue"])
    out.append([l for l in text.splitlines() if "tensor" in l])
ok(out[0] and out[0] == out[1], "the program's results are the same with a record", out)
done()
