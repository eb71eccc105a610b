#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The request restart: the program is run again in its process, breakpoints keep their numbers and their counts begin anew."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

later = script("def g(x):\n    return x + 1\n", "later.py")
p = script("""
    import os, sys
    sys.path.insert(0, %r)
    def f(n):
        m = n + 1
        return m
    for i in range(6):
        f(i)
    import later
    later.g(1)
    print(os.getpid(), sys.argv[1:], flush=True)
    sys.exit(3)
""" % os.path.dirname(later))
at = line_of(p, "m = n + 1")


def here(e):
    return e.ask("evaluate", expression="n", context="watch", frameId=e.frames()[0]["id"])["result"]


with Editor() as e:
    e.begin("launch", program=p, args=["a b"])
    ok(e.capabilities["supportsRestartRequest"], "restart is claimed")
    made = e.configure({p: [{"line": at, "hitCondition": "== 2"}], later: [{"line": 2, "condition": "x == 1"}]})
    e.event("stopped")
    is_(here(e), "1", "a hit condition == N stops at that hit")
    id_ = e.ask("dataBreakpointInfo", name="n", frameId=e.frames()[0]["id"])["dataId"]
    data = e.ask("setDataBreakpoints", breakpoints=[{"dataId": id_}])["breakpoints"][0]["id"]
    e.ask("evaluate", expression="break %s:%d" % (p, at + 1), context="repl")
    own = e.event("breakpoint")["breakpoint"]["id"]
    e.ask("evaluate", expression="set step-into library", context="repl")
    e.ask("restart")
    is_(e.event("continued")["threadId"], 1, "it goes on from its beginning")
    events = [e.event("breakpoint") for i in range(4)]
    is_(sorted((x["reason"], x["breakpoint"]["id"]) for x in events), sorted([("changed", made[p][0]["id"]), ("changed", made[later][0]["id"]), ("changed", own), ("removed", data)]),
        "breakpoints keep their numbers, also one of the console; what was watched in a frame is gone")
    is_(e.event("stopped")["hitBreakpointIds"], [own], "the one of the console stops")
    e.ask("continue", threadId=1)
    stop = e.event("stopped")
    is_((stop["hitBreakpointIds"], here(e)), ([made[p][0]["id"]], "1"), "counts begin anew")
    like(e.ask("evaluate", expression="show step-into", context="repl")["result"], "library", "settings stay")
    e.breakpoints(p, [])
    e.ask("evaluate", expression="clear %s:%d" % (p, at + 1), context="repl")
    e.ask("continue", threadId=1)
    is_(e.event("stopped")["hitBreakpointIds"], [made[later][0]["id"]], "one with a condition, in a module that was imported again")
    e.ask("restart", arguments={"stopOnEntry": True})
    is_(e.event("stopped")["reason"], "entry", "stopOnEntry of the request")
    e.breakpoints(later, [])
    e.ask("continue", threadId=1)
    is_(e.run_out(), 3, "the last run ends with its status")
    is_(e.out, "%d ['a b']\n" % e.proc.pid, "only it has come to its end, in the same process, with the same arguments")
    e.ask("disconnect")
    is_(e.end(), 3, "the process has that status")
    is_(e.wrong, [], "all messages are as the protocol says, seq counts on")

# ---- hit conditions ----

for text, stops in (("%2", ["1", "3", "5"]), ("% 4", ["3"]), (">= 5", ["4", "5"]), ("> 4", ["4", "5"]), ("5", ["4", "5"]), ("==3", ["2"])):
    with Editor() as e:
        e.launch(p, {p: [{"line": at, "hitCondition": text}]})
        seen = []
        while e.event("stopped", "terminated")["event"] == "stopped":
            seen.append(here(e))
            e.ask("continue", threadId=1)
        is_(seen, stops, "hit condition %s" % text)
with Editor() as e:
    e.begin("launch", program=p)
    for text in ("x", "%0", "== 0", "5 6", "<3"):
        made = e.breakpoints(p, [{"line": at, "hitCondition": text}])[0]
        like("%s %s" % (made["verified"], made["message"]), "False.*expected N, >= N, > N, == N or % N", "hit condition %s is refused" % text)
    e.ask("configurationDone")
    e.run_out()
    is_(e.wrong, [], "... in proper messages")

# ---- while it runs, and what was sent meanwhile ----

ready = script("import time\nprint('up', flush=True)\nn = 0\nwhile True:\n    n += 1\n    time.sleep(0.01)\n", "ready.py")
with Editor() as e:
    e.launch(ready)
    while e.out != "up\n":
        e.next()
    seq = e.send("restart")
    more = [e.send("setBreakpoints", source={"path": ready}, breakpoints=[{"line": 5, "condition": "n > %d" % i}]) for i in range(20)]
    ok(e.answer(seq)["success"] and all(e.answer(m)["success"] for m in more), "what is sent behind a restart is answered after it")
    is_(e.event("stopped")["reason"], "breakpoint", "... and holds for the new run")
    is_(e.out, "up\nup\n", "which began while the one before ran")
    e.ask("terminate")
    e.event("terminated")
    is_(e.wrong, [], "all messages are as the protocol says")

done()
