#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each command that an answer names works where it is named: in generated code and in graphs.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from walked import walk_stops

need_torch()
walk_stops([
    ("in generated code", ["break f@graph-call", "continue"], r"generated 0/0, graph call"),
    ("in a graph that is stepped", ["tbreak f", "continue", "stepg", "stepg", "stepg", "stepg"], r"\[graph, node"),
    ("in a resume function", ["catch resume", "continue"], "resumed at line"),
    ("at a NaN", ["catch nan", "continue"], "made 3 NaN"),
    ("in a backward graph", ["catch backward", "continue"], "backward"),
])
done()
