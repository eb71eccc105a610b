#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report in a real browser, headless Chromium: no errors, selecting marks what belongs together, the keyboard, zoom,
light and dark, a graph of 5,000 nodes."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from reports import *

need_torch()
try:
    from selenium import webdriver
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.chrome.service import Service
except ImportError:
    skip_all("needs selenium")
chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
if not chromium or not chromedriver:
    skip_all("needs chromium and chromedriver")

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

options = webdriver.ChromeOptions()
options.binary_location = chromium
for a in "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,900":
    options.add_argument(a)
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
b = webdriver.Chrome(options=options, service=Service(chromedriver))


def get(name):
    b.get("file://%s/%s" % (where, name))


def js(text, *args):
    return b.execute_script(text, *args)


def marked(kind):
    """Texts of what is marked."""
    return js("return [...document.querySelectorAll('.%s')].map(e => e.textContent.trim())" % kind)


def errors():
    return [e["message"] for e in b.get_log("browser")]


try:
    get("index.html")
    is_(errors(), [], "the first page loads without errors")
    dark = []
    for scheme in "light", "dark":
        b.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        dark.append(js("return getComputedStyle(document.body).backgroundColor"))
    ok(dark[0] != dark[1], "its colours follow the browser's, light or dark", dark)
    js("document.querySelector('main a').click()")
    ok("/index.html" in b.current_url and b.current_url.count("/") > 3, "a function's link leads to its page", b.current_url)

    get(folder["f"] + "/index.html")
    is_(errors(), [], "a function's page loads without errors")
    is_(js("return window.cdbgReport.ready"), True, "its script runs")
    is_(marked("sel") + marked("rel"), [], "nothing is marked at first")
    js("[...document.querySelectorAll('.source tr')].find(e => e.textContent.includes('helper(x) + n')).click()")
    ok(any("helper(x) + n" in t for t in marked("sel")), "a click selects a line", marked("sel"))
    ok(any("graph_out" in t or "compiled_fn" in t for t in marked("rel")), "its generated code is marked", marked("rel"))
    ok(js("return document.querySelectorAll('g.node.rel').length") >= 1, "so is its node")
    ok(js("return document.querySelectorAll('.guards tr.rel').length") >= 1, "so are the guards that it made")
    ok("belong" in js("return document.getElementById('status').textContent"), "a live region says how much belongs to it")
    b.switch_to.active_element.send_keys("n")
    ok(js("return document.activeElement.classList.contains('rel')"), "n goes to the next mark")
    b.switch_to.active_element.send_keys(Keys.ESCAPE)
    is_(marked("sel") + marked("rel"), [], "Escape clears the marks")
    js("document.querySelector('.guards [data-i]').focus()")
    b.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    b.switch_to.active_element.send_keys(Keys.ENTER)
    is_(js("return [...document.querySelectorAll('.guards tbody tr')].findIndex(e => e.classList.contains('sel'))"), 1,
        "the arrow keys move in a table, Enter selects")
    is_(js("return document.querySelectorAll('[aria-current=true]').length > 0"), True, "a screen reader can tell what is selected")
    js("const d = document.querySelector('details.later'); d.open = true; d.dispatchEvent(new Event('toggle'))")
    ok(js("return document.querySelectorAll('details.later g.node').length") > 0, "a later stage is drawn when it is opened")
    width = js("return document.querySelector('.drawing svg').width.baseVal.value")
    js("document.querySelector('[data-zoom=in]').click()")
    ok(js("return document.querySelector('.drawing svg').width.baseVal.value") > width, "a graph is zoomed")
    is_(errors(), [], "all that without errors")

    get(folder["long"] + "/index.html")
    ms = js("""const t = performance.now(); const d = document.querySelector('details.later'); d.open = true;
        d.dispatchEvent(new Event('toggle')); document.querySelector('.drawing').getBoundingClientRect(); return performance.now() - t""")
    ok(js("return document.querySelectorAll('g.node').length") >= 5000, "a graph of 5,000 nodes is drawn")
    note("opened in %.0f ms" % ms)
    ms = js("""const t = performance.now(); document.querySelectorAll('g.node')[2500].dispatchEvent(new MouseEvent('click', {bubbles: true}));
        document.body.getBoundingClientRect(); return performance.now() - t""")
    note("selected in %.0f ms" % ms)
    ok(js("return document.querySelectorAll('g.node.sel').length") == 1 and ms < 1000, "a node of it is selected within a second", ms)
    is_(errors(), [], "without errors")
finally:
    b.quit()
done()
