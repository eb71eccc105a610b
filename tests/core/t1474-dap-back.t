#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Editors go back: stepBack and reverseContinue in the record, with the frames and variables of then."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

PROGRAM = """
    def inner(k):
        r = k * 2
        return r + 1
    def f(n):
        total = 0
        for i in range(n):
            total += inner(i)
        return total
    begin = 1
    f(3)
    end = 1
"""
p = script(PROGRAM)


def names(e, which="Locals"):
    return {k: v["value"] for k, v in e.variables(e.scopes(e.frames()[0]["id"])[which]).items()}


with Editor() as e:
    e.launch(p, {p: [line_of(p, "begin = 1"), line_of(p, "end = 1")]})
    ok(e.capabilities["supportsStepBack"], "initialize tells that it goes back")
    e.event("stopped")
    like(e.error("stepBack", threadId=1), "nothing is recorded: 'record' begins", "without a record stepBack is refused, with the remedy")
    like(e.error("reverseContinue", threadId=1), "nothing is recorded", "... and so is reverseContinue")
    e.ask("evaluate", expression="record f inner", context="repl")
    e.ask("continue", threadId=1)
    e.event("stopped")
    e.ask("stepBack", threadId=1)
    is_(e.event("stopped")["reason"], "step", "stepBack stops")
    frames = e.frames()
    is_((frames[0]["name"], frames[0]["line"]), ("f", line_of(p, "return total")), "... at the line before")
    is_((names(e)["total"], names(e)["i"]), ("9", "2"), "... with the variables of then")
    e.ask("stepBack", threadId=1, granularity="instruction")
    e.event("stopped")
    is_(e.frames()[0]["line"], line_of(p, "for i in range"), "by instruction, too")
    like(e.error("setVariable", variablesReference=e.scopes(e.frames()[0]["id"])["Locals"], name="total", value="1"), "this is the past",
         "nothing is written there")
    is_(e.ask("evaluate", expression="total", context="watch", frameId=e.frames()[0]["id"])["result"], "9", "a watched name has the value of then")
    e.breakpoints(p, [line_of(p, "return r + 1")])
    e.ask("reverseContinue", threadId=1)
    is_(e.event("stopped")["reason"], "breakpoint", "reverseContinue stops at a breakpoint")
    is_([x["name"] for x in e.frames()], ["inner", "f"], "... with the frames of then")
    is_((names(e)["k"], names(e)["r"]), ("2", "4"), "... and variables")
    e.ask("next", threadId=1)
    e.event("stopped")
    is_(e.frames()[0]["name"], "f", "next goes forward in the record")
    e.ask("continue", threadId=1)
    e.event("stopped")
    is_((e.frames()[0]["name"], e.frames()[0]["line"]), ("<module>", line_of(p, "end = 1")), "continue returns to the present")
    like(e.error("evaluate", expression="checkpoint", context="repl"), "no checkpoints with this front end.*: the prompt, the full screen and --json have them",
         "a checkpoint is refused, with where there are some")
    like(e.error("evaluate", expression="checkpoint go 1", context="repl"), "no checkpoint 1", "... and so is going to one")
    e.ask("continue", threadId=1)
    is_((e.run_out(), e.wrong), (0, []), "the program ends, all in proper messages")
done()
