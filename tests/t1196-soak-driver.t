#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The soak driver: it measures how long a program takes without cdbg, gives the runs with cdbg the time that they need, and
# reports a program that never ends instead of calling two interrupted runs the same.
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

SOAK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "soak")
sys.path.insert(0, SOAK)


def soak(source, *options):
    command = [interpreter(), SOAK + "/soak.py", "-w", "continue", "--python", interpreter(), "--build", build, *options, script(source)]
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
import soak as driver  # noqa: E402
is_(driver.normal(b"at 0x7f00aa", type("", (), {"ignore": []})), b"at 0xADDRESS", "the driver can be imported")
done()
