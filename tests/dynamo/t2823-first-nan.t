#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph run and graph run until nan: the verdict comes first, in a sentence with the node, the count, the line and the inputs; then the table."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with open(os.path.join(top, "tests/cases/first_nan.py"), encoding="utf-8") as f:
    PROGRAM = f.read()

WANT = {
    "in_place": ("log_", "kept.log_()", r"node 'log_' makes the first NaN and Inf: 1 NaN and 1 Inf of 4 values at prog\.py:%d, 'kept\.log_\(\)', "
                 r"of kept with min -1, max 2, 1 negative, 1 zero, 0 NaN, 0 Inf$"),
    "difference": ("large", "large = rows", r"node 'large' makes the first Inf: 4 of 4 values at prog\.py:%d, 'large = rows / \(rows - rows\)', "
                   r"of l_rows_ with min 1, max 4, 0 NaN, 0 Inf and sub with min 0, max 0, 4 zero, 0 NaN, 0 Inf$"),
    "branch": ("cond_true_0.sqrt", "return torch.cond", r"node 'cond_true_0\.sqrt' makes the first NaN: 3 of 4 values at prog\.py:%d, .*of sub with min -3, max 0, 3 negative"),
    "in_list": ("_foreach_log_", "_foreach_log_([lower])", r"node '_foreach_log_' makes the first NaN and Inf: 2 NaN and 1 Inf of 4 values at prog\.py:%d, .*of lower with "),
}
with Cdbg(PROGRAM, limit=120) as d:
    for name in [*WANT, "given"]:
        d.do("break %s" % name)
    for name, (node, text, sentence) in WANT.items():
        d.go()
        r = d.do("graph run until nan")
        line = d.line_of(text)
        like(r["text"].splitlines()[0], "^" + sentence % line, "%s: the answer begins with the verdict" % name)
        is_((r["first"], r["made"][0]["node"], r["made"][0]["line"]), (node, node, line), "... which is data, too")
        like(r["made"][0]["text"], "^" + re.escape(text) if not text.startswith("_") else re.escape(text), "... with the text of the line")
        is_(r["rows"][-1]["node"], node, "... and the table ends at this node")
        whole = d.do("graph run")
        is_((whole["first"], whole["made"]), (node, r["made"]), "... graph run says the same")
        if name == "difference":
            is_([(m["node"], m["line"], m["nan"], m["inf"]) for m in r["made"]], [("large", line, 0, 4), ("none", line + 1, 4, 0)],
                "difference: the first NaN is reported beside the first Inf")
            is_(r["made"][1]["inputs"], [{"node": "large", "elements": 4, "min": None, "max": None, "nan": 0, "inf": 4, "zeros": None, "negatives": None}],
                "... with its input")
            header = next(l for l in r["text"].splitlines() if l.startswith("node ") and "target" in l).split()
            is_(header[header.index("dtype") + 1:][:4], ["nan", "inf", "min", "max"], "the table has nan and inf before min and max")
    d.go()
    r = d.do("graph run until nan")
    is_(r["text"].splitlines()[:2], ["no node makes a NaN or an Inf: its inputs have them already", "input 'l_rows_' has 1 NaN and 0 Inf"], "a NaN from outside is the input's")
    is_((r["first"], r["made"]), (None, []), "... and no node's")
    like(d.text("graph run with rows=torch.ones(2)").splitlines()[0], "^node +target", "without NaN graph run has no verdict")
    is_(d.text("graph run until nan with rows=torch.ones(2)").splitlines()[0], "no node makes a NaN or an Inf", "... and until nan has one")
    like(d.text("graph memory").splitlines()[0], r"^peak: \d+ bytes at node '\w+' at prog\.py:%d, 'return rows\.relu\(\) \* 2'$" % d.line_of("return rows.relu()"),
         "graph memory begins with the peak and its line")
    d.do("delete")
    d.run_out()
    is_((d.out, d.exited["status"]), bare(PROGRAM)[1::-1], "the program ends as without")
done()
