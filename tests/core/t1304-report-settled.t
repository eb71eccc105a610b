#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report gets its name when its files are on the disk: a crash of the machine leaves a whole report under that name, or none."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

TRACE = ["strace", "-f", "-qq", "-y", "-e", "trace=openat,write,sync_file_range,fsync,rename,renameat,renameat2", "-e", "signal=none"]
if not shutil.which("strace") or subprocess.run(TRACE + ["true"], capture_output=True).returncode:
    skip_all("needs strace")
path = script("print('ran')\n")


def traced(where, *more):
    log = where + ".strace"
    p = subprocess.run(TRACE + list(more) + ["-o", log, *argv(), "-m", "cdbg", "--report", where, path],
                       env=environment(), capture_output=True, text=True, timeout=300)
    with open(log) as f:
        calls = f.read().splitlines()
    os.remove(log)
    return p.returncode, p.stdout, p.stderr, calls


for name, of in ("fresh", "of a new report"), ("fresh", "of one that replaces another"):
    where = place(name)
    status, out, err, calls = traced(where)
    is_((status, out), (0, "ran\n"), "the program runs, " + of)
    at = [i for i, c in enumerate(calls) if re.search(r"\brename(at2?)?\(.*fresh", c) and ".cdbg-unfinished" not in c]
    synced = [i for i, c in enumerate(calls) if "fsync(" in c and "fresh" in c]
    done_ = {os.path.basename(m[1]) for i, c in enumerate(calls[:synced[0] if synced else 0])
             if (m := re.search(r"sync_file_range\(\d+<([^>]*)>.*WAIT_AFTER", c)) or (m := re.search(r"fsync\(\d+<([^>]*)>", c))}
    is_(sorted({os.path.basename(f) for f in files(where)} - done_), [], "each file is waited for, " + of)
    ok(len(at) == 1 and len(synced) >= 1 and max(synced) < at[0], "then names and sizes, and then it gets its name, " + of, calls)
    last = [i for i, c in enumerate(calls) if re.search(r" write\(\d+<[^>]*fresh", c)]
    ok(last and max(last) < max(synced), "nothing is written later, " + of)

before = {n: text(where, n) for n in files(where)}
for call, error in ("fsync", "EIO"), ("sync_file_range", "EINVAL"):
    status, out, err, calls = traced(where, "-e", "inject=%s:error=%s" % (call, error))
    is_((status, out), (0, "ran\n"), "the program runs where %s() fails with %s" % (call, error))
    if call == "fsync":
        like(err, r"^cdbg: no report: cannot write the directory '.*fresh': Input/output error\n", "cdbg says that there is no report")
        is_({n: text(where, n) for n in files(where)}, before, "the earlier report stays as it was")
    else:
        ok(sum("fsync(" in c and "fresh" in c for c in calls) > len(before), "it does the same by fsync() there", calls)
    is_(left_over(where), [], "nothing is left beside it")
done()
