#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catch nan in inductor's code: the stop names the kernel, its node that makes the NaN, and shows the line of that node; with a cold and with a
warm cache, forward and backward."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()
with open(os.path.join(top, "tests/cases/nan_in_kernel.py"), encoding="utf-8") as f:
    PROGRAM = f.read()

# of each function: the node of the lowered graph, its line, NaN and Inf that it makes, one input with what is negative or zero in it
WANT = {
    "pointwise": ("log", "b = a.log()", 6, 0, ("mul", 6, None)),
    "difference": ("sub", "c = b - b", 12, 0, ("mul_1", None, None)),
    "reused": ("sqrt", "y = (h - 3).sqrt()", 12, 0, ("sub", 12, None)),
    "written": ("log", "x.sub_(0.5).log_()", 9, 0, ("sub", 9, None)),
    "trained": ("div", "y = torch.where(h > 0, h.log(), h)", 4, 0, ("mm", None, 4)),
    "branch": ("asin", "return torch.cond", 8, 0, ("mul", None, None)),
}
with tempfile.TemporaryDirectory() as cache:
    env = {"TORCHINDUCTOR_CACHE_DIR": cache}
    for how in "cold", "warm":
        with Cdbg(PROGRAM, limit=300, env=env) as d:
            d.do("catch nan nan")
            for name, (node, text, nan, inf, given) in WANT.items():
                stop = d.go()
                made, line = stop["detail"]["made"] or {}, d.line_of(text)
                is_((made.get("node"), made.get("line"), made.get("nan"), made.get("inf")), (node, line, nan, inf), "%s, %s: the node is named" % (how, name))
                is_((stop["frame"]["user_line"], os.path.basename(stop["frame"]["user_file"] or "")), (line, "prog.py"), "... its line is shown")
                like(stop["detail"]["node"], "^cpp_fused", "... beside the kernel")
                ok(given in [(i["node"], i["negatives"], i["zeros"]) for i in made.get("inputs", [])], "... with what its inputs are", str(made))
                if how == "cold" and name == "pointwise":
                    is_(made["captured"], "b", "... and the captured graph's node")
                    is_([r["line"] for r in d.rows("info source") if r["current"]], [line], "... 'info source' marks the line")
                if name == "difference":
                    is_((stop["detail"]["also"]["node"], stop["detail"]["also"]["line"]), ("mul_1", line - 1), "... and the node that made the Inf before it")
            stop = d.go()
            places = sorted({c["line"] for c in stop["detail"]["candidates"]})
            ok(d.line_of("return torch.log1p(low)") in places and len(places) > 1, "%s: where the node is not certain, the kernel's nodes are candidates" % how, str(stop))
            is_((stop["detail"]["made"], stop["frame"]["user_line"]), (None, None), "... and no line is shown")
            command = stop["detail"]["command"]
            like(command, r"^graph run \S+ until nan$", "... a command finds it")
            is_(d.do(command)["made"][0]["line"], d.line_of("return torch.log1p(low)"), "... which names the line")
            d.do("delete")
            d.run_out()
            is_((d.out, d.exited["status"]), bare(PROGRAM, env=env)[1::-1], "%s: the program ends as without" % how)
done()
