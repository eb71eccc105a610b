#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who can read a report: contrast of all texts in light and dark as WCAG AA demands, phone width, keyboard, captions of
tables, titles, print, empty sections that say why."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import *
from reports import *

need_torch()
need_browser()
status, out, err, where = report("""
    import torch
    seen = []

    def helper(z):
        return torch.relu(z) * 2

    def f(x, n):
        y = helper(x) + n  # a comment
        seen.append(n)
        print("middle")
        return y.sum()

    g = torch.compile(f, backend="aot_eager")
    for n in 1, 2, 3.5:
        g(torch.ones(3, 4, requires_grad=True), n).backward()

    def a_function_with_a_very_long_name_that_goes_on_and_on_and_does_not_stop_anywhere(x):
        return x + 1

    torch.compile(a_function_with_a_very_long_name_that_goes_on_and_on_and_does_not_stop_anywhere, backend="eager")(torch.ones(2))
""")
is_(status, 0, "the program runs")
folder = {f["qualname"]: f["folder"] for f in data(where)["functions"]}
PAGES = ["index.html"] + [name + "/index.html" for name in folder.values()]
plain = report("""
    import torch
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
""", "plain")[3]
for id, words in ("breaks", "each function was compiled as a whole"), ("recompiles", "no guard of an entry failed"):
    like(text(plain, "index.html"), words, "an empty section says why: %s" % id)

# Texts whose contrast with their background is below 4.5.
FAINT = r"""
function rgb(s) {
    let m = s.match(/^rgba?\(([^)]+)\)/), k = 1;
    if (!m) { m = s.match(/^color\(srgb ([^)]+)\)/); k = 255; }
    const p = m[1].split(/[ ,\/]+/).map(Number);
    return [p[0] * k, p[1] * k, p[2] * k, p.length > 3 ? p[3] : 1];
}
const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
function behind(e) {
    const layers = [];
    for (; e; e = e.parentElement) {
        const c = rgb(getComputedStyle(e).backgroundColor);
        if (c[3] > 0)
            layers.push(c);
    }
    return layers.reverse().reduce((b, a) => over(a, b), [255, 255, 255, 1]);
}
function light(c) {
    const f = c.slice(0, 3).map((v) => v / 255 <= .03928 ? v / 255 / 12.92 : Math.pow((v / 255 + .055) / 1.055, 2.4));
    return .2126 * f[0] + .7152 * f[1] + .0722 * f[2];
}
const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let n = 0;
while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, box = e.closest("g");
    if (!walk.currentNode.textContent.trim() || !e.getClientRects().length || e.closest("script, style, caption, title, noscript"))
        continue;
    const b = box ? rgb(getComputedStyle(box.querySelector("rect")).fill) : behind(e);
    const f = over(rgb(box ? getComputedStyle(e).fill : getComputedStyle(e).color), b);
    const c = (Math.max(light(f), light(b)) + .05) / (Math.min(light(f), light(b)) + .05);
    n++;
    if (c < 4.5)
        out.push(e.tagName + "." + e.getAttribute("class") + " " + walk.currentNode.textContent.trim().slice(0, 30) + " " + c.toFixed(2));
}
return [n, out];
"""
with Browser(where) as b:
    for scheme in "light", "dark":
        b.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for page in PAGES:
            b.get(page)
            b.js("for (const d of document.querySelectorAll('details')) d.open = true")
            b.timed("const r = document.querySelector('.source tr[data-i] + tr'); if (r) r.click()")
            n, faint = b.js(FAINT)
            ok(n > 20 and not faint, "%s, %s: every text has the contrast that WCAG AA demands" % (page, scheme), faint)
    wide, lost, bare = [], [], []
    for width, height in (390, 844), (1280, 800):
        b.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        for page in PAGES:
            b.get(page)
            if b.js("return document.documentElement.scrollWidth > innerWidth"):
                wide.append((page, width))
            lost += b.js("return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth && e.tabIndex < 0).map(e => e.textContent)")
            bare += b.js("return [...document.querySelectorAll('table')].filter(e => !e.caption || !e.caption.textContent).map(e => e.className)")
    is_(wide, [], "no page is wider than the window, on a phone or a laptop")
    is_(lost, [], "what scrolls sideways can be scrolled by keyboard")
    is_(bare, [], "every table has a caption")
    b.command("Emulation.clearDeviceMetricsOverride")
    b.get("index.html")
    rows = b.js("return [...new Set([...document.querySelectorAll('.card')].map(e => e.getBoundingClientRect().top))].length")
    is_(rows, 1, "the cards of the summary are one row")
    like(b.driver.title, r"prog\.py – cdbg report$", "the first page is named after the program")
    b.get(folder["f"] + "/index.html")
    is_(b.driver.title, "f – cdbg report", "a function's page after the function")
    b.js("document.body.focus()")
    order = []
    for _ in range(3):
        b.js("void 0")
        b.type(Keys.TAB)
        order.append(b.js("return document.activeElement.textContent"))
    is_(order, ["Skip to the content", "← Summary", "What happened"], "Tab goes to the content's link first, then through the contents")
    steps = b.js("return [...document.querySelectorAll('[data-group]')].filter(g => g.querySelectorAll('[data-i][tabindex=\"0\"]').length > 1).length")
    is_(steps, 0, "a table is one step for Tab; the arrow keys go through its rows")
    is_(b.js("return [...document.querySelectorAll('g[data-i]')].every(g => g.getAttribute('role') === 'button' && g.querySelector('title'))"), True,
        "nodes are buttons with a name")
    b.command("Emulation.setEmulatedMedia", media="print")
    is_(b.js("return [...document.querySelectorAll('.contents, .tools')].filter(e => e.getClientRects().length).length"), 0, "what is for the screen only is not printed")
    b.command("Emulation.setEmulatedMedia", media="screen", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    is_(b.js("return getComputedStyle(document.documentElement).scrollBehavior"), "auto", "nothing moves where less motion is asked for")
done()
