#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An editor attaches to a process by its number, and leaves it running."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from attaching import Running, WORK, socket_of  # noqa: E402
from dap import Editor  # noqa: E402

p = Running(WORK)
for again in ("", "a second time: "):
    with Editor() as e:
        e.begin("attach", processId=p.pid)
        e.configure({p.path: [p.line("s = 0")]})
        is_(e.event("stopped")["reason"], "breakpoint", again + "the editor's breakpoint is hit")
        is_([f["name"] for f in e.frames()][:1], ["work"], again + "with the frames of the process")
        e.breakpoints(p.path, [])
        e.ask("disconnect", terminateDebuggee=False)
        is_((e.end(), e.wrong), (0, []), again + "disconnect leaves it")
    while os.path.exists(socket_of(p.pid)):
        os.sched_yield()
is_(p.end(), ("right 0", 0), "its result is right, and it has no descriptor more than before")
done()
