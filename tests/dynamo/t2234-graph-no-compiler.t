#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Inductor's graphs when there is no C++ compiler any more, when a backend raises, and with mode="reduce-overhead" on the CPU.
import os
import shutil
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_inductor()

PROGRAM = """
    import os
    import sys
    import torch
    torch.manual_seed(0)
    def f(x):
        torch.nn.functional.dropout(x, 0.5)
        return (x.sin() @ x).relu() + torch.rand(4)
    x = torch.randn(4, 4)
    if sys.argv[1] == "overhead":
        c = torch.compile(f, mode="reduce-overhead")
    else:
        c = torch.compile(f)
    for turn in range(3):
        if turn == 1 and sys.argv[1] == "gone":
            from torch._inductor import config
            config.cpp.cxx = (None, "/nonexistent/c++")
            os.environ["PATH"] = "/nonexistent"
        print("%.5f" % c(x).sum().item(), torch.get_rng_state().sum().item(), torch.initial_seed())
    """
folder = tempfile.mkdtemp(prefix="cdbg-t2234-")
env = {"TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "cache")}
plain = bare(PROGRAM, "plain", env=env, limit=300)[1]
for how in ("gone", "overhead"):
    with Cdbg(PROGRAM, how, env=env, limit=300) as d:
        d.do("break f")
        d.go()
        d.go()
        for command in ("graph compare", "graph compare -backward", "graph recompile", "graph reduce " + os.path.join(folder, "r.py")):
            r = d.cmd(command)
            if how == "gone":
                like(r.get("error"), "finds no C.. compiler.*: install one, or set the environment variable CXX",
                     "%s without a compiler is refused with a remedy" % command.split(" /")[0])
            elif command.startswith("graph compare"):
                is_((r["ok"], r["first"]), (True, None), "%s: on the CPU there is no CUDA graph: it compares" % command)
        rows = d.rows("graph run")
        ok(rows[-1]["op"] == "output" and rows[1]["min"] is not None, "... graph run needs no compiler")
        d.do("delete")
        is_(bool(d.go("stepg")["frame"].get("node")), True, "... nor does a step into inductor's code")
        d.run_out()
        is_(d.out, plain, "... and the program's results, seeds too, are as without")
shutil.rmtree(folder, ignore_errors=True)

# A compiler that answers questions about itself, and fails.
FAILS = PROGRAM.replace('"/nonexistent/c++")', 'sys.argv[2])').replace('            os.environ["PATH"] = "/nonexistent"\n', "")
folder = tempfile.mkdtemp(prefix="cdbg-t2234-")
compiler = os.path.join(folder, "c++")
with open(compiler, "w") as f:
    f.write("""#!/bin/sh
case "$1" in --version|-v|-dumpversion) exec g++ "$@";; esac
echo "In file included from kernel.cpp:2:" >&2
echo "kernel.cpp:3: fatal error: no such header" >&2
exit 1
""")
os.chmod(compiler, 0o755)
with Cdbg(FAILS, "gone", compiler, env={"TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "cache")}, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    for command in "graph compare", "graph recompile":
        like(d.cmd(command).get("error"), "the C.. compiler fails on inductor's code for the graph: kernel.cpp:3: fatal error: no such header",
             "%s with a compiler that fails names the compiler's error" % command)
shutil.rmtree(folder, ignore_errors=True)

RAISES = """
    import torch
    def back(gm, inputs):
        if calls:
            raise ValueError("cannot\\n\\nWhile executing a node")
        calls.append(1)
        return gm.forward
    calls = []
    def f(x):
        return (x.sin() @ x).relu()
    c = torch.compile(f, backend=back)
    x = torch.ones(4, 4)
    for turn in range(2):
        print(c(x).sum().item())
    """
with Cdbg(RAISES, limit=300) as d:
    d.do("break f")
    d.go()
    d.go()
    for command in ("graph compare", "graph recompile", "graph reduce " + os.path.join(folder, "r.py")):
        like(d.error(command), r"^the entry's backend raised ValueError: cannot as it compiled the graph again; .*'stepg' need no backend$",
             "%s says that the backend raised" % command.split(" /")[0])
    d.do("delete")
    d.run_out()
    is_(d.out, bare(RAISES)[1], "... and the program continues")
done()
