#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each command that an answer names works where it is named: at stops before and while Dynamo compiles.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from walked import walk_stops

need_torch()
walk_stops([
    ("before torch is imported", ["break plain", "continue"], "breakpoint 1"),
    ("before anything is compiled", ["break plain if n == 4", "continue"], "breakpoint 1"),
    ("at a compile", ["catch compile f", "continue"], "compiled f"),
    ("at a recompile", ["catch recompile", "continue"], "compiles again"),
    ("at a guard that fails", ["catch guard-fail", "continue", "continue"], "guards of f fail"),
    ("at a graph break", ["catch graph-break", "continue"], "graph break in split"),
    ("at an exception of a compile", ["catch exception", "continue"], "exception TorchRuntimeError"),
])
done()
