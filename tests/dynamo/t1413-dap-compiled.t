#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An editor in compiled code: lines of a compiled function, scopes, disassembly, instruction breakpoints, decompiled sources, kinds of stop."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

need_torch()
p = script("""
    import torch

    @torch.compile(backend="eager")
    def toy_example(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    for i in range(3):
        print(tuple(toy_example(torch.ones(3), torch.ones(3) * (i + 1)).shape))
""")

with Editor() as e:
    made = e.launch(p, {p: [5, 6, 8]})[p]
    is_([b["line"] for b in made], [5, 6, 8], "breakpoints in a function that will be compiled")
    lines, first = [], None
    while (stop := e.event("stopped", "terminated"))["event"] == "stopped":
        frames = e.frames()
        lines.append(frames[0]["line"])
        if not first:
            first = frames[0]
            scopes = e.scopes(first["id"])
            is_(list(scopes), ["Locals", "Value stack", "Globals", "Guards", "Graph"], "generated code has the scopes of its entry, too")
            like(first["name"], r"^toy_example \[generated 0/0, ", "the frame says which entry and region")
            ok(any("Tensor" in (v["type"] or "") for v in e.variables(scopes["Locals"]).values()), "its variables")
            like(e.variables(scopes["Guards"])["1"]["value"], "^holds: ", "its guards, and that they hold")
            ok(any("abs" in v["value"] for v in e.variables(scopes["Graph"]).values()), "its graph")
        e.ask("continue", threadId=1)
    is_(lines, [5, 6, 8] * 3, "each of three calls stops at each line")
    is_(e.out, "(3,)\n" * 3, "the results are the program's own")
    e.ask("disconnect")
    is_((e.end(), e.wrong), (0, []), "all messages are as the protocol says")

with Editor() as e:
    e.launch(p, {p: [5]})
    e.event("stopped")
    top_ = e.frames()[0]
    here = top_["instructionPointerReference"]
    rows = e.ask("disassemble", memoryReference=here, instructionOffset=-200, instructionCount=400)["instructions"]
    addresses = [int(r["address"], 16) for r in rows]
    ok(len(rows) == 400 and all(a < b for a, b in zip(addresses, addresses[1:])), "disassemble gives as many rows as asked for, addresses grow")
    is_(rows[200]["address"], here, "... and the frame's instruction is where it was asked for")
    valid = [r for r in rows if r.get("presentationHint") != "invalid"]
    ok(valid[0].get("symbol") == "toy_example" and any(r.get("location", {}).get("path") == p for r in valid), "... with the function and its file", valid[:3])
    at = addresses.index(int(here, 16))
    next_ = rows[at + 1]["address"]
    same = e.ask("disassemble", memoryReference=next_, instructionOffset=0, instructionCount=1)["instructions"][0]
    is_(same["address"], next_, "an address of a row means that row")
    e.ask("stepIn", threadId=1, granularity="instruction")
    e.event("stopped")
    is_(e.frames()[0]["instructionPointerReference"], next_, "a step by instruction arrives at the next row")
    later = rows[at + 2]
    made = e.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": later["address"]}, {"instructionReference": "0x1"}])["breakpoints"]
    is_([b["verified"] for b in made], [True, False], "setInstructionBreakpoints")
    e.ask("continue", threadId=1)
    stop = e.event("stopped")
    is_((stop["hitBreakpointIds"], e.frames()[0]["instructionPointerReference"]), ([made[0]["id"]], later["address"]), "... stops at that instruction")
    e.ask("setInstructionBreakpoints", breakpoints=[])
    e.breakpoints(p, [])

    sources = e.ask("loadedSources")["sources"]
    entry = next(s for s in sources if "0/0" in s["name"])
    text = e.ask("source", source=entry, sourceReference=entry["sourceReference"])["content"]
    like(text, r"(?s)^def toy_example\(.*return ", "an entry is a source: its code as Python")
    call = next(k for k, l in enumerate(text.splitlines(), 1) if "__compiled_fn" in l)
    made = e.ask("setBreakpoints", source=entry, breakpoints=[{"line": call}])["breakpoints"]
    is_((made[0]["verified"], made[0]["source"]["sourceReference"], made[0]["line"]), (True, entry["sourceReference"], call), "a breakpoint in it")
    e.ask("continue", threadId=1)
    is_(e.event("stopped")["hitBreakpointIds"], [made[0]["id"]], "... stops")
    e.ask("setBreakpoints", source=entry, breakpoints=[])
    ok([m for m in e.events if m.get("event") == "loadedSource"], "the event loadedSource tells of new entries")
    rows = e.ask("cdbg/entries", function="")["rows"]
    is_(rows[0]["entry"], "0/0", "cdbg/entries: the rows of 'info entries'")
    is_(e.ask("cdbg/view", view="compiled", arguments="")["rows"][0]["function"], "toy_example", "cdbg/view: those of any view")
    like(e.ask("cdbg/command", command="explain toy_example")["text"], "graph break", "cdbg/command: any command")
    goto = e.ask("gotoTargets", source={"path": p}, line=11)["targets"][0]
    ok(e.error("goto", threadId=1, targetId=goto["id"]) is not None, "a jump that cannot be made is refused")
    e.ask("disconnect")
    ok(e.end() == 0 and not e.wrong, "disconnect of what was launched ends it", e.wrong)

with Editor() as e:
    e.launch(p, filters=["graph-break", "uncaught"])
    stop = e.event("stopped")
    is_((stop["reason"], stop["description"]), ("exception", "Paused on graph-break"), "an exception filter stops at a graph break")
    info = e.ask("exceptionInfo", threadId=1)
    is_(info["exceptionId"], "graph-break", "exceptionInfo names it")
    like(info["details"]["message"], "(?s)graph break.*\n", "... and has all that is known")
    e.ask("setExceptionBreakpoints", filters=[], filterOptions=[{"filterId": "recompile", "condition": "False"}])
    e.ask("continue", threadId=1)
    is_((e.run_out(), e.wrong), (0, []), "without filters it runs on")

plain = script("""
    def f():
        a = 1
        b = 2
        return b
    f()
    print("end")
""")
with Editor() as e:
    e.launch(plain, {plain: [4]})
    e.event("stopped")
    goto = e.ask("gotoTargets", source={"path": plain}, line=2)["targets"][0]
    e.ask("goto", threadId=1, targetId=goto["id"])
    is_((e.event("stopped")["reason"], e.frames()[0]["line"]), ("goto", 2), "goto sets the next line")
    e.breakpoints(plain, [])
    e.ask("continue", threadId=1)
    is_((e.run_out(), e.wrong), (0, []), "... and the program runs on from there")

done()
