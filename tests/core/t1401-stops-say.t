#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Objects of the machine interface say all that an editor needs: stops that go on by themselves, ends without a word, paths."""
import json
import os
import signal
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403


def rest(d):
    """All objects up to the end of cdbg's output."""
    objects = []
    while (raw := d.lines.get(timeout=100)) is not None:
        objects.append(json.loads(raw))
    return objects


# ---- a breakpoint whose commands continue ----

LOOP = """
    def f(n):
        return n
    for i in range(3):
        f(i)
    print("over")
"""

with Cdbg(LOOP) as d:
    d.do("break f")
    for line in "commands 1", "silent", "print n", "continue", "end":
        d.do(line)
    d.go()
    is_([s["event"] for s in d.stops], ["stopped", "exited"], "a breakpoint whose commands continue sends no stopped")
    is_([n["text"] for n in d.notes], ["0", "1", "2"], "what its commands print are notes")

with Cdbg(LOOP) as d:
    d.do("break f")
    for line in "commands 1", "print n", "next", "end":
        d.do(line)
    d.go()
    is_((d.reason, len(d.stops)), ("return", 2), "one whose commands step sends the end of the step alone")

with Cdbg(LOOP) as d:
    d.do("break f")
    for line in "commands 1", "print n", "end":
        d.do(line)
    d.go()
    is_((d.reason, d.stop.get("number")), ("breakpoint", 1), "one whose commands do not continue sends stopped")
    is_(d.notes, [], "before what they print")
    d.do("delete")
    d.run_out()

with Cdbg(LOOP) as d:
    d.do("break f")
    for line in "commands 1", "jump 99", "end":
        d.do(line)
    d.go()
    is_((d.reason, d.stop.get("number")), ("breakpoint", 1), "one whose commands fail to continue sends stopped in the end")
    is_(d.text("p n"), "0", "... and takes commands")
    d.do("delete")
    d.run_out()

path = script(LOOP)
with Cdbg(path, options=("-ex", "break f", "-ex", "continue")) as d:
    is_(d.reason, "start", "-ex commands run at the first stop")
    objects = [d.next() for i in range(2)]
    is_([o["event"] for o in objects], ["note", "running"], "one that continues it is followed by running")
    is_(d.wait()["reason"], "breakpoint", "before the next stop")
    d.do("delete")
    d.run_out()

# ---- the end of the process ----

for code, want, name in (("os._exit(6)", {"status": 6}, "os._exit"),
                         ("os.kill(os.getpid(), signal.SIGKILL)", {"signal": "SIGKILL"}, "SIGKILL"),
                         ("ctypes.string_at(0)", {"signal": "SIGSEGV"}, "a crash"),
                         ("os.abort()", {"signal": "SIGABRT"}, "abort"),
                         ("os.kill(os.getpid(), signal.SIGTERM)", {"signal": "SIGTERM"}, "a signal without a handler"),
                         ("os.execv('/bin/sh', ['sh', '-c', 'exit 7'])", {"status": 7}, "exec"),
                         ("os.execv('/bin/sh', ['sh', '-c', 'kill -9 $$'])", {"signal": "SIGKILL"}, "exec, then a signal"),
                         ("threading.Thread(target=os._exit, args=(3,)).start(); time.sleep(100)", {"status": 3},
                          "os._exit in a thread"),
                         ("time.sleep(0); sys.exit(4)", {"status": 4}, "sys.exit")):
    with Cdbg("import ctypes, os, resource, signal, sys, threading, time\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n" +
              code + "\n") as d:
        d.do("continue")
        if name == "sys.exit":
            d.end_input()
        objects = rest(d)
        is_([o for o in objects if o.get("event") == "exited"], [dict(event="exited", **want)], "%s gives one exited" % name)
        is_(objects[-1]["event"], "exited", "... as the last object")

with Cdbg("import os\nos._exit(5)\n") as d:
    d.do("detach")
    is_(rest(d)[-1], {"event": "exited", "status": 5}, "so does os._exit after a detach")

with Cdbg("while True: pass\n") as d:
    d.do("continue")
    d.proc.send_signal(signal.SIGKILL)
    is_(rest(d)[-1], {"event": "exited", "signal": "SIGKILL"}, "so does a signal from outside")

with Cdbg("x = 1\n") as d:
    d.proc.send_signal(signal.SIGKILL)
    is_(rest(d)[-1], {"event": "exited", "signal": "SIGKILL"}, "... at a stop")

# ---- paths ----

folder = os.path.dirname(script("def g():\n    return 1\n", "real/mod.py"))
top_folder = os.path.dirname(folder)
script("import sys\nsys.path.insert(0, '%s/./real/../real//')\nimport mod\nmod.g()\n" % top_folder, "y.py", folder)
os.symlink(folder, os.path.join(top_folder, "link"))
with Cdbg("%s/./real/../real//y.py" % top_folder) as d:
    is_(d.frame["file"], "%s/y.py" % folder, "a frame's file is written without '.', '..' and doubled slashes")
    is_(d.rows("info frames")[0]["file"], "%s/y.py" % folder, "so it is in the rows of a view")
    d.do("break mod.g")
    d.go()
    is_(d.frame["file"], "%s/mod.py" % folder, "so is that of a module")
    is_([r["file"] for r in d.rows("info frames")], ["%s/mod.py" % folder, "%s/y.py" % folder], "... in every row")
    d.run_out()

os.mkdir(os.path.join(top_folder, "other"))
os.symlink(os.path.join(folder), os.path.join(top_folder, "other", "far"))
with Cdbg("%s/other/far/../real/y.py" % top_folder) as d:
    is_(d.frame["file"], "%s/y.py" % folder, "where '..' follows a link, the file is the real one")

done()
