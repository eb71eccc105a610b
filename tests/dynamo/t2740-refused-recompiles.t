#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""At an exception that torch raised instead of compiling again, guard why names the guards that failed, with the values of that
call; under each stance, guard why and explain say what the stance changes."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
if torch_version() < (2, 13):
    skip_all("this version of torch gives no reasons at such an exception")
PROGRAM = """
import torch
import torch._dynamo as dynamo

@torch.compile(backend="eager", dynamic=False)
def f(x, k):
    return x * len(k) if isinstance(k, list) else x * k

@torch.compile(backend="eager", dynamic=False, fullgraph=True)
def whole(x, k):
    return x * k

def refused(x, k):
    with torch.compiler.set_stance("fail_on_recompile"):
        return f(x, k)

X = torch.ones(3)
f(X, 2)
f(torch.ones(4), 2)
whole(X, 2)
%s
"""
# what the program does last: the guards that fail by entry, as (expected, actual)
SIZE = ("f32[4] cpu", "f32[3] cpu")
BOTH = {"0/0": [("2", "5")], "0/1": [("2", "5"), SIZE]}
WAYS = {
    "a stance": ("refused(X, 5)", BOTH),
    "error_on_recompile": ("""
with dynamo.config.patch(error_on_recompile=True):
    f(X, 5)""", BOTH),
    "a limit that raises": ("""
with dynamo.config.patch(recompile_limit=1, fail_on_recompile_limit_hit=True):
    f(X, 5)""", BOTH),
    "the limit of fullgraph": ("""
with dynamo.config.patch(recompile_limit=1):
    whole(X, 5)""", {"1/0": [("2", "5")]}),
    "the program's own exception": ("""
try:
    refused(X, 5)
except RuntimeError as e:
    raise ValueError("mine") from e""", BOTH),
    "an exception in a handler": ("""
try:
    refused(X, 5)
except RuntimeError:
    {}["absent"]""", BOTH),
    "an earlier exception, raised last": ("""
try:
    refused(X, 5)
except RuntimeError as e:
    first = e
for k in range(20, 23):
    try:
        refused(X, k)
    except RuntimeError:
        pass
raise first""", BOTH),
    "a value that changed since": ("""
k = [1]
f(X, k)
k.append(2)
try:
    refused(X, k)
finally:
    k.clear()""", {"0/0": None, "0/1": None, "0/2": [("length 1", "length 2")]}),
    "another grad mode": ("""
with torch.no_grad():
    refused(X, 2)""", {"0/0": [("the state at compile time", "changed: grad_mode (now under no_grad)")], "0/1": None}),
}
for name, (last, expected) in WAYS.items():
    with Cdbg(PROGRAM % last) as d:
        d.go()
        is_(d.reason, "exception", name + ": the program stops at its exception")
        found = {}
        for row in d.rows("guard why"):
            found.setdefault(row["entry"], []).append((row["expected"], row["live"]))
        wanted = {e: found.get(e) if v is None else v for e, v in expected.items()}
        is_(found, wanted, name + ": guard why names the guards that failed, with the values of the call")
        if name == "a stance":
            is_([r["entry"] for r in d.rows("guard why 0/0")], ["0/0"], "of one entry, if it is named")
            ok(all(r["remedy"] for r in d.rows("guard why")), "and what to change")
            is_({r["entry"] for r in d.rows("guard why") if r["nearest"]}, {"0/0"}, "the entry with the fewest is the nearest")
        d.run_out()

shown = "".join(t for t in run(PROGRAM % WAYS["a stance"][0], options=("--plain",), commands=("continue", "guard why")) if isinstance(t, str))
like(shown, r"entry 0/0 of f: 1 guard fails \(nearest\)\n +\d+ k == 2 .*\n +expected 2\n +is +5\n", "a person reads what failed, expected and actual")
out, err = bare(PROGRAM % WAYS["an earlier exception, raised last"][0])[1:3]
with Cdbg(PROGRAM % WAYS["an earlier exception, raised last"][0]) as d:
    d.run_out()
    is_(d.out, out, "the program prints what it prints without cdbg")

with Cdbg(PROGRAM % "def g():\n    raise ValueError('other')\ntry:\n    refused(X, 5)\nexcept RuntimeError:\n    pass\ng()") as d:
    d.go()
    is_([r["entry"] for r in d.rows("guard why") if r["entry"]], [], "an exception of something else names no guard")
    d.run_out()

STANCES = """
import torch
def f(x, k):
    y = x * k
    return y
c = torch.compile(f, backend="eager", dynamic=False)
X = torch.ones(3)
c(X, 2)
with torch.compiler.set_stance(%s):
    c(X, 2)
    c(X, 5)
"""
FORCE, RUN, SKIP = "look for no entry", "a call that fits no entry runs the function's own code", "an entry may run although another guard fails"
for stance, first, second in [
        ('"force_eager"', ("every guard passes; .*" + FORCE, None), (FORCE, ("2", "5"))),
        ('"eager_on_recompile"', (None, None), (RUN, ("2", "5"))),
        ('"default", skip_guard_eval_unsafe=True', ("every guard passes; .*" + SKIP, None), (SKIP, ("2", "5")))]:
    with Cdbg(STANCES % stance) as d:
        d.do("break f")
        d.go()
        is_(d.rows("guard why"), [], stance + ": before it, guard why says nothing of a stance")
        for call, (says, fails) in enumerate([first, second], 1):
            d.go()
            rows = d.rows("guard why")
            texts = [r["text"] for r in rows if r["entry"] is None]
            if says:
                like(" ".join(texts), says, "%s: call %d: what it changes" % (stance, call))
            else:
                is_(texts, [], "%s: call %d: a call that an entry serves needs no word of it" % (stance, call))
            is_([(r["expected"], r["live"]) for r in rows if r["entry"]], [fails] if fails else [], "%s: call %d: the guards that fail" % (stance, call))
            is_([r["changed"] for r in rows if r["entry"]], [False] if fails else [], "%s: call %d: and no value has changed since" % (stance, call))
        like(d.text("explain f"), first[0].split("; .*")[-1] if first[0] else RUN, stance + ": explain says what it changes")
        d.run_out()
done()
