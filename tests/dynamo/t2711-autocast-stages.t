#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each stage of a graph runs in the modes of torch in which the compiled code runs it.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
CASES = os.path.join(top, "tests", "cases")
MODES = "print torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu'), torch.is_autocast_cache_enabled(), " \
    "torch.get_default_dtype(), torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()"


def at_second_call(name, function):
    d = Cdbg(os.path.join(CASES, name))
    d.do("break " + function)
    d.go()
    d.go()
    return d


def by_node(answer):
    return {row["node"]: row for row in answer.get("rows", [])}


with at_second_call("autocast_stage.py", "project") as d:
    before = d.text(MODES)
    is_(by_node(d.do("graph run"))["matmul"]["dtype"], "float32", "the captured graph turns autocast off inside")
    is_(by_node(d.do("graph run inference"))["mm"]["dtype"], "float32", "its stage 'inference' runs without autocast, as the compiled code does")
    r = d.do("graph compare")
    is_(r["text"].split("\n")[0], "no wrong node found", "graph compare compares both")
    ok(all(row["max_diff"] < 1e-5 for row in r["rows"]), "... in float32")
    is_(d.text(MODES), before, "torch's modes are as before, autocast's depth too")

with at_second_call("autocast_backward.py", "squash") as d:
    joint = by_node(d.do("graph run joint"))
    is_(sorted({row["dtype"] for row in joint.values() if row["node"].startswith("mm")}), ["bfloat16", "float32"],
        "stage 'joint' has the types that AOTAutograd traced")
    r = d.do("graph compare -backward")
    like(r["text"], r"first wrong node is 'matmul'.*stage joint", "a gradient with bfloat16's error where eager has float32's is wrong")
    like(r["text"], "backward_pass_autocast = 'off' changes that|no single node", "... and a note says what AOTAutograd took for granted")

with Cdbg(os.path.join(CASES, "modes_changed.py")) as d:
    d.do("break modes_changed.py:14")
    d.go()
    d.go()
    d.do("up")
    before = d.text(MODES)
    r = by_node(d.do("graph run mixed"))
    is_(r["product"]["dtype"], "bfloat16", "a graph runs under the autocast in which it was captured, which is off at the stop")
    is_(r["offset"]["dtype"], "float64", "... and with its default type")
    is_(d.do("graph compare mixed")["text"].split("\n")[0], "no wrong node found", "... also where it is compiled again")
    is_(d.text(MODES), before, "the modes of the stop are as before")
done()
