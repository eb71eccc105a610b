#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdbg.decompile() in a bytecode hook of Dynamo, in a program that runs alone and in one that runs under cdbg, gives the text that
the command `decompile` shows; whole=True gives all of it.  A session can begin after that."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = r'''
import sys, torch, cdbg
from torch._dynamo.convert_frame import register_bytecode_hook
kept = []
def hook(code, out):
    kept.append(out)
    print("hook:", cdbg.decompile(out), "whole:", cdbg.decompile(out, whole=True), "end")
    return cdbg.recompile(out)
handle = register_bytecode_hook(hook)
def f(a, b):
    x = a / (a.abs() + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b
c = torch.compile(f, backend="eager")
print("sum", c(torch.ones(4), torch.ones(4)).sum().item())
print("plain:", cdbg.decompile(f) == cdbg.decompile(f, True), "_commands" in dir(cdbg))
if "stop" in sys.argv:
    handle.remove()
    cdbg.breakpoint()
    print("sum", c(torch.ones(4), -torch.ones(4)).sum().item())
'''


def outcome(words, lines=""):
    p = python(*words, input=lines, limit=200)
    return p.returncode, p.stdout, p.stderr


def text_in(out, name, after):
    return out.partition(name)[2].partition(after)[0]


program = script(PROGRAM)
alone = outcome([program])
# a torch for CUDA logs that triton is missing when a program compiles
compiles = script("import torch\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n", "compiles.py")
bare_err = untimed(outcome([compiles])[2])
is_((alone[0], untimed(alone[2])), (0, bare_err), "a program that runs alone ends as it would without cdbg")
read, whole = text_in(alone[1], "hook:", "whole:"), text_in(alone[1], "whole:", " end")
like(read, r"graph_out_0 = __compiled_fn_1\(a, b\)", "alone, the call of the graph is written with the name that people know")
like(read, r"# calls of profiler hooks", "alone, calls of profiler hooks are folded")
ok("tmp_" not in read, "alone, no variable of the compiler's own is left", read)
like(whole, r"tmp_1 = .*record_pregraph_bytecode_enter", "whole=True shows the profiler hooks")
like(whole, r"__compiled_fn_1_[0-9a-f]{8}", "whole=True has names in full")
like(alone[1], r"(?m)^sum 2\.0$", "what recompile() made takes the place of the code")
like(alone[1], r"(?m)^plain: True False$", "a function that is not compiled has one text")

under = outcome(["-m", "cdbg", "--plain", "-q", program], "continue\n")
is_(text_in(under[1], "hook:", "whole:"), read, "under cdbg, a hook gets the same text, before Dynamo's cache has the code")

asked = outcome([program, "stop"], "info compiled\ndecompile f\nshow graph-values\nbreak f\ncontinue\ncontinue\n")
like(asked[1], r"(?m)^ *f .*compiled", "a session that begins later knows what was compiled before")
like(asked[1], r"(?m)^ +graph_out_0 = __compiled_fn_1\(a, b\)", "the command shows the same line")
like(asked[1], r"graph-values +on", "it has the plugin's options")
like(asked[1], r"stopped: breakpoint 1", "its breakpoints stop")
like(asked[1], r"(?m)^sum 2\.0\n(.*\n)*sum 2\.0$", "the program's results are those of the program alone")
is_(asked[0], 0, "the program's status, too")

breaks = outcome([script(r'''
import torch, cdbg
from torch._dynamo.convert_frame import register_bytecode_hook
def plain(a):
    n = len(str(a.sum().item()))
    return a * n
def closure(a):
    def scaled(z):
        return z * a
    print("break")
    return scaled(a), scaled
def resumed(code):
    if code.co_name.startswith("torch_dynamo_resume"):
        print("of", cdbg.decompile(code), "whole", cdbg.decompile(code, whole=True))
register_bytecode_hook(lambda code, out: print(cdbg.decompile(out)) or resumed(code))
for f in plain, closure:
    torch.compile(f, backend="eager")(torch.ones(2))
''')])
like(breaks[1], r"of def torch_dynamo_resume_in_closure_at_\w+\(.*\n?.*\):\n    # marks of the resume prologue\n    return scaled\(a\), scaled\n",
     "what a resume function sets for Dynamo's tracer is folded")
like(breaks[1], r"whole def torch_dynamo_resume_in_closure_at_\w+\(.*\n?.*\):\n(.*\n)*?    __is_tracing_resume_prologue = True\n", "whole=True shows that, too")
like(breaks[1], r"    ___stack2 = graph_out_0\[0\]\.item\(\)\n    return __resume_at_\w+\(.*___stack2, a\)\n",
     "alone, a value is named as the resume function names it")
like(breaks[1], r"    ___stack0 = print\('break'\)\n    return __resume_at_\w+\(\(cell_of\(a\),\)\)\(.*___stack0, scaled\)\n",
     "and so for one that is made with cells")

p = outcome([script("import cdbg\ntry: cdbg.decompile()\nexcept TypeError as e: print(e)\n"
                                   "try: cdbg.decompile(len)\nexcept TypeError as e: print(e)\n")])
like(p[1], r"(?s)decompile\(\) .*takes a code object or a function, not 'builtin_function_or_method'", "bad arguments are refused")
done()
