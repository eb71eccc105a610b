#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What graph commands compile is not in the program's logs: torch logs and traces the same with cdbg as without it.
import glob
import os
import re
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import logging
    import sys
    import torch
    def f(x):
        return (x * 2).sin()
    def told(gm, inputs):
        logging.getLogger("program").warning("a backend is asked")
        return gm.forward
    x = torch.ones(4)
    c = torch.compile(f, backend=told if sys.argv[1] == "own" else sys.argv[1])
    c(x)
    print("compiled", file=sys.stderr, flush=True)
    c(x)
    logging.getLogger("torch._inductor").warning("from the program")
    def g(x):
        return x.cos() + 1
    torch.compile(g, backend=sys.argv[1] if sys.argv[1] != "own" else told)(x)
    """
COMMANDS = ("graph compare", "graph compare -backward", "graph recompile", "graph run post-grad", "graph run", "graph memory",
            "graph reduce %s/reduced.py", "graph save %s/saved.py")


def traced(folder):
    """What torch's trace says of files: the numbers and names must fit."""
    lines = [line for path in glob.glob(folder + "/*.log") for line in open(path, encoding="utf-8")]
    return len([line for line in lines if '"str"' in line]), len([line for line in lines if "dump_file" in line]), len(lines)


def messages(text):
    """The lines without what differs from run to run: time, process, paths, how long something took, what was in a cache."""
    lines = [re.sub(r"^[A-Z]\d{4} [\d:.]+ \d+ ", "", line) for line in text.splitlines()]
    return [re.sub(r"/\S+|[0-9a-f]{8}_[0-9a-f_]{27}|0x[0-9a-f]+|\d+\.\d+|_c[a-z0-9]{40,}", "X", line) for line in lines if "Cache" not in line]


for backend in ("aot_eager", "inductor", "own"):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        env = {"TORCH_LOGS": "+aot,output_code,aot_graphs,graph_code", "TORCH_TRACE": folder + "/trace",
               "TORCH_COMPILE_DEBUG": "1", "TORCH_COMPILE_DEBUG_DIR": folder + "/debug", "TORCHINDUCTOR_CACHE_DIR": cache + "/cdbg"}
        with Cdbg(PROGRAM, backend, env=env, limit=300) as d:
            d.do("break f")
            d.go()
            d.go()
            like(d.err, "compiled", "%s: the program has compiled" % backend)
            d.cmd("print 1")
            shown, known = d.err, traced(folder + "/trace")
            files = sum(len(names) for _, _, names in os.walk(folder + "/debug"))
            answers = [d.cmd(line % folder if "%s" in line else line)["ok"] for line in COMMANDS]
            is_(answers[:3] + answers[4:6] + answers[7:], [True] * 6, "%s: the graph commands work" % backend)
            after = sum(len(names) for _, _, names in os.walk(folder + "/debug"))
            is_((traced(folder + "/trace"), after), (known, files), "%s: they write neither into torch's trace nor into its debug files" % backend)
            d.do("delete")
            d.go()
            # a cache of its own: what inductor compiles and what it loads from its cache are logged differently
            env["TORCHINDUCTOR_CACHE_DIR"] = cache + "/plain"
            plain = bare(d.path, backend, env=env)[2].partition("\ncompiled\n")[2]
            is_(messages(d.err.partition("\ncompiled\n")[2]), messages(plain), "%s: what the program logs afterwards is what it logs without cdbg" % backend)

# what explains a failure is in the answer
with Cdbg("""
    import torch
    def f(x):
        return (x * 2).sin()
    def fails(gm, inputs):
        if again:
            raise RuntimeError("out of cheese")
        return gm.forward
    again = []
    x = torch.ones(4)
    c = torch.compile(f, backend=fails)
    c(x)
    again.append(1)
    print(c(x).sum())
    """) as d:
    d.do("break f")
    d.go()
    d.go()
    for line in ("graph compare", "graph recompile", "graph reduce /dev/null"):
        like(d.error(line), "RuntimeError: out of cheese", "%s: the answer has the reason of a backend that raises" % line)
    d.do("delete")
    d.go()
    like(d.out, r"^tensor\(3", "the program continues")
    alone = untimed(bare("import torch\ntorch.compile(lambda x: x, backend='eager')(torch.ones(1))\n")[2])
    is_(untimed(d.err), alone, "... and its standard error has only what torch logs at its import")
done()
