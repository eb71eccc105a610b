#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# At a stop in generated code: Tab after the commands of torch.compile opens a menu in which each row says what it is:
# entries, guards and their types, regions, graphs and their nodes, overrides, frames, backends, options of commands.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from menus import *

need_torch()
PROGRAM = script('''
    import torch


    def helper(x):
        torch._dynamo.graph_break()
        return x * 2


    @torch.compile(backend="eager")
    def outer(x, cfg):
        a = x.sin()
        b = helper(a)
        return b + cfg["bias"]


    for i in range(3):
        outer(torch.ones(4), {"bias": i})
''', "menu_compiled.py")
LINES = ["break node:", "break outer@", "break menu_compiled.py:", "info guards ", "info entries ", "info graph ", "guard drop ", "guard drop 5 ",
         "guard edit ", "guard force ", "guard why ", "guard list ", "guard restore ", "graph show ", "graph run ", "graph compare ",
         "graph diff ", "entry check ", "entry disable ", "entry run ", "code edit ", "code patch ", "explain ", "eager ", "backend ", "set backend ", "undo ",
         "frame ", "thread ", "undisplay ", "catch graph-break ", "catch nan ", "print cfg.", "overrides ", "report "]

for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break outer@graph call")
        s.stopped("continue", "breakpoint")
        s.line("display cfg").line("display x").line("guard drop 5").line("entry disable 0/0").keys("\x1b").keys("\x1b")
        wrong = [w for line in LINES for w in walk(s, line)]
        is_(wrong, [], size + "each row says what it is")
        for line, what in (("guard drop ", r"TENSOR_MATCH +all guards of this type|ID_MATCH +all guards of this type"), ("guard drop ", r" -r +guard drop \[-r\]"),
                           ("graph show ", r"__compiled_fn_\w+ +graph of entry 0/0"), ("undo ", r" 1 +\w+.*0/0"), ("frame ", r" 0 +outer menu_compiled\.py:\d+"),
                           ("undisplay ", r" 1 +cfg"), ("catch graph-break ", r"-r +catch graph-break \[-r\] \[FUNC\]"), ("backend e", r"eager +backend"),
                           ("layout ", r" guards +(source, )?guards"), ("focus ", r" guards +guards of"), ("set tensor-values o", r"off +instead of on")):
            s.keys("\x1b").keys("\x03").keys(line + "\t")
            found, n = False, menu(s)[2]
            for _ in range(n + 1):
                found = found or bool(re.search(what, s.text))
                if found:
                    break
                s.keys("\t")
            ok(found, size + "%s: %s" % (line, what), s.text)
        s.keys("\x1b").keys("\x03").keys("tcatch \t")
        like(s.text, r" exception +an exception is raised", size + "tcatch describes its kinds as catch does")
        unlike(s.text, "builtin", size + "none of them is a builtin")
done()
