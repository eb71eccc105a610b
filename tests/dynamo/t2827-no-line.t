#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A stop at an instruction without a line: the source shows the line of the function, the graph is that of the entry that runs."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with open(os.path.join(top, "tests/cases/no_line.py"), encoding="utf-8") as f:
    PROGRAM = f.read()

with Cdbg(PROGRAM, limit=120) as d:
    function = d.line_of("def halved")
    d.do("break %d" % d.line_of("print(turn"))
    d.go()
    d.go()
    d.do("delete")
    entries = {r["entry"]: r["function"] for r in d.rows("info entries")}
    graphs = {r["entry"]: r["graph"] for r in d.rows("info graphs")}
    halved = sorted(e for e in entries if entries[e] == "halved")
    noted = [e for e in entries if entries[e] == "noted"]
    is_(len(halved), 2, "the function has two entries")
    for entry in halved:
        d.do("tbreak %s@outputs" % entry)
    for entry in halved:
        stop = d.go()
        is_((stop["frame"]["entry"], stop["frame"]["line"]), (entry, None), "%s: the instruction has no line" % entry)
        rows = {r["line"]: r for r in d.rows("info source")}
        is_([n for n in rows if rows[n]["current"]], [function], "... 'info source' marks the line of the function, below its decorators")
        like(d.text("list"), r"^ +%d +B?-> +def halved" % function, "... list, too")
        is_({r["entry"] for r in d.rows("info graph")}, {entry}, "... 'info graph' has the graph of the entry that runs")
    d.do("break %s@outputs" % halved[0])
    is_([r["line"] for r in d.rows("info source") if r["breakpoint"]], [function], "a breakpoint at an instruction without a line is marked there")
    d.do("delete")
    if noted and noted[0] not in graphs:
        d.do("tbreak %s@return" % noted[0])
        stop = d.go()
        is_((stop["frame"]["entry"], stop["frame"]["line"]), (noted[0], None), "an entry without a graph: no line")
        like(d.error("info graph"), "entry %s has no graph" % noted[0], "... 'info graph' shows no other function's")
    else:
        skip("an entry without a graph", "this torch makes none")
    d.run_out()

plain = run(PROGRAM, options=["--plain", "-q"], commands=["break %d" % (PROGRAM[:PROGRAM.index("print(turn")].count("\n") + 1), "continue", "continue",
                                                         "delete", "tbreak 1/0@outputs", "continue", "detach"])[1]
like(plain, r"^ +%d +B?-> +def halved\(rows, times\):\n +=> +\d+ \w+ .*\(outputs; no line of its own\)$" % (PROGRAM[:PROGRAM.index("def halved")].count("\n") + 1),
     "people see the line of the function, and that the instruction has none")
done()
