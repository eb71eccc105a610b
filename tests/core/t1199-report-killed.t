#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process that is killed while it writes a report: what it leaves does not look like a report, and the next one removes it."""
import fcntl
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

MARK = ".cdbg-unfinished"
path = script("print('ran')\n\n")
dies = script("""
    import resource, signal, sys
    print("ran", flush=True)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
""")
whole = report(path, "whole")[3]
contents = {n: text(whole, n) for n in files(whole)}
sizes = {n: os.path.getsize(os.path.join(whole, n)) for n in files(whole)}
for i, size in enumerate(sorted(set(sizes.values()))):
    name = next(n for n in sizes if sizes[n] == size)
    status, out, err, where = report(dies, "fresh%d" % i, str(size // 2))
    is_((status, out), (-signal.SIGXFSZ, "ran\n"), "killed while it writes a file as long as %s" % name)
    ok(not os.path.exists(where), "there is no report")
    left = [os.path.join(os.path.dirname(where), n) for n in left_over(where)]
    is_([os.path.isfile(os.path.join(n, MARK)) for n in left], [True], "what is left beside it says that it is unfinished")
    is_(report(dies, "whole", str(size // 2))[0], -signal.SIGXFSZ, "the same over an earlier report")
    is_({n: text(whole, n) for n in files(whole)}, contents, "which stays as it was, whole")
    is_(report(path, "fresh%d" % i)[:3], (0, "ran\n", ""), "the next report to that place is written")
    is_((files(where), left_over(where)), (sorted(contents), []), "it is whole, and what was left is gone")
is_(len(left_over(whole)), 1, "beside the earlier report is what the last one left, no more")

mine, locked = whole + ".2024.tmp", whole + ".77.tmp"
for name in mine, locked:
    os.makedirs(name)
with open(os.path.join(mine, "notes"), "w"):
    pass
with open(os.path.join(locked, MARK), "w") as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    status, out, err = run(path, commands=["break 2", "continue", "report %s" % whole, "report %s" % whole, "quit"], options=["-q", "--plain"])
    said = [l for l in out.splitlines() if "unfinished" in l]
    is_(said, ["removed 1 unfinished report beside it: the process was killed"], "the command report says what it removed, once")
    is_(sorted(left_over(whole)), sorted(map(os.path.basename, (mine, locked))),
        "a directory without the mark stays, and one that another process writes to")
is_(files(whole), sorted(contents), "the report is replaced")
done()
