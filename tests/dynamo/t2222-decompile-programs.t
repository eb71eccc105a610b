#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Twenty programs that cover every construct: each code object that Dynamo generates is replaced by the one compiled from
# its source, and output, status and graphs are the same.
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

RUN = r'''
import contextlib, io, os, re, runpy, sys
import torch
import cdbg
from torch._dynamo import convert_frame

count, refused, graphs = [0, 0], [], []
def hook(code, out):
    count[0] += 1
    try:
        new = cdbg.recompile(out)
    except ValueError as e:
        refused.append(str(e))
        return None
    count[1] += 1
    return new

def eager(gm, inputs):
    graphs.append([re.sub(r" at 0x[0-9a-f]+", "", "%s %s %s" % (n.op, n.target, n.args)) for n in gm.graph.nodes])
    return gm.forward

torch._dynamo.register_backend(eager, name="counted")
compile_ = torch.compile
torch.compile = lambda f, backend: compile_(f, backend="counted")
if sys.argv[1] == "replaced":
    convert_frame.register_bytecode_hook(hook)
for path in sys.argv[2:]:
    count[:], refused[:], graphs[:] = [0, 0], [], []
    torch._dynamo.reset()
    torch.manual_seed(0)
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        try:
            runpy.run_path(path, run_name="__main__")
        except BaseException as e:
            status = repr(e)
    print(repr((os.path.basename(path), count, refused, status, said.getvalue(), graphs)))
'''
paths = sorted(glob.glob(os.path.join(top, "tests", "decompile", "*.py")))
is_(len(paths), 20, "there are twenty programs")
program = script(RUN)
plain, replaced = bare(program, "plain", *paths, limit=300), bare(program, "replaced", *paths, limit=300)
ok(plain[0] == 0 and replaced[0] == 0, "they run", plain[2][-1500:] + replaced[2][-1500:])
for a, b in zip(map(eval, plain[1].splitlines()), map(eval, replaced[1].splitlines())):
    name, (made, done_), refused = b[:3]
    is_(a[3], 0, "%s ends without an exception" % name)
    ok(made > 0 and (made == done_ or version() != (3, 11)), "%s: %d of %d code objects are replaced" % (name, done_, made), refused)
    is_(b[3:5], a[3:5], "%s: output and status are the same" % name)
    is_(len(b[5]), len(a[5]), "%s: so are its graphs" % name)
    is_(b[5], a[5], "%s: node by node" % name)
done()
