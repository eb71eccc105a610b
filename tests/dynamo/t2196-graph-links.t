#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# info links between captured nodes, later stages, buffers and kernels; info kernel; break node: with the user's lines.
import os
import re
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import torch
    def f(x, w):
        a = torch.sin(x @ w)
        b = torch.cos(a) * 2
        return torch.exp(-b).sum(dim=1)
    torch.manual_seed(0)
    c = torch.compile(f, backend="inductor")
    x, w = torch.randn(8, 16), torch.randn(16, 16)
    c(x, w)
    c(x, w)
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2196-")


def ids(d, what):
    return [r["what"] + " " + r["id"] for r in d.rows("info links " + what)]


with Cdbg(PROGRAM, env={"TORCHINDUCTOR_CACHE_DIR": folder}, limit=240) as d:
    d.do("break f")
    d.go()
    found = ids(d, "node __compiled_fn_1:cos")
    ok("node __compiled_fn_1:post-grad:cos" in found, "a captured node leads to what was made of it", str(found))
    is_(ids(d, "node __compiled_fn_1:captured:cos"), found, "... also with the name of its stage")
    buffers = [s for s in found if s.startswith("buffer ")]
    kernels = [s for s in found if s.startswith("kernel ")]
    ok(buffers and kernels and "cpp_fused" in kernels[0], "... and to the buffer and the kernel that compute it", str(found))
    back = ids(d, buffers[0])
    ok("node __compiled_fn_1:cos" in back and any(re.search(r"line .*prog\.py:4$", s) for s in back), "a buffer leads back to captured nodes and lines", str(back))
    back = ids(d, kernels[0])
    ok("node __compiled_fn_1:cos" in back and "node __compiled_fn_1:a" in back, "so does a kernel", str(back))
    back = ids(d, "node __compiled_fn_1:post-grad:cos")
    ok("node __compiled_fn_1:cos" in back and kernels[0] in back, "so does a node of a stage", str(back))
    like(d.error("info links node __compiled_fn_1:post-grad:none"), "unknown: ", "a node that is not there is refused")
    like(d.error("info kernel"), "missing kernel: ", "outside of inductor's code no kernel is chosen")
    like(d.error("info kernel none"), "no kernel 'none'", "a kernel that is not there is refused")
    d.do("delete")
    d.do("catch kernel cpp_fused*")
    name = d.go()["detail"]["kernel"]
    rows = d.rows("info kernel")
    ok(any(r["node"] and "cos (prog.py:4)" in r["text"] for r in rows), "info kernel names the nodes with their lines", str(rows[:3]))
    ok(any("cos()" in (r["text"] or "") for r in rows) and rows[-1]["line"], "... above the source")
    is_(d.rows("info kernel " + name), rows, "a kernel may be named")
    ok("info kernel " + name in d.text("complete info kernel cpp").splitlines(), "names are completed")
    rows = d.rows("info graph")
    is_([r["line"] for r in rows if r["node"] == "buf0"], [3], "a buffer has the user's line")
shutil.rmtree(folder, ignore_errors=True)

TRAINED = """
    import torch
    def f(x, y):
        z = torch.nn.functional.silu(x @ y) + 1
        return (z * y).sum()
    c = torch.compile(f, backend="aot_eager")
    x, y = torch.randn(4, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
    c(x, y).backward()
    print("end")
    """
with Cdbg(TRAINED, limit=200) as d:
    d.do("break %d" % d.line_of('print("end")'))
    d.go()

    def nodes(name):
        return {i.partition(":")[2] for i in ids(d, "node __compiled_fn_1:" + name)} - {""}
    found = nodes("silu")
    ok({"joint:silu_backward", "backward:silu_backward"} <= found and not {"joint:mm_1", "forward:t", "joint:add"} & found,
       "a captured node leads to its derivative, not to those of other nodes of its line", str(found))
    found = nodes("backward:mm_1")
    ok({"forward:mm", "joint:mm_2"} <= found and not {"joint:silu_backward", "joint:add"} & found,
       "... and a node of a derivative to the operation that it derives", str(found))
done()
