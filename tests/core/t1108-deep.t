#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls far deeper than the usual recursion limit: the C stack lasts as long as it does without cdbg."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    import sys
    sys.setrecursionlimit(60000)
    def down(n):
        if n:
            return down(n - 1)
        try:
            raise KeyError(n)
        except KeyError:
            return 1
    for i in range(2):
        print(down(25000))
"""
if bare(PROG)[1] != "1\n1\n":
    skip_all("this interpreter does not get so deep by itself")

for commands, name in ((["catch exception"], "a catchpoint for exceptions"), ([], "nothing armed")):
    with Cdbg(PROG) as d:
        for line in commands:
            d.cmd(line)
        d.run_out(most=100)
        is_((d.out, d.exited["status"]), ("1\n1\n", 0), "25000 calls deep with %s" % name)
done()
