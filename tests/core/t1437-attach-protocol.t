#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process of CPython 3.14 or later is attached to by CPython's own protocol for debuggers, another one where that is off."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from attaching import Attached, Running  # noqa: E402

if not hasattr(sys, "remote_exec"):
    skip_all("this CPython has no protocol for debuggers")
PROGRAM = """
import sys
seen = []
def hook(event, args):
    if event == "cpython.remote_debugger_script":
        seen.append(args[0])
sys.addaudithook(hook)
names = set(globals())
ready()
while not over(): pass
asked = len(seen)
tell(set(globals()) - names <= {"asked", "names"})
print(asked)
"""
ATTACHES = 3
for name, env, asked in (("as it is", None, ATTACHES), ("with PYTHON_DISABLE_REMOTE_DEBUG", {"PYTHON_DISABLE_REMOTE_DEBUG": "1"}, 0)):
    p = Running(PROGRAM, env)
    for _ in range(ATTACHES):
        d = Attached(p.pid)
        is_((d.event("stopped") or {}).get("reason"), "interrupt", "%s: the program stops" % name)
        d.send("detach")
        is_(d.close()[1:], ("", 0), "%s: and is left" % name)
    is_(p.end(), ("right 0\n%d" % asked, 0), "%s: CPython was asked %d times, wrote nothing, and no name is left" % (name, asked))
done()
