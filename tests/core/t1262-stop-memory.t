#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A stop keeps no memory when the program continues, however deep its stack is."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from peak import status

with Cdbg("""
    def deep_in_the_stack(n):
        if n:
            return deep_in_the_stack(n - 1)
        while True:
            n += 1
    deep_in_the_stack(200)
    """) as d:
    d.do("break 5")
    d.go()
    for i in range(100):                # caches are filled
        d.go("stepi")
        d.cmd("bt")
    before = status(d.proc.pid, "VmRSS")
    for i in range(200):
        d.go("stepi")
        d.cmd("bt")                     # reads all frames
    grown = status(d.proc.pid, "VmRSS") - before
    is_(len(d.rows("bt")), 202, "the stack has 202 frames")
    ok(grown < 0.4, "200 stops in it keep less than 0.4 MiB", "%.2f MiB" % grown)
done()
