#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`info dynamo`: which torch it is, and each name that is watched there is where the table says it was seen."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cdbgtest import *

need_torch()
PROGRAM = """
    import torch
    import torch._dynamo, torch._functorch.aot_autograd, torch._inductor.graph
    def f(x):
        return x + 1
    torch.compile(f, backend="eager")(torch.ones(2))
    print(torch.__version__)        # here
"""


def numbers(version):
    return tuple(int(part) for part in version.split("+")[0].split(".")[:2])


def covers(seen, version):
    first, _, last = seen.partition("-")
    return numbers(first) <= version <= numbers(last or first)


with Cdbg(PROGRAM) as d:
    is_(d.rows("info dynamo"), [], "before torch is imported there is nothing to say")
    d.do("break %d" % d.line_of("# here"))
    d.go()
    rows = d.rows("info dynamo")
    d.run_out()
    is_((rows[0]["name"], rows[0]["state"]), ("torch.__version__", d.out.strip()), "the first row is torch's version")
    torch = numbers(d.out)
    ok(covers(rows[0]["seen"], torch), "which is one that cdbg was seen on", rows[0])
    is_([r["name"] for r in rows if covers(r["seen"], torch) and r["state"] in ("missing", "not imported")], [],
        "every name that this version was seen to have is there")
    is_([r["name"] for r in rows if not covers(r["seen"], torch) and r["state"] != "not on this torch"], [],
        "and those that it was seen to lack are told as not on it")
    ok(len([r for r in rows if r["state"] == "wrapped"]) > 5 and all(r["for"] for r in rows),
       "wrapped ones are told, and what each is for", rows)
done()
