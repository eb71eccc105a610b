#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph compare names an operator of the program that does other than its schema or its fake kernel declares, and no graph command lets it
write what the program has."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()
PROGRAM = """
    import sys, torch, warnings
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    lib = torch.library.Library("own", "DEF")
    def operator(name, kernel, schema="(Tensor x) -> Tensor", fake=torch.empty_like):
        lib.define(name + schema)
        lib.impl(name, kernel, "CPU")
        lib.impl(name, fake, "Meta")
        return getattr(torch.ops.own, name).default
    def written(x):
        x.add_(1)
        return x * 2
    writes = operator("writes", written)
    shares = operator("shares", lambda x: x.view(x.shape))
    double = operator("double", lambda x: x.double() * 2)
    turned = operator("turned", lambda x: x.t().contiguous().t() * 2)
    right = operator("right", lambda x: x * 2)
    says = operator("says", lambda x, y: (x.add_(y), None)[1], "(Tensor(a!) x, Tensor y) -> ()", lambda x, y: None)
    def call_writes(x):
        a = x.sin()
        b = writes(a)               # here: writes
        return b.exp() + a
    def call_shares(x):
        a = x.sin()
        b = shares(a)               # here: shares
        b.mul_(2)
        return b + a
    def call_double(x):
        a = x.sin()
        b = double(a)               # here: double
        return b.exp() + a
    def call_turned(x):
        a = x.sin()
        b = turned(a)               # here: turned
        return b.exp() + a
    def call_right(x):
        a = x.sin()
        b = right(a)
        says(a, b)
        says(a, a)
        return b.exp() + a
    w, v = torch.nn.Parameter(torch.zeros(4)), torch.nn.Parameter(torch.zeros(2, 2))
    def call_given(x):
        return writes(w) + writes(v.view(-1)) + x
    for f in call_writes, call_shares, call_double, call_turned, call_right:
        c, x = torch.compile(f, backend="inductor"), torch.randn(8, 16)
        for i in range(2):
            try:
                c(x)
            except AssertionError:
                pass
    with torch.no_grad():
        c = torch.compile(call_given, backend="aot_eager")
        for i in range(2):
            c(torch.zeros(4))
    """
SAYS = {
    "writes": "writes its argument 'x', which its schema does not declare",
    "shares": "returns memory of its argument 'x', which its schema does not declare",
    "double": "returns float64 [8, 16], its fake kernel float32 [8, 16]",
    "turned": "returns float32 [8, 16] with strides [1, 8], its fake kernel float32 [8, 16]",
}
with Cdbg(PROGRAM, limit=400) as d:
    def at(name):
        d.do("delete")
        d.do("break call_" + name)
        d.go()
        d.go()
    for name in "writes", "shares", "double":
        at(name)
        reply, line = d.do("graph compare"), d.line_of("# here: " + name)
        is_(reply["first"], "b", "%s: the node is named that calls the operator" % name)
        like(reply["text"], r"line: prog\.py:%d in call_%s\n" % (line, name), "... with its line")
        ok("note: operator own.%s (node 'b' at prog.py:%d) %s\n" % (name, line, SAYS[name]) in reply["text"], "... and a note tells what it does",
           reply["text"])
    at("turned")
    ok("operator own.turned (node 'b' at prog.py:%d) %s" % (d.line_of("# here: turned"), SAYS["turned"]) in (d.error("graph compare") or ""),
       "where inductor's code raises since strides are others, the error tells which operator returns these")
    at("right")
    reply = d.do("graph compare")
    is_((reply["first"], "operator own" in reply["text"]), (None, False), "operators that do what they declare get no note")
    at("given")
    was = d.text("print w.tolist(), v.tolist()")
    for line in "graph run", "graph run -n 3", "graph run inference", "graph memory", "graph recompile", "graph reduce %s" % os.devnull, "graph compare":
        d.cmd(line)
        is_(d.text("print w.tolist(), v.tolist()"), was, "%s: what the operator writes and does not declare is a copy" % line)
done()
