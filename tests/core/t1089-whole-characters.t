#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Texts that are cut are cut between characters.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

BAD = "\ufffd|\\\\x[c-f89ab]"
SIGNS = "\u00e9\u4e2d\U0001f600"

with Cdbg('''
    SIGNS = "%s"
    class R:
        def __init__(self, text):
            self.text = text
        def __repr__(self):
            return self.text
    def fails(n):
        raise ValueError("x" * n + SIGNS * 500)
    def unnamed(n):
        raise NameError("x" * n + SIGNS * 500)
    x = 1
''' % SIGNS) as d:
    d.do("break %d" % d.line_of("x = 1"))
    d.go()
    for what, line in ("print", "print R('x' * %d + SIGNS * 50)"), ("pp", "pp R('x' * %d + SIGNS * 50)"), \
            ("whatis", "whatis '\u00e9' * %d + SIGNS * 99"):
        seen = ""
        for limit in range(16, 30):
            d.do("set repr-limit %d" % limit)
            seen += d.text(line % (limit % 9))
        unlike(seen, BAD, "%s cuts between characters, whatever the bound" % what)
    seen = "".join(d.error("print fails(%d)" % n) for n in range(12))
    unlike(seen, BAD, "so do errors")
    seen = "".join(str(d.error("nosuch if unnamed(%d) else 1" % n)) for n in range(12))
    like(seen, "unknown command 'nosuch'.*NameError", "an error may quote another")
    unlike(seen, BAD, "a part of it then, also between characters")

if not has("torch"):
    skip("entry run cuts between characters", "no torch")
    done()
with Cdbg('''
    import torch
    SIGNS = "%s"
    class R:
        pass
    @torch.compile(backend="eager")
    def f(x, text):
        return x + 1, text
    f(torch.ones(1), "x" + SIGNS * 50)
    x = 1
''' % SIGNS, limit=300) as d:
    d.do("break %d" % d.line_of("x = 1"))
    d.go()
    seen = []
    for limit in range(30, 42):
        d.do("set repr-limit %d" % limit)
        seen.append(d.text("entry run 0/0 with x=torch.ones(1) text='x'+SIGNS*50"))
    unlike("".join(seen), BAD, "entry run cuts between characters, whatever the bound")
    like(seen[0], "repr-limit", "and says that it is cut")
done()
