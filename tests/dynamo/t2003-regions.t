#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Regions of generated code: each instruction in one, and each region where the code itself says that it is."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import random
    import sys
    import torch
    import torch._dynamo

    def compiled(f):
        return torch.compile(f, backend="eager")

    @compiled
    def toy(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    @compiled
    def keywords(x):
        y = x + 1
        print("", end="", sep="")           # break
        return y * 2

    @compiled
    def item(x):
        n = x.sum().item()                  # break
        return x * n

    class Quiet:
        def __setattr__(self, name, value):
            print(end="")
            object.__setattr__(self, name, value)

    @compiled
    def attribute(x, c):
        x = x + 1
        c.foo = x                           # break
        return x * 2

    def helper(y):
        print(end="")
        return y

    @compiled
    def tail(x):
        y = x + 1
        return helper(y)                    # break

    class Empty:
        pass

    @compiled
    def copied(x):
        x = x + 1
        x = x + 2
        c = Empty()
        try:
            print(end="")                   # copied
        finally:
            pass
        return x * 2

    @compiled
    def contexts(x):
        with torch.no_grad():
            with torch.autocast("cpu"):
                y = x * 2
                print(end="")               # break
                y = y + 1
        return y

    @compiled
    def effects(x, l, d):
        l.append(x + 1)
        d["k"] = x * 2
        torch._dynamo.graph_break()         # break
        l.extend([x, d["k"]])
        return x + 3

    def make():
        count = 0

        @compiled
        def bump(t):
            nonlocal count
            count += 1
            t = t + count
            torch._dynamo.graph_break()     # break
            return [t + count, lambda z: z + count]
        return bump

    bump = make()

    @compiled
    def nothing(x, l):
        torch._dynamo.graph_break()         # break
        return x + len(l)

    @compiled
    def chance(x):
        return x * random.random()          # break

    class Linear(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(4, 4)

        def forward(self, x):
            return self.inner(x).relu()

    linear = compiled(Linear())

    @compiled
    def constants(x):
        return 3, x, None, [x + 1]

    def stop():
        pass

    x = torch.ones(4)
    for k in range(2):
        toy(x, x + 0), toy(x, -x), keywords(x), item(x), attribute(x, Quiet()), tail(x), copied(x), contexts(x)
        effects(x, [], {}), bump(x), nothing(x, [1]), chance(x), linear(x), constants(x)
    stop()
'''

NAMES = {"prologue", "graph call", "outputs", "side effects", "break", "resume call", "original", "return"}


def runs(rows):
    """The regions in order: (name, rows)."""
    found = []
    for r in rows:
        if found and found[-1][0] == r["region"] and r["region"] != "return":
            found[-1][1].append(r)
        else:
            found.append((r["region"], [r]))
    return found


def check(d, entry, function, ranges):
    rows = d.rows("info code " + entry)
    what = "%s of %s" % (entry, function)
    if not all(r["region"] in NAMES for r in rows):
        return "%s: %s" % (what, [(r["offset"], r["region"]) for r in rows if r["region"] not in NAMES])
    loads = [r for r in rows if r["opname"] == "LOAD_GLOBAL"]
    if any(r["region"] != "graph call" for r in loads if "__compiled_fn" in r["arg"]):
        return "%s: the graph is not loaded in its call" % what
    if any(r["region"] != "resume call" for r in loads if "__resume_at" in r["arg"]):
        return "%s: a resume function is not loaded in its call" % what
    if any(r["region"] not in ("return", "original") for r in rows if r["opname"] == "RETURN_VALUE"):
        return "%s: a return is not one" % what
    names = [n for n, _ in runs(rows)]
    if names[0] != "prologue" or names[-1] not in ("return", "original"):
        return "%s: begins or ends as %s" % (what, names)
    order = {n: k for k, n in enumerate(["prologue", "graph call", "outputs", "side effects", "break", "resume call"])}
    until = names.index("break") if "break" in names else len(names)
    if any(order.get(a, 9) > order.get(b, 9) for a, b in zip(names[:until], names[1:until]) if (a, b) != ("side effects", "outputs")):
        return "%s: in the order %s" % (what, names)
    broken = [r for r in rows if r["region"] == "break"]
    resumes = [r for r in rows if "__resume_at" in str(r["arg"]) or "code torch_dynamo_resume_in" in str(r["arg"])]    # or: 2.6
    if bool(broken) != bool(resumes) and not (broken and function in ("tail", "stop")):
        return "%s: break and resume calls do not go together" % what
    if broken and ranges and function in here and {r["line"] for r in broken} != {here[function]}:
        return "%s: the break is at lines %s, not %d" % (what, {r["line"] for r in broken}, here[function])
    if any(r["opname"] in ("LOAD_FAST", "SWAP", "BUILD_LIST", "STORE_FAST") for r in broken):
        return "%s: more than the user's instruction is in the break" % what
    return None


path = script(PROGRAM)
here = {}
function = None
for number, text in enumerate(open(path), 1):
    if text.strip().startswith("def "):
        function = text.split("def ")[1].split("(")[0]
    if "# break" in text:
        here[function] = number

for env, ranges in (({}, True), ({"PYTHONNODEBUGRANGES": "1"}, False)):
    with_ = "with columns" if ranges else "where Python keeps no columns"
    with Cdbg(path, env=env) as d:
        d.do("break stop")
        d.go()
        entries = [(r["entry"], r["function"]) for r in d.rows("info entries")]
        ok(len(entries) > 20, "many functions are compiled, %s" % with_, "%d" % len(entries))
        unknown = () if ranges else ("tail", "copied")     # nothing tells there what the code does not
        wrong = [w for e, f in entries if f not in unknown for w in [check(d, e, f, ranges)] if w]
        ok(not wrong, "each region of each entry is where the code says, %s" % with_, "\n".join(wrong))
        of = {}
        for e, f in entries:
            of.setdefault(f, e)
        if not ranges:
            continue

        text = d.text("disassemble " + of["toy"])
        ok(len(text.splitlines()) < 25, "toy_example's generated code is shown in under 25 lines", text)
        like(text, r"graph call +__compiled_fn_\d+\(a, b\) +\d+\.\.\d+ +lines 11-12 ", "the graph call says its arguments and its lines")
        like(text, r"break +(TO_BOOL|POP_JUMP_(FORWARD_)?IF_FALSE) .* line 12 +if b.sum\(\) < 0:", "the break is the user's branch")
        is_([int(l.split("line ")[1].split()[0]) for l in text.splitlines() if "resume call" in l], [13, 14],
            "each resume call says where it continues")
        like(text, r"resume call +__resume_at_\d+_\d+\(b, x\)", "and with which values")
        rows = d.rows("info code " + of["toy"])
        lines = {(r["region"], r["line"]) for r in rows}
        ok({("prologue", None), ("outputs", None), ("return", None), ("graph call", 11), ("break", 12)} <= lines,
           "an instruction has the user's line it stands for, or none", lines)
        like(d.text("disassemble " + of["forward"]), r"__compiled_fn_\d+\(self\.inner\.weight, self\.inner\.bias, x\)",
             "parameters of a module are named as the user names them")

        names = [n for n, _ in runs(d.rows("info code " + of["copied"]))]
        is_(names, ["prologue", "graph call", "outputs", "original"], "code copied in to run as it is is original")
        rows = [r for r in d.rows("info code " + of["copied"]) if r["region"] == "original" and r["line"] == line_of(path, "# copied")]
        ok(rows, "and keeps its own lines")
        names = [n for n, _ in runs(d.rows("info code " + of["effects"]))]
        is_(names, ["prologue", "graph call", "outputs", "side effects", "outputs", "break", "resume call", "return"],
            "side effects are between the values they leave alone")
        ops = [r["opname"] for r in d.rows("info code " + of["bump"]) if r["region"] == "side effects"]
        ok(ops[-1:] == ["STORE_DEREF"], "a cell that is written is a side effect", ops)
        ok(all(n != "side effects" for n, _ in runs(d.rows("info code " + of["constants"]))), "returning constants is not one")
        rows = d.rows("info code " + of["contexts"])
        ops = [r["opname"] for r in rows if r["region"] == "break"]
        ok(ops[-1:] in (["CALL"], ["CALL_KW"]) and set(ops[:-1]) <= {"KW_NAMES", "PRECALL"},
           "entering and leaving contexts is not a part of the break", ops)
        is_(runs(d.rows("info code " + of["nothing"]))[0][0], "prologue", "code without a graph has a prologue too")
        d.do("delete")
        d.run_out()

NESTED = '''
    import torch
    import torch._dynamo
    torch._dynamo.config.nested_graph_breaks = True

    def inner(y):
        print(end="")                   # inner
        return y + 5

    @torch.compile(backend="eager")
    def f(a, n):
        x = inner(a * n)                # outer
        return x + 1

    f(torch.ones(3), 2)

    def stop():
        pass

    stop()
'''

TAKEN_APART = '''
    import dis
    import torch

    class Base:
        def two(self):
            return 2

    class Derived(Base):
        def traced(self, x, n, items):
            if n is None:
                n = super().two()
            a, b = x, n
            part = items[1:]
            y = a * b + x.add(part[0])
            print(end="")               # break
            return y + 1

    torch.compile(Derived().traced, backend="eager")(torch.ones(3), None, [1, 3])
    found = list(dis.get_instructions(Derived.traced))
    line = Derived.traced.__code__.co_firstlineno + 6
    print([b.offset for a, b in zip(found, found[1:]) if a.opname.startswith("CALL") and a.positions.lineno == line][0])

    def stop():
        pass

    stop()
'''

with Cdbg(TAKEN_APART) as d:
    d.do("break stop")
    d.go()
    rows = [r for r in d.rows("info resume") if r["line"] == d.line_of("# break")]
    is_([r["offset"] for r in rows], [int(d.out)],
        "where a resume function continues is an offset of the function itself, though Dynamo takes instructions apart")

if not torch_has("torch._dynamo.config.nested_graph_breaks"):
    for what in "with nested graph breaks each instruction is in a region too", "the break's line is the frame's own", \
            "and both resume functions are in the resume call":
        skip(what, "not in this version of torch: breaks in inlined functions that resume there")
    done()
with Cdbg(NESTED) as d:
    d.do("break stop")
    d.go()
    rows = d.rows("info code 0/0")
    ok(all(r["region"] in NAMES for r in rows), "with nested graph breaks each instruction is in a region too")
    ok({r["line"] for r in rows if r["region"] == "break"} == {d.line_of("# outer")}, "the break's line is the frame's own")
    ok(sum("__resume_at" in str(r["arg"]) for r in rows if r["region"] == "resume call") == 2,
       "and both resume functions are in the resume call")

done()
