#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What backends make of a captured graph: AOTAutograd's graphs, inductor's graph and code; results and caches as without."""
import os
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
BACKEND = """
    import torch
    @torch.compile(backend="%s")
    def f(x):
        return torch.relu(x * 2).sum()      # line of f
    x = torch.ones(3, requires_grad=True)
    f(x).backward()
    print(x.grad.tolist(), f(torch.ones(4)).item())
    def stop():
        pass
    stop()
"""

def stages(d):
    found = {}
    for r in d.rows("info graphs"):
        found.setdefault(r["graph"], []).append((r["stage"], r["nodes"]))
    return [dict(v) for v in found.values()]

status, out, err = bare(BACKEND % "aot_eager")
with Cdbg(BACKEND % "aot_eager") as d:
    d.do("tbreak f")
    d.go()
    is_(d.rows("info graph joint"), d.rows("info graph 1 joint"), "a stage alone is one of the graph that the selected frame calls")
    d.do("break stop")
    d.go()
    training, inference = stages(d)
    is_((sorted(training), sorted(inference)), (["backward", "captured", "forward", "joint"], ["captured", "inference"]),
        "info graphs lists each stage of a graph that was trained through, and of one that was not")
    first = d.rows("info graphs")[0]["graph"]
    joint, forward, backward = (d.rows("info graph %s %s" % (first, s)) for s in ("joint", "forward", "backward"))
    is_([len(g) for g in (joint, forward, backward)], [training[s] for s in ("joint", "forward", "backward")], "info graph NAME STAGE has its nodes")
    ok({"aten.relu.default", "aten.threshold_backward.default"} <= {n["target"] for n in joint}, "the joint graph goes forward and back", joint)
    ok({n["line"] for n in forward if n["op"] == "call_function"} == {d.line_of("line of f")}, "its nodes have the user's lines", forward)
    ok({n["target"] for n in backward if n["op"] == "call_function"} < {n["target"] for n in joint}, "the backward graph is a part of it", backward)
    like(d.text("graph code 1 backward"), r"^def __compiled_fn_1_backward\(.*tangents_1\):$", "graph code writes it as Python")
    like(d.text("graph draw 1 forward"), r"^\* .*aten.relu", "graph draw draws it")
    like(d.error("info graph 1 nope"), "no stage 'nope' of '__compiled_fn_1': there are captured, joint, forward, backward", "a stage that is not there is refused with those that are")
    like(d.error("info graph 9 joint"), "no graph '9'", "as is a graph")
    is_([d.text("complete " + line).splitlines() for line in ("info graph 1 j", "graph dr", "graph code __comp", "info guards 0/", "explain f")],
        [["info graph 1 joint"], ["graph draw"], ["graph code __compiled_fn_1", "graph code __compiled_fn_3"],
         ["info guards 0/0", "info guards 0/1"], ["explain f"]], "stages, graphs, entries and functions are completed")
    is_(len(d.rows("info graph 1 captured")), training["captured"], "captured is a stage too")
    d.run_out()
    is_(d.out, out, "the program prints what it prints without cdbg")

with tempfile.TemporaryDirectory() as cache:
    env = {"TORCHINDUCTOR_CACHE_DIR": cache}
    cold = {}
    with Cdbg(BACKEND % "inductor", env=env) as d:
        d.do("break stop")
        d.go()
        training, inference = stages(d)
        is_(sorted(training), ["backward", "captured", "forward", "joint", "kernel", "kernel-backward", "post-grad", "post-grad-backward"],
            "inductor's graphs after its passes and its code are stages too, of the backward pass as well")
        is_(sorted(inference), ["captured", "inference", "kernel", "post-grad"], "and of a call without gradients")
        like(d.text("graph code 1 kernel"), r"^async_compile|^def call\(|cpp_fused", "graph code NAME kernel is what inductor wrote")
        like(d.error("info graph 1 kernel"), "is only text: 'graph code __compiled_fn_1 kernel'", "which has no nodes")
        d.run_out()
        is_(d.out, out, "the program prints the same")
    files = sorted(f for _, _, fs in os.walk(cache) for f in fs if f.endswith(".py"))
    warm, _, _ = bare(BACKEND % "inductor", env=env)
    is_((warm, sorted(f for _, _, fs in os.walk(cache) for f in fs if f.endswith(".py"))), (0, files), "a run without cdbg takes all that from the cache")
    with Cdbg(BACKEND % "inductor", env=env) as d:
        d.do("break stop")
        d.go()
        found, _ = stages(d)
        ok({"captured", "joint", "forward", "backward"} <= set(found), "and a run with cdbg has the stages that the cache has", found)
        like(d.text("graph code 1 joint"), r"aten\.relu.*\n(.*\n)*.*expand.default.tangents_1", "the joint graph as torch wrote it then")
        like(d.text("graph code 1 backward"), r"aten\.mul", "the backward graph too")
        if torch_version() >= (2, 13):
            ok([r for r in d.rows("info graph 1 joint") if r["target"].startswith("aten.relu") and r["line"]], "its nodes are read from the text")
        else:
            skip("for which there is only the text", "this version of torch keeps inductor's code alone, and traces again")
        d.run_out()
        is_(d.out, out, "and prints the same")
done()
