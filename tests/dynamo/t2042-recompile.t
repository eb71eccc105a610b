#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Why Dynamo compiles again: every failing guard with what it expects and what there is, held to torch's own messages."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import gc
    import torch
    from torch._dynamo import config
    recompile_limit = getattr(config, "recompile_limit", None) or config.cache_size_limit       # or: 2.6
    K = 1.5

    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.lin = 2.0, torch.nn.Linear(4, 4)
        def forward(self, x):
            return self.lin(x) * self.scale if self.training else self.lin(x)

    @torch.compile(backend="eager")
    def shape(x):
        return x.sum() + x.shape[0]         # line of shape
    @torch.compile(backend="eager", dynamic=True)
    def sizes(x):
        return x + 1 if x.shape[0] > 4 else x - 1
    @torch.compile(backend="eager")
    def dtype(x):
        return x + 1
    @torch.compile(backend="eager")
    def number(x, n):
        return x + n
    @torch.compile(backend="eager")
    def glob(x):
        return x * K
    @torch.compile(backend="eager")
    def needs(x):
        return x * 2
    @torch.compile(backend="eager")
    def mode(x):
        return x * 3
    @torch.compile(backend="eager")
    def length(xs):
        return xs[0] + len(xs)
    @torch.compile(backend="eager")
    def keys(d):
        return sum(d.values())
    @torch.compile(backend="eager")
    def alias(a, b):
        return a + b
    @torch.compile(backend="eager")
    def typed(x, c):
        return x + 1 if hasattr(c, "a") else x * 2
    @torch.compile(backend="eager")
    def both(x, n, s):
        return x + n + len(s)
    @torch.compile(backend="eager")
    def limited(x, s):
        return x + len(s)
    @torch.compile(backend="eager")
    def item(x):
        n = x.sum().item()    # line of item
        return x * n

    def new():
        class T: pass
        return T()

    x, m = torch.ones(4), M()
    module = torch.compile(m, backend="eager")
    shape(x), shape(torch.ones(5)), shape(torch.ones(6))
    sizes(torch.ones(6)), sizes(torch.ones(3)), sizes(torch.ones(1))
    dtype(x), dtype(x.int())
    number(x, 1), number(x, 2), number(x, 3)
    glob(x); K = 2.5; glob(x)
    module(x); m.scale = 3.0; module(x); m.eval(); module(x)
    needs(x), needs(torch.ones(4, requires_grad=True))
    mode(x)
    with torch.no_grad():
        mode(x)
    length([x]), length([x, x.clone()])
    keys({"a": x}), keys({"b": x})
    alias(x, torch.ones(4)), alias(x, x)
    typed(x, new()); gc.collect(); typed(x, new()); gc.collect()
    both(x, 1, "a"), both(x, 1.5, "bc")
    for i in range(recompile_limit + 3):
        limited(x, "a" * i)
    limited(x, "")
    item(x), item(x * 2)
'''

# What torch says of the same program: (function, [(entry, first words), ...]) for each recompile.
torch_says = []
status, out, err = bare(PROGRAM, env={"TORCH_LOGS": "recompiles"})
for line in err.splitlines():
    said = re.search(r"Recompiling function (\S+) in", line)
    each = re.search(r"\[__recompiles\]\s+- (\d+/\d+): (.*)", line)
    if said:
        torch_says.append((said[1], []))
    elif each:
        torch_says[-1][1].append((each[1], re.sub(r",? ?type=.*|\s+#.*", "", each[2]).strip()))
ok(len(torch_says) > 20, "torch logs the recompiles of the program", err[-500:])

WANT = {    # function: (expected, live, what the remedy speaks of), of the first failing guard of its first recompile
    "shape": ("f32[4] cpu", "f32[5] cpu", "mark_dynamic"),
    "sizes": ("5 <= L['x'].size()[0]", "L['x'].size()[0] = 3", "compares this size"),
    "dtype": ("f32[4] cpu", "i32[4] cpu", "dtype"),
    "number": ("1", "2", "dynamic=True"),
    "glob": ("1.5", "2.5", "tensor"),
    "forward": ("2.0", "3.0", "buffer"),
    "needs": ("f32[4] cpu", "f32[4] cpu grad", "requires_grad"),
    "mode": ("the state at compile time" if torch_version() > (2, 6) else "as at compile time", "changed: grad_mode (now under no_grad)", "grad mode"),
    "length": ("length 1", "length 2", "length"),
    "keys": ("'a'", "'b'", "keys"),
    "alias": ("all different: L['a'], L['b']", "L['a'] is L['b']", "clone()"),
    "both": ("1", "1.5", "one type"),
    "limited": ("''", "'a'", "values"),
}

with Cdbg(PROGRAM) as d:
    d.do("catch recompile")
    stops = []
    while d.go() and not d.exited:
        stops.append((d.stop, d.rows("guard why")))
        if len(stops) == 1:
            is_(d.frame["kind"], "compiling", "the stop is at the function being looked up")
            is_(d.text("print x.shape[0]"), "5", "with the arguments of the call")
            is_(d.stop["detail"]["entries"][0]["failing"][0]["line"], d.line_of("line of shape"), "a failing guard has the line that made it")
    is_(d.stdout if hasattr(d, "stdout") else d.out, out, "the program prints what it prints without cdbg")
    is_([s["detail"]["function"] for s, _ in stops], [f for f, _ in torch_says], "one stop for each recompile that torch logs")
    plain = lambda text: re.sub(r"L\['(\w+)'\]", r"\1", text)[:25].replace("tensors", "tensor")
    wrong = [(f, e["entry"], e["reason"], said) for (s, _), (f, says) in zip(stops, torch_says)
             for e, (entry, said) in zip(s["detail"]["entries"], says)
             if e["entry"] != entry or plain(e["reason"])[:16] != plain(said)[:16]]
    is_(wrong, [], "each entry fails for the reason that torch gives")
    first = {}
    for s, _ in stops:
        first.setdefault(s["detail"]["function"], s["detail"]["entries"][0])
    WANT["torch_dynamo_resume_in_item_at_%d" % d.line_of("line of item")] = ("4.0", "8.0", "capture_scalar_outputs")
    for name, (expected, live, remedy) in WANT.items():
        f = first[name]["failing"][0] if first[name]["failing"] else {}
        ok((f.get("expected"), f.get("live")) == (expected, live) and remedy in f.get("remedy", ""),
           "%s: expected, live value and remedy" % name, first[name])
    if any(f == "typed" and "deallocated" in said for f, says in torch_says for _, said in says):
        like(first["typed"]["reason"], r"deallocated", "an entry whose guarded class died reports it")
        like(first["typed"]["remedy"], r"keep the object alive", "and what to do about it")
    else:
        skip("an entry whose guarded class died", "torch keeps the class alive on this CPython")
    bare_ones = [e for s, _ in stops for e in s["detail"]["entries"]
                 if not e["reason"] or not (e["failing"] or e["remedy"]) or
                 any(not (f["expected"] and f["live"] and f["remedy"]) for f in e["failing"])]
    is_(bare_ones, [], "no entry misses without a reason, no guard fails without expected, live value and remedy")
    is_(len(first["both"]["failing"]) >= 2, True, "every failing guard is reported, not just the first")
    differ = [s["detail"]["function"] for s, rows in stops
              if {r["guard"] for r in rows if r["guard"]} != {f["guard"] for e in s["detail"]["entries"] for f in e["failing"]}]
    is_(differ, [], "guard why at the stop tells the same")
    last = [rows for s, rows in stops if s["detail"]["function"] == "number"][-1]
    is_([r["nearest"] for r in last if r["guard"]], [True] * len(last), "the nearest entry is marked")

with Cdbg(PROGRAM) as d:
    d.do("catch guard-fail number")
    d.do("catch limit")
    d.go()
    is_((d.reason, d.stop["detail"]["entry"], [e["entry"] for e in d.stop["detail"]["entries"]]), ("guard-fail", None, ["3/0"]),
        "catch guard-fail stops at a miss that compiles")
    d.do("delete 1")
    d.go()
    limit = d.stop["detail"]
    is_((d.reason, limit["function"], limit["limit"], limit["entries"]), ("limit", "limited", 8, 8), "catch limit stops when the recompile limit is reached")
    like(limit["reason"], r"s('\])? == 'a'", "and says why it compiled that often")
    d.do("catch guard-fail limited")
    d.go()
    is_((d.reason, d.stop["detail"]["entry"], len(d.stop["detail"]["entries"])), ("guard-fail", None, 8), "catch guard-fail stops at misses after the limit, which run in eager mode")
    d.go(), d.go()
    detail = d.stop["detail"]
    is_((d.reason, detail["entry"], [e["entry"] for e in detail["entries"]][-1]), ("guard-fail", "13/0", "13/1"), "and at a miss that another entry serves, with those tried before it")
    row = [r for r in d.rows("info compiled") if r["function"] == "limited"][0]
    is_((row["status"], row["entries"]), ("mixed", 8), "info compiled has the function as mixed")
    like(row["reason"], r"(recompile|cache_size)_limit \(8\) reached", "with the limit as its reason")
    d.run_out()
    is_(d.out, out, "the program prints what it prints without cdbg")

with Cdbg(PROGRAM) as d:
    d.do("catch recompile number if n == 2")
    d.go()
    is_((d.stop["detail"]["function"], d.text("print n")), ("number", "2"), "a condition reads the arguments of the call")
    d.do("delete")
    d.do("set count on")
    d.run_out()
    rows = {r["entry"]: r for r in d.rows("info entries")}
    if torch_has("torch._C._dynamo.eval_frame.set_guard_complete_hook"):
        is_((rows["3/0"]["hits"], rows["3/1"]["hits"]), (0, 1), "hits are counted once count is on")
        is_([r["hits"] for r in d.rows("info compiled number")], [1], "and of each function")
    else:
        ok(any("does not allow counting hits" in n["text"] for n in d.notes), "that hits cannot be counted is reported", d.notes)
        skip("hits are counted once count is on", "not in this version of torch: a hook that has them")
        skip("and of each function", "not in this version of torch: a hook that has them")
    like(d.text("explain number"), r"^entry 3/1: .*\n  It was compiled because no other entry matched: 3/0: (n|L\['n'\]) == 1$", "explain says why it was compiled again")
    like(d.text("explain limited"), r"^It was skipped \d+ times?; the last reason: (recompile|cache_size)_limit", "and what it was skipped for")

with Cdbg("""
    import enum, torch
    class Color(enum.Enum):
        RED, BLUE = 1, 2
    class Stack(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(2)])
        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x
    @torch.compile(backend="eager")
    def painted(x, c):
        return x + (1 if c is Color.RED else 2)
    @torch.compile(backend="eager")
    def strided(x):
        return x + 1
    x, m = torch.ones(4, 4), Stack()
    painted(x, Color.RED), painted(x, Color.BLUE)
    module = torch.compile(m, backend="eager")
    module(x)
    m.layers.append(torch.nn.Linear(4, 4))
    module(x)
    strided(torch.ones(3, 4)), strided(torch.ones(5, 6))
    strided(torch.ones(5, 6, requires_grad=True))
    strided(torch.nn.Parameter(torch.ones(5, 6)))
""") as d:
    d.do("catch recompile")
    said = {}
    while d.go() and not d.exited:
        said.setdefault(d.stop["detail"]["function"], []).append((d.stop["detail"]["entries"], d.rows("guard why")))
    f = said["painted"][0][0][0]["failing"][0]
    is_((f["expected"], f["live"]), ("__main__.Color.RED", "__main__.Color.BLUE"), "members of an enumeration are shown by name")
    f = said["forward"][0][0][0]["failing"][-1]
    is_((f["expected"], f["live"], bool(f["line"])), ("length 2", "length 3", True), "the length of a whole dictionary is reported, though no leaf checks it")
    row = said["forward"][0][1][-1]
    is_([row[k] for k in ("text", "expected", "live", "remedy")], [f[k] for k in ("text", "expected", "live", "remedy")], "by guard why as well")
    like(row["remedy"], "children|length", "and what to do about it")
    dynamic = lambda at: {e["entry"]: e["failing"][0] for e in said["strided"][at][0]}["2/1"]
    f = dynamic(1)
    is_((f["expected"], f["live"]), ("f32[?,?] cpu", "f32[5,6] cpu grad"), "dimensions that are free are not a reason")
    like(f["remedy"], "requires_grad", "so the remedy is about what is")
    f = {e["entry"]: e["failing"][0] for e in said["strided"][2][0]}["2/2"]
    is_((f["expected"], f["live"]), ("f32[?,?] cpu grad (Tensor)", "f32[5,6] cpu grad (Parameter)"), "nor where the class differs")
    like(f["remedy"], "class", "where the remedy is about the class")

REASON = torch_version() > (2, 6)       # disable() takes one
with Cdbg("""
    import torch
    @torch.compiler.disable%s
    def odd(x):
        return x + 1
    @torch.compile(backend="eager")
    def f(x):
        return odd(x * 2)
    @torch.compile(backend="eager")
    def no_ops(n):
        return n
    f(torch.ones(3)), no_ops(3)
""" % ('(reason="too odd")' * REASON)) as d:
    d.run_out()
    rows = {r["function"]: r for r in d.rows("info compiled")}
    is_((rows["odd"]["status"], rows["odd"]["reason"]), ("skipped", "disabled by torch.compiler.disable" + ": too odd" * REASON), "what the program disabled is listed, with its reason")
    is_((rows["no_ops"]["status"], rows["no_ops"]["entries"]), ("eager", 0), "and what has nothing to compile")
    like(rows["no_ops"]["reason"], r"[Nn]o (ops|content)", "with that as its reason")
    library = [r for r in rows.values() if "skipfiles" in (r["reason"] or "")]
    ok(not [r for r in rows.values() if "cdbg" in r["file"] and "/torch/" not in r["file"] and r["function"] not in ("f", "odd", "no_ops")],
       "Dynamo looks at nothing of cdbg", rows)
    ok(library and all("/torch/" in r["file"] and r["status"] == "skipped" for r in library), "frames of torch's own files are skipped by rule", rows)
    like(d.error("info guards no_ops"), r"'no_ops' has no entries: ", "a function without entries says why there are none")

with Cdbg("""
    import torch
    def refuses(gm, inputs):
        raise RuntimeError("not me")
    @torch.compile(backend="eager", fullgraph=True)
    def whole(x):
        print("a break")
        return x
    @torch.compile(backend=refuses)
    def refused(x):
        return x + 1
    for f in whole, whole, refused:
        try:
            f(torch.ones(3))
        except Exception as e:
            print(type(e).__name__)
""") as d:
    d.run_out()
    is_(d.out.split()[:2], ["Unsupported"] * 2, "a compile that raises does so with cdbg")
    rows = {r["function"]: r for r in d.rows("info compiled")}
    like(rows["whole"]["reason"], "^compiling it raises Unsupported: .", "and info compiled says what it raised")
    like(rows["refused"]["reason"], "^compiling it raises BackendCompilerFailed: .*not me", "of a backend what that raised")
    like(d.text("explain whole"), "^Dynamo cannot compile this function.\nIt failed 2 times; the last reason: compiling it raises Unsupported", "explain counts the failures")
    like(d.error("info guards whole"), "'whole' has no entries: compiling it raises Unsupported", "and what needs entries has the same reason")
done()
