#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many attaches and detaches, to programs that are always in malloc(), compute with floats, wait, or have threads: results
stay right, and nothing is left."""
import json
import os
import socket
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from attaching import BYTES, LIMIT, RIGHT, Running, socket_of  # noqa: E402

sys.path.insert(0, os.path.join(cdbgtest.build, "inplace"))
from cdbg import _cdbg  # noqa: E402

COUNT = int(os.environ.get("CDBG_ATTACHES", 20))
PROGRAMS = {
    "malloc": "right = True\nk = 0\nready()\nwhile not over():\n    k += 1\n    " + BYTES + "    right = right and " + RIGHT + "\ntell(right)\n",
    "floats": """
import math
a = [math.sin(k) * 1.5 for k in range(200)]
want = sum(x * x + math.cos(x) for x in a)
right = True
ready()
while not over():
    right = right and sum(x * x + math.cos(x) for x in a) == want
tell(right)
""",
    "sleep": """
import time
right = True
ready()
while not over():
    t = time.monotonic()
    time.sleep(0.7)
    right = right and time.monotonic() - t >= 0.7
tell(right)
""",
    "a lock": "import threading\ndef other():\n    k = 0\n    while not over():\n        k += 1\n        " + BYTES +
              "t = threading.Thread(target=other)\nt.start()\nready()\nt.join()\ntell(True)\n",
    "threads": "import threading\nright = True\ndef other(k):\n    global right\n    while not over():\n        " + BYTES +
               "        right = right and " + RIGHT + "\nts = [threading.Thread(target=other, args=(k,)) for k in range(3)]\n"
               "for t in ts: t.start()\nready()\nother(7)\nfor t in ts: t.join()\ntell(right)\n",
}


def mapped(pid):
    with open("/proc/%d/maps" % pid) as f:
        return sum(1 for line in f if "rwxp" in line or ("r-xp" in line and "/" not in line and "[" not in line))


for name, text in PROGRAMS.items():
    p = Running(text)
    before, stops = mapped(p.pid), 0
    for i in range(COUNT if name not in ("sleep", "a lock") else COUNT // 4):
        s = socket.socket(fileno=_cdbg.attach(p.pid, "--json", lambda why: False))
        s.settimeout(LIMIT)
        f = s.makefile("rb")
        while (line := f.readline()) and json.loads(line).get("event") != "stopped":
            pass
        stops += bool(line)
        if i % 2:
            s.sendall(b"detach\n")
            f.read()
        f.close()
        s.close()
        while os.path.exists(socket_of(p.pid)):
            os.sched_yield()
    code = mapped(p.pid)
    is_((stops, p.end()), (i + 1, ("right 0", 0)), "%s: each time it stops, and its result is right" % name)
    is_(code - before, 0, "%s: no code is left but that of shared objects" % name)
done()
