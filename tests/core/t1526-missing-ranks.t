#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that do not join: a Python without cdbg, processes without RANK, one that comes late; and ranks that exec."""
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, START, Fake, Prompt  # noqa: E402

# ---- the user is told what is waited for ----

p = Prompt("--listen", "--world", "2")
env = p.listening()
a = Fake(env, 0, 2)
a.stop()
p.says(r"^1 of 2 ranks have joined: the others start later, or run without cdbg, which they say on their standard error; Ctrl-C opens the prompt\n",
       "a rank that does not come is told of")
b = Fake(env, 1, 2)
b.stop()
p.says(r"^\[0-1\] <module> at", "... and waited for")
for r in a, b:
    r.send({"event": "exited", "status": 0})
    r.next()
    r.close()
p.send("quit")
p.ended()

# ---- a Python that cannot import cdbg ----

env = {"PATH": os.environ["PATH"], "PYTHONPATH": START, "CDBG_CONNECT": "unix:/nowhere", "CDBG_TOKEN": "x", "RANK": "3", "WORLD_SIZE": "4"}
run = subprocess.run([sys.executable, "-S", "-c", "import site, sys; sys.modules['cdbg'] = None; sys.orig_argv = ['python', 'x.py']; import sitecustomize"],
                     env=env, capture_output=True, text=True, timeout=LIMIT)
like(run.stderr, r"^cdbg: rank 3 runs without cdbg: .*: install cdbg for %s \(Python %d\.%d\.%d\)\n" % (re.escape(sys.executable), *sys.version_info[:3]),
     "a rank whose Python lacks cdbg runs without it, and names that Python")

# ---- processes that are no ranks ----

PROGRAM = script("""
    import multiprocessing, os
    def work(r):
        os.environ["RANK"] = str(r)
        os.write(1, b"worker %d\\n" % r)      # one write: print() makes several, unbuffered
    if __name__ == "__main__":
        context = multiprocessing.get_context("spawn")
        each = [context.Process(target=work, args=(r,)) for r in range(2)]
        for process in each:
            process.start()
        for process in each:
            process.join()
""")
p = Prompt("--ranks", command=[interpreter(), PROGRAM])
p.says(r"^the job has ended with status 0, and no rank has joined: a rank is a Python process that starts with RANK .* mp\.spawn does not\n",
       "processes that get RANK when they run are no ranks, and the user is told")
is_(sorted(re.findall(r"worker \d", p.seen)), ["worker 0", "worker 1"], "... they run as ever")
like(p.answer("ranks"), r"^no rank has joined: a rank is a Python process", "... and ranks says it")
p.send("quit")
p.ended()

# ---- a rank that becomes another program ----

PROGRAM = script("""
    import os, sys
    if len(sys.argv) == 1:
        os.execv(sys.executable, [sys.executable, sys.argv[0], "again"])
    sys.stdout.write("again %s\\n" % sorted(k for k in os.environ if k in ("CDBG_CONNECT", "CDBG_TOKEN")))
    sys.exit(5)
""")
p = Prompt("--ranks", command=["sh", "-c", "RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 %s %s" % (interpreter(), PROGRAM)])
p.expect(r"^<module> at .*prog.py:1\n|^\[0\]")
p.send("continue")
p.says(r"^again \[\]\n", "a rank that execs runs on without cdbg")
p.says(r"^the job has ended with status 5\n", "... with its own end")
p.send("quit")
p.ended()
done()
