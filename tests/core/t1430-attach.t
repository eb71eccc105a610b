#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdbg --json --attach PID: a process that runs without cdbg is stopped, debugged, and left as it was."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from attaching import Attached, Running, WORK, socket_of  # noqa: E402


# ---- a session -------------------------------------------------------------------------------------------------------
p = Running(WORK)
d = Attached(p.pid)
is_((d.next() or {}).get("event"), "ready", "the session begins")
stop = d.event("stopped")
is_((stop["reason"], stop["frame"]["file"]), ("interrupt", p.path), "and the program stops where it is")
like(d.cmd("backtrace")["text"], "<module>", "its frames are those that were there")
is_(d.cmd("break work")["ok"], True, "a breakpoint is set")
stop = d.go("continue")
is_((stop["reason"], stop["frame"]["line"]), ("breakpoint", p.line("s = 0")), "and hit")
is_([r["value"] for r in d.cmd("info locals")["rows"] if r["name"] == "i"], ["3"], "values are read")
is_(d.go("next")["frame"]["line"], p.line("for k in"), "next goes to the next line")
d.cmd("delete")
d.cmd("continue")
is_(d.cmd("interrupt")["ok"], True, "interrupt is taken")
is_(d.event("stopped")["reason"], "interrupt", "and stops the program again")
is_(d.cmd("detach")["ok"], True, "detach")
out, err, status = d.close()
is_((err, status), ("", 0), "ends the client, without a word")
is_(os.path.exists(socket_of(p.pid)), False, "and the process listens no more")

d = Attached(p.pid, "-ex", "break work")
d.event("stopped")
is_([(r["where"], r["hits"]) for r in d.cmd("info breakpoints")["rows"]][0][1], 0, "a second session has only its own breakpoints, of -ex")
d.send("quit")
is_(d.close()[2], 0, "quit leaves it, too")
is_(p.proc.poll(), None, "the program runs on")

d = Attached(p.pid)
d.event("stopped")
d.proc.stdin.close()
d.proc.stdin = None
is_(d.close()[2], 0, "so does the end of the input")

d = Attached(p.pid)
d.event("stopped")
d.proc.kill()
d.close()
is_(Attached(p.pid).event("stopped")["reason"], "interrupt", "after the death of a client another one may attach")

# ---- one at a time, and nothing is left --------------------------------------------------------------------------------
d = Attached(p.pid)
out, err, status = d.close()
like(out + err, "process %d|connected already|debugs this process already" % p.pid, "a second client at once is told why not")
p.proc.kill()
p.proc.wait()

p = Running(WORK)
for how in ("detach", "quit", "detach"):
    d = Attached(p.pid)
    d.event("stopped")
    d.send(how)
    d.close()
is_(p.end(), ("right 0", 0), "the program's result is right, and it has no descriptor more than before")
done()
