#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""code edit -python: text that was refused can be edited again, with each backend; an editor that fails loses no text."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
folder = os.path.dirname(script("pass", "none.py"))
editor, wish, status = (os.path.join(folder, n) for n in ("edit.sh", "wish", "status"))
with open(editor, "w") as out:
    out.write('#!/bin/sh\nsed -i -f %s "$1"\nexit $(cat %s)\n' % (wish, status))
os.chmod(editor, 0o755)


def edits(text, ends=0):
    for name, what in (wish, text), (status, str(ends)):
        with open(name, "w") as out:
            out.write(what + "\n")


for backend in "eager", "aot_eager", "inductor":
    with Cdbg("""
        import torch

        @torch.compile(backend="%s")
        def f(x):
            y = x * 2
            print("middle")
            return y + 1

        def call():
            return f(torch.ones(2)).tolist()

        call()
        print("end")  # stop
    """ % backend, env={"EDITOR": editor, "VISUAL": "", "TMPDIR": folder}, limit=300) as d:
        d.do("break %d" % d.line_of("# stop"))
        d.go()
        kept = set(os.listdir(folder))
        edits(r"s/^\( *\)graph_out_0 = .*/&\n\1print('edited')/; $s/return/retrun/")
        said = d.error("code edit -python 0/0")
        again = re.search(r"'(code edit -python 0/0 (\S+))' opens it again", said)
        ok(again, "%s: an error says which command opens the text again" % backend, said)
        if not again:
            continue
        edits("s/retrun/return/")
        like(d.text(again[1]), r"^entry 0/0\+1: its Python was edited", "%s: it is taken when it is right" % backend)
        like(open(again[2]).read(), r"print\('edited'\)", "%s: with all that was typed" % backend)
        d.do("entry install 0/0+1")
        like(d.text("call()"), r"\[3\.0, 3\.0\]", "%s: the program runs it" % backend)
        d.do("undo")
        if backend == "eager":
            edits("s/^def /# typed\\ndef /", 3)
            said = d.error("code edit -python 0/0")
            like(said, "failed with status 3", "an editor that fails is reported")
            path = re.search(r"the text is kept in (\S+)", said)
            like(open(path[1]).read() if path else "", "# typed", "the text that it saved is kept")
            before = set(os.listdir(folder))
            edits("", 3)
            unlike(d.error("code edit -python 0/0"), "kept", "text that nobody typed is not")
            is_(set(os.listdir(folder)), before, "and leaves no file")
            like(d.error("code edit -python 0/0 /none/such"), "cannot read '/none/such'", "a file that cannot be read is refused")
        d.run_out()
        like(d.out, "edited", "%s: what was added ran" % backend)
done()
