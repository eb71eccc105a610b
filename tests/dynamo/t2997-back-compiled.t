#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Going back in compiled code: from a resume function into the graph before it, from a NaN to what made its operand, and
beyond the record by a checkpoint."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
TOY = """\
import torch

def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b

fn = torch.compile(toy_example, backend="eager")
for i in range(40):
    fn(torch.ones(10), torch.ones(10) * (1 - 2 * i))
last = 1                                # stop
"""


def walk(d, want, most=200):
    """Steps back until a frame is as wanted; how many instructions."""
    for n in range(1, most):
        frame = d.go("rstepi")["frame"]
        if want(frame):
            return n
    return None


with Cdbg(TOY, limit=200) as d:
    d.cmd("break %d if i == 2" % d.line_of("fn(torch.ones"))
    d.go()
    d.do("record")
    d.do("set record-size 64")
    d.do("catch resume")
    d.do("delete 1")
    stop = d.go()
    is_((stop["reason"], "resume" in stop["frame"]["function"]), ("resume", True), "a resume function begins")
    n = walk(d, lambda f: f["kind"] == "graph")
    ok(n and n < 100, "rstepi goes from there back into the graph that ran before", n)
    is_([r["function"] for r in d.rows("info frames")][1:2], ["toy_example"], "... called by the generated code of the function")
    stop = d.go("rfinish")
    is_(stop["frame"]["region"], "graph call", "rfinish: at its call")
    d.go("now")
    stop = d.go("rcontinue")
    ok(stop["reason"] in ("resume", "step") and "past" in stop, "rcontinue looks for the resume function before", stop)
    d.do("quit")

with Cdbg(TOY, limit=200) as d:
    d.do("set record-size 64")
    d.cmd("break %d if i == 2" % d.line_of("fn(torch.ones"))
    d.go()
    d.do("record")
    d.do("checkpoint")
    d.do("delete 1")
    d.cmd("break %d" % d.line_of("# stop"))
    d.go()
    first = int(re.search(r"#(\d+) to", d.error("go -100000000") or "#0 to").group(1))
    ok(first > 100, "the record has lost its beginning", first)
    was = d.go("go #%d" % first)["frame"]
    stop = d.go("rstepi")
    ok("past" not in stop, "the instruction before it is reached by the checkpoint, alive", stop)
    now = d.go("stepi")["frame"]
    is_([now[k] for k in ("function", "offset", "region")], [was[k] for k in ("function", "offset", "region")], "... and what follows is what the record had")
    is_([n["text"] for n in d.notes if "differs" in n["text"]], [], "... on the same way")
    resumed = [r["function"] for r in d.rows("info writes b") if r["opname"] == "argument"]
    ok(any(f.startswith("toy_example (resumed at line ") for f in resumed), "what is passed to a resume function counts, under its name for people", resumed)
    d.do("quit")

with Cdbg("""
    import torch
    def model(x, w):
        a = x * w
        b = a - 3
        c = torch.log(b)
        return (c * 2).sum()
    fn = torch.compile(model, backend="eager")
    fn(torch.full((4,), 9.0), torch.ones(4))
    start = 1
    fn(torch.ones(4), torch.ones(4))
""", limit=200) as d:
    d.cmd("break %d" % d.line_of("start = 1"))
    d.go()
    d.do("record")
    d.do("catch nan")
    stop = d.go()
    is_(stop["reason"], "nan", "catch nan stops")
    writes = [r for r in d.rows("info writes b") if r["value"] != "None"]     # a graph drops what it needs no more
    ok(writes and writes[0]["number"], "info writes has who wrote its operand", writes)
    stop = d.go("go #%d" % writes[0]["number"])
    is_((stop["frame"]["kind"], stop["frame"]["opname"].startswith("STORE")), ("graph", True), "... and one goes there")
    like(stop["frame"].get("node") or "", r"b|sub", "... the subtraction that gave what log cannot take")
    d.do("quit")
done()
