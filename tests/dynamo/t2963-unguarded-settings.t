#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# info unguarded names settings of torch that changed since the compile: those that act on what was compiled, and no others.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import torch
    import torch._dynamo.config as dynamo
    import torch._functorch.config as functorch
    import torch._inductor.config as inductor

    x = torch.ones(1, 2, 4, 8)
    w = torch.ones(8, 8)

    def plain(x):
        return x + 1

    def attends(x):
        return torch.nn.functional.scaled_dot_product_attention(x, x, x)

    def sized(x):
        return x * x.shape[-1]

    def fixed(x):
        return x - x.shape[-1]

    def lowered(x):
        return torch.nn.functional.linear(x, w) + 1

    def patched(x):
        return x * 5

    def mark(name):
        pass

    f, g = torch.compile(plain, backend="eager"), torch.compile(attends, backend="aot_eager")
    h, i = torch.compile(sized, backend="eager", dynamic=True), torch.compile(fixed, backend="eager", dynamic=False)
    k = torch.compile(lowered, backend="inductor", options={"max_fusion_size": 9})
    with torch.no_grad():
        calls = [c(x) for c in (f, g, h, i, k)]
    mark("nothing")

    def change(owner, name, value):
        was = getattr(owner, name)
        setattr(owner, name, value)
        mark("%s.%s" % (owner.__name__, name))
        setattr(owner, name, was)

    change(dynamo, "capture_scalar_outputs", True)
    change(dynamo, "assume_static_by_default", False)
    change(dynamo, "recompile_limit", 3)
    change(dynamo, "suppress_errors", True)
    change(dynamo, "allowed_functions_module_string_ignorelist", {"torch.testing"})
    change(functorch, "recompute_views", True)
    change(functorch, "debug_partitioner", True)
    change(inductor, "max_fusion_size", 7)
    change(inductor, "compile_threads", 1)
    change(inductor, "trace.enabled", True)
    change(inductor, "post_grad_custom_pre_pass", print)
    change(inductor, "joint_graph_constant_folding", False)
    torch.backends.cuda.enable_math_sdp(False)
    mark("math")
    torch.backends.cuda.enable_math_sdp(True)
    torch._C._set_mkldnn_enabled(False)
    mark("mkldnn")
    torch._C._set_mkldnn_enabled(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    mark("fill")
    mark("all as they were")
    with dynamo.patch(specialize_int=True):
        torch.compile(patched, backend="eager")(x)
        mark("inside of patch")
    mark("after patch")
    """
EVERY = {"plain", "attends", "sized", "fixed", "lowered"}
ALL = "torch._dynamo.config.", "torch._functorch.config.", "torch._inductor.config."
D, F, I = ALL
EXPECTED = {
    "nothing": {},
    D + "capture_scalar_outputs": {D + "capture_scalar_outputs": EVERY},
    D + "assume_static_by_default": {D + "assume_static_by_default": EVERY - {"sized", "fixed"}},
    D + "recompile_limit": {},
    D + "suppress_errors": {},
    D + "allowed_functions_module_string_ignorelist": {D + "allowed_functions_module_string_ignorelist": EVERY},
    F + "recompute_views": {F + "recompute_views": {"attends", "lowered"}},
    F + "debug_partitioner": {},
    I + "max_fusion_size": {I + "max_fusion_size": {"lowered"}},
    I + "compile_threads": {},
    I + "trace.enabled": {},
    I + "post_grad_custom_pre_pass": {I + "post_grad_custom_pre_pass": {"lowered"}},
    I + "joint_graph_constant_folding": {I + "joint_graph_constant_folding": {"lowered"}},
    "math": {"torch.backends.cuda.math_sdp_enabled()": {"attends"}},
    "mkldnn": {"torch.backends.mkldnn.enabled": {"lowered"}},
    "fill": {},
    "all as they were": {},
    "inside of patch": {D + "specialize_int": EVERY},
    "after patch": {D + "specialize_int": {"patched"}},
}
seen = []
with Cdbg(PROGRAM, limit=300) as d:
    d.do("break mark")
    while d.go()["event"] == "stopped":
        name = d.rows("info locals")[0]["value"].strip("'\"")
        of = {r["entry"]: r["function"] for r in d.rows("info entries")}
        found = {}
        for r in d.rows("info unguarded"):
            if r["changed"]:
                found.setdefault(r["source"], set()).add(of[r["entry"]])
        seen.append(name)
        is_(found, EXPECTED.get(name, "no such case"), "%s: the entries that it acts on are named" % name)
        if name == D + "capture_scalar_outputs":
            row = next(r for r in d.rows("info unguarded") if r["changed"])
            is_((row["was"], row["is"], row["kind"]), ("False", "True", "setting"), "with what it was and what it is")
            like(row["why"] + row["remedy"], r"no guard covers this setting of torch.*torch\.compiler\.reset\(\)", "and what to do")
            like(d.text("explain plain"), r"torch\._dynamo\.config\.capture_scalar_outputs was False, is True; no guard", "explain has it")
is_(seen, list(EXPECTED), "each case was looked at")

# without a guard of its own: the program's own changes come first
out = run("""
    import torch

    class Layer:
        def call(self, x):
            return x + 1

    layer = Layer()

    def f(x):
        return layer.call(x)

    step = torch.compile(f, backend="eager")
    step(torch.ones(2))
    Layer.call = lambda self, x: x - 1
    torch._dynamo.config.capture_scalar_outputs = True
    end = 1
    """, options=("--plain", "-q"), commands=["break 16", "continue", "info unguarded"])[1]
like(out, r"2 values that it read changed, and no guard notices\n  Layer\.call was .*\n.*\n.*\n  torch\._dynamo\.config\.capture_scalar_outputs was False, is True\n     no guard: ",
     "people read the program's own changes first, then settings")
done()
