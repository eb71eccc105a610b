#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank whose C code holds the GIL says so, and one that waits without it shows its place."""
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import Prompt  # noqa: E402

PROGRAM = script("""
    import os, re, time
    rank = int(os.environ["RANK"])
    def here():
        pass
    def holds():
        re.match("(a+)+b", "a" * 200)
    def sleeps():
        time.sleep(3600)
    (here, holds, sleeps)[rank]()
""")
p = Prompt("--listen", "--world", "3")
env = p.listening()
env["PYTHONPATH"] += os.pathsep + cdbgtest.environment()["PYTHONPATH"]
procs = [subprocess.Popen(cdbgtest.argv(PROGRAM), stdin=subprocess.DEVNULL, env=cdbgtest.environment(dict(env, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE="3")))
         for r in range(3)]
p.expect(r"^\[0-2\]\n<module> at")
p.answer("set ranks-patience 1", "break here")
p.ask("continue", r"^here at ")
text = p.answer("ranks")
while "holds the GIL" not in text or "sleeps" not in text:      # they are on their way
    text = p.answer("ranks")
like(text, r"^\[0\] stopped breakpoint here prog\.py:\d+\n\[1\] running: C code holds the GIL\n\[2\] running, sleeps prog\.py:\d+\n\Z",
     "ranks says whose GIL is held, and where the others are")
like(p.answer("info collectives"), r"^\[1\] C code holds the GIL", "info collectives, too")
is_(p.answer("rank 0 print 1 + 1"), "[0] 2\n", "the prompt goes on")
p.send("quit")
p.ended()
for proc in procs:
    proc.kill()
    proc.wait()
done()
