#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A program that removes the module threading ends with the same output and status as without cdbg.
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

path = script('''
import os, sys, threading
sys.unraisablehook = lambda u: os.write(1, b"unraisable %s\\n" % u.exc_type.__name__.encode())
sys.modules["threading"] = None
print("end", flush=True)
''')
bare = subprocess.run([interpreter(), path], capture_output=True, text=True)
like(bare.stdout, "^end\\nunraisable AttributeError\\n$", "Python reports it once")
status, out, err = run(path, options=("--plain", "-q"), commands=["continue"])
is_(out.count("unraisable AttributeError"), 1, "so does cdbg")
is_(status, bare.returncode, "with the same status")
done()
