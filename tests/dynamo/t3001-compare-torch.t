#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare with what Dynamo made in two ranks: one of them compiles once more."""
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Prompt  # noqa: E402

need_torch()
PROGRAM = script("""
    import os, torch
    rank = int(os.environ["RANK"])
    scale = {"by": 2}
    @torch.compile(backend="eager", dynamic=False)
    def f(x):
        y = x.sin()
        print("broken")
        return y * scale["by"]
    f(torch.ones(8))
    breakpoint()
    if rank == 1:
        f(torch.ones(9))
    breakpoint()
""")
p = Prompt("--listen", "--world", "2")
env = p.listening()
env["PYTHONPATH"] += os.pathsep + cdbgtest.environment()["PYTHONPATH"]
procs = [subprocess.Popen(cdbgtest.argv(PROGRAM), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=cdbgtest.environment(dict(env, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE="2"))) for r in range(2)]
p.expect(r"^\[0-1\]\n<module> at")
p.send("set ranks-patience 60")
p.ask("continue", r"^\[0-1\]\n[\s\S]*prog\.py:\d+\n")
p.answer()
for view in "guards", "entries", "breaks", "graphs", "unguarded", "compile-time", "compiled", "resume":
    like(p.answer("compare " + view), r"\Aall 2 ranks agree: \d+ rows?\n\Z", "%s of equal ranks are equal" % view)
like(p.answer("rank all info entries"), r"\A\[0-1\]\nentry .* seconds .*\n0/0 .*\n1/0 .*\n\Z", "'rank all' shows rows once that are equal but for what is measured")
p.ask("continue", r"^\[0-1\]\n[\s\S]*prog\.py:\d+\n")
p.answer()
text = p.answer("compare guards")
like(text, r"\Acompared with 0: \d+ rows\n", "two ranks that differ are compared with the lower one")
like(text, r"^only 1: entry 0/1, source L\['x'\], kind TENSOR_MATCH, expected f32\[9\] cpu", "the guards of an entry that one rank has more are named")
unlike(text, r"^(missing|only 0)", "... and no others")
like(p.answer("compare entries"), r"^only 1: entry 0/1, function f, guards \d+.*, reason 0/0: .*expected 8, actual 9", "the entry, and why it was compiled")
like(p.answer("compare breaks"), r"^only 1: function f, file .*prog\.py, line \d+", "the break of its compile")
like(p.answer("compare graphs"), r"^only 1: graph __compiled_fn_#, stage captured, entry 0/1", "its graph")
like(p.answer("rank all info entries"), r"\A\[0\]\n(?:.*\n){3}\[1\]\n(?:.*\n){5}\Z", "'rank all' shows rows that differ for each")
p.send("quit")
p.ended()
is_([proc.wait(LIMIT) for proc in procs], [0, 0], "the ranks end")
done()
