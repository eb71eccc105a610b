#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# cdbg in a notebook: the prompt is the cell's input(), its output the cell's; a later cell stops again; code of cells is the program's.
import os
import queue
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import PATIENCE, environment

if not has("ipykernel") or not has("jupyter_client"):
    skip_all("no ipykernel and jupyter_client")
from jupyter_client.manager import start_new_kernel

folder = os.path.dirname(script("", "empty.py"))
os.environ.update({k: v for k, v in environment({"JUPYTER_RUNTIME_DIR": folder, "IPYTHONDIR": folder, "HOME": folder}).items()})
manager, client = start_new_kernel(kernel_name="python3", startup_timeout=90 * PATIENCE, cwd=folder)


shown = []      # what cells displayed, as HTML


def cell(code, *answers, stdin=True):
    """Runs a cell; each answer is given to an input(): what it wrote, its result and its error."""
    answers, out, prompts = list(answers), "", []
    sent = client.execute(code, allow_stdin=stdin)
    end = time.monotonic() + 60 * PATIENCE
    while time.monotonic() < end:
        try:
            prompts.append(client.get_stdin_msg(timeout=0.02)["content"]["prompt"])
            client.input(answers.pop(0) if answers else "continue")
        except queue.Empty:
            pass                               # nothing is asked now
        try:
            m = client.get_iopub_msg(timeout=0.02)
        except queue.Empty:
            continue
        if m["parent_header"].get("msg_id") != sent:
            continue
        kind, content = m["msg_type"], m["content"]
        if kind == "stream":
            out += content["text"]
        elif kind in ("execute_result", "display_data"):
            out += content["data"]["text/plain"] + "\n"
            shown.append(content["data"].get("text/html"))
        elif kind == "error":
            out += "%s: %s\n" % (content["ename"], content["evalue"])
        elif kind == "status" and content["execution_state"] == "idle":
            return out, prompts
    return out + "the cell did not end in time", prompts


try:
    cell("import cdbg\ndef inner(n):\n    twice = n * 2\n    return twice")
    out, prompts = cell("def f(n):\n    m = n + 1\n    cdbg.breakpoint()\n    k = inner(m)\n    return k\nf(3)",
                        "print m", "next", "step", "info locals", "finish", "continue")
    is_(set(prompts), {"(cdbg) "}, "the prompt is the cell's input()")
    like(out, r"stopped: breakpoint\(\)\nf at .*:3", "the stop is in the cell's output")
    like(out, r"(?m)^4$", "a command answers there")
    like(out, r"inner at .*\n +\d+  ->      twice = n \* 2", "step enters a function of another cell")
    out, prompts = cell("f(4)", "print m", "continue")
    ok("stopped: breakpoint()" in out and "\n5\n" in out and out.endswith("10\n"), "the next cell stops again, and has its result", out)
    out, prompts = cell("f(5)", stdin=False)
    like(out, r"this notebook is run without input: the program continues", "where cells cannot ask, it says so, and the cell goes on")
    ok(out.endswith("12\n"), "with its result", out)
    out, prompts = cell("f(6)", "continue")
    ok(prompts and out.endswith("14\n"), "and cdbg is still there afterwards", out)
    out, prompts = cell("kept = 1\nf(7)\nkept = 2", "quit")
    like(out, r"(?m)^KeyboardInterrupt", "quit ends the cell, not the kernel")
    is_(cell("kept")[0], "1\n", "whose variables are there still")
    like(cell("f(8)", "detach")[0], "(?s)detached: .*18\n$", "detach lets the cell run on")
    out, prompts = cell("f(9)", "print m", "quit")
    like(out, r"(?m)^10$", "and a later cell stops again")
    cell("cdbg.breakpoint()\nf(1) / 0", "delete", "next", "next", "next", "next")
    is_(cell("kept + 1")[0], "2\n", "a step that leaves its cell does not stop in the next one")
    cell("def g():\n    value = 7\n    return value / 0\ng()")
    out, prompts = cell("cdbg.pm()", "print value", "continue")
    like(out, r"stopped: uncaught exception ZeroDivisionError.*\ng at ", "pm() shows the last exception")
    like(out, r"(?m)^7$", "with its variables")
    ok("Interrupt" not in cell("cdbg.pm()", "quit")[0], "quit leaves it")
    if has("torch"):
        cell("import torch\n@torch.compile(backend='eager')\ndef h(x):\n    y = x + 1\n    print('break')\n    return y * 2")
        out, prompts = cell("h(torch.ones(2)); cdbg.breakpoint()\nh(torch.ones(3))", "catch recompile", "continue", "guard why", "delete", "continue")
        like(out, r"expected f32\[2\] cpu\s*\n\s*is +f32\[3\] cpu", "catch recompile and guard why work in a cell")
        shown.clear()
        out, prompts = cell("cdbg.explain(h)")
        like(out, r"compiled again: 2 times", "explain() shows its text in the cell")
        is_(len(shown), 1, "once")
        like(shown[0], r"(?s)<pre.*compiled again.*<summary>\d+ guards</summary><table>.*TENSOR_MATCH.*<summary>graph __compiled_fn", "as HTML, with guards and graphs")
        out, prompts = cell("%load_ext cdbg\n%cdbg info entries")
        like(out, r"(?m)^0/0 +h ", "%cdbg gives the answer of a command")
        like(cell("%cdbg stepi")[0], "'stepi' needs a stopped program", "and says what it cannot")
        out, prompts = cell("%%cdbg catch recompile; continue\nn = 4\nh(torch.ones(n).double())", "guard why", "continue")
        like(out, r"(?s)-> +n = 4.*stopped: h compiles again as.*expected f32.*is +f64", "%%cdbg stops at the cell's first line, and its commands come first")
        is_(len(prompts), 3, "and the prompt comes after them")
        cell("delete = 1 / 0")
        like(cell("%cdbg", "continue")[0], "stopped: uncaught exception ZeroDivisionError", "%cdbg alone looks at the last exception")
        where = os.path.join(folder, "made")
        like(cell("%cdbg_report " + where)[0], "files.*index.html", "%cdbg_report writes a report")
        ok(os.path.exists(os.path.join(where, "index.html")), "in this folder")
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
done()
