#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report for somebody who never saw one: what happened in sentences, what the words mean, what matters first, each
reason by the entry that has it, readable on a phone."""
import html
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import *
from reports import *

need_torch()
path = script("""
    import torch

    class Shown:
        def __str__(self):
            return "shown"

    shown = Shown()

    @torch.compile(backend="eager")
    def small(x):
        return x + 1

    @torch.compile(backend="eager")
    def f(x, name):
        for i in range(30):
            x = x * (3 if name == "z" else 2)
        print(shown, name)  # breaks
        return x + 1

    small(torch.ones(2))
    for n, name in (2, "a"), (3, "b"), (4, "c"):
        f(torch.ones(n), name)
""")
status, out, err, where = report(path)
is_(status, 0, "the program runs")
d = data(where)
page = text(where, "index.html")
words = html.unescape(re.sub(r"<[^>]+>", "", page))
folder = {f["qualname"]: f["folder"] for f in d["functions"]}
s = d["summary"]
lead = html.unescape(re.search(r'<p class="lead">(.*?)</p>', page, re.S).group(1))
like(lead, r"made %d cache entries in " % s["entries"], "the first sentence says what was compiled")
like(lead, r"%d of them are recompiles: a later call did not fit" % s["recompiles"], "and how often again, in words")
like(lead, r"%d graph breaks divide" % s["breaks"], "and what divides the code")
for word in "Cache entry", "Guard", "Graph break", "Recompile", "Resume function", "Eager", "___stack0, stack0":
    ok("<dt>%s</dt>" % word in page, "the page says what '%s' means" % word)
main, rest = re.search(r'id="functions">(.*?)<details>(.*?)</details>', page, re.S).groups()
is_(re.findall(r"index\.html\">([^<]*)</a>", main), ["f", "small"], "functions that were compiled are listed, the most expensive first")
like(rest, r"(?s)1 function that Dynamo looked at.*\bShown.__str__</a>.*no tensor", "one that was not is below them, with the reason")
like(words, r"f at \S+:%d, \d times\s*print\(shown, name\)  # breaks\S" % line_of(path, "# breaks"), "a break shows the line of the source")
like(words, r"Remedy: \S", "and what to do about it")
recompiles = page[page.index('id="recompiles"'):]
third = max(re.findall(r"<ul class=\"reasons\">(.*?)<td", recompiles, re.S), key=len)
reasons = [html.unescape(re.sub(r"<[^>]+>", "", r)) for r in re.findall(r"<li>(entry.*?)</code>", third, re.S)]
ok(len(reasons) > 1 and all(re.match(r"entry \d+/\d+: \S", r) and "; " not in r for r in reasons), "each earlier entry has its own reason in a list", reasons)
f = text(where, folder["f"], "index.html")
like(f, r"Compiled as entry <a", "the story says that what it names are entries")
like(f, r"no earlier entry fitted the call", "and why one was made")
ok("_dynamo_dynamic_indices')" not in re.sub(r'title="[^"]*"', "", f[f.index('id="sides"'):f.index('id="entry-')]), "guards side by side are written as in their own table")
is_([t for t in re.findall(r"<table.*?</table>", f + page, re.S) if "<th " not in t], [], "every table has headings")

if lacking():
    skip("on a phone", lacking())
else:
    with Browser(where) as b:
        b.command("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=True)
        b.get(folder["f"] + "/index.html")
        least = b.js("""return Math.min(...[...document.querySelectorAll('.source .src')].map(e => e.getBoundingClientRect().width))""")
        ok(least > 250, "on a phone, marks of a line are below it, not over it", least)
        least = b.js("""return Math.min(...[...document.querySelectorAll('.sides td')].map(e => e.getBoundingClientRect().width))""")
        ok(least > 100, "columns of entries side by side are wide enough for words", least)
        b.get("index.html")
        ok(b.js("return document.querySelector('#recompiles + div').scrollWidth <= innerWidth"), "recompiles fit on it")
        b.js("document.querySelector('.card a').click()")
        like(b.driver.current_url, "#functions$", "a number of the summary leads to its section")
        b.command("Emulation.setEmulatedMedia", media="print")
        b.command("Emulation.setDeviceMetricsOverride", width=720, height=1000, deviceScaleFactor=1, mobile=False)
        for page in "index.html", folder["f"] + "/index.html":
            b.get(page)
            is_(b.js("return [...document.querySelectorAll('table')].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.className)"), [],
                "no table is wider than paper: %s" % page)
        is_(b.errors(), [], "without errors")
done()
