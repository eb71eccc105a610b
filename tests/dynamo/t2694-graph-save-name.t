#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph save takes a file's name with spaces in double quotes."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = """
    import torch
    def f(x):
        return x * 2
    c = torch.compile(f, backend="eager")
    for i in range(2):
        c(torch.randn(3))
    """
with Cdbg(PROGRAM) as d, tempfile.TemporaryDirectory() as folder:
    d.do("break f")
    d.go()
    d.go()
    d.do('graph save "%s/a \\"b\\" c.py" -backward' % folder)
    is_(os.listdir(folder), ['a "b" c.py'], "the name in quotes is that of the file, with its spaces and quotes")
    d.do("graph save %s/plain.py f" % folder)
    ok("plain.py" in os.listdir(folder), "a name without quotes is a word")
    like(d.error('graph save "%s/x.py' % folder) or "", "No such file or directory; create its folder", "a quote that is not closed is part of the name")
done()
