#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where an entry is expected, the name of a resume function as 'info entries' writes it can be typed and is completed,
spaces included; a name with several entries lists them."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with Cdbg("""
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            y = x * 2
            if y.sum() < 0:
                y = y - 1    # negative
            print("shown")   # positive
            return y + 1

    @torch.compile(backend="eager")
    def twice(x, n):
        return x * n

    net = torch.compile(Net(), backend="eager")
    net(torch.ones(2))
    net(-torch.ones(2))
    twice(torch.ones(2), 1)
    twice(torch.ones(2), 2)
    print("end")  # stop
    net(-torch.ones(2))
""") as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()
    name = "Net.forward (resumed at line %d)" % d.line_of("# negative")
    other = "Net.forward (resumed at line %d)" % d.line_of("# positive")
    rows = d.rows("info entries")
    entry = next(r["entry"] for r in rows if r["qualname"] == name)
    main = next(r["entry"] for r in rows if r["qualname"] == "Net.forward")


    def completed(line):
        return d.text("complete " + line).splitlines()


    like(d.text("entry disable %s" % name), r"override \d+: entry %s " % entry, "'entry disable' takes the name of a resume function")
    like(d.text("undo %d" % 1), r".", "which can be undone")
    like(d.text("entry clone %s" % name), r"entry \S+: a clone of %s" % entry, "'entry clone' does")
    is_(d.error("guard add %s (x.sum() > -100)" % name), None, "'guard add' does, before an expression in parentheses")
    like(d.rows("info overrides")[-1]["text"], r"^\(x\.sum\(\) > -100\)$", "which is what is added")
    is_(d.rows("info overrides")[-1]["entry"], entry, "to that entry")
    file = os.path.join(os.path.dirname(d.path), "saved.dis")
    is_(d.error("code save %s %s" % (name, file)), None, "'code save' does, before the name of a file")
    with open(file) as f:
        like(f.read(), r"\.code %s " % entry, "which has that entry's code")
    number = next(r["guard"] for r in d.rows("info guards " + entry))
    is_(d.error("guard drop %d in %s" % (number, name)), None, "'guard drop N in' does")
    like(d.error("guard drop %d in %s" % (number, main)), "belongs to entry %s, not to %s" % (entry, main), "and still tells entries apart")
    like(d.error("entry disable %s" % name.replace("line ", "line 9")), r"\S", "a line at which nothing resumes is refused")
    like(d.error("entry disable %s extra" % name), r"unexpected argument 'extra'", "so is a word after the name")
    like(d.error("entry clone twice"), r"'twice' has 2 entries: name one of \d/0, \d/1", "a function with several entries lists them")
    like(d.text("entry clone Net.forward"), r"a clone of %s;" % main, "a function's own entry comes before those of its resume functions")
    for command in "entry check", "entry disable", "entry run", "entry clone", "code save", "code edit -python", "guard add", "guard drop 1 in":
        is_(completed(command + " Net.forward (r"), [command + " " + n for n in (name, other)], "'%s' completes these names" % command)
        is_(completed("%s %s" % (command, name[:-1])), ["%s %s" % (command, name)], "'%s' completes the last word of one" % command)
    is_([c for c in completed("entry check %s " % entry) if "resumed" in c], [], "after an entry nothing completes another")
    d.run_out()
done()
