#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph save and graph reduce write the definitions of operators, functions and classes that the script itself has: the program runs alone."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
CASES = os.path.join(top, "tests", "cases")


def saved(name, last, given, more=()):
    """(the reply, the text of the saved program, its status, what it prints when it runs alone)."""
    with Cdbg(os.path.join(CASES, name)) as d:
        d.do("break %d" % d.line_of(last))
        d.go()
        folder = os.path.dirname(script("", "empty.py"))
        path = os.path.join(folder, "alone.py")
        reply = d.text("graph save %s with %s" % (path, given))
        d.do("delete")
        d.run_out()
    with open(path) as f:
        text = f.read()
    ran = subprocess.run([interpreter(), path], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return reply, text, ran.returncode, ran.stdout


reply, text, status, out = saved("own_operators.py", 'print("%.4f"', "x=x w=w")
like(reply, r"bytes written", "a graph with operators of the script is saved")
ok("note:" not in reply, "all that they refer to is written", reply)
for what in ('@torch.library.custom_op("own::scaled"', "@scaled.register_fake", "scaled.register_autograd(", '@torch.library.register_vmap("own::scaled")',
             'lib.define("shifted', '@torch.library.impl(lib, "shifted"', 'torch.library.define("plain::twice"', "def leaf(x)", "def helper(x)",
             "SCALE = 3.0"):
    ok(what in text, "it has the script's %s" % what.strip("@"), text[:3000])
ok("own_operators" not in text.replace("# own_operators.py, line", ""), "it does not import the script")
ok("torch.manual_seed(0)\nx, w" not in text and "compiled = torch" not in text, "it does not run the script's other statements")
like(out, r"result 0: .*: right\n", "the program runs alone and shows the result")
is_(status, 0, "its status is 0")

reply, text, status, out = saved("nested_operators.py", "print(compiled(x)", "x=x")
ok("'nested::wave'" in text and "factor = 2.0" in text and "offset = 0.5" in text and "def make(" not in text,
   "of an operator that a function defines, the name and the function's variables are written as they are", text[:3000])
ok("Divisor" in text and 'kept.define("half' in text and '@torch.library.custom_op("own::into"' in text,
   "operators that are defined in a block, and those that write an argument, are written, too", text[:3000])
is_((status, "right" in out), (0, True), "that program runs alone, too")
done()
