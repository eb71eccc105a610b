#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A method is replaced and no guard notices: what each command says of it, and that reading it again runs none of the program's code.
import json, os, sys, tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import gc, torch, weakref

    ran = []

    class Layer:
        def call(self, x):
            return x + 1

        @property
        def size(self):
            ran.append("property")
            return 3

        def __getattr__(self, name):
            ran.append(name)
            raise AttributeError(name)

    layer = Layer()

    class Table(dict):
        def __getitem__(self, key):
            ran.append(key)
            return dict.__getitem__(self, key)

    table = Table(k=2)

    def f(x):
        return layer.call(x) * layer.size + table["k"]

    def mark():
        pass

    step = torch.compile(f, backend="eager")
    step(torch.ones(2))
    ran.clear()
    mark()
    Layer.call = lambda self, x: x - 1
    mark()
    step(torch.ones(2))
    gone = weakref.ref(layer)
    del layer
    gc.collect()
    mark()
    """
with Cdbg(PROGRAM) as d:
    d.do("break mark")
    d.go()
    is_([r["source"] for r in d.rows("info unguarded") if r["changed"]], [], "at first nothing has changed")
    d.do("catch stale")
    d.go()
    rows = [r for r in d.rows("info unguarded") if r["changed"]]
    is_([(r["entry"], r["source"], r["line"], r["kind"]) for r in rows], [("0/0", "Layer.call", d.line_of("return layer.call"), "code")],
        "the method that was replaced is named with the line that read it")
    like(rows[0]["was"], r"^the function at prog.py:%d$" % d.line_of("def call"), "what it was")
    like(rows[0]["is"], r"^the function at prog.py:%d$" % d.line_of("Layer.call = lambda"), "what it is")
    like(rows[0]["why"] + rows[0]["remedy"], r"no guard covers methods of a class.*torch\.compiler\.reset\(\)", "why there is no guard, and what to do")
    like(d.text("explain f"), r"changed since it was compiled, and no guard notices:\n +Layer\.call was the function at prog\.py", "explain has it")
    is_(d.do("print ran")["value"] if "value" in d.do("print ran") else d.text("print ran").strip(), "[]", "nothing of the program ran to read it again")
    with tempfile.TemporaryDirectory() as folder:
        where = os.path.join(folder, "report")
        d.do("report " + where)
        with open(os.path.join(where, "index.json")) as file:
            entries = [e for function in json.load(file)["functions"] for e in function["entry"]]
        is_([u["source"] for e in entries for u in e.get("unguarded", [])], ["Layer.call"], "the report's data have it")
    stop = d.go()
    is_((stop["reason"], stop["detail"]["entry"]), ("stale", "0/0"), "catch stale stops at the call that the entry serves")
    is_([c["source"] for c in stop["detail"]["changed"]], ["Layer.call"], "and says what has changed")
    d.go("step")
    why = d.rows("guard why 0/0")
    like(why[0]["reason"] + why[0]["remedy"], r"every guard passes, but a value without a guard has changed: Layer\.call was.*torch\.compiler\.reset\(\)",
         "guard why says it where every guard passes, with what to do")
    d.go()
    is_(d.text("print gone()").strip(), "None", "what was read is not kept alive")
    d.do("delete")
    d.run_out()

out = run(PROGRAM, options=("--plain", "-q"), commands=["break mark", "continue", "continue", "info unguarded", "info unguarded -a", "catch stale", "continue", "step", "guard why 0/0"])[1]
like(out, r"entry 0/0 of f: 1 value that it read changed, and no guard notices\n  Layer\.call was the function at prog\.py:\d+, is the function at", "people read the change first")
like(out, r"\n  without a guard and unchanged: \d+ of \d+ reads.*\n +1 methods of classes +Table\.__getitem__;", "then what has no guard and is as it was, by kind")
like(out, r"\n    Table\.__getitem__ is the function at prog\.py:\d+  prog\.py:\d+\n", "-a lists each")
like(out, r"stopped: entry 0/0 serves a call of f, and what it was compiled with has changed: Layer\.call was", "the stop says it in a line")
out = run("""
    import torch
    def made():
        gain = 2.0
        def f(x):
            return x * gain
        def put(v):
            nonlocal gain
            gain = v
        return f, put
    f, put = made()
    step = torch.compile(f, backend="eager", options={"guard_filter_fn": lambda guards: [False for g in guards]})
    step(torch.ones(2))
    put(3.0)
    step(torch.ones(2))
    """, options=("--plain", "-q"), commands=["break 14", "continue", "info unguarded", "catch stale", "continue"])[1]
like(out, r"entry 0/0 of f: nothing that it read without a guard has changed, as far as it can be read again\n"
     r"  cannot be read again here, and may have changed: gain; 'info unguarded' in a call has its values\n"
     r"  without a guard and unchanged: 0 of", "what no call tells here is not called unchanged")
like(out, r"serves a call of f, and what it was compiled with has changed: gain was 2\.0, is 3\.0", "... and the call tells it")
out = run("import torch._dynamo\nprint(1)\n", options=("--plain", "-q"), commands=["break 2", "continue", "info unguarded"])[1]
like(out, r"\nnothing is compiled, or every value that was read has a guard\n", "with nothing compiled it says so")
done()
