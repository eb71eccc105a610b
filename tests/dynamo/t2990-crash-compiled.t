#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The report of a crash in compiled code: the region of generated code, the node of a graph, the kernel of inductor's code,
# and the line of the program that each comes from.
import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

OP = """
import ctypes, os, signal, sys, threading, time, torch
armed = False

def die():
    ctypes.string_at(0)

@torch.library.custom_op("lab::boom", mutates_args=())
def boom(x: torch.Tensor) -> torch.Tensor:
    if armed:
        die()
    return x.clone()

@boom.register_fake
def _(x):
    return torch.empty_like(x)

def setup(ctx, inputs, output):
    pass

armed_back = False

@torch.library.custom_op("lab::back", mutates_args=())
def back(x: torch.Tensor) -> torch.Tensor:
    if armed_back:
        die()
    return x.clone()

@back.register_fake
def _(x):
    return torch.empty_like(x)

boom.register_autograd(lambda ctx, g: torch.ops.lab.back(g), setup_context=setup)

def model(a, b):
    x = a.sin()
    y = x * 2
    z = torch.ops.lab.boom(y)    # op
    w = z + b
    return w.cos()

"""
BREAK = """
import ctypes, sys, torch
armed = False

@torch._dynamo.disable
def plain(x):
    if armed:
        ctypes.memset(0, 1, 8)
    return x

def model(a, b):
    x = a.sin()
    y = plain(x)     # call
    if armed:
        y = y + 1
    return y.cos() + b     # after

def inner(a):
    z = a * 3
    plain(z)    # inner call
    return z

def outer(a, b):
    return inner(a + b) + 1   # outer call

"""
CALLS = """
f = torch.compile({function}, backend={backend!r}{more})
a, b = torch.randn(8{grad}), torch.randn(8)
for i in range(2): {call}
{arm} = True
{call}
print("survived")
"""


def crash(name, text, backend, sig=signal.SIGSEGV, function="model", more="", grad="", call="f(a, b)", arm="armed"):
    """The status, and what the crashed object has."""
    text = text + CALLS.format(function=function, backend=backend, more=more, grad=grad, call=call, arm=arm)
    with Cdbg(text, limit=200) as d:
        d.send("continue")
        obj = {}
        while obj.get("event") not in ("crashed", "exited") and obj.get("reason") != "exception":
            obj = d.next()
        is_((obj.get("event"), obj.get("signal")), ("crashed", sig.name), "%s: the report comes" % name)
        d.proc.wait()
        is_(d.proc.returncode, -sig, "%s: the status is that of the signal" % name)
        return d, obj


def first(obj, title):
    """The innermost frame of the crashed thread whose title has this."""
    return next((f for f in obj["threads"][0]["frames"] if title in f.get("title", "")), {})


def place(f):
    return os.path.basename(f.get("user_file") or f.get("file", "?")), f.get("user_line")


# ---- nodes of graphs ----

for backend in "eager", "aot_eager":
    d, obj = crash("a node, %s" % backend, OP, backend)
    line = line_of(d.path, "# op")
    t = obj["threads"][0]
    is_((t["died"], t["function"], t["opname"][:4]), (True, "string_at", "CALL"), "%s: the innermost frame is Python's" % backend)
    is_(t.get("entry"), "0/0", "%s: the entry" % backend)
    g = first(obj, "graph ")
    is_((bool(g.get("node")), place(g)), (True, ("prog.py", line)), "%s: the graph's frame has its node and the node's line" % backend)
    is_(t.get("node"), g.get("node"), "%s: the thread has the node, too" % backend)
    like(g.get("node", ""), "^(z|boom.*)$", "%s: it is the node of the operator" % backend)
    e = first(obj, "generated code of model")
    is_((e.get("entry"), e.get("region")), ("0/0", "graph call"), "%s: the generated code's frame has its entry and region" % backend)
    has_line = e.get("user_line")
    ok(has_line and line_of(d.path, "x = a.sin()") <= has_line <= line, "%s: and the region's line" % backend, has_line)
    ok("a" in [v["name"] for v in e.get("locals", ())] and "Tensor" in [v["kind"] for v in e.get("locals", ())],
       "%s: the kinds of its variables" % backend, e.get("locals"))
    order = [f["function"] for f in obj["threads"][0]["frames"]]
    ok(order.index("die") < order.index("boom") < order.index(e["function"]) < order.index("<module>"), "%s: the frames are in order" % backend, order)

d, obj = crash("backward, aot_eager", OP, "aot_eager", grad=", requires_grad=True", call="f(a, b).sum().backward()", arm="armed_back")
g = next((f for t in obj["threads"] for f in t["frames"] if "node" in f), {})
like(g.get("node", ""), "^back", "backward: the node of the backward graph")

# ---- regions of generated code ----

d, obj = crash("a graph break", BREAK, "eager")
e = first(obj, "generated code of model")
is_((e.get("region"), e.get("entry"), place(e)), ("break", "0/0", ("prog.py", line_of(d.path, "# call"))), "a call at a graph break: its region and line")
is_(obj["threads"][0]["frames"][0]["function"], "plain", "a call at a graph break: the function that crashed is innermost")
d, obj = crash("a break in an inlined function", BREAK, "eager", function="outer")
e = first(obj, "generated code of ")
ok(e.get("region") and e.get("user_line"), "a break below: the region and its line", e)

# ---- without the debugger ----

path = script(OP.replace("armed = False\n", "armed = False\nimport cdbg\ncdbg.crash_report()\n", 1)
              + CALLS.format(function="model", backend="eager", more="", grad="", call="f(a, b)", arm="armed"))
status, out, err = bare(path)
is_(status, -signal.SIGSEGV, "cdbg.crash_report() alone: the status")
like(err, r"#\d+ +forward  <eval_with_key>\S*:\d+  offset \d+ CALL[A-Z_]* \d+, makes z\n", "cdbg.crash_report() alone: the variable of the graph's code that was to be made")

# ---- in a thread of several ----

THREADS = OP + """
f = torch.compile(model, backend="eager")
a, b = torch.randn(8), torch.randn(8)
f(a, b)
stop = threading.Event()
def good():
    while not stop.is_set(): torch.sin(a)
threads = [threading.Thread(target=good, daemon=True) for _ in range(2)]
for t in threads: t.start()
armed = True
t = threading.Thread(target=f, args=(a, b)); t.start(); t.join()
"""
with Cdbg(THREADS) as d:
    d.send("continue")
    obj = {}
    while obj.get("event") not in ("crashed", "exited"):
        obj = d.next()
    t = obj["threads"][0]
    is_((t["died"], t.get("entry"), [x["died"] for x in obj["threads"][1:]]), (True, "0/0", [False] * 3), "of four threads the one that crashed is first")
    is_(sorted(x["function"] for x in obj["threads"] if "good" in [f["function"] for f in x["frames"]]) != [], True, "the others are there")

# ---- inductor ----

if has("torch") and torch_has("torch._inductor"):
    d, obj = crash("inductor", OP, "inductor")
    g = first(obj, "graph ")
    is_((g.get("kernel"), place(g)), ("torch.ops.lab.boom.default", ("prog.py", line_of(d.path, "# op"))), "inductor: the kernel and its line")
done()
