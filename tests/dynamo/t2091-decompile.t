#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Generated code as Python source: each code object that Dynamo generates is replaced by the one compiled from its source,
# and nothing changes; the command reads as a person would write it.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = r'''
import sys
import torch
import cdbg
from torch._dynamo import convert_frame

class Box:
    def __init__(self):
        self.value, self.seen, self.by_name = 1, [], {}

box = Box()
total = 0

def branch(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b

def side_effects(a, b):
    global total
    box.value += 2
    box.seen.append(a)
    box.by_name["last"] = b
    total += 1
    print("in the middle")
    return a + b * box.value

def closure(a, b):
    k = 3
    def inner(t):
        nonlocal k
        k += 1
        return t * k
    c = inner(a)
    print("closed", k)
    return inner(c) + b

def context(a, b):
    with torch.no_grad():
        c = a * 2
        print("without gradients", torch.is_grad_enabled())
        d = c + b
    return d

def loop(a, b):
    for i in range(3):
        a = a + i
        if a.sum() > 100:
            return b
    return a

def several(a, b, *rest, scale=2, **kw):
    print("several", len(rest), sorted(kw))
    return (a * scale, [b, *rest], {"a": a, **kw})

def catches(a, b):
    try:
        c = a + 1
        print("try", int(c.sum()) // 0)
    except ZeroDivisionError as e:
        print("caught", e)
        c = b
    return c * 2

def comprehension(a, b):
    parts = [a * i for i in range(3)]
    print("parts", len(parts))
    return sum(parts) + b

CALLS = [(branch, {}), (side_effects, {}), (closure, {}), (context, {}), (loop, {}), (several, {"scale": 3, "z": 1}), (catches, {}),
         (comprehension, {})]

def run():
    torch.manual_seed(0)
    torch._dynamo.reset()
    box.__init__()
    for f, kw in CALLS:
        c = torch.compile(f, backend="eager")
        for n in 4, 4, 5:
            a, b = torch.randn(n), torch.randn(n)
            try:
                print(f.__name__, c(a, b, **kw))
            except Exception as e:
                print(f.__name__, type(e).__name__, e)
    print(box.value, len(box.seen), total)

count = [0, 0]
def hook(code, out):
    count[0] += 1
    try:
        new = cdbg.recompile(out)
    except ValueError as e:
        print("refused:", e, file=sys.stderr)
        return None
    count[1] += 1
    return new

if "replaced" in sys.argv:
    convert_frame.register_bytecode_hook(hook)
run()
print(*count, file=sys.stderr)
'''

path = script(PROGRAM)
plain = bare(path)
replaced = bare(path, "replaced")
is_(replaced[0], plain[0], "with its generated code replaced the program ends as it does")
is_(replaced[1], plain[1], "and prints the same")
made, done_ = map(int, replaced[2].split("\n")[-2].split()) if replaced[2].strip() else (0, 0)
ok(made > 15, "there is generated code", replaced[2][-500:])
if version() == (3, 11):
    is_(done_, made, "every code object is compiled again from its source")
else:
    ok(done_ + replaced[2].count("refused:") == made, "what is not compiled again is refused with its reason", replaced[2][-1500:])

with Cdbg("""
    import torch
    def toy(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b
    c = torch.compile(toy, backend="eager")
    for _ in range(2):
        c(torch.ones(3), torch.ones(3))
""") as d:
    d.do("break toy@break")
    d.go()
    reply = d.do("decompile")
    if version() == (3, 11):
        lines = [r["text"] for r in reply["rows"]]
        is_(lines[0], "def toy(a, b):", "decompile shows the generated code of the selected frame")
        ok("    # calls of profiler hooks" in lines and not any("record_pregraph" in l for l in lines), "profiler hooks are folded", lines)
        ok(any(l.strip() == "graph_out_0 = __compiled_fn_1(a, b)" for l in lines), "the graph call reads as a call", lines)
        like(lines[-1], r"^    return __resume_at_\d+_\d+\(\[\], \[\], b, x\)$", "the resume call names what it passes on by the user's names")
        like(reply["text"], r"(?m)^=>     if [\w\[\]]+:$", "the broken branch is the current statement")
        ok(any(r["region"] == "graph call" for r in reply["rows"]), "each line names its region")
        ok(any("record_pregraph" in r["text"] for r in d.rows("info python -a")), "-a shows the profiler hooks")
    else:
        ok(reply["rows"], "decompile shows the generated code of the selected frame")

EFFECTS = """
    import collections, torch
    class Box:
        def __init__(self):
            self.value, self.gone = 1, 2
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0
            self.register_buffer("seen", torch.zeros(2))
        def forward(self, x):
            self.calls += 1
            self.seen = self.seen + x
            return x * 2
    box, other, items, table, names, queue, net = Box(), Box(), [1, 2], {"a": 1, "b": 2}, {1}, collections.deque([1]), Net()
    def attributes(x):
        box.value = 7
        del box.gone
        return x + 1
    def odd_name(x):
        setattr(box, "not a name", x)
        return x + 1
    def elements(x):
        items.append(x)
        items[0] = 5
        return x + 1
    def keys(x):
        del table["a"]
        table["k"] = x
        return x + 1
    def members(x):
        names.discard(1)
        names.add(4)
        return x + 1
    def ends(x):
        queue.append(x)
        return x + 1
    def made(x):
        b = Box()
        b.value = x
        return b, x + 1
    def replaced(x):
        other.inner.value = x
        other.inner = box
        return x + 1
    def module(x):
        return net(x)
    @torch._dynamo.disable
    def broken(x):
        return x * 2
    def within(x):
        with torch.no_grad():
            y = x + 1
            z = broken(x)
        return y + z
    def within_two(x):
        with torch.no_grad():
            with torch.enable_grad():
                y = x + 1
                z = broken(x)
            w = y * 2
        return w + z
    other.inner = Box()
    torch.compile(lambda x: x, backend="eager")(torch.ones(2))
    for f in attributes, odd_name, elements, keys, members, ends, made, replaced, module, within, within_two:
        torch.compile(f, backend="eager")(torch.ones(2))
    print("compiled")
"""


def shows(function, *wanted):
    """These lines are in the decompiled code of the function, in this order."""
    rows = [r["text"].strip() for r in d.rows("info python " + function)]
    at = [rows.index(line) if line in rows else -1 for line in wanted]
    ok(-1 not in at and at == sorted(at), "%s: %s" % (function, "; ".join(wanted)), "\n".join(rows))
    return rows


with Cdbg(EFFECTS) as d:
    d.do("break %d" % (EFFECTS[:EFFECTS.index('print("compiled")')].count("\n")))
    d.go()
    rows = shows("attributes", "box.value = 7", "del box.gone")
    ok(not any(w in " ".join(rows) for w in ("descriptor", "tmp_", "del graph_out")), "what only Dynamo needs is not shown", rows)
    ok(any("object_setattr_ignore_descriptor" in r["text"] for r in d.rows("info python -a attributes")) or
       not torch_has("torch._dynamo.utils.object_setattr_ignore_descriptor"), "-a shows the call that assigns")
    shows("odd_name", "box.__dict__['not a name'] = x")
    shows("elements", "items[:] = [5, items[1], x]")
    shows("keys", "table.clear()")
    shows("members", "names.clear()", "names.update({4})")
    shows("ends", "queue.clear()")
    rows = [r["text"].strip() for r in d.rows("info python made")]
    ok(any(r.endswith(" = Box.__new__(Box)") for r in rows) and any(r.endswith(".value = x") for r in rows),
       "made: an object that the function makes", rows)
    shows("replaced", "other.inner.value = x", "other.inner = box")
    shows("module", "net.calls = 1")
    for name in "within", "within_two":
        rows = [r["text"].strip() for r in d.rows("info python " + name)]
        resumes = [r for r in rows if r.startswith("return __resume_at_")]
        ok(any(r.startswith("with torch.") for r in rows) and len(resumes) == 1, name + ": breaks in a with statement", rows)
        like("".join(resumes), r"\(\[\], \[\],[\w ,]*\by\)$", name + ": the values that it passes on are named")
        ok(not any(re.match(r"_t\d+(\[.*\]| = \[.*\])", r) for r in rows), name + ": no list of them is left", rows)
    ok(any(re.match(r"_t\d+ = \[\[", r["text"].strip()) for r in d.rows("info python -a within")), "-a shows the lists that pass values on")
done()
