#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# explain shows the beginning of the decompiled source; decompile shows all of it, and with -a what is folded, too.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = script('''
    import torch


    class Box:
        pass


    box = Box()


    @torch.compile(backend="eager")
    def short(x):
        return x + 1


    @torch.compile(backend="eager")
    def long(x):
''' + "".join("        box.a%d = x + %d\n" % (i, i) for i in range(40)) + '''
        return x


    short(torch.ones(2))
    long(torch.ones(2))
    print("done")
''')


def source(text):
    found = re.search(r"(?m)^  generated code as Python:\n((?:    .*\n)+)", text)
    return found[1].splitlines() if found else []


with Cdbg(PROGRAM) as d:
    d.do("break %d" % (open(PROGRAM).read().splitlines().index('print("done")') + 1))
    d.go()
    brief, all_, most = (d.do(c)["text"] for c in ("explain short", "decompile short", "decompile -a short"))
    lines = source(brief)
    ok(lines and lines[0].strip() == "def short(x):" and any("__compiled_fn" in s for s in lines), "explain has the source", brief)
    ok(not any("profiler hooks" in s for s in lines) and "profiler hooks" in all_,
       "it leaves out what only the compiler needs, decompile says where that is", (lines, all_))
    ok("record_pregraph_bytecode_enter" in most and "profiler hooks" not in most, "decompile -a shows it", most)
    unlike("\n".join(lines), r"more lines?:", "a short function is shown to its end")
    brief, all_ = (d.do(c)["text"] for c in ("explain long", "decompile long"))
    lines = source(brief)
    is_(len(lines), 25, "a long one is cut")
    more = re.fullmatch(r" +\.\.\. (\d+) more lines: 'decompile (\d+/\d+)'", lines[-1]) if lines else None
    ok(more, "the last line says how to see the rest", lines[-1:])
    whole = [s for s in all_.splitlines() if s.strip() and "profiler hooks" not in s]
    is_(more and int(more[1]) + 24, len(whole), "and how many lines that is")
    ok("box" in whole[-2] or "return" in whole[-1], "decompile has all of it", whole[-3:])
done()
