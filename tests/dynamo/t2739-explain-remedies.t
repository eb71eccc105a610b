#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The remedies of explain follow from the values in Dynamo's reasons: they are those that guard why gave at the recompile, where
it had the values themselves."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
path = os.path.join(top, "tests", "cases", "remedy_by_reason.py")
SAYS = {
    "size": "mark_dynamic", "size_later": "mark_dynamic", "size_one": "mark_unbacked", "size_was_one": "mark_unbacked",
    "size_none": "mark_unbacked", "rank": "number of dimensions", "scalar": "number of dimensions", "dtype": "one dtype",
    "device": "one device", "grad": "requires_grad", "no_grad": "requires_grad", "stride": "memory layout", "conjugate": "resolve_conj",
    "inference": "inference_mode", "parameter": "force_parameter_static_shapes", "other_class": "one dtype and class",
    "no_tensor": "like the one at compile time", "whole": r"dynamic=True\), or pass torch.tensor", "fraction": r"dynamic=True\), or pass torch.tensor",
    "mixed": "numbers of one type", "text": "few values", "in_module": "in a buffer", "in_object": "in a buffer",
}
SAME = [n for n in SAYS if not n.startswith("in_")]  # elsewhere the object itself, which is gone, decides

live = {}
with Cdbg(path) as d:
    d.do("catch recompile")
    d.go()
    while not d.exited and d.reason == "recompile":
        row = d.rows("guard why")[0]
        live[d.frame["function"]] = (row["expected"], row["live"], row["remedy"])
        d.go()
is_(sorted(set(SAYS) - set(live)), [], "each case recompiles")

with Cdbg(path) as d:
    d.do("break %d" % d.line_of("case(\"in_object\""))
    d.go()
    d.go("next")
    text = d.text("explain")
    d.run_out()
after, tail = {}, []
for cause, places, remedy in re.findall(r"^  \d+ x (.*)\n      in (.*)\n(?:      remedy: (.*)\n)?", text, re.M):
    for name in places.split(", "):
        after[name] = (cause, remedy)
for name, words in SAYS.items():
    like(after.get(name, ("", ""))[1], words, name + ": the remedy of explain follows from what failed")
is_({n: after[n][1] for n in SAME if n in after}, {n: live[n][2] for n in SAME if n in live}, "it is the one that guard why gives at the recompile")
is_(len(re.findall(r"^  'info entries' lists each entry with its cause", text, re.M)), 1, "the section ends with the commands that list all")
done()
