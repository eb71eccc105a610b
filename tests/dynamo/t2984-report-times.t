#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A report says where compile time went: phases and lines in its data, boxes as wide as their share on the pages, in a browser too.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
status, out, err, where = report("""
    import time
    import torch
    from torch._dynamo.backends.common import aot_autograd

    @torch.library.custom_op("lab::slow", mutates_args=())
    def slow(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @slow.register_fake
    def _(x):
        time.sleep(0.3)
        return torch.empty_like(x)

    def slowly(gm, inputs):
        time.sleep(0.3)
        return gm

    class Part(torch.nn.Module):
        def forward(self, x):
            return slow(x) + 1

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.part = Part()

        def forward(self, x):
            return self.part(x) * 2

    @torch.compile(backend=aot_autograd(fw_compiler=slowly, bw_compiler=slowly))
    def train(x):
        y = x.sin() * 2
        return y.sum()

    torch.compile(Net(), backend="eager")(torch.ones(2))
    train(torch.ones(3, requires_grad=True)).backward()
""", "r")
is_(status, 0, "the program runs")
root = data(where)
times = {(t["entry"], t["pass"]): t for f in root["functions"] for t in f["times"]}
is_(sorted(times), [("0/0", "forward"), ("1/0", "backward"), ("1/0", "forward")], "the data have each compile, and the backward graph's")
ok(all(abs(sum(p["seconds"] for p in t["phases"]) - t["seconds"]) < 1e-3 for t in times.values()), "phases add up to its seconds", times)
slowest = times["0/0", "forward"]["lines"][0]
is_((os.path.basename(slowest["file"]), slowest.get("module")), ("prog.py", "part (Part)"), "lines with their modules, the slowest first")
ok(slowest["trace"] >= 0.3, "with their seconds", slowest)
folder = {f["qualname"]: f["folder"] for f in root["functions"]}


def page(name):
    with open(os.path.join(where, name), encoding="utf-8") as f:
        return f.read()


index, net, train = page("index.html"), page(folder["Net.forward"] + "/index.html"), page(folder["train"] + "/index.html")
like(index, r'<li class="function" style="--share:\d+\.\d\d%"><span title="Net\.forward: .*?"><a href="[^"]*/index\.html#times">Net\.forward</a>',
     "the first page has a box for each function, which leads to its page")
like(net, r'(?s)<li class="entry".*<li class="trace".*<li class="module".*part \(Part\).*<li class="line".*prog\.py:%d return slow\(x\) \+ 1' % slowest["line"],
     "a function's page has boxes for entries, phases, modules and lines")
is_(train.count('<li class="entry"'), 2, "forward and backward have a box each")
ok(not any("<script" in part.replace('<script src="../assets/report.js" defer>', "").replace('<script type="application/json"', "")
           for part in (net, train)), "no script but the report's own")

from browser import *
need_browser()
with Browser(where) as b:
    b.get(folder["Net.forward"] + "/index.html")
    is_(b.errors(), [], "the page loads without errors")
    wide = "const r = e => e.getBoundingClientRect(); const p = document.querySelector('.flame li.entry'), q = p.querySelector('li.line');"
    share = b.js(wide + " return [r(q).width / r(p).width, r(q).left >= r(p).left - 1 && r(q).right <= r(p).right + 1, r(q).top > r(p).top]")
    expected = slowest["trace"] / times["0/0", "forward"]["seconds"]
    ok(abs(share[0] - expected) < 0.05, "a line's box is as wide as its share of the compile", (share, expected))
    is_(share[1:], [True, True], "and lies below the entry's")
    for scheme in "light", "dark":
        b.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        ok(b.js("const s = getComputedStyle(document.querySelector('.flame li.line > span')); return s.color != s.backgroundColor"), scheme + ": its text can be read")
done()
