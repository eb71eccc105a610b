#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stepping generated code: every kind of function, instruction by instruction, in an order that control flow allows,
with the stack as deep as analysis says, into resume functions, and with the program's results untouched."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

HEAD = """
import torch
torch.manual_seed(0)
"""

PROGRAMS = {
    "a branch on a tensor, both ways, cold and warm": ("toy", """
@torch.compile(backend="eager")
def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b
for k in range(4):
    print(toy(torch.arange(3.0), torch.ones(3) * (1 if k % 2 else -1)))
"""),
    "three breaks": ("three", """
@torch.compile(backend="eager")
def three(t):
    t = t + 1
    print("one")
    t = t * 2
    print("two")
    t = t - 3
    print("three")
    return t / 2
for k in range(2):
    print(three(torch.ones(2)))
"""),
    "a break in a try block": ("tries", """
@torch.compile(backend="eager")
def tries(t):
    t = t + 1
    try:
        t = t * 2
        torch._dynamo.graph_break()
        t = t + 1
    finally:
        t = t - 1
    return t
print(tries(torch.ones(2)), tries(torch.zeros(2)))
"""),
    "a break in a loop": ("loops", """
@torch.compile(backend="eager")
def loops(t):
    for k in range(3):
        t = t + k
        print("k", k)
    return t
print(loops(torch.ones(2)), loops(torch.ones(2)))
"""),
    "a break under no_grad": ("graded", """
@torch.compile(backend="eager")
def graded(t):
    with torch.no_grad():
        t = t + 1
        print("inside", torch.is_grad_enabled())
        t = t * 2
    return t
print(graded(torch.ones(2, requires_grad=True)))
"""),
    "a break inside an inlined callee": ("caller", """
def helper(t):
    t = t.sin()
    print("in helper")
    return t + 1
@torch.compile(backend="eager")
def caller(t):
    return helper(t * 2) * 3
print(caller(torch.ones(2)), caller(torch.ones(2)))
"""),
    "recursion": ("down", """
@torch.compile(backend="eager")
def down(t, n):
    t = t + n
    torch._dynamo.graph_break()
    if n == 0:
        return t
    return down(t, n - 1) * 2
print(down(torch.ones(2), 3))
"""),
    "a generator inside": ("gens", """
@torch.compile(backend="eager")
def gens(t):
    out = t
    for v in (t * k for k in range(3)):
        out = out + v
    torch._dynamo.graph_break()
    return out.cos()
print(gens(torch.ones(2)), gens(torch.zeros(2)))
"""),
    "a closure and a method": ("Net", """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(2, 2)
        self.calls = []
    def forward(self, t):
        scale = 2.0
        def grow(u):
            return u * scale
        t = self.lin(t)
        self.calls.append(1)
        torch._dynamo.graph_break()
        scale = 3.0
        return grow(t)
net = torch.compile(Net(), backend="eager")
print(net(torch.ones(2)), net(torch.ones(2)), len(net.calls))
"""),
    "a training step on aot_eager": ("train", """
lin = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
@torch.compile(backend="aot_eager")
def train(x, y):
    loss = ((lin(x) - y) ** 2).mean()
    torch._dynamo.graph_break()
    return loss * 2
for k in range(3):
    opt.zero_grad()
    loss = train(torch.ones(4, 3), torch.zeros(4, 1))
    loss.backward()
    opt.step()
    print(loss)
"""),
}


# A break there makes Dynamo skip the whole function.
SKIPPED = ("tries", "loops")


def follows(rows):
    """offset -> offsets that may come next."""
    out, after = {}, None
    jumps = ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
    for r in reversed(rows):
        nxt = set()
        if r["opname"] not in jumps and after is not None:
            nxt.add(after)
        if r["arg"] and r["arg"].startswith("to "):
            nxt.add(int(r["arg"][3:]))
        if r["opname"] == "EXTENDED_ARG":
            nxt |= out.get(after, set())
        out[r["offset"]] = nxt
        after = r["offset"]
    return out


# All in one program, which imports torch once.
path = script("import torch" + "".join('\ntorch.manual_seed(0)\nprint("== %s")\n%s' % (what, text.lstrip("\n"))
                                      for what, (function, text) in PROGRAMS.items()), "all.py")


def parts(out):
    return dict(part.split("\n", 1) for part in out.split("== ")[1:])


want = bare(path)
steps = {what: 0 for what in PROGRAMS}
wrong = {what: [] for what in PROGRAMS}
with Cdbg(path) as d:
    number = {}
    for k, (what, (function, text)) in enumerate(PROGRAMS.items(), 1):
        d.do("break " + ("Net.forward" if function == "Net" else function))
        number[k] = what
    codes, last, now = {}, None, None
    d.go()
    while not d.exited:
        f = d.frame
        if d.reason == "breakpoint":
            now = number[d.stop["number"]]
        if f.get("kind") == "generated":
            steps[now] += 1
            if f["entry"] not in codes:
                codes[f["entry"]] = follows(d.rows("info code"))
            if last and last[0] == f["entry"] and d.reason == "step" and \
                    f["offset"] not in codes[f["entry"]][last[1]] and f["offset"] > 2:
                wrong[now].append((f["entry"], last[1], f["offset"]))
            last = (f["entry"], f["offset"])
        else:
            last = None
        if steps[now] == 700:
            d.do("delete %d" % [k for k in number if number[k] == now][0])
            steps[now] += 1
        d.go("continue" if f["function"] == "<module>" or steps[now] > 700 else "stepi")
    status, got, expected = d.exited["status"], parts(d.out), parts(want[1])
for what, (function, text) in PROGRAMS.items():
    if function in SKIPPED:
        is_(steps[what], 0, "%s: Dynamo skips it, its own code is what runs" % what)
    else:
        ok(steps[what] > 20 and not wrong[what], "%s: stepi follows control flow" % what, (steps[what], wrong[what][:5]))
    is_((got.get(what), status), (expected[what], want[0]), "%s: the output is the same" % what)

with Cdbg(script(HEAD + PROGRAMS["a branch on a tensor, both ways, cold and warm"][1])) as d:
    d.do("break toy")
    d.go()
    is_((d.frame["kind"], d.frame["entry"], d.frame["function"]), ("generated", "0/0", "toy"), "break FUNC stops in its generated code")
    seen = []
    for _ in range(30):
        seen.append(d.frame["region"])
        d.go("next")
        if d.reason == "return":
            break
    ok(seen.index("graph call") < seen.index("break") < seen.index("resume call"), "next goes region by region", seen)
    is_(d.reason, "return", "to the return, with its value")
    like(d.stop["value"], r"f32\[3\]", "which is shown")
    d.do("set stack 0 = 'mine'")
    d.do("delete")
    d.run_out()
    is_(d.out.splitlines()[0], "mine", "a return value written at the stop is what the program gets")

with Cdbg(script(HEAD + PROGRAMS["a branch on a tensor, both ways, cold and warm"][1])) as d:
    d.do("break toy@break")
    d.go()
    is_((d.frame["region"], d.frame["line"]), ("break", d.line_of("if b.sum")), "break FUNC@break stops at the broken instruction, on the user's line")
    while d.frame["function"] == "toy":
        d.go("stepi")
    like(d.frame["function"], "torch_dynamo_resume_in_toy_at", "stepi goes into the resume function")
    rows = d.rows("info frames")
    mine = [r for r in rows if r["kind"] == "generated"]
    is_((len(mine), len({r["logical"] for r in mine})), (2, 1), "which is one logical frame with the frame that it continues")
    d.go("finish")
    d.go("finish")
    is_((d.frame["function"], d.frame["kind"]), ("toy", "generated"), "finish comes back to the code that called it")
    while d.frame["kind"] == "generated":
        d.go("finish")
    is_((d.frame["function"], d.frame["kind"]), ("<module>", "user"), "and from there to the user's frame")
    d.go("next")
    is_(d.frame["function"], "<module>", "where next continues")
    d.do("delete")
    d.run_out()
done()
