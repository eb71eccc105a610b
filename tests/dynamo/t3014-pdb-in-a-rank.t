#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pdb.set_trace() in a rank, and what programs derive from pdb.Pdb, stop that rank in cdbg; after detach they are pdb's again."""
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Prompt  # noqa: E402

need_torch()
PROGRAM = script("""
    from pdb import set_trace
    import os, pdb, sys
    own = vars(pdb.Pdb).get("set_trace")
    import torch
    class Forked(pdb.Pdb):                  # as many programs have it
        def interaction(self, *args, **kwargs):
            raise SystemExit("pdb asks")
    def plain(secret):
        pdb.set_trace()
        return secret
    def imported(secret):
        set_trace()
        return secret
    def derived(secret):
        Forked().set_trace()
        return secret
    def outer(secret):
        derived_of = sys._getframe()
        def inner():
            Forked().set_trace(derived_of)
        inner()
        return secret
    for call in plain, imported, derived, outer:
        assert call(int(os.environ["RANK"]) + 40) == int(os.environ["RANK"]) + 40
    try:
        derived(0)
    except SystemExit as e:
        print(e)
    print("end", vars(pdb.Pdb).get("set_trace") is own)
""")

p = Prompt("--listen", "--world", "1")
env = p.listening()
env["PYTHONPATH"] += os.pathsep + cdbgtest.environment()["PYTHONPATH"]
rank = subprocess.Popen(cdbgtest.argv(PROGRAM), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                        env=cdbgtest.environment(dict(env, RANK="0", LOCAL_RANK="0", WORLD_SIZE="1")))
p.expect(r"^<module> at .*prog.py:1\n")
for function, how in ("plain", "pdb.set_trace()"), ("imported", "set_trace() of `from pdb import`"), ("derived", "that of a class derived from pdb.Pdb"), ("outer", "one that names a frame"):
    p.ask("continue", r"^%s at .*prog\.py:\d+" % function)
    like(p.answer("print secret"), r"(?m)^40$", "%s stops its function in cdbg" % how)
p.send("detach")
p.ended()
out = rank.communicate(timeout=LIMIT)[0]
is_(out.split("\n")[-3:-1], ["pdb asks", "end True"], "after detach pdb is as Python made it")
is_(rank.returncode, 0, "... and the results were right")
done()
