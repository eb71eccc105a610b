#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The sessions of doc/guide are what a person gets: tests/lib/guide.py runs them and compares.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import forked
from cdbgtest import *
from guide import check, folder

need_torch()
names = sys.argv[1:]
if names[:1] == ["-forked"]:
    del names[0]
elif "CDBG_TEST_FORKS" not in os.environ:
    sys.exit(forked.main([sys.executable, os.path.abspath(__file__), "-forked"] + names))    # a third of the time: torch is imported once
for name in names or sorted(f for f in os.listdir(folder) if f.endswith(".md")):
    check(name)
done()
