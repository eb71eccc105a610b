#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Completion offers entries and the names of resume functions where code is meant, whole although they have spaces; a
breakpoint on such a name tells the line at which the function continues."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
TEXT = """
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            y = x * 2
            if y.sum() < 0:
                y = y - 1    # negative
            print("shown")   # positive
            return y + 1

    def plain(x):
        print("first")
        torch._dynamo.graph_break()
        print("second")      # second
        for i in range(2):
            pass
        return x

    net = torch.compile(Net(), backend="eager")
    net(torch.ones(2))
    net(-torch.ones(2))
    torch.compile(plain, backend="eager")(torch.ones(2))
    print("end")  # stop
    net(-torch.ones(2))
    torch.compile(plain, backend="eager")(torch.ones(2))
"""
with Cdbg(TEXT) as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()
    negative, positive, second = (d.line_of("# " + w) for w in ("negative", "positive", "second"))
    name = "Net.forward (resumed at line %d)" % negative
    both = [name, "Net.forward (resumed at line %d)" % positive]


    def completed(line):
        return d.text("complete " + line).splitlines()


    for command in "decompile", "decompile -a", "disassemble", "break", "info python", "info code":
        is_(completed(command + " 0/"), [command + " 0/0"], "'%s' completes an entry" % command)
        is_(completed(command + " Net.forward (r"), [command + " " + n for n in both], "'%s' completes the names of resume functions" % command)
        is_(completed(command + " Net.forward (resumed at line %d" % negative), ["%s %s" % (command, name)], "'%s' completes the last word of one" % command)
    for command in "explain", "info guards", "catch graph-break":
        is_(completed(command + " Net.forward (r"), [command + " " + n for n in both], "'%s' completes names with spaces" % command)
    is_(completed('report DIR "Net.forward (r'), ['report DIR "%s"' % n for n in both], "'report' completes them in quotes")
    folder = os.path.join(os.path.dirname(d.path), "written")
    is_(d.error('report %s "%s"' % (folder, name)), None, "and takes them so")
    is_(d.text("decompile " + name), d.text("decompile " + next(r["entry"] for r in d.rows("info entries") if r["qualname"] == name)), "the name that was completed works")
    regions = completed("break %s@" % name)
    ok(regions and all(r.startswith("break %s@" % name) for r in regions), "after such a name and @ come its regions", regions)
    is_(completed("break %s@graph c" % name), ["break %s@graph call" % name], "a region with a space is completed after its space")
    is_(d.error("break %s@graph call" % name), None, "and works")
    is_(completed("break Net.forward@graph c"), ["break Net.forward@graph call"], "that of a function, too")
    is_(completed("break plain if x.s"), [], "nothing completes a condition by these")
    reply = d.text("break " + name)
    like(reply, r":%d \(Net\.forward \(resumed at line %d\), \d/0\)" % (negative, negative), "a breakpoint on generated code tells the line where it continues")
    unlike(reply, r":%d \(" % (negative - 1), "not the one before")
    like(d.text("break plain (resumed at line %d)" % second), r":%d \(plain \(resumed at line %d\)\)" % (second, second), "one on a resume function that Dynamo leaves as it is, too")
    d.go()
    while d.stop["frame"]["function"] != "torch_dynamo_resume_in_plain_at_%d" % second:
        d.go()
    is_(d.stop["frame"]["line"], second, "where it stops at that line")
    d.run_out()

PROGRAM = script(TEXT, "names.py")
with open(PROGRAM) as lines:
    at = {l.split("# ")[1].strip(): i for i, l in enumerate(lines, 1) if "# " in l}
with Screen(PROGRAM, rows=24, cols=80, options=["-q"], limit=120) as s:
    s.line("break %d" % at["stop"]).line("continue", wait=False).see("stopped: breakpoint").ready()
    s.keys("decompile Net.forward (\t")
    like(s.prompt, r"decompile Net\.forward \(resumed at line$", "Tab adds what the names have in common")
    s.keys("%d\t" % at["negative"])
    like(s.prompt, r"resumed at line %d\)" % at["negative"], "a digit and Tab complete one")
    s.keys("\r").see("lines of answer")
    like(s.text, r"def torch_dynamo_resume_in_forward_at_\d+\(", "and the line runs")
done()
