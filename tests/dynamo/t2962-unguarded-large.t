#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A model of twelve layers with a method replaced: the change comes first, the rest is a dozen lines, and noting what was read is cheap.
import os, re, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
program = os.path.join(top, "tests", "lib", "gpt_like.py")
with Cdbg(program, limit=300) as d:
    d.do("break compiled")
    d.do("break patched")
    d.go()
    rows = d.rows("info unguarded")
    is_([r["source"] for r in rows if r["changed"]], [], "nothing has changed after the compile")
    ok(len(rows) > 100, "machines get each value", len(rows))
    groups = {r["group"] for r in rows}
    ok(len(groups) <= 12, "they are of at most a dozen groups", groups)
    d.go()
    is_([(r["source"], r["line"], r["function"]) for r in d.rows("info unguarded") if r["changed"]],
        [("Block.residual", d.line_of("x = self.residual"), "Block.forward")], "the method that was replaced, and nothing else")
    d.run_out()

out = run(program, options=("--plain", "-q"), commands=["break patched", "continue", "info unguarded"], limit=300)[1]
said = out[out.index("entry 0/0 of GPT.forward"):].splitlines()
said = said[:next(i for i, line in enumerate(said) if line.startswith("end of commands"))]
ok(len(said) <= 16, "people get the change and a line for each group", said)
share = re.search(r"took [0-9.]+ ms, ([0-9.e+-]+) % of the compile", out)
ok(share and float(share[1]) <= 1, "to note what was read took at most 1 % of the compile", share and share[0])
for line in said:
    note(line)
done()
