#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report of compiled functions: what it has, its files, the same names in each run, texts that look like HTML."""
import ast
import html.parser
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
PROGRAM = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 4)
            self.calls = 0

        def forward(self, x, n):
            self.calls += 1
            y = helper(self.layer(x)) + n
            print("middle")
            return y.sum()

    def helper(z):
        return torch.relu(z) * 2

    def main():
        torch.manual_seed(0)
        net = Net()
        compiled = torch.compile(net, backend="aot_eager")
        x = torch.ones(2, 4)
        for n in (1, 2.5):
            print("%.3f" % compiled(x, n).item())
        print(net.calls)

    main()
"""
path = script(PROGRAM)
status, out, err, first = report(path, "first")
is_((status, out), bare(path)[:2], "the program prints what it prints without cdbg, and ends the same")
valid(first, "the data is as the schema says")
d = data(first)
f = next((f for f in d["functions"] if f["qualname"] == "Net.forward"), None)
ok(f, "the function has its place", [f["qualname"] for f in d["functions"]])
mine = [e for e in f["entry"] if "resume_function" not in e]
is_(len(mine), 2, "and two entries of its own, although their model is gone")
ok(all(e["python"] and e["code"] and e["guards"] for e in f["entry"]), "each with its code, its Python and its guards")
ok(all("ns" in g or g["source"] == "" for e in mine for g in e["guards"][:3]) and all(e["check_ns"] > 0 for e in mine), "and what they cost",
   [(e.get("check_ns"), [g.get("ns") for g in e["guards"]]) for e in mine])
like(mine[1]["recompiled_because"], "n == 1", "the second one has the reason for compiling it")
is_([e["resume_function"] for e in f["entry"] if "resume_function" in e][:1], ["torch_dynamo_resume_in_forward_at_%d" % line_of(path, '"middle"')],
    "resume functions are the function's")
is_({b["line"] for b in f["breaks"]}, {line_of(path, '"middle"')}, "its breaks")
is_([r["text"] for r in f["source"]][0].strip(), "def forward(self, x, n):", "its source")
stages = {s["stage"] for g in mine[0]["graphs"] for s in g["stages"]}
ok({"captured", "joint", "forward", "backward"} <= stages, "the stages of its graph", stages)
is_(d["summary"]["recompiles"], sum("recompiled_because" in e for g in d["functions"] for e in g["entry"]), "the summary counts recompiles")
is_(d["program"], path, "and names the program")

# ---- files ---------------------------------------------------------------------------------------------------------

names = files(first)
folder = f["folder"]
for e in f["entry"]:
    base = "%s/entry-%s" % (folder, e["entry"].replace("/", "-"))
    ok(all(base + end in names for end in (".py", ".dis", ".guards.py")), "entry %s has its files" % e["entry"], names)
bad = []
for name in names:
    if name.endswith(".py") and "kernel" not in name:
        try:
            ast.parse(text(first, name))
        except SyntaxError as e:
            bad.append("%s: %s" % (name, e))
is_(bad, [], "every .py file is Python")
ok(all(os.path.join(folder, s["file"]) in names for e in f["entry"] for g in e["graphs"] for s in g["stages"]), "each stage names its file")
like(text(first, folder, "entry-%s.guards.py" % mine[0]["entry"].replace("/", "-")), r"and L\['n'\] == 1\n", "guards are written as Python")
second = report(path, "second")[3]
is_(files(second), names, "another run has the same names")
is_(left_over(first), [], "nothing is left beside a report")

# ---- pages -----------------------------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """What a browser would make of a page: its elements, links, text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.links, self.ids, self.words, self.skip = [], [], [], [], 0
        self.scripts = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        self.links += [attrs[k] for k in ("href", "src") if k in attrs]
        self.ids += [attrs["id"]] if "id" in attrs else []
        if tag == "script":
            self.scripts.append(attrs.get("type"))

    def handle_data(self, data):
        self.words.append(data)


def pages(where):
    return [n for n in files(where) if n.endswith(".html")]


def broken(where):
    """Links that lead nowhere, and ids that occur twice."""
    out = []
    for name in pages(where):
        page = Page(text(where, name))
        out += ["%s: id %s twice" % (name, i) for i in set(page.ids) if page.ids.count(i) > 1]
        for link in page.links:
            target, _, anchor = link.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if re.match(r"\w+:", link) or not os.path.isfile(os.path.join(where, full)):
                out.append("%s: %s" % (name, link))
            elif anchor and anchor not in Page(text(where, full)).ids:
                out.append("%s: no %s" % (name, link))
    return out


is_(broken(first), [], "every link leads to something in the report")
page = Page(text(first, folder, "index.html"))
like(" ".join(page.words), "helper", "the page shows what was inlined")
ok(all(any(t == "svg" for t, _ in page.tags) for _ in "x"), "and draws the graph")
is_(page.scripts, [None, "application/json"], "its only script is the report's own")

# ---- texts that look like HTML ---------------------------------------------------------------------------------------

hostile = script("""
    import torch
    EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"

    def f(x, s):
        # <script>alert(3)</script> & "quotes" '\\u202e
        if s == "<script>alert(4)</script>":
            x = x + 1
        return x * len(EVIL)

    f.__code__ = f.__code__.replace(co_name="<script>alert(5)</script>", co_qualname="<script>alert(5)</script>/../..\\\\con")
    g = torch.compile(f, backend="eager")
    g(torch.ones(2), "<script>alert(4)</script>")
    g(torch.ones(2), EVIL)
    h = eval("lambda x: x + 1")
    torch.compile(h, backend="eager")(torch.ones(2))
    for n in ("same", "same", "SAME", "x" * 300, "..", "\\u00e4\\u4e2d", "a b"):
        exec("def k(x): return x - %d" % len(n))
        k.__code__ = k.__code__.replace(co_name=n, co_qualname=n)
        torch.compile(k, backend="eager")(torch.ones(3))
""", "<b>prog<script>.py")
status, out, err, where = report(hostile, "hostile")
is_(status, 0, "hostile names: the program runs")
valid(where, "hostile names: the data is as the schema says")
bad = []
for name in pages(where):
    p = Page(text(where, name))
    bad += ["%s: <%s %s>" % (name, t, a) for t, a in p.tags if t in ("img", "b") and a or (t == "script" and a.get("src", "").split("/")[-1] != "report.js"
            and a.get("type") != "application/json") or any(k.startswith("on") for k in a)]
    bad += ["%s: <b>" % name for t, a in p.tags if t == "b" and "prog" in str(a)]
is_(bad, [], "no element comes from the program's texts")
is_(broken(where), [], "every link leads to something in the report")
folders = [f["folder"] for f in data(where)["functions"]]
is_((len(folders), len({f.lower() for f in folders})), (9, 9), "each function has a folder of its own, whatever their names")
ok(all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,70}", f) for f in folders), "of plain letters, short, and inside the report", folders)
like(" ".join(Page(text(where, "index.html")).words), r"<script>alert\(5\)</script>", "the text itself is shown")
nosource = next(f for f in data(where)["functions"] if f["qualname"] == "<lambda>")
like(text(where, nosource["folder"], "index.html"), "cannot be read", "a function without source reports that")

# ---- the command -------------------------------------------------------------------------------------------------------

with Cdbg("""
    import torch
    def f(x):
        return x + 1
    def g(x):
        return x + 2
    torch.compile(f, backend="eager")(torch.ones(2))
    torch.compile(g, backend="eager")(torch.ones(2))
    print("end")
""") as s:
    s.do("break 8")
    s.go()
    where = place("by hand")
    answer = s.do('report "%s" g' % where)
    like(answer["text"], r"^\d+ files, \d+ bytes: open '.*by hand/index.html' in a browser$", "report DIR FUNC writes at a stop")
    written = [os.path.join(d, f) for d, _, names in os.walk(where) for f in names]
    is_(answer.get("files"), len(written), "the answer has the number of files")
    is_(answer.get("bytes"), sum(os.path.getsize(f) for f in written), "and their bytes")
    is_([f["qualname"] for f in data(where)["functions"]], ["g"], "the function that is named")
    like(s.error("report %s nothere" % place("n")), "nothere", "an unknown function is refused")
    is_(os.path.exists(place("n")) or left_over(place("n")), [], "and nothing is written")
    like(s.error("report"), "no directory given", "a directory must be named")
    like(s.error('report "x'), "no closing quote", "with both quotes")
done()
