#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# How much of what runs is Python, and where it is allowed.
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

os.chdir(top)


def count(paths):
    return sum(len(open(p, encoding="utf-8").read().splitlines()) for p in paths)


def find(*ends):
    return [p for folder in ("src", "ui", "plugins") for p in glob.glob(folder + "/**/*", recursive=True) if p.endswith(ends)]


ALLOWED = ["src/%s.py" % name for name in ("__init__", "__main__", "adapter", "command", "notebook", "pdb", "pytest", "report", "start/sitecustomize", "watching")]
python, c = find(".py"), find(".c", ".h")
ok(python and c, "both languages are found")
stray = [p for p in python if p not in ALLOWED and not p.startswith("plugins/dynamo/")]
is_(stray, [], "Python is in the files of src that are named here, and in plugins/dynamo only")
share = 100 * count(python) / count(python + c)
note("%d lines of Python, %d of C: %.1f %%" % (count(python), count(c), share))
ok(share < 15, "less than 15 % of what runs is Python", "%.1f %%" % share)
done()
