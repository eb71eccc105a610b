#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Variables of a graph that is stepped: those that it has freed, has not computed yet, and does not have.  Where an
# Inf is written in the program, no node has made it.
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import torch

    def f(x, mask):
        score = torch.sin(x)
        score = score.masked_fill(mask, float("-inf"))
        p = score.softmax(-1)
        return torch.log(p * 0 - 1)

    x = torch.ones(3, 3)
    mask = torch.ones(3, 3, dtype=torch.bool).triu(1)
    c = torch.compile(f, backend="%s")
    for turn in range(3):
        c(x, mask)
    '''
for backend, names in (("eager", ("score", "score_1", "p")), ("aot_eager", ("sin", "masked_fill", "_softmax"))):
    with Cdbg(PROGRAM % backend, limit=200) as d:
        d.do("break f")
        d.go()
        d.go("stepg")
        d.do("break node:%s" % names[2])
        d.go()
        is_(d.text("print %s" % names[0]), "None", "%s: a node whose value is not needed any more is None" % backend)
        like(d.notes[-1]["text"], "'info graph' has the figures of '%s'" % names[0], "... with a note")
        like(d.cmd("print %s.shape" % names[0])["error"], "sets its variables to None after their last use", "... an error that comes from it names the reason")
        like(d.cmd("print %s" % names[2])["error"], "the graph computes '%s' later, .*'break node:%s'" % (names[2], names[2]), "... one that has not run")
        like(d.cmd("print nosuch")["error"], "no such variable; 'info graph' lists", "... a name of no node")
        found = [r["what"] + " " + r["id"] for r in d.rows("info links")]
        ok(any(re.search(r"line .*prog\.py:6$", f) for f in found) and ("entry 0/0" if backend == "eager" else "node __compiled_fn_1:p") in found,
           "... 'info links' is about the node that runs next", str(found))
        n = len(d.notes)
        like(d.text("break node:%s" % names[1][2:-2]) + str(d.notes[n:]), "graphs have .*'%s'" % names[1], "... a node that no graph has: those with similar names are listed")
        like(d.text("backtrace").splitlines()[0], r"<eval_with_key>\.\d+:\d+", "... its file has a short name")
        like(d.error("graph save /nonexistent/x.py"), "the graph cannot be saved: cannot write '/nonexistent/x.py': No such file or directory; create its folder first", "... a folder that is not there is named")
        d.do("delete")
        d.do("catch nan")
        stop = d.go()
        is_((stop["reason"], stop.get("detail", {}).get("node")), ("nan", "log"), "a node that is given -inf in the program does not count as the first that makes one")
        is_(d.do("graph run until nan")["first"], "log", "... in 'graph run until nan', too")
done()
