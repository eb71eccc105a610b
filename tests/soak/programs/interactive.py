# SPDX-License-Identifier: BSD-3-Clause
# A prompt of the program's own, and pdb driven by text.
import code, io, pdb, sys

i = code.InteractiveInterpreter({"x": 5})
i.runsource("print(x + 1)")
i.runsource("1/0")

def f(n):
    m = n * 2
    return m

out = io.StringIO()
p = pdb.Pdb(stdin=io.StringIO("step\nstep\np n\nnext\np m\ncontinue\n"), stdout=out, nosigint=True, readrc=False)
print(p.runcall(f, 4))
print([line.strip() for line in out.getvalue().splitlines() if line.startswith("(Pdb)")])
