#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The soak driver: it measures how long a program takes without cdbg, gives the runs with cdbg the time that they need, and
# reports a program that never ends instead of calling two interrupted runs the same.
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

SOAK = os.path.join(top, "tests", "soak")
sys.path.insert(0, SOAK)


def soak(source, *options, way="continue"):
    command = [interpreter(), SOAK + "/soak.py", "-w", way, "--python", interpreter(), "--build", build, *options, script(source)]
    p = subprocess.run(command, capture_output=True, text=True)
    return p.returncode, p.stdout + p.stderr


status, out = soak("import time\ntime.sleep(1.5)\nprint(1)\n", "-t", "1")
like(out, r"continue same", "a program that takes longer than -t is compared")
is_(status, 0, "without a difference")
status, out = soak("import time\nprint(1, flush=True)\ntime.sleep(1000)\n", "-t", "0.1")
like(out, r"more than 1 s without cdbg\n.* 1 skipped", "a program that never ends is not compared")
status, out = soak("import sys\nprint('cdbg' in sys.modules)\n")
like(out, r"continue DIFFERS(?s:.*)stdout: without cdbg: b'False'\n +with it: +b'True'", "a difference is shown")
is_(status, 1, "and is in the status")
SHOWN = """
    class Shy:
        shown = 0
        def __repr__(self):
            Shy.shown += 1
            return "shy"
    counted = []
    class Loud:
        def __repr__(self):
            counted.append(1)
            return "loud"
    def work(value):
        return value
    work(%s())
    print(len(counted))
"""
status, out = soak(SHOWN % "int", "-v", way="read")
like(out, r"read same \(\d+ stops, \d\d+ commands at 2 of them\)", "way read runs the commands that read")
status, out = soak(SHOWN % "Loud", way="read")
like(out, r"read DIFFERS(?s:.*)without cdbg: b'0'(?s:.*)'print value' at work:\d+: program: global counted: ", "and names the command that changes something")
import soak as driver  # noqa: E402
is_(driver.normal(b"at 0x7f00aa", type("", (), {"ignore": []})), b"at 0xADDRESS", "the driver can be imported")
done()
