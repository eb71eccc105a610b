#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The sessions of doc/guide are what a person gets: tests/lib/guide.py runs them and compares.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *
from guide import check, folder

need_torch()
for name in sys.argv[1:] or sorted(f for f in os.listdir(folder) if f.endswith(".md")):
    check(name)
done()
