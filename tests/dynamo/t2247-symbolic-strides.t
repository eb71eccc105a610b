#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Sizes and strides in graph show and info graph: symbolic, with the numbers that they had, and of fixed sizes.
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys
    import torch
    def f(x):
        a = x.t() * 2
        return a.contiguous().view(-1) + 1
    torch.manual_seed(0)
    x = torch.randn(8, 16)
    if sys.argv[1] == "mark":
        torch._dynamo.mark_dynamic(x, 0)
    c = torch.compile(f, backend="aot_eager", dynamic=True if sys.argv[1] == "dynamic" else None)
    for i in range(2):
        c(x)
    print(len(torch._dynamo.eval_frame._debug_get_cache_entry_list(f.__code__)))
    """


def of(rows, target):
    return [r for r in rows if r["target"] == target][0]


for how, sizes in (("mark", 1), ("dynamic", 2)):
    with Cdbg(PROGRAM, how, limit=200) as d:
        d.do("break f")
        d.go()
        rows = d.rows("graph show")
        t, v = of(rows, "t"), of(rows, "view")
        symbol = re.match(r"f32\[(16|s\d+),(s\d+)\]", t["value"])
        ok(symbol, "sizes are symbolic: %s" % how, t["value"])
        m, n = symbol.groups()
        is_(t["stride"], "[1,%s]" % m, "... and strides")
        is_(t["concrete"], "[16,8] [1,16]", "... beside the numbers that they had")
        ok(set(re.findall(r"s\d+", v["value"])) == {s for s in (m, n) if s.startswith("s")} and v["stride"] == "[1]", "a size is an expression of them", v["value"])
        is_(v["concrete"], "[128] [1]", "... with its number")
        inner = d.rows("graph show inference")
        is_(of(inner, "aten.t.default")["concrete"], "[16,8] [1,16]", "stages have them, too")
        is_([r["concrete"] for r in rows if r["op"] == "placeholder" and re.fullmatch(r"s\d+", r["value"])], ["8", "16"][:sizes], "a symbolic number has its own")
        like(d.text("graph show"), r"(?m)^t +call_method.* \[1,\w+\] +\[16,8\] \[1,16\] ", "people see them in columns")
        d.do("delete")
        d.run_out()
        is_(d.out, "1\n", "nothing was compiled again")
with Cdbg(PROGRAM, "fixed", limit=200) as d:
    d.do("break f")
    d.go()
    rows = d.rows("graph show")
    is_((of(rows, "t")["stride"], of(rows, "t")["concrete"]), ("[1,16]", None), "fixed sizes have strides and no other numbers")
    is_(of(rows, "view")["stride"], "[1]", "... those of a dense tensor, too")
    table = d.text("graph show")
    ok("[1,16]" in table and "concrete" not in table and not re.search(r"(?m)^view .*\[1\]", table), "people see strides that are not the default", table)
done()
