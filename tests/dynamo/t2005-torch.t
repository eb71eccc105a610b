#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`info dynamo`: which torch it is, and each name that is watched there is where the table says it was seen; a torch that
lies in a source tree."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch(imported=False)
PROGRAM = """
    import torch
    import torch._dynamo, torch._dynamo.backends.distributed, torch._functorch.aot_autograd, torch._inductor.graph
    def f(x):
        return x + 1
    torch.compile(f, backend="eager")(torch.ones(2))
    print(torch.__version__)        # here
"""


def numbers(version):
    return tuple(int(part) for part in version.split("+")[0].split(".")[:2])


def covers(seen, version):
    first, _, last = seen.partition("-")
    return numbers(first) <= version <= numbers(last or first)


with Cdbg(PROGRAM) as d:
    is_(d.rows("info dynamo"), [], "before torch is imported there is nothing to say")
    d.do("break %d" % d.line_of("# here"))
    d.go()
    rows = d.rows("info dynamo")
    d.run_out()
    is_((rows[0]["name"], rows[0]["state"]), ("torch.__version__", d.out.strip()), "the first row is torch's version")
    torch = numbers(d.out)
    ok(covers(rows[0]["seen"], torch), "which is one that cdbg was seen on", rows[0])
    is_([r["name"] for r in rows if covers(r["seen"], torch) and r["state"] in ("missing", "not imported")], [],
        "every name that this version was seen to have is there")
    is_([r["name"] for r in rows if not covers(r["seen"], torch) and r["state"] != "not in this version"], [],
        "and those that it was seen to lack are reported as absent")
    ok(len([r for r in rows if r["state"] == "wrapped"]) > 5 and all(r["for"] for r in rows),
       "wrapped ones are reported, and what each is for", rows)

# As torch's developers have it: in no folder of libraries.  A module of the program may be called so, too.
TREE = script('''
    import importlib.util
    import os
    import sys
    tree = os.path.join(os.path.dirname(__file__), "tree")
    if not os.path.isdir(tree):
        os.mkdir(tree)
        os.symlink(importlib.util.find_spec("torch").submodule_search_locations[0], os.path.join(tree, "torch"))
    sys.path.insert(0, tree)
    import torch
    from torch.nn import functional

    def f(x):
        x = functional.relu(x)         # call
        return x + 1                    # next

    compiled = torch.compile(f, backend="eager")
    f(torch.ones(2))
    compiled(torch.ones(2))
    print(torch.__file__.startswith(tree))
''', "prog.py", os.path.join(os.path.dirname(script("", "torch/none.py")), "torch"))
with Cdbg(TREE) as d:
    d.do("break %d" % d.line_of("# call"))
    d.go()
    d.go("step")
    is_(d.stop["frame"]["line"], d.line_of("# next"), "torch in a source tree is stepped over as any library")
    d.do("delete")
    d.run_out()
    is_(d.out, "True\n", "(it was that torch)")
with Cdbg(TREE) as d:
    d.do("break f")
    d.do("ignore 1 1")
    d.go()
    like(d.stop["frame"]["file"], "/torch/prog.py$", "a script in a folder that is called so is the program's")
    files = {r["file"] for r in d.rows("info guards") if r.get("file")}
    ok(files and all(f.endswith("prog.py") for f in files), "the program's lines made the guards", files)
    d.run_out()
done()
