#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--dap=ADDRESS and --json=ADDRESS on a terminal: a person has the prompt there, and an editor or a program is beside it."""
import json
import os
import re
import socket
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor, _connected  # noqa: E402

folder = tempfile.mkdtemp()
where = folder + "/s.sock"
p = script("""
    import time
    def f(n):
        m = n + 1
        m = m * 2
        return m
    for i in range(5):
        f(i)
    while n := f(3):
        time.sleep(0.01)
        if n == 99:
            break
    print("all done")
""")
at = line_of(p, "m = n + 1")
CUT = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]|[\r\x0e\x0f]|\x08")


class Person(Terminal):
    def _more(self, seconds):
        more = Terminal._more(self, seconds)
        self.text = CUT.sub("", self.text)
        return more

    def prompt(self):
        return self.expect(r"\(cdbg\) ")

    def say(self, line):
        start = self.mark
        self.line(line)
        self.prompt()
        return self.text[start:self.mark]


def person(kind="dap"):
    return Person(p, options=("--plain", "--%s=unix:%s" % (kind, where)), env={"TERM": "xterm", "NO_COLOR": "1"})


with person() as t:
    t.expect("listening on unix:")
    t.prompt()
    like(t.say("break %d if n == 1" % at), "breakpoint 1", "the prompt is there before an editor comes")
    e = Editor(connect=where)
    e.begin("attach")
    made = e.configure({p: [at + 2]})[p]
    new = e.event("breakpoint")
    is_((new["reason"], new["breakpoint"]["line"]), ("new", at), "a breakpoint of the prompt appears in the editor")
    t.expect("the other client sets breakpoint 2: .*prog.py:%d" % (at + 2))
    t.prompt()
    is_(e.event("stopped")["reason"], "entry", "the stop at which the prompt waits is told to the editor, and one of the editor to the prompt")
    t.send("print 'ty")
    is_(e.frames()[0]["name"], "<module>", "the editor looks at it while a line is being typed")
    is_(e.ask("evaluate", expression="6 * 7", context="repl", frameId=e.frames()[0]["id"])["result"], "42", "... and evaluates")
    t.line("ped'")
    t.expect("'typed'\n")
    t.prompt()
    e.ask("continue", threadId=1)
    t.expect("stopped: breakpoint 2")
    t.prompt()
    is_(e.event("stopped")["hitBreakpointIds"], [made[0]["id"]], "a step of the editor moves the prompt")
    t.line("stepi")
    is_((e.event("continued")["threadId"], e.event("stopped")["reason"]), (1, "step"), "a step of the prompt moves the editor")
    t.prompt()
    e.ask("evaluate", expression="w = 5", context="repl", frameId=e.frames()[0]["id"])
    like(t.say("print w"), "5", "what the editor changes is changed for the prompt")
    t.say("delete 1")
    is_(e.event("breakpoint")["reason"], "removed", "a breakpoint that the prompt deletes disappears")
    e.breakpoints(p, [])
    t.expect("the other client deletes breakpoint 2")
    t.prompt()
    t.line("continue")
    e.event("continued")
    e.breakpoints(p, [at + 1])
    is_(e.event("stopped")["reason"], "breakpoint", "the editor sets one while the program runs, which the prompt has continued")
    t.expect("stopped: breakpoint 3")
    t.prompt()
    e.ask("disconnect")
    e.close()
    is_(e.wrong, [], "all messages are as the protocol says")
    like(t.say("info breakpoints"), "prog.py:%d" % (at + 1), "an editor that leaves takes nothing along")

    # ---- the next one; the one that dies ----
    e = Editor(connect=where)
    e.begin("attach")
    again = e.configure({p: [at + 1]})[p]
    is_(e.event("stopped")["reason"], "breakpoint", "the next one finds the stop")
    is_(t.say("info breakpoints").count("prog.py:%d" % (at + 1)), 1, "... and what it sets that is there stays one breakpoint")
    ok(again[0]["id"] and not any(m.get("event") == "breakpoint" for m in e.events), "... which is its own")
    e.send("next", threadId=1)
    t.expect(r"(?s)stopped: step|prog.py:%d" % (at + 2))
    t.prompt()
    e.close()
    like(t.say("print n + 100"), "10[0-9]", "one that dies leaves the prompt as it is")
    e = Editor(connect=where)
    e.begin("attach")
    e.configure()
    e.event("stopped")
    t.line("restart")
    t.expect(r"\(y or n\) ")
    t.line("y")
    is_(e.event("terminated").get("restart"), True, "restart at the prompt asks the editor to come again")
    e.close()
    t.prompt()
    e = Editor(connect=where)
    e.begin("attach")
    e.configure()
    is_(e.event("stopped")["reason"], "entry", "... which finds the next run")
    is_(e.event("breakpoint")["breakpoint"]["line"], at + 1, "... with its breakpoints")
    t.line("detach")
    is_((e.event("terminated").get("restart"), e.wrong), (None, []), "detach at the prompt ends the editor's session")
    e.close()

# ---- the program's end; terminate ----

with person() as t:
    t.expect("listening on")
    t.prompt()
    e = Editor(connect=where)
    e.begin("attach")
    e.configure({p: [at + 2]})
    e.event("stopped")
    t.prompt()
    e.ask("evaluate", expression="break 12", context="repl")
    e.ask("terminate")
    e.event("terminated")
    is_((t.ended(), e.wrong), (0, []), "terminate ends the program, and the prompt")
    e.close()

# ---- JSON ----

with person("json") as t:
    t.expect("listening on")
    t.prompt()
    c = _connected(where)
    lines = c.makefile("rw")
    ready, stop = None, None

    def ask(line):
        lines.write(line + "\n")
        lines.flush()
        return until("reply")

    def until(key):
        while True:
            o = json.loads(lines.readline())
            if key in o:
                return o

    is_(until("event")["event"], "ready", "a client of --json is greeted at the prompt")
    is_(ask("print 6 * 7")["text"], "42", "... and asks")
    ask("break %d" % (at + 1))
    t.expect("the other client sets breakpoint 1")
    t.prompt()
    t.line("continue")
    while (o := until("event"))["event"] != "stopped":
        pass
    is_(o["reason"], "breakpoint", "it hears of the stop that the prompt continued to")
    t.prompt()
    ask("nexti")
    t.expect("stopped: step|offset|=>")
    t.prompt()
    c.close()
    like(t.say("print n"), r"\d", "and leaves the prompt as it is")
    t.line("quit")
    t.expect(r"\(y or n\) ")
    t.line("y")
    is_(t.ended(), 0, "quit at the prompt")

done()
