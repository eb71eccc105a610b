#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The record of a process that was killed in compiled code: the node, generated code with its regions, the entry."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
TEXT = """\
import os, signal
import torch

killing = False

@torch._dynamo.allow_in_graph
def scaled(x):
    if killing:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * 2

def toy_example(a, b):
    x = scaled(a / (torch.abs(a) + 1))
    if b.sum() < 0:
        b = b * -1
    return x * b

fn = torch.compile(toy_example, backend="eager")
for i in range(3):
    killing = i == 2
    fn(torch.ones(10), torch.ones(10) * (1 - 2 * i))
"""
path = script(TEXT)
record = os.path.join(os.path.dirname(path), "record")
died = run(path, options=["-nx", "--plain", "--record=%s" % record], commands=["continue"], limit=300)
is_(died[0], -9, "the program is killed while a compiled function runs")
with Cdbg(record, options=("-nx", "--post-mortem")) as d:
    frame = d.stop["frame"]
    ok(d.stop["past"]["pid"] > 1, "its record is opened", d.stop)
    frames = d.rows("info frames")
    is_((frame["kind"], frame["entry"]), ("graph", "0/0"), "it died in the graph of entry 0/0")
    like(frame["node"], r"scaled|^x", "the node is named")
    like(frame["opname"], r"^CALL", "at the instruction that calls its function")
    is_([(r["kind"], r["entry"], r["region"]) for r in d.rows("info frames")][1:], [("generated", "0/0", "graph call")], "called by generated code, in its graph call")
    ok([r for r in d.rows("info locals") if re.search(r"float32|f32", r["value"] or "")], "tensors have dtype and shape", d.rows("info locals"))
    like(d.text("disassemble"), r"from the record\n(.*\n)* +abs_1\n(.*\n)* +add\n(.*\n)*=> +%d  CALL" % frame["offset"], "the graph's code is listed, with its nodes")
    d.cmd("up")
    code = d.rows("info code")
    ok({"graph call"} < {r["region"] for r in code}, "that of the generated code with its regions", {r["region"] for r in code})
    is_([r["region"] for r in code if r["current"]], ["graph call"], "and the instruction marked")
    d.go("rstep")
    is_((d.stop["frame"]["kind"], bool(d.stop["frame"]["node"])), ("graph", True), "rstep goes to the node before")
    d.go("rfinish")
    is_((d.stop["frame"]["kind"], d.stop["frame"]["region"]), ("generated", "graph call"), "rfinish to the generated code")
    ok(len(d.rows("info calls")) > 3 and d.rows("info time"), "calls and times are listed")
    node = d.do("break node:ab*")["text"]
    like(node, r"^breakpoint \d+ at .*:\d+ \(forward\)", "a breakpoint on a node of the graph is set")
    stop = d.go("rcontinue")
    is_((stop["reason"], stop["frame"]["kind"]), ("breakpoint", "graph"), "rcontinue goes to it")
    d.do("delete")
    like(d.do("break %s:%d" % (os.path.basename(path), line_of(path, "x = scaled")))["text"], r"^breakpoint \d+ at", "one on a line of the compiled function is set")
    stop = d.go("continue")
    is_((stop["reason"], stop["frame"]["kind"]), ("breakpoint", "graph"), "continue goes to the graph's node of that line")
    d.do("delete")
    d.go("go #0")
    d.do("break 0/0")
    stop = d.go("continue")
    is_((stop["reason"], stop["frame"]["kind"], stop["frame"]["entry"]), ("breakpoint", "generated", "0/0"), "an entry means its generated code")
    like(d.error("info entries"), r"^this is the record of a process that is gone", "what asks Dynamo is refused")
done()
