#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# `view EXPR`: elements of tensors as a table, in plain mode, for machines and in a pane.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()

PROGRAM = '''
    import resource

    import torch


    class Named(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            print("RAN function", func)
            return super().__torch_function__(func, types, args, kwargs or {})


    def work():
        grid = torch.arange(60.0).view(3, 4, 5)
        bad = torch.tensor([[1.0, float("nan")], [float("-inf"), 0.5]])
        line = torch.arange(23)
        number = torch.tensor(2.5)
        empty = torch.zeros(0, 3)
        flags = torch.tensor([[True, False]])
        pair = torch.tensor([[1 + 2j, 3 - 4j]]).conj()
        turned = torch.arange(6).view(2, 3).t()
        halves = torch.tensor([[1.5, -0.25]]).bfloat16()
        eighths = {n: torch.tensor([[0, 1, 0x38, 0x7e, 0x7f, 0x80, 0xb9, 0xff]], dtype=torch.uint8).view(getattr(torch, n))
                   for n in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")}
        told = {n: [repr(v) for v in t[0].float().tolist()] for n, t in eighths.items()}
        huge = torch.zeros(1).expand(1 << 20, 1 << 20)
        named = torch.ones(2).as_subclass(Named)
        step = 0
        grid[0, 0, 0] = 100  # stop
        step = 1
        return step


    work()
'''
PATH = script(PROGRAM)


def tables(d, what):
    return [r["cells"] for r in d.rows("view " + what)]


with Cdbg(PROGRAM, options=["-q"]) as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()
    is_(tables(d, "grid")[:2], [["0", "1", "2", "3", "4"], ["5", "6", "7", "8", "9"]], "the first table of three dimensions")
    is_(tables(d, "-next")[0], ["20", "21", "22", "23", "24"], "the next")
    is_(tables(d, "-prev") and tables(d, "-prev")[0], ["40", "41", "42", "43", "44"], "before the first comes the last")
    is_(tables(d, "grid[1, :2, 3:]"), [["23", "24"], ["28", "29"]], "a slice is an expression")
    is_(tables(d, "bad"), [["1", "NaN"], ["-Inf", "0.5"]], "NaN and Inf are written to be noticed")
    is_([(r["row"], len(r["cells"])) for r in d.rows("view line")], [(0, 10), (10, 10), (20, 3)], "one dimension is wrapped")
    is_(tables(d, "number") + tables(d, "flags") + tables(d, "pair") + tables(d, "halves"),
        [["2.5"], ["True", "False"], ["1-2j", "3+4j"], ["1.5", "-0.25"]], "a number, truths, conjugates, bfloat16")
    is_(tables(d, "turned"), [["0", "3"], ["1", "4"], ["2", "5"]], "what is not in order in memory")
    is_(tables(d, "empty"), [None], "nothing")
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"):
        told = eval(d.text("print told['%s']" % name))
        want = ["NaN" if v == "nan" else "+Inf" if v == "inf" else "-Inf" if v == "-inf" else "%.4g" % float(v) for v in told]
        is_(tables(d, "eighths['%s']" % name)[0], want, name + " is read as torch reads it")
    rows = d.rows("view huge")
    is_((len(rows), len(rows[0]["cells"])), (200, 200), "of a tensor of a trillion elements a part is read")
    is_(tables(d, "named"), [["1", "1"]], "a class of the program is not asked")
    is_(tables(d, "grid[0]")[0][0], "0", "the value at this stop")
    d.go("next")
    is_([r["cells"][0] for r in d.rows("info values")][0], "100", "is another at the next")
    like(d.error("view told"), "'told' is not a tensor but of type 'dict'", "another value is refused")
    like(d.error("view torch.ones(2, device='meta')"), "has no values to show: a tensor without values", "and one without values")
    like(d.error("view nosuch"), "NameError", "an expression that raises is reported")
    like(d.error("view -next"), "has one table only|NameError", "there is no next table of that")
    d.run_out()
    is_(d.out, "", "nothing ran the program's code")

status, out, err = run(PATH, commands=["break %d" % line_of(PATH, "# stop"), "continue", "view bad", "view huge"])
like(out, r"^bad  f32\[2,2\] cpu\nNaN 1 Inf 1 0\.5 █ +█ 1$", "people get shape, NaN and Inf, and a histogram")
like(out, r"^ +0 +1\n +0 +1 +NaN\n +1 +-Inf +0\.5$", "and the table with the numbers of its columns")
like(out, r"1048556 more rows: 'view \S+\[20:40\]' shows the next", "and how to see more")

with Screen(PATH, rows=40, cols=120, options=["-q"], limit=180) as s:
    before = s.marks
    s.line("break %d" % line_of(PATH, "# stop"))
    s.line("continue")
    s.until(lambda: s.row(r"^ stopped: breakpoint"), "the breakpoint")
    s.settled()
    s.line("view grid").keys("z")
    pane = s.pane("values")
    like(pane[0], r"^\[values\] grid\[0, :, :\]  f32\[3,4,5\] cpu .* 0 [▆█]+ 59 ", "the pane's title has slice, shape and histogram")
    like(pane[1], r"^ +row +0 +1 +2 +3 +4$", "its heads are the numbers of the columns")
    like(pane[3], r"^ +1 +5 +6 +7 +8 +9$", "its rows the elements")
    s.keys("}")
    like(s.pane("values")[2], r"^ +› 0 +20 +21 +22 +23 +24$", "} shows the next table")
    s.keys("{")
    s.keys("n")
    like(s.pane("values")[2], r"^.+ 0 +100 +1 +2 +3 +4$", "the pane follows the expression over a step")
    s.keys(":").line("view huge")
    s.keys("\x1b[C").keys("\x1b[C")
    like(s.pane("values")[1], r"^ +row +2 +3 +4 ", "Right moves by a column")
    s.keys("\x1b[D")
    like(s.pane("values")[1], r"^ +row +1 +2 +3 ", "and Left back")
    s.keys("G")
    like(s.pane("values")[-1], r"1048575 +0 +0 +0", "the last rows of a huge tensor are there at once")
    s.keys("z").keys(":").line("focus locals")
    s.keys("/").keys("grid\r").keys("\x1b[C").keys("j").keys("\r")
    like(s.text, r"\[\d values\] grid\[0, :, :\]", "Enter on the values of a tensor in the tree views it")
done()
