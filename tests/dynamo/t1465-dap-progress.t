#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An editor that shows progress gets it for each compilation, while the program compiles; another one gets nothing."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

need_torch()
PROGRAM = """
    import os
    import time
    import torch

    def backend(gm, inputs):
        while not os.path.exists("go"):
            time.sleep(0.01)
        return gm

    @torch.compile(backend=backend, dynamic=False)
    def f(x):
        return x + 1

    f(torch.ones(2))
    f(torch.ones(3))
    print("over")
"""


def started(e, shows):
    e.ask("initialize", adapterID="cdbg", linesStartAt1=True, columnsStartAt1=True, pathFormat="path", supportsProgressReporting=shows)
    path = script(PROGRAM)
    e.started = e.send("launch", program=path, cwd=os.path.dirname(path))
    e.event("initialized")
    e.configure()
    return os.path.join(os.path.dirname(path), "go")


with Editor() as e:
    go = started(e, True)
    begun = e.event("progressStart")
    like(begun["title"], r"^compiling forward 0/0$", "a compilation begins")
    message = begun.get("message", "")
    while "ackend" not in message:
        update = e.event("progressUpdate")
        message = update["message"]
    is_(update["progressId"], begun["progressId"], "its phase, while it runs: " + message)
    open(go, "w").close()
    e.run_out()
    is_([m["body"]["title"] for m in e.events if m.get("event") == "progressStart"], ["compiling forward 0/0", "compiling forward 0/1"], "one for each")
    is_([m["body"]["progressId"] for m in e.events if m.get("event") == "progressEnd"],
        [m["body"]["progressId"] for m in e.events if m.get("event") == "progressStart"], "each ends")
    kinds = [m["event"] for m in e.events if m.get("event", "").startswith("progress") and m["event"] != "progressUpdate"]
    is_(kinds, ["progressStart", "progressEnd"] * 2, "one after the other")
    is_((e.out, e.wrong), ("over\n", []), "the program does what it does, and every message is as the protocol defines it")

with Editor() as e:
    open(started(e, False), "w").close()
    e.run_out()
    is_([m["event"] for m in e.events if m.get("event", "").startswith("progress")], [], "an editor that shows none gets none")
done()
