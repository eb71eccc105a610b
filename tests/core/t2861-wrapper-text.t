#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What cdbg reads in the code that inductor writes: kernels in C++ and Triton with what they write, and what each statement makes."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

SEEDS = os.path.join(top, "tests", "fuzz", "seeds", "wrapper")
PROGRAM = """
    import gc, json, sys
    read = [o for o in gc.get_objects() if type(o) is type(len) and o.__name__ == "wrapper_text"]
    for path in sys.argv[1:]:
        with open(path, errors="replace") as f:
            print(json.dumps(read[0](f.read())))
    """
status, out, err = run(PROGRAM, *[os.path.join(SEEDS, name) for name in ("cpp", "triton", "brackets")], commands=["continue"])
texts = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
ok(len(texts) == 3, "three texts are read", out + err)
cpp, triton, _ = texts
is_({k: v["written"] for k, v in cpp["kernels"].items()}, {"cpp_fused_add_0": [False, True, False]}, "a C++ kernel writes by pointers that are not const")
like(cpp["kernels"]["cpp_fused_add_0"]["source"], r'^extern "C".*\n.*\}\n$', "... its source is what is between the quotes")
is_({k: v["written"] for k, v in triton["kernels"].items()}, {"triton_poi_fused_sin_0": [False, True, False, False]},
    "a Triton kernel writes by arguments named out_ptr")
like(triton["kernels"]["triton_poi_fused_sin_0"]["source"], r"^import triton\n[\s\S]*\n    pass\n$", "... its source ends at the quotes, too")


def made(text, function):
    return [(s["called"], s["writes"]) for s in text["statements"] if s["function"] == function and s["writes"] and s["called"]]


is_(made(cpp, "call"),
    [("cpp_fused_add_0", ["buf0"]), ("extern_kernels.mm", ["buf0"]), ("torch.ops.aten.topk.default", ["buf2"]), ("while_loop_body_graph_0", ["buf4", "buf4"])],
    "each call writes its result, its out= and what its kernel writes")
is_([s["in_place"] for s in cpp["statements"] if s["called"] == "aten.index_put_"], ["arg0_1"], "an operation in place writes its first argument")
is_([s["view"] for s in cpp["statements"] if s["view"]], [["buf1", "buf0"]], "another name of memory is a view")
is_([s["writes"] for s in cpp["statements"] if s["part"]], [["buf3"]], "a part of a tuple is a value")
is_(made(triton, "call"), [("triton_poi_fused_sin_0", ["buf0"]), ("true_graph_0", ["buf3"])], "a launch within a block, and the call of a sub-graph")
is_(made(triton, "true_graph_0"), [("extern_kernels.bmm", ["true_graph_0_buf0"])], "statements of a sub-graph's function are its own")
done()
