#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catch wrong judges the first call of each entry, and each N-th call, as blame does, and stops at one that gives another result than eager.  What cannot be
judged is passed over and counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = '''
    import os, tempfile, torch, torch._dynamo

    class Layer:
        def call(self, x):
            return x + 1
    def call_now(self, x):
        return x + 100                          # the new call

    def swap(gm, inputs):
        for n in gm.graph.nodes:
            n.target = "sin" if n.target == "cos" else n.target
        gm.recompile()
        return gm.forward

    lay, path, log = Layer(), tempfile.mktemp(), []
    def patched(x):
        return lay.call(x) * 2
    def right(x, n):
        log.append(n)
        return x.sin() + n + torch.rand(3)
    def resumed(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y.cos() * 2                      # the wrong node
    def late(x):
        return x.cos()                          # later
    def files(x):
        with open(path, "a") as f:
            f.write("a line")
        return x + 1
    def noise(x):
        return x + int.from_bytes(os.urandom(4), "little")
    def closed(k):
        def inner(x):
            return x.cos() * k                  # in a closure
        return inner

    torch.manual_seed(0)
    x = torch.ones(3)
    by = {f.__name__: torch.compile(f, backend=b, dynamic=False) for f, b in (
        (patched, "eager"), (right, "aot_eager"), (resumed, swap), (late, swap), (files, "eager"), (noise, "eager"), (closed(3.0), swap))}
    def turn():
        pass
    for i in range(6):
        turn()
        if i == 3:
            Layer.call.__code__ = call_now.__code__
        said = [by["patched"](x), by["right"](x, i % 2), by["files"](x)]
        by["noise"](x)
        if i == 1:
            said += [by["resumed"](x), by["inner"](x)]
        if i == 5:
            said.append(by["late"](x))
        print(i, [v.tolist() for v in said], log, len(open(path).read()), flush=True)
    print("end", torch.rand(1).item())
'''


def like_stop(stop, entry_of, place, what):
    is_((stop.get("reason"), stop.get("detail", {}).get("function")), ("wrong", entry_of), what)
    is_(stop.get("detail", {}).get("verdict", {}).get("line"), place, "... with the verdict's line")


def notes(d):
    return next(r["notes"] for r in d.rows("info breakpoints") if r["type"] == "catchpoint")


def turns(d, n):
    for _ in range(n):
        is_(d.go()["reason"], "breakpoint", "no stop before the next turn")


with Cdbg(PROGRAM) as d:
    d.do("catch wrong")
    d.do("break turn")
    turns(d, 2)
    like(notes(d), "(?m)^1 passed over, since they cannot be judged; the first: files: 'files' names 'open'",
         "info breakpoints counts what cannot be judged, with the first reason")
    like(notes(d), "^4 calls judged, 0 of them wrong", "... and what was judged")
    stop = d.go()
    like_stop(stop, "torch_dynamo_resume_in_resumed_at_%d" % (d.line_of("# the wrong node") - 1), d.line_of("# the wrong node"),
              "it stops at the first call of a new entry, of a resume function")
    like(stop["detail"]["verdict"]["sentence"], "^backend swap: node cos ", "... with the verdict's sentence")
    like(d.text("blame"), "^backend swap: node cos ", "blame there judges the same call")
    stop = d.go()
    like_stop(stop, "inner", d.line_of("# in a closure"), "it stops in a closure")
    is_(d.rows("bt")[0]["line"], d.line_of("# in a closure"), "... whose frame shows the line")
    turns(d, 1)
    d.do("set wrong-every 5")
    turns(d, 2)
    stop = d.go()
    like_stop(stop, "patched", d.line_of("# the new call"), "with wrong-every 5 the fifth call is judged, too")
    is_(stop["detail"]["verdict"]["fault"], "capture", "... a fault of the capture")
    turns(d, 1)
    d.do("delete")
    d.do("catch wrong late")
    d.do("catch wrong")
    stop = d.go()
    is_(stop["detail"]["function"], "patched", "a catchpoint that is set anew judges the next call of each entry")
    stop = d.go()
    like_stop(stop, "late", d.line_of("# later"), "one of two catchpoints stops")
    like(notes(d), "^5 calls judged, 2 of them wrong", "... and a call that both wait for is judged once")
    d.run_out()
    said = d.out
    is_(len([n for n in d.notes if "catch wrong passes over" in n["text"]]), 2, "that a call is passed over is said once for each time that it is set")
with Cdbg(PROGRAM) as d:
    d.do("catch wrong right")
    d.do("set wrong-every 1")
    d.run_out()
    every = d.out
like(run(PROGRAM, options=("--plain", "-q"), commands=["catch wrong resumed", "continue", "kill"])[1],
     r"stopped: backend swap: node cos .*\n.*\n.*# the wrong node", "the verdict's sentence is the stop's text, above the line")
status, out, _ = bare(PROGRAM)
is_(said, out, "the program's output is as without cdbg")
is_(every, out, "... where each call is judged, too")
done()
