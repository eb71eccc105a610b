#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A step deep in a recursion costs what a step near the start costs: outer frames are read when somebody asks for them."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

DEPTH, STEPS = 900, 200
PROGRAM = """
import sys, time
sys.setrecursionlimit(5000)
def deep(n):
    if n > 1:
        return deep(n - 1)
    return lines()
def lines():
    k = 0
%s    return k
deep(1)
deep(%d)
deep(4)
""" % ("    k += 1\n" * (STEPS + 20), DEPTH)

STEPPING = ["break lines"] + (["continue", "print 'began', time.thread_time()"] + ["next"] * STEPS
                              + ["print 'ended', time.thread_time(), 'at', k"]) * 2
status, out, err = run(PROGRAM, options=["--plain", "-nx"], commands=STEPPING + ["backtrace 3", "backtrace -2", "frame %d" % (DEPTH - 1), "up",
                       "frame %d" % (DEPTH + 2), "continue", "next", "up 2", "up 9", "down 9", "info frame", "backtrace", "continue"])
times = [float(t) for t in re.findall(r"(?:began|ended)', ([\d.]+)", out)]
is_((status, len(times), re.findall(r"'at', (\d+)\)", out)), (0, 4, [str(STEPS - 1)] * 2), "both series of steps end where they should")
near, far = times[1] - times[0], times[3] - times[2]
ok(far < near * 3, "a step below %d frames takes no longer than one below 2" % DEPTH, (near, far))
out = out[out.rindex("'began'"):]
like(out, r"=> #0 +lines at \S+:\d+\n   #1 +deep at \S+:6\n   #2 +deep at \S+:5\n\(%d more\)\n" % (DEPTH - 1),
     "backtrace lists the innermost frames and counts the others")
like(out, r"   #%d +deep at \S+:5\n   #%d +<module> at \S+:\d+\n" % (DEPTH, DEPTH + 1), "backtrace -2 lists the outermost frames")
like(out, r"#%d +deep at \S+:5\n   5  ->          return deep\(n - 1\)\n#%d +deep" % (DEPTH - 1, DEPTH),
     "a frame far out is selected by its number, and 'up' selects its caller")
like(err + out, r"no frame '%d': expected 0 to %d" % (DEPTH + 2, DEPTH + 1), "a frame past the outermost one is refused with the range")
tail = out[out.rindex("k = 0"):]
like(tail, r"#2 +deep at \S+:5\n.*\n#5 +<module> at .*\n.*\n#0 +lines at", "'up' and 'down' end at the outermost and the innermost frame")
like(tail, r"called by +deep\n", "info frame names the caller")
is_(len(re.findall(r"(?m)^(?:=>|  ) #\d", tail)), 6, "backtrace lists all frames")
done()
