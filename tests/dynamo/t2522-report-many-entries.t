#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A report on a function with many entries names the nearest ones that did not fit, not each entry for each other.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
where = report("""
    import torch
    torch._dynamo.config.cache_size_limit = 50

    def f(x, n, m):
        return x * n + m

    g = torch.compile(f, backend="eager", dynamic=False)
    g(torch.ones(2), 99, 7)
    for k in range(13):
        g(torch.ones(2), k, 6 if k == 5 else k + 10)
    g(torch.ones(2), 4, 6)
""", "many")[3]
f = data(where)["functions"][0]
last = f["entry"][-1]
is_(len(f["entry"]), 15, "fifteen entries")
is_(len(last["recompiled_because"].split("; ")), 14, "torch's text names all that did not fit the last one")
known = {r["entry"] for r in last["why"]}
is_(len(known), 10, "the guards of ten of them are kept")
is_({r["entry"] for r in last["why"] if r["failed"] == 1}, {"0/5", "0/6"}, "the two with one guard that failed are among them, though others are newer")
page = text(where, f["folder"], "index.html")
is_(re.findall(r"<li>(\d+) more earlier (entr\w+) did not fit", page)[-1], ("4", "entries"), "the page says how many more did not fit")
first = text(where, "index.html")
is_(re.findall(r"<li>(\d+) more earlier (entr\w+) did not fit", first)[-1], ("11", "entries"), "the first page shows three")
valid(where, "the data is as the schema says")
done()
