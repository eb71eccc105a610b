#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports on large programs: many functions of one name, code of 100,000 instructions, a wide graph of 5,000 nodes, a
very long line. Writing them takes little time, and their pages stay responsive in headless Chromium."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import *
from reports import *

need_torch()
FUNCTIONS = 200
status, out, err, where = report("""
    import time
    import torch
    from torch._dynamo.convert_frame import register_bytecode_hook

    for i in range(%d):
        exec(compile("def forward(x, n=%%d):\\n    return x * n\\n" %% i, "gen.py", "exec"))
        torch.compile(forward, backend="eager")(torch.ones(2))

    def wide(x):
        xs = [x] * 100
        for layer in range(25):
            ys = [torch.relu(v) for v in xs]
            xs = [ys[i] + ys[(i * 7 + 3) %% 100] for i in range(100)]
        return torch.cat(xs).sum()

    torch.compile(wide, backend="eager")(torch.ones(2))

    # Dynamo itself takes minutes for code as long as this
    space = {}
    exec("def long(x, n):\\n" + "    n = n + 1\\n" * 25000 + "    return x\\n", space)
    exec("def line(x):\\n    return x, [" + "x, " * 100000 + "]\\n", space)

    def hook(code, new):
        if code.co_name in space:
            return space[code.co_name].__code__.replace(co_filename=code.co_filename)

    register_bytecode_hook(hook)

    def long(x, n):
        return x + 1

    def line(x):
        return x + 1

    torch.compile(long, backend="eager")(torch.ones(2), 3)
    torch.compile(line, backend="eager")(torch.ones(2))
    times = __import__("os").times()
    print(times.user + times.system)
""" % FUNCTIONS)
used = os.times()
used = used.children_user + used.children_system
is_(status, 0, "the program runs")
names = files(where)
d = data(where)
is_(len([f for f in d["functions"] if f["qualname"] == "forward"]), FUNCTIONS, "each of many functions of one name is there")
is_(len({f["folder"] for f in d["functions"]}), len(d["functions"]), "in a folder of its own")
folder = {f["qualname"]: f["folder"] for f in d["functions"]}
entry = {f["qualname"]: f["entry"][0] for f in d["functions"]}
ok(len(entry["long"]["code"]) >= 100000, "code of 100,000 instructions", len(entry["long"]["code"]))
ok(len(entry["long"]["python"]) > 25000, "and all of its Python are in the data", len(entry["long"]["python"]))
took = used - float(out)
note("%.1f s of the processor after the program's last line, of %.1f s in all" % (took, used))
ok(took < 20, "writing the report of all that takes a few seconds", took)


def size(*name):
    return os.path.getsize(os.path.join(where, *name))


for name, limit in ("wide", 4), ("long", 2), ("line", 1):
    note("%s: %.1f MB" % (name, size(folder[name], "index.html") / 1e6))
    ok(size(folder[name], "index.html") < limit * 1e6, "the page of %s has less than %d MB" % (name, limit))
like(text(where, folder["line"], "index.html"), r"and \d{6} more bytes", "of a line of 300,000 characters the page has the beginning")
ok(size(folder["line"], "entry-%s.py" % entry["line"]["entry"].replace("/", "-")) > 300000, "the file has all of it")

if lacking():
    skip("the pages stay responsive", lacking())
    done()
limit = 3000 * float(os.environ.get("CDBG_PATIENCE", 1))
with Browser(where) as b:
    for name in "index.html", folder["long"] + "/index.html", folder["line"] + "/index.html":
        b.get(name)
        ms = b.js("return performance.getEntriesByType('navigation')[0].loadEventEnd")
        ok(ms < limit, "%s is loaded within seconds" % name, ms)
        note("%s: loaded in %.0f ms, %d elements" % (name, ms, b.js("return document.querySelectorAll('*').length")))
    b.get(folder["wide"] + "/index.html")
    ok(b.js("return document.querySelectorAll('*').length") < 2000, "a graph of 5,000 nodes is not drawn before it is asked for")
    ms = b.timed("document.querySelector('details.later').open = true")
    ok(b.js("return document.querySelectorAll('g.node').length") >= 5000 and ms < limit, "it is drawn within seconds", ms)
    note("drawn in %.0f ms" % ms)
    ms = b.timed("document.querySelectorAll('g.node')[2500].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    ok(b.js("return document.querySelectorAll('g.node.sel').length") == 1 and ms < limit / 2, "a node of it is selected within a second or so", ms)
    note("selected in %.0f ms" % ms)
    ms = b.timed("document.querySelector('.drawing').scrollBy(3000, 1000)")
    ok(ms < limit / 2, "scrolling does not hold the page up", ms)
    note("scrolled in %.0f ms" % ms)
    is_(b.errors(), [], "all that without errors")
done()
