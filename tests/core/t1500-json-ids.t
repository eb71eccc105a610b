#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Requests of the machine interface as objects: an id comes back in the reply, "as":"text" gives rows as people see them."""
import json
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

with Cdbg("""
    def f(n):
        return n + 1
    print(f(1))
""") as d:
    def ask(request):
        line = request if isinstance(request, str) else json.dumps(request)
        d.send(line)
        while "reply" not in (obj := d.next()):
            pass
        return obj

    is_(ask({"id": 7, "command": "print 1 + 2"}), {"id": 7, "reply": "print 1 + 2", "ok": True, "text": "3"}, "a request has an id, its reply has it too")
    is_(ask({"id": "a\"b", "command": "print 4"})["id"], "a\"b", "an id can be a text")
    is_("id" in ask({"command": "print 4"}), False, "an object needs no id")
    is_("id" in ask("print 4"), False, "a plain line has none")
    is_(ask({"id": 8, "command": "nonsense"})["id"], 8, "a refused command is answered with its id")
    r = ask({"id": 9, "command": "break f", "as": "text"})
    is_((r["id"], r["ok"]), (9, True), "a command that changes something, too")
    r = ask({"id": 10, "command": "info breakpoints", "as": "text"})
    is_(("rows" in r, r["id"]), (False, 10), "rows are asked for as text")
    like(r["text"], r"breakpoint .*\(f\)", "... and are the table that people see")
    is_(len(ask({"id": 11, "command": "info breakpoints"})["rows"]), 1, "they are rows otherwise")
    for line, why in (('{"id":1', r"not JSON"), ('{"id":12}', r"\"command\""), ('{"id":12,"command":3}', r"\"command\""),
                      ("{" + "[" * 5000, r"not JSON"), ('{"command":"\\u0000print 1"}', r"not JSON")):
        r = ask(line)
        is_(r["ok"], False, "%s is refused" % line[:20])
        like(r["error"], why, "... with the reason")
    is_(ask({"id": 12, "command": "continue"})["id"], 12, "a command that resumes is answered with its id")
    is_(d.wait()["reason"], "breakpoint", "... and does its work")
    d.run_out()
done()
