#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The limit that is reported is the one that was reached, entries of other regions did not miss, recompiles that a stance forbids stop,
# guard why lists a cause once, and catch skip stops for the program's functions.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch
import torch._dynamo as dynamo
X = torch.ones(2)
def function(name):
    scope = {}
    exec("def %s(x, k):\\n    return x * k\\n" % name, scope)
    return scope[name]
def calls(f, *values):
    for k in values:
        try:
            f(X, k)
        except Exception as e:
            print(type(e).__name__)
def fixed(name, **how):
    return torch.compile(function(name), backend="eager", dynamic=False, **how)
calls(fixed("by_option", recompile_limit=2), 1, 2, 3, 4)
with dynamo.config.patch(recompile_limit=3):
    calls(fixed("by_config"), 1, 2, 3, 4)
with dynamo.config.patch(accumulated_recompile_limit=2):
    calls(fixed("by_all"), 1, 2, 3)
with dynamo.config.patch(recompile_limit=1, fail_on_recompile_limit_hit=True):
    calls(fixed("by_failing"), 1, 2)
shared = function("shared")
a = torch.compile(shared, backend="eager", dynamic=False, isolate_recompiles=True)
b = torch.compile(shared, backend="eager", dynamic=False, isolate_recompiles=True)
calls(a, 1)
calls(b, 2)
calls(a, 3)                 # 0: k == 1 of a missed, k == 2 is b's
stern = fixed("stern")
calls(stern, 2)
with torch.compiler.set_stance("fail_on_recompile"):
    calls(stern, 5)
with dynamo.config.patch(error_on_recompile=True):
    calls(stern, 6)
with torch.compiler.set_stance("eager_on_recompile"):
    calls(stern, 7)
with torch.compiler.set_stance("force_eager"):
    calls(stern, 8)
many = fixed("many")
calls(many, 2, 3, 4, 5)
'''

limits, missed, forbidden, failing = {}, [], [], []
with Cdbg(PROGRAM) as d:
    for kind in "recompile", "limit", "guard-fail stern":
        d.do("catch " + kind)
    d.go()
    while d.stop and not d.exited:
        name = d.frame["function"]
        if d.reason == "limit":
            limits[name] = (d.stop["detail"]["option"], d.stop["detail"]["limit"])
        elif d.reason == "guard-fail":
            failing.append(name)
        elif name == "shared":
            missed.append([r["expected"] for r in d.rows("guard why")])
        elif name == "stern":
            forbidden.append([(r["expected"], r["live"]) for r in d.rows("guard why")])
        d.go()
    out = d.out
is_(limits, {"by_option": ("recompile_limit", 2), "by_config": ("recompile_limit", 3),
    "by_all": ("accumulated_recompile_limit", 2), "by_failing": ("recompile_limit", 1)}, "each limit is the one that was reached, with its value")
is_(missed, [["1"]], "entries of another region are not among those that missed")
is_(forbidden, [[("2", "5")], [("2", "6")]], "a recompile that a stance or a setting forbids stops, with the guard that failed")
is_(len(failing), 3, "so does catch guard-fail, also under eager_on_recompile, and not under force_eager")
out3 = run(PROGRAM, options=("--plain",), commands=("catch recompile many", "continue", "continue", "continue", "guard why"))
why = next(text for text in out3 if isinstance(text, str) and "entries" in text)
why = why[why.index("entries 8/") if "entries 8/" in why else why.index("\nentries "):]
is_(why.split("\nstopped")[0].split("\nthe program")[0].count("remedy"), 1, "guard why has the remedy of three entries once")
like(why, r"entries \S+, \S+, \S+ of many: 1 guard fails in each[^\n]*\n +- k.*\n +expected \d \(\S+\), \d \(\S+\), \d \(\S+\)\n +is +5\n",
     "with the entries and what each expects")
is_(out, bare(PROGRAM)[1], "the program prints what it prints without cdbg")

SKIPS = '''
import torch
import collections
def skipped(x):
    for i in range(2):
        torch._dynamo.graph_break()
    return x
@torch.compile(backend="eager")
def f(x):
    d = collections.Counter("ab")
    return torch.nn.functional.relu(x) + len(d)
def g(x):
    return str(x)[:1]
f(torch.ones(2))
torch.compile(skipped, backend="eager")(torch.ones(2))
torch.compile(collections.Counter, backend="eager")("ab")
'''
def skips(command):
    seen = []
    with Cdbg(SKIPS) as d:
        d.do(command)
        d.go()
        while not d.exited:
            seen.append(d.frame["function"])
            d.go()
    return seen
own, everything = skips("catch skip"), skips("catch skip -a")
is_([n for n in own if n not in ("skipped", "f", "g") and not n.startswith("torch_dynamo_resume_in")], [], "catch skip stops for the program's functions only")
ok("skipped" in own, "and it stops for these", own)
ok(set(own) <= set(everything), "with -a for all", (own, everything))
done()
