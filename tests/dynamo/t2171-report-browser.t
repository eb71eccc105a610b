#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report in a real browser, headless Chromium: no errors, selecting marks what belongs together, the keyboard, zoom,
light and dark, a graph of 5,000 nodes."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import *
from reports import *

need_torch()
need_browser()

status, out, err, where = report("""
    import torch

    def helper(z):
        return torch.relu(z) * 2

    def f(x, n):
        y = helper(x) + n
        print("middle")
        return y.sum()

    def long(x):
        for i in range(5000):
            x = x + 1
        return x

    torch.compile(f, backend="aot_eager")(torch.ones(2), 1)
    torch.compile(long, backend="eager")(torch.ones(2))
""", "r", env={"PYTHONHASHSEED": "0"})
is_(status, 0, "the program runs")
folder = {f["qualname"]: f["folder"] for f in data(where)["functions"]}

with Browser(where) as b:
    b.get("index.html")
    is_(b.errors(), [], "the first page loads without errors")
    dark = []
    for scheme in "light", "dark":
        b.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        dark.append(b.js("return getComputedStyle(document.body).backgroundColor"))
    ok(dark[0] != dark[1], "its colours follow the browser's, light or dark", dark)
    b.js("document.querySelector('main a').click()")
    ok("/index.html" in b.driver.current_url and b.driver.current_url.count("/") > 3, "a function's link leads to its page", b.driver.current_url)

    b.get(folder["f"] + "/index.html")
    is_(b.errors(), [], "a function's page loads without errors")
    is_(b.js("return window.cdbgReport.ready"), True, "its script runs")
    is_(b.marked("sel") + b.marked("rel"), [], "nothing is marked at first")
    b.js("[...document.querySelectorAll('.source tr')].find(e => e.textContent.includes('helper(x) + n')).click()")
    ok(any("helper(x) + n" in t for t in b.marked("sel")), "a click selects a line", b.marked("sel"))
    ok(any("graph_out" in t or "compiled_fn" in t for t in b.marked("rel")), "its generated code is marked", b.marked("rel"))
    ok(b.js("return document.querySelectorAll('g.node.rel').length") >= 1, "so is its node")
    ok(b.js("return document.querySelectorAll('.guards tr.rel').length") >= 1, "so are the guards that it made")
    ok("belong" in b.js("return document.getElementById('status').textContent"), "a live region says how much belongs to it")
    b.type("n")
    ok(b.js("return document.activeElement.classList.contains('rel')"), "n goes to the next mark")
    b.type(Keys.ESCAPE)
    is_(b.marked("sel") + b.marked("rel"), [], "Escape clears the marks")
    b.js("document.querySelector('.guards [data-i]').focus()")
    b.type(Keys.ARROW_DOWN)
    b.type(Keys.ENTER)
    is_(b.js("return [...document.querySelectorAll('.guards tbody tr')].findIndex(e => e.classList.contains('sel'))"), 1,
        "the arrow keys move in a table, Enter selects")
    is_(b.js("return document.querySelectorAll('[aria-current=true]').length > 0"), True, "a screen reader can tell what is selected")
    b.js("const d = document.querySelector('details.later'); d.open = true; d.dispatchEvent(new Event('toggle'))")
    ok(b.js("return document.querySelectorAll('details.later g.node').length") > 0, "a later stage is drawn when it is opened")
    size = "const d = document.querySelector('.drawing'), n = d.querySelector('svg'), r = n.getBoundingClientRect();"
    size += " return [r.width / n.viewBox.baseVal.width, d.scrollHeight / n.viewBox.baseVal.height]"
    before = b.js(size)
    b.js("document.querySelector('[data-zoom=in]').click()")
    after = b.js(size)
    is_(round(after[0] / before[0], 2), 1.25, "a graph is zoomed")
    b.js("for (let i = 0; i < 8; i++) document.querySelector('[data-zoom=in]').click()")
    large = b.js(size)
    ok(abs(large[0] - large[1]) < 0.1, "... and scrolls as far as it is high then")
    is_(b.errors(), [], "all that without errors")

    b.get(folder["long"] + "/index.html")
    ms = b.js("""const t = performance.now(); const d = document.querySelector('details.later'); d.open = true;
        d.dispatchEvent(new Event('toggle')); document.querySelector('.drawing').getBoundingClientRect(); return performance.now() - t""")
    ok(b.js("return document.querySelectorAll('g.node').length") >= 5000, "a graph of 5,000 nodes is drawn")
    note("opened in %.0f ms" % ms)
    ms = b.js("""const t = performance.now(); document.querySelectorAll('g.node')[2500].dispatchEvent(new MouseEvent('click', {bubbles: true}));
        document.body.getBoundingClientRect(); return performance.now() - t""")
    note("selected in %.0f ms" % ms)
    ok(b.js("return document.querySelectorAll('g.node.sel').length") == 1 and ms < 1000, "a node of it is selected within a second", ms)
    is_(b.errors(), [], "without errors")
done()
