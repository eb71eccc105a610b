#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# report diff without two directories is refused; a run that loaded no torch is reported as such.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from reports import *

need_torch(imported=False)

plain = report("print(1)\n", "plain")[3]
torch = report("import torch\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n", "torch")[3]
folder = os.path.dirname(plain)
status, out, err = run(script("print(2)\n"), options=("--plain", "-q"), cwd=folder, commands=(
    "report diff", "report diff %s" % plain, "report diff %s %s" % (plain, torch), "report diff %s %s" % (torch, plain), "report ./diff", "quit"))
said = out + err
is_(said.count("'report diff' compares two reports: 'report diff DIR1 DIR2'"), 2, "report diff without two directories is refused")
like(said, r"'report \./diff' writes one into a directory of that name", "... and tells how to write a report with that name")
like(said, r"files, .*: open '\./diff/index\.html'", "... which does so")
is_(sorted(line for line in said.splitlines() if "torch is" in line), ["torch is loaded in the first run only", "torch is loaded in the second run only"],
    "where only one run loaded torch, report diff reports it")
unlike(said, r"instead of $", "... and not with an empty version")
done()
