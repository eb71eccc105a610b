#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generated code edited as Python source: a clone gets what it compiles to, and the entry stays as it is."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()

PROGRAM = PRELUDE + '''
    def f(x, n):
        return x * n, 10

    def outer(k):
        def inner(x):
            return x * k, k
        return inner

    g = outer(3)
    cf, cg = torch.compile(f, backend="eager"), torch.compile(g, backend="eager")
    x = torch.ones(3)
    cf(x, 2)
    cg(x)
    stop()
    print("edited", cf(x, 2)[1])
'''

folder = os.path.dirname(script("pass", "none.py"))
editor, wish = os.path.join(folder, "edit.sh"), os.path.join(folder, "wish")
with open(editor, "w") as out:
    out.write('#!/bin/sh\nexec sed -i -f %s "$1"\n' % wish)
os.chmod(editor, 0o755)


def edits(text):
    with open(wish, "w") as out:
        out.write(text)


with Editing(PROGRAM, env={"EDITOR": editor, "VISUAL": "", "TMPDIR": folder}) as d:
    d.do("break stop")
    d.go()
    f, g = d.rows("info entries f")[0]["entry"], d.rows("info entries inner")[0]["entry"]
    edits("")
    is_(d.text("code edit -python " + f), "nothing was changed: no clone was made", "without a change no entry is made")
    edits("s/, 10$/, 42/")
    like(d.text("code edit -python " + f), r"^entry %s\+1: its Python was edited" % f, "a clone is made of what the editor leaves")
    is_(d.text("entry run %s+1 with x=x n=2" % f), "(tensor([2., 2., 2.]), 42)", "it runs what was edited")
    is_(d.text("entry run %s with x=x n=2" % f), "(tensor([2., 2., 2.]), 10)", "the entry itself is as it was")
    edits("s/, 42$/, [n, *range(3)]/")
    like(d.text("code edit -python %s+1" % f), r"^entry %s\+1: its Python was edited" % f, "a clone is edited in its place")
    is_(d.text("entry run %s+1 with x=x n=2" % f), "(tensor([2., 2., 2.]), [2, 0, 1, 2])", "with any Python")
    edits("s/^    return .*/    return )/")
    said = d.error("code edit -python " + f)
    like(said, "SyntaxError", "text that is not Python is refused")
    kept = re.search(r"the text is kept in (\S+)", said)
    lines = open(kept.group(1)).read().splitlines() if kept else []
    ok("    return )" in lines, "and the text is kept", lines)
    like(said, "line %d\\)" % (lines.index("    return )") + 1), "whose line it says")
    edits(r"s/^def \([^(]*\)(\(.*\)):/def \1(\2, more):/")
    like(d.error("code edit -python " + f), "the text has other arguments than the code: keep their names and order", "other arguments are refused")
    edits("s/^def .*/x = 1/")
    like(d.error("code edit -python " + f), "the text has no line 'def NAME", "so is a text without its function")
    edits("s/^    return .*/    return k, k + 1/")
    like(d.text("code edit -python " + g), r"^entry %s\+1: its Python was edited" % g, "code with free variables is edited too")
    is_(d.text("entry run %s+1 with x=x k=3" % g), "(3, 4)", "and has them")
    d.do("entry install %s+1" % f)
    is_(d.value("cf(x, 2)[1]"), "[2, 0, 1, 2]", "the program runs it once it is installed")
done()
