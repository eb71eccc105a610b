#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Tensors whose memory is not there: freed, cut short, or of a file that was cut.  No command reads it.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
CASES = os.path.join(top, "tests", "cases")


def at_second_call(name, function="f"):
    d = Cdbg(os.path.join(CASES, name))
    d.do("break " + function)
    d.go()
    d.go()
    return d


def by_node(answer):
    return {row["node"]: row for row in answer.get("rows", [])}


def value_of(d, name):
    return next(row["value"] for row in d.rows("info locals") if row["name"] == name)


def goes_on(d, lines, name):
    while not d.exited:
        d.go()
    is_((d.exited.get("status"), d.out.strip().split("\n")), (0, lines), name)


with at_second_call("freed_storage.py", "shape_only") as d:
    like(value_of(d, "p"), r"f32\[32\] cpu storage freed$", "info locals: the storage of a tensor is freed")
    like(d.text("print p"), r"f32\[32\] cpu storage freed$", "print shows that in place of a repr that would read it")
    like(d.text("pp {1: [p]}"), r"\{1: \[f32\[32\] cpu storage freed\]\}", "... in containers, too")
    r = by_node(d.do("graph run"))
    is_(r["l_p_"]["dtype"], "float32, storage freed", "graph run: an input has no figures, and says why")
    is_(r["l_p_"].get("min"), None, "... it has no smallest element")
    is_(r["add"]["mean"], 33, "... the graph, which reads only its shape, runs")
    is_(d.do("graph compare")["text"].split("\n")[0], "no wrong node found", "graph compare compares it")
    like(d.do("entry diff 0/0")["text"], "equal|same|no difference", "entry diff runs it")
    like(d.error("graph save out.py") or "", r"'l_p_' cannot be written: it has no memory: its storage is freed", "graph save says why it refuses")
    d.do("catch nan")
    d.go("stepg")
    is_(d.stop["reason"], "step", "catch nan and stepg look at it")
    goes_on(d, ["[1.0, 33.0, 65.0]"] * 2, "the program ends as without cdbg")

with at_second_call("resized_in_graph.py", "gathered") as d:
    r = by_node(d.do("graph run"))
    is_((r["out"]["mean"], r["l_parameter_"]["dtype"]), (24.5, "float32, storage freed"), "a graph that gives an input memory and frees it runs")
    is_(d.do("graph compare")["text"].split("\n")[0], "no wrong node found", "... is compared")
    is_(d.text("print parameter.untyped_storage().nbytes()"), "0", "... on a copy: the program's own is still freed")
    d.do("graph memory")
    goes_on(d, ["[24.5, 24.5] 0"] * 2, "... and the program ends as without cdbg")

with at_second_call("storages_by_turns.py") as d:
    is_(value_of(d, "half"), "bf16[64] cpu storage 20 of 128 bytes", "a storage that is too small is shown with both sizes")
    r = d.do("graph run")
    is_((by_node(r)["mul"]["min"], by_node(r)["mul"]["max"]), (16, 30), "tensors that share a freed storage still share it in a run")
    is_(by_node(r)["l_half_"]["dtype"], "bfloat16, storage 20 of 128 bytes", "graph run names both sizes")
    is_(d.do("graph compare")["text"].split("\n")[0], "no wrong node found", "... and in float64")
    is_(d.text("print half.untyped_storage().nbytes(), whole.untyped_storage().nbytes()"), "(20, 0)", "... the program's have their sizes")
    goes_on(d, ["[80.0, 82.0, 84.0, 86.0, 88.0, 90.0, 92.0, 94.0] 0"] * 2, "... and its results")

with Cdbg(os.path.join(CASES, "freed_later.py")) as d:
    d.do("break freed_later.py:9")
    d.go()
    d.go()
    d.do("up")
    like(d.error("graph run f") or "", r"node 'sum_1' at freed_later.py:13 raised NoMemory: 'aten.sum' needs the elements of a "
         r"tensor of shape \[1000\] whose storage is freed", "a node that reads a freed storage is named, and nothing is read")
    like(d.error("graph compare f") or "", "raised NoMemory", "... also by graph compare, before the backend's code runs")
    like(d.error("graph run f inference") or "", "NoMemory", "... and by a stage")
    goes_on(d, ["[624253.0, 624253.0, 624253.0]"] * 2, "... the program continues")

with at_second_call("file_cut.py") as d:
    like(d.text("print m"), r"f32\[10000\] cpu memory cut off", "print does not read a file that was cut")
    like(d.error("graph run") or "", r"the memory of 'l_m_' cannot be read: it maps a file", "graph run refuses it")
    like(d.error("graph compare") or "", r"the memory of 'l_m_' cannot be read", "... graph compare, too")
    like(d.error("entry run 0/0") or "", r"the memory of '\w+' cannot be read", "... and entry run")
    is_(by_node(d.do("graph run with m=torch.ones(5)"))["add"]["mean"], 1, "... with another value it runs")
    d.do("catch nan")
    goes_on(d, ["[1.0, 1.0, 1.0]"] * 2, "the program ends as without cdbg")
done()
