#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--dap on standard input and output: launch, breakpoints, stops, frames, variables, evaluate, steps, the program's end."""
import os
import signal
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import dap  # noqa: E402
from dap import Editor  # noqa: E402

if not dap.has_schema():
    note("debugpy or jsonschema is not installed: messages are held to the protocol's outline, not to its schema")

PROGRAM = """
    import os, sys
    class Point:
        def __init__(self):
            self.xs = [1, 2]
    def f(n):
        big = list(range(100000))
        where = {"a": 1, "b": [1, 2]}
        p = Point()
        m = n + 1
        return m
    for i in range(4):
        print(f(i))
    print(os.environ.get("GIVEN"), os.environ.get("HOME"), os.getcwd(), sys.argv[1:], file=sys.stderr)
    sys.exit(5)
"""
p = script(PROGRAM)
at = line_of(p, "m = n + 1")

with Editor() as e:
    is_(e.error("threads"), "threads comes after launch or attach", "a request before initialize is refused")
    e.begin("launch", program=p, args=["a", "b c"], env={"GIVEN": "x", "HOME": None}, cwd=os.path.dirname(p))
    ok(e.capabilities["supportsDisassembleRequest"] and any(f["filter"] == "exception" for f in e.capabilities["exceptionBreakpointFilters"]),
       "initialize tells what cdbg is capable of", e.capabilities)
    made = e.configure({p: [at, {"line": 3, "condition": "1 +"}, 400]})[p]
    is_([b["verified"] for b in made], [True, False, False], "setBreakpoints says which of them can stop")
    is_(made[0]["line"], at, "... on which line")
    like(made[1]["message"], "SyntaxError|syntax", "... and why not")
    stop = e.event("stopped")
    is_((stop["reason"], stop["hitBreakpointIds"]), ("breakpoint", [made[0]["id"]]), "the breakpoint stops")
    is_(e.ask("threads"), {"threads": [{"id": 1, "name": "MainThread"}]}, "threads")
    frames = e.frames()
    is_([(x["name"], x["line"], x["source"]["path"]) for x in frames], [("f", at, p), ("<module>", line_of(p, "print(f(i))"), p)], "stackTrace")
    is_(e.frames(startFrame=1, levels=1)[0]["name"], "<module>", "... a part of it")
    scopes = e.scopes(frames[0]["id"])
    is_(list(scopes), ["Locals", "Value stack", "Globals"], "scopes")
    names = e.variables(scopes["Locals"])
    is_((names["n"]["value"], names["n"]["type"], names["n"]["variablesReference"]), ("0", "int", 0), "variables of the frame")
    is_(names["big"]["indexedVariables"], 100000, "a list says how many items it has")
    page = e.ask("variables", variablesReference=names["big"]["variablesReference"], filter="indexed", start=99990, count=10)["variables"]
    is_([(v["name"], v["evaluateName"]) for v in page][::9], [("[99990]", "big[99990]"), ("[99999]", "big[99999]")], "a page of them")
    is_(e.variables(e.variables(names["p"]["variablesReference"])["xs"]["variablesReference"])["[1]"]["value"], "2", "attributes of an object, and what they hold")
    ok("f" in e.variables(scopes["Globals"]), "globals")
    frame = frames[0]["id"]
    is_(e.ask("evaluate", expression="p.xs + [3]", context="watch", frameId=frame)["result"], "[1, 2, 3]", "evaluate runs an expression in the frame")
    is_(e.ask("evaluate", expression="p.xs", context="hover", frameId=frame)["result"], "[1, 2]", "hover looks at a value")
    ok(e.error("evaluate", expression="print(1)", context="hover", frameId=frame) is not None, "... and runs nothing")
    like(e.ask("evaluate", expression="info breakpoints", context="repl", frameId=frame)["result"], "prog.py:%d" % at, "the console takes commands of cdbg")
    is_(e.ask("setVariable", variablesReference=scopes["Locals"], name="n", value="41"), {"value": "41", "type": "int", "variablesReference": 0}, "setVariable of a local variable")
    is_(e.ask("setVariable", variablesReference=names["p"]["variablesReference"], name="xs", value="[7]")["value"], "[7]", "... of an attribute")
    is_(e.ask("setExpression", expression="p.xs[0]", value="8", frameId=frame)["value"], "8", "setExpression")
    targets = e.ask("completions", text="info lo", column=8)["targets"]
    is_([(t["label"], t["start"], t["length"]) for t in targets], [("locals", 6, 2)], "completions")
    e.ask("next", threadId=1)
    is_((e.event("stopped")["reason"], e.frames()[0]["line"]), ("step", at + 1), "next")
    like(e.error("scopes", frameId=frame), "the program has run since", "a number of an earlier stop is refused")
    was = e.frames()[0]["instructionPointerReference"]
    e.ask("next", threadId=1, granularity="instruction")
    e.event("stopped")
    ok(e.frames()[0]["instructionPointerReference"] > was, "next by instruction")
    e.ask("stepOut", threadId=1)
    e.event("stopped")
    is_(e.frames()[0]["name"], "<module>", "stepOut arrives in the caller")
    e.ask("continue", threadId=1)
    e.event("stopped")
    again = e.breakpoints(p, [at])
    is_(again[0]["id"], made[0]["id"], "a breakpoint that is set again keeps its number")
    is_(e.breakpoints(p, []), [], "an empty list takes them away")
    e.ask("continue", threadId=1)
    is_(e.run_out(), 5, "exited has the status, and terminated follows")
    is_(e.out, "42\n2\n3\n4\n", "what the program prints comes as output")
    is_(e.err, "x None %s ['a', 'b c']\n" % os.path.dirname(p), "env, cwd and args are those of launch")
    e.ask("disconnect")
    is_(e.end(), 5, "the process ends with the program's status")
    is_(e.wrong, [], "all messages are as the protocol says, seq counts from 1")

# ---- conditions, counts, functions, console ----

with Editor() as e:
    e.begin("launch", program=p, stopOnEntry=True)
    e.breakpoints(p, [{"line": at, "hitCondition": "3"}])
    made = e.ask("setFunctionBreakpoints", breakpoints=[{"name": "f", "condition": "n == 1"}])["breakpoints"]
    is_(made[0]["verified"], True, "setFunctionBreakpoints")
    e.ask("configurationDone")
    is_(e.event("stopped")["reason"], "entry", "stopOnEntry stops before the first line")
    e.ask("continue", threadId=1)
    e.event("stopped")
    is_(e.ask("evaluate", expression="n", context="watch", frameId=e.frames()[0]["id"])["result"], "1", "a condition")
    e.ask("continue", threadId=1)
    e.event("stopped")
    is_(e.ask("evaluate", expression="n", context="watch", frameId=e.frames()[0]["id"])["result"], "2", "a hit condition")
    e.ask("evaluate", expression="break f if n == 77", context="repl")
    info = e.frames()[0]["id"]
    id_ = e.ask("dataBreakpointInfo", variablesReference=e.scopes(info)["Locals"], name="m")
    ok(id_["dataId"] and id_["accessTypes"] == ["write"], "dataBreakpointInfo", id_)
    data = e.ask("dataBreakpointInfo", name="n", frameId=info)["dataId"]
    is_(e.ask("setDataBreakpoints", breakpoints=[{"dataId": data}])["breakpoints"][0]["verified"], True, "setDataBreakpoints")
    e.ask("setVariable", variablesReference=e.scopes(info)["Locals"], name="n", value="9")
    e.ask("next", threadId=1)
    is_(e.event("stopped")["reason"], "data breakpoint", "a value that changes stops")
    e.ask("setDataBreakpoints", breakpoints=[])
    e.ask("evaluate", expression="next", context="repl")
    is_(e.event("continued")["threadId"], 1, "a command of the console that continues is told")
    e.event("stopped")
    e.ask("terminate")
    e.event("terminated")
    ok(e.end() == 0 and not e.wrong, "terminate ends the program", e.wrong)

# ---- logpoints; breakpoints that change ----

later = script("def g(x):\n    return x + 1\n", "later.py")
with Editor() as e:
    e.begin("launch", program=script("import sys\nsys.path.insert(0, %r)\nn = 1\nimport later\nn = later.g(n)\nn = later.g(n)\n" % os.path.dirname(later)))
    made = e.breakpoints(later, [{"line": 2, "logMessage": "x is {x}, {{x}}"}])
    is_((made[0]["verified"], made[0]["reason"]), (False, "pending"), "a breakpoint in a module that is not imported is pending")
    e.ask("configurationDone")
    changed = e.event("breakpoint")
    is_((changed["reason"], changed["breakpoint"]["id"], changed["breakpoint"]["verified"]), ("changed", made[0]["id"], True), "an event says when it is no more")
    is_(e.run_out(), 0, "the program ends")
    like(e.console, r"(?m)^x is 1, \{x\}\nx is 2, \{x\}\n", "a logpoint writes its text and does not stop")
    line = next(m["body"] for m in e.events if m.get("event") == "output" and "x is" in m["body"]["output"])
    is_((line["source"]["path"], line["line"]), (later, 2), "... with its place")
    is_(e.wrong, [], "all in proper messages")

with Editor() as e:
    e.launch(p, {p: [at]})
    e.event("stopped")
    e.ask("evaluate", expression="break %s:%d" % (p, at + 1), context="repl")
    new = e.event("breakpoint")
    is_((new["reason"], new["breakpoint"]["line"], new["breakpoint"]["source"]["path"]), ("new", at + 1, p), "a breakpoint that the console sets appears")
    is_(e.breakpoints(p, [at, at + 1])[1]["id"], new["breakpoint"]["id"], "... and is the client's from then on")
    e.ask("evaluate", expression="delete", context="repl")
    is_([e.event("breakpoint")["reason"] for i in range(2)], ["removed"] * 2, "those that the console deletes disappear")
    e.ask("continue", threadId=1)
    is_((e.run_out(), e.wrong), (5, []), "all in proper messages")

# ---- how programs end ----

for what, code in (("os._exit(7)", 7), ("os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL), ("ctypes.string_at(0)", 128 + signal.SIGSEGV)):
    with Editor() as e:
        e.launch(script("import ctypes, os, signal\nprint('before', flush=True)\n%s\n" % what))
        is_((e.run_out(), e.out), (code, "before\n"), "%s: exited and terminated" % what)
        is_(e.wrong, [], "... in proper messages")

# ---- uncaught exceptions ----

with Editor() as e:
    e.launch(script("def f():\n    raise KeyError('k')\nf()\n"), filters=["uncaught"])
    is_(e.event("stopped")["reason"], "exception", "an uncaught exception stops")
    is_(sorted(e.scopes(e.frames()[0]["id"])), ["Globals", "Locals"], "... in a frame that has no value stack any more")
    is_(e.frames()[0]["name"], "f", "... with its frames")
    info = e.ask("exceptionInfo", threadId=1)
    is_((info["exceptionId"], info["breakMode"]), ("KeyError", "unhandled"), "exceptionInfo")
    e.ask("disconnect", terminateDebuggee=False)
    is_((e.end(), e.wrong), (1, []), "disconnect lets the program end by itself")

# ---- what cannot be launched ----

with Editor() as e:
    e.ask("initialize", adapterID="cdbg")
    like(e.error("launch"), "needs a \"program\"", "launch without a program is refused, with what it needs")
    like(e.error("launch", program=p, python="/nowhere/python"), "cannot start '/nowhere/python'", "... and without an interpreter")
    like(e.error("attach", processId=1), r"process 1\b", "attach by processId says why it cannot be")
    e.ask("disconnect")
    is_((e.end(), e.wrong), (0, []), "the editor can give up")

done()
