#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code that Dynamo made, decoded: what dis says, no stack depth in doubt, its constants never asked for anything."""
import dis
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from probe import probe  # noqa: E402

need_torch()
import torch  # noqa: E402
import torch._dynamo  # noqa: E402

generated = []
torch._dynamo.convert_frame.register_bytecode_hook(lambda old, new: generated.append((old, new)))


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def breaks(a, items):
    total = a
    for i in items:
        total = total + i
        torch._dynamo.graph_break()
    return total, {"k": [total, (i, a)]}


def closures(a):
    scale = a.sum()

    def inner(x):
        nonlocal scale
        scale = scale + 1
        return x * scale
    r = inner(a)
    torch._dynamo.graph_break()
    return r + inner(a), lambda: scale


def guarded(a):
    with torch.no_grad():
        b = a * 2
        torch._dynamo.graph_break()
        b = b + 1
    try:
        c = b / a
        print(end="")
    finally:
        c = b - 1
    return c, f"{c.shape!r:>5}"


a, b = torch.randn(4), -torch.ones(4)
for function, args in ((toy, (a, b)), (toy, (a, -b)), (breaks, (a, [1, 2])), (closures, (a,)), (guarded, (a,))):
    torch._dynamo.reset()
    torch.compile(function, backend="eager")(*args)
codes = [c for pair in generated for c in pair]


def contradicts(code):
    """On CPython 3.14 Dynamo makes resume functions whose exception table gives one handler two depths."""
    depths = {}
    for e in dis._parse_exception_table(code):
        depths.setdefault(e.target, set()).add((e.depth, e.lasti))
    return any(len(d) > 1 for d in depths.values())


ok(len(generated) >= 8, "Dynamo made code", len(generated))
wrong = {}
for code in codes:
    got, want = probe.decode(code), list(dis.get_instructions(code))
    where = code.co_qualname
    if [(r[0], r[1], r[2]) for r in got] != [(i.offset, i.opname, i.arg) for i in want]:
        wrong["list"] = where
        continue
    positions = list(code.co_positions())
    for row, i in zip(got, want):
        line, end, col, end_col = positions[i.offset // 2]
        if row[5] != (line or 0) or row[7] != (-1 if col is None else col):
            wrong["position"] = where, row, positions[i.offset // 2]
        if sys.version_info >= (3, 13) and i.opcode in dis.hasjump:
            continue                        # dis has labels there, which are no offsets
        if i.opcode not in dis.hasconst and row[3] != (i.argrepr or ("" if i.arg is None else str(i.arg))):
            wrong["text"] = where, row, i.argrepr
        if len(row[3].encode()) > 120:
            wrong["bound"] = where, row
    if not contradicts(code) and not probe.about(code)["depth_ok"] or max(r[9] for r in got) > code.co_stacksize:
        wrong["depth"] = where
note("%d code objects, %d instructions" % (len(codes), sum(len(probe.decode(c)) for c in codes)))
for fact, name in (("list", "instructions are those of dis"), ("position", "positions are those of co_positions"),
                   ("text", "arguments read as dis writes them"), ("bound", "no constant is shown at length"),
                   ("depth", "no stack depth is in doubt")):
    ok(fact not in wrong, "generated code: " + name, lambda: repr(wrong[fact]))
done()
