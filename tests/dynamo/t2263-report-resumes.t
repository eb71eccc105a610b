#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Both branches of an `if` on data resume by functions of one name: the report tells them apart.
import html
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
path = script("""
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            y = x * 2
            if y.sum() < 0:
                y = y - 1  # taken by nobody
            return y + 1   # resumed here

    net = Net()

    def outer(x):
        return net(x)

    compiled, whole = torch.compile(Net(), backend="eager"), torch.compile(outer, backend="eager")
    for n in (2, 3):
        print(compiled(torch.ones(n)).sum().item(), whole(torch.ones(n)).sum().item())
""")
status, out, err, where = report(path, "branches")
is_((status, out), bare(path)[:2], "the program prints what it prints without cdbg")
valid(where, "the data is as the schema says")
d = data(where)
taken, other = line_of(path, "resumed here"), line_of(path, "taken by")
net = next(f for f in d["functions"] if f["qualname"] == "Net.forward")
resumed = [e for e in net["entry"] if "resume_function" in e]
ok(len(resumed) > 1 and {e["resume_line"] for e in resumed} == {taken}, "entries of resume functions have the line at which they resume", resumed and resumed[0].keys())
is_({e["resume_number"] for e in resumed}, {1}, "and the number of their function")
page = open(os.path.join(where, net["folder"], "index.html")).read()
story = page[page.index('id="story"'):page.index('id="source"')]
parts = {int(m.group(1)): story[m.end():] for m in re.finditer(r"continues from line (\d+)", story)}
parts = {}
for m in re.finditer(r"continues from line (\d+)(.*?)(?=continues from line|$)", story, re.S):
    parts.setdefault(int(m.group(1)), m.group(2))
is_(set(parts), {taken, other}, "the story has both branches")
like(parts[taken], "Compiled as entry", "entries are listed below the branch that was taken")
ok("Compiled as entry" not in parts[other].split("</ol>")[0], "and not below the other", parts[other])
like(parts[other], "No entry: it has not run, or it runs in eager mode", "which has none")
like(page, r"resumes at line %d" % taken, "the heading of such an entry says where it resumes")
index = html.unescape(re.sub(r"<[^>]+>", "", open(os.path.join(where, "index.html")).read()))
like(index, r"outer at \S+:%d, in Net.forward at \S+:%d" % (line_of(path, "return net(x)"), line_of(path, "if y.sum")),
     "a break in a function that was inlined is named by the caller's line, then by its own")

path = script("""
    import torch

    @torch.compile(backend="eager")
    def once(x):
        y = x + 1
        print("break")
        return y * 2

    once(torch.ones(2))
""")
status, out, err, where = report(path, "once")
page = open(os.path.join(where, data(where)["functions"][0]["folder"], "index.html")).read()
is_(len(data(where)["functions"][0]["entry"]), 2, "a function and its resume function have an entry each")
ok("Entries side by side" not in page, "so there is nothing to lay side by side")

path = script("""
    import torch

    @torch.compile(backend="eager", fullgraph=True)
    def whole(x):
        if x.sum() > 0:  # cannot be
            x = x + 1
        return x

    try:
        whole(torch.ones(2))
    except Exception as e:
        print(type(e).__name__)
""")
status, out, err, where = report(path, "failed")
d = data(where)
is_([(b["state"], b["own_line"]) for b in d["functions"][0]["breaks"]], [("failed", line_of(path, "cannot be"))],
    "a break that ends the compile is in the report, though it made no entry")
is_(d["summary"]["breaks"], 1, "and counted")
like(text(where, d["functions"][0]["folder"], "index.html"), "compiling ended with an exception", "the story says how it ended")
done()
