#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The visit that README.md shows is what a person gets.
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cdbgtest import *

need_torch()
with open(os.path.join(top, "README.md")) as f:
    block = re.search(r"^    \$ python -m cdbg ([^\n]*)\n((?:    [^\n]*\n)+)", f.read(), re.M)
words = block.group(1).split()
lines = [l[4:] for l in block.group(2).splitlines()]
commands = [l[len("(cdbg) "):] for l in lines if l.startswith("(cdbg) ")]
expected = [l for l in lines if not l.startswith("(cdbg) ")]
ok(len(commands) > 3, "README shows a visit")
status, out, err = run(None, options=words, commands=commands, cwd=top)
got = re.sub(r"(__compiled_fn_\d+)_[0-9a-f_]{36}", r"\1_...", out).splitlines()
is_(status, 0, "it ends as the program does")
is_("\n".join(got), "\n".join(expected), "its output is that of README")
done()
