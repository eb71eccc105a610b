#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The code of a backward graph that comes from torch's cache, when it first runs: a record knows its entry and lines."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
TEXT = """\
import os, signal
import torch

def work(a, b):
    return torch.mm(a, b)

fn = torch.compile(work, backend="inductor")
a, b = torch.rand(4, 4, requires_grad=True), torch.rand(4, 4)
for i in range(2):
    out = fn(a, b)
    out.backward(torch.ones(4, 4))
os.kill(os.getpid(), signal.SIGKILL)
"""
path = script(TEXT)
record = os.path.join(os.path.dirname(path), "record")
with tempfile.TemporaryDirectory() as cache:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    for which in ("made by inductor", "from torch's cache"):
        died = run(path, options=["-nx", "--plain", "--record=%s" % record], commands=["continue"], limit=300)
        is_(died[0], -9, "the program is killed after its backward pass")
        with Cdbg(record, options=("-nx", "--post-mortem")) as d:
            frame = d.stop["frame"]
            is_((frame["kind"], frame["qualname"], frame["entry"]), ("graph", "Runner.call", "0/0"), "backward code %s: the record has its entry" % which)
            for i in range(40):
                if (frame.get("node") or "").startswith("extern_kernels.mm"):
                    break
                frame = d.go("rstepi")["frame"]
            is_((frame.get("user_line"), os.path.basename(frame.get("user_file") or "")), (line_of(path, "torch.mm"), os.path.basename(path)),
                "... and the line that its kernel stands for")
done()
