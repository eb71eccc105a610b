#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`set record-tensors numbers`: a record has what the elements of tensors were, so that it says who made a NaN."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
TEXT = """\
import mmap, os, tempfile
import torch

def cut():
    with tempfile.TemporaryFile() as f:
        f.write(bytes(40000))
        f.flush()
        t = torch.frombuffer(mmap.mmap(f.fileno(), 40000), dtype=torch.float32)
        os.ftruncate(f.fileno(), 0)
    return t

def kinds():
    long = torch.arange(1000000)
    rows = torch.arange(60000.).reshape(300, 200)[:, 3]
    turned = torch.arange(6.).reshape(2, 3).t()
    one = torch.tensor(12345)
    exact = torch.tensor(0.522785604)
    huge = torch.tensor([1e300, -1e300], dtype=torch.float64)
    negative = torch._neg_view(torch.tensor([1.0, 2.0]))
    half = torch.tensor([1.0, float("inf")], dtype=torch.bfloat16)
    flags = torch.tensor([True, False])
    empty = torch.ones(0)
    pair = torch.tensor([complex(float("nan"), 0)])
    repeated = torch.tensor([2.0]).expand(1 << 50)
    meta = torch.ones(3, device="meta")
    sparse = torch.eye(3).to_sparse()
    functional = torch._to_functional_tensor(torch.ones(3))
    gone = cut()
    values = [sparse, torch.ones(2)] * 100
    for each in values:
        pass
    return one

def loss_of(x):
    y = torch.relu(x)
    z = torch.log(x)
    y = y - z
    y = y.mean()
    return y

kinds()
loss_of(torch.tensor([1.0, 2.5, -1.0]))
print("end")
"""
LINE = 1 + TEXT[:TEXT.index("def loss_of")].count("\n")  # of the function


def last(name):
    return d.rows("info writes " + name)[0]["value"]


def first(name):
    return d.rows("info writes " + name)[-1]["value"]


with Cdbg(TEXT) as d:
    d.do("break kinds")
    d.do("break loss_of")
    d.do("break %d" % (1 + TEXT[:TEXT.index("print(")].count("\n")))
    d.go()
    d.do("set record-tensors numbers")
    d.do("record kinds loss_of")
    d.go()
    d.go("rstepi")
    while d.stop["frame"]["function"] != "kinds":
        d.go("rstepi")
    rows = {r["name"]: r["value"] for r in d.rows("info locals")}
    for name, value, what in (
            ("long", "i64[1000000] cpu: 0..1e+06 (a sample)~", "of a large tensor first and last elements and others between are read"),
            ("turned", "f32[3, 2] cpu: 0..5~", "of a transposed one all"),
            ("one", "i64[] cpu: 12345~", "a single integer is given"),
            ("exact", "f32[] cpu: 0.5227856~", "a single float as a float has it"),
            ("huge", "f64[2] cpu: -3.4e+38..3.4e+38~", "what no float has is as large as a float can be"),
            ("negative", "f32[2] cpu: -2..-1~", "of a lazily negated view the negatives of what is in memory"),
            ("half", "bf16[2] cpu: 1, Inf~", "an infinity is told, and the finite elements"),
            ("flags", "bool[2] cpu: 0..1~", "bools are 0 and 1"),
            ("empty", "f32[0] cpu~", "an empty one has no numbers"),
            ("pair", "c64[1] cpu: NaN~", "of complex ones NaN is told"),
            ("repeated", "f32[1125899906842624] cpu: 2~", "elements that expand() repeats are read once"),
            ("functional", "f32[3] cpu, its memory cannot be read~", "a functional tensor has no memory"),
            ("gone", "f32[10000] cpu, its memory cannot be read~", "memory that is gone gives no signal")):
        is_(rows[name], value, what)
    like(rows["rows"], r"^f32\[300\] cpu: 3\.\.[56]\S+ \(a sample\)~$", "a column is read by its rows")
    like(first("meta"), r"^Tensor: .*meta", "a tensor without memory has torch's reason")
    like(first("sparse"), r"^Tensor: Cannot access data pointer", "a sparse one, too")
    is_(last("each"), "f32[2] cpu: 1~", "one that follows many such is described")
    d.go("now")
    d.go()
    d.go("rstepi")
    while d.stop["frame"]["function"] != "loss_of":
        d.go("rstepi")
    is_([(r["value"], r["line"]) for r in d.rows("info writes y")],
        [(v, LINE + n) for v, n in (("f32[] cpu: NaN~", 4), ("f32[3] cpu: 1..1.58, NaN~", 3), ("f32[3] cpu: 0..2.5~", 1))],
        "info writes tells in which line a NaN came into a variable")
    is_([(r["value"], r["line"]) for r in d.rows("info writes z")], [("f32[3] cpu: 0..0.916, NaN~", LINE + 2)], "and from which one it came")
    ok([r for r in d.rows("info history 40") if "NaN" in (r["made"] or "") and r["line"] == LINE + 2], "so does info history")
done()
