#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report says what to change so that a function is not compiled again, in the words of `why`: on the first page, on the
function's, in index.json and in `report diff`."""
import html
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
PROGRAM = """
    import sys, torch

    scale = 3
    again = sys.argv[1:] != ["once"]

    @torch.compile(backend="eager")
    def sized(x):
        if x.shape[0] > 4:
            return x + 1
        return x * scale

    @torch.compile(backend="eager", dynamic=True)
    def joined(x, n):
        return x * n

    @torch.compile(backend="eager")
    def many(items):
        return sum(items) + 1

    sized(torch.ones(3))
    joined(torch.ones(3, 3), 1.5)
    if again:
        sized(torch.ones(4))
        sized(torch.ones(9))
        scale = 4
        sized(torch.ones(4))
        joined(torch.ones(3, 2), 1.5)
        joined(torch.ones(2, 2), float("nan"))
    many([torch.ones(2) for n in range(30)])
    many([torch.ones(2, dtype=torch.float64) for n in range(30)])
    if again:
        torch._dynamo.reset()
        many([torch.ones(2)])
        many([torch.ones(2), torch.ones(2)])
"""
path = script(PROGRAM)
status, out, err, where = report(path)
is_(status, 0, "the program runs")
valid(where, "index.json is as the schema says")
d = data(where)
functions = {f["qualname"]: f for f in d["functions"]}
folder = {name: f["folder"] for name, f in functions.items()}


def entry(function, at):
    return functions[function]["entry"][at]


def words(markup):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", markup)))


size = entry("sized", 1)["why"][0]
is_((size["entry"], size["source"], size["expected"], size["live"]), ("1/0" if entry("sized", 0)["entry"] == "1/0" else "0/0", "L['x']", "f32[3] cpu", "f32[4] cpu"),
    "index.json has the guard that failed, what it expected and what it found")
like(size["remedy"], r"mark_dynamic\(tensor, dim\).*or torch.compile\(dynamic=True\)", "and what to change")
ok("why" not in entry("sized", 0), "the first entry of a function has no guards that failed")

with Cdbg(path) as c:
    c.do("catch recompile sized")
    said = []
    while c.go().get("reason") == "recompile":
        said.append([f["remedy"] for e in c.stop["detail"]["entries"] for f in e["failing"]])
is_([[r["remedy"] for r in e["why"]] for e in functions["sized"]["entry"][1:]], said, "remedies are those that `catch recompile` shows")

ranged = [r for r in entry("sized", 2)["why"] if "size()" in r["text"]]
like(ranged[0]["remedy"], r"compares this size", "a size out of the range of a branch: the code compares it")
is_([r["remedy"] for e in functions["joined"]["entry"][1:] for r in e["why"] if "==" in r["expected"] and "nan" in r["remedy"]], [],
    "a size that two dimensions must share is not taken for nan beside it in the same guard")
ok(any("(nan) is compiled separately" in r["remedy"] for e in functions["joined"]["entry"][1:] for r in e["why"]), "nan is named where it failed")

first = text(where, "index.html")
row = next(r for r in re.findall(r"<tr><th scope=\"row\">.*?</tr>", first[first.index('id="recompiles"'):], re.S) if ">%s<" % entry("sized", 1)["entry"] in r)
like(words(row), r"x: expected f32\[3\] cpu, is f32\[4\] cpu", "the first page has the values")
like(words(row), re.escape("Remedy for x: " + size["remedy"]), "and the remedy, for the value that it is about")
page = text(where, folder["sized"], "index.html")
like(words(page[page.index('id="story"'):page.index('id="source"')]), re.escape("Remedy for x: " + size["remedy"]), "the story of the function has it")
both = words(page[page.index('id="entry-%s"' % entry("sized", 3)["entry"].replace("/", "-")):])
like(both, r"Remedy for scale: integers in globals are constants.* Generated code", "so has the entry, for a global")
is_(len(re.findall(r"Remedy for x: " + re.escape(size["remedy"]), words(row))), 1, "each remedy is written once")
like(words(text(where, folder["many"], "index.html")), r"24 more guards failed", "of many guards that failed the first are written, and how many more there are")
like(words(text(where, folder["many"], "index.html")), r"items: expected length 1, is length 2", "also after a reset, when Dynamo counts from 0/0 again")
numbers = [re.search(r"data-i=\"(\d+)\"[^>]*>\s*<code[^>]*>x</code>: expected", page).group(1)]
ok(re.search(r"<tr data-i=\"%s\"" % numbers[0], page), "the guard that failed is the same thing as its row in the table of guards")

once = report(path, "once", "once")[3]
said = run(script("print()\n\n"), commands=["report diff %s %s" % (once, where), "quit"], options=["-q", "--plain"])[1]
like(said, r"sized: new entry: \S+, compiled because .*size mismatch.*; remedy for x: " + re.escape(size["remedy"]), "`report diff` has it with a new entry")

plain = place("plain")
run(path, commands=["continue", "report %s" % plain, "quit"], options=["-q", "--plain"])
ok(not any("why" in e for f in data(plain)["functions"] for e in f["entry"]), "without report-keep no guard was asked")
like(words(text(plain, "index.html")), r"Reports of programs that run with python -m cdbg --report DIR, or after set report-keep on, name what to change", "and the page says how to get it")
kept = place("kept")
run(path, commands=["catch recompile sized", "continue", "delete", "continue", "report %s" % kept, "quit"], options=["-q", "--plain"])
is_([len(e.get("why", [])) for f in data(kept)["functions"] if f["qualname"] == "sized" for e in f["entry"]][:3], [0, 1, 0],
    "a recompile that was stopped at is kept, too")
done()
