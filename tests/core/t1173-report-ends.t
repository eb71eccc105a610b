#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--report and how a program may end, and directories with which something happens while it runs."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

ENDS = (
    ("sys.exit with a number", "import sys\nsys.exit(7)\n", True),
    ("the end of its last line", "print('x')\n\n", True),
    ("an exception in an atexit function", "import atexit\natexit.register(lambda: 1 / 0)\n", True),
    ("an exception in a thread", "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n", True),
    ("sys.exit with a thread running", "import sys, threading, time\nthreading.Thread(target=lambda: (time.sleep(.2), print('late'))).start()\nsys.exit(4)\n", True),
    ("Ctrl-C that it catches", "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    while True: pass\nexcept KeyboardInterrupt:\n    print('caught')\n", True),
    ("os._exit", "import os\nprint('bye', flush=True)\nos._exit(5)\n", False),
    ("SIGKILL", "import os, signal\nprint('bye', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n", False),
    ("another program in its place", "import os, sys\nprint('x', flush=True)\nos.execv('/bin/sh', ['sh', '-c', 'echo y; exit 6'])\n", False),
)
for i, (how, program, written) in enumerate(ENDS):
    path = script(program)
    status, out, err, where = report(path, "e%d" % i)
    plain = bare(path)
    address = lambda s: re.sub(r"0x[0-9a-f]+", "0x", s)
    is_((status, out, address(err)), (plain[0], plain[1], address(plain[2])), "%s: output and status are those of the program" % how)
    is_(os.path.isfile(os.path.join(where, "index.html")), written, "%s: %s" % (how, "the report is written" if written else "Python is not asked, and there is no report"))
    is_(left_over(where), [], "%s: nothing is left beside it" % how)

path = script("print('ran')\n\n")
for name in "two\nlines", "tab\there", "-dash", "ümläut", "a'b", "x" * 200:
    status, out, err, where = report(path, name)
    is_((status, out, err), (0, "ran\n", ""), "a directory named %r" % name[:20])
    ok(os.path.isfile(os.path.join(where, "index.json")), "is written")

path = script("""
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    print("ran")
""")
status, out, err, where = report(path, "limit")
is_((status, out), (0, "ran\n"), "a limit on the size of files does not change how the program runs")
like(err, r"^cdbg: no report: cannot write '.*': File too large; the limit of a file's size, 'ulimit -f', is too low$", "cdbg says why there is no report")
is_((os.path.exists(where), left_over(where)), (False, []), "nothing of it stays")

path = script("""
    import os, sys
    os.mkdir(sys.argv[1])
    open(os.path.join(sys.argv[1], "mine"), "w").close()
    print("ran")
""")
status, out, err, where = report(path, "taken", place("taken"))
is_((status, out), (0, "ran\n"), "a program that makes the directory itself runs")
like(err, r"^cdbg: no report: .*taken", "and its directory is not replaced")
is_((os.listdir(where), left_over(where)), (["mine"], []), "it stays as it is")

path = script("""
    import os, sys
    os.rmdir(sys.argv[1])
    print("ran")
""")
os.mkdir(place("parent"))
status, out, err, where = report(path, "parent/r", place("parent"))
is_((status, out), (0, "ran\n"), "a program that removes the parent directory runs")
like(err, r"^cdbg: no report: .*No such file or directory", "and cdbg says why there is no report")
done()
