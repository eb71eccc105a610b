#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each command that an answer names works where it is named: between compiled calls, and at and after the program's end.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from walked import walk_stops

need_torch()
walk_stops([
    ("between compiled calls", ["break plain if n == 5", "continue"], "breakpoint 1"),
    ("at an uncaught exception", ["continue"], "uncaught exception ValueError"),
    ("after the end", ["continue", "continue"], "ended with status 1"),
])
done()
