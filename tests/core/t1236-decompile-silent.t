#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdbg.recompile() lets no warning out and leaves the program's filters as they are; assertions are written as such; a
global whose name is also a variable of the enclosing function stays global."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import environment, PATIENCE

SAMPLE = r'''
x = "global"

def warned(a):
    if a is 3:
        return "three"
    try:
        return 1(a)
    except TypeError as e:
        return str(e)
    finally:
        if a == 4:
            return "four"

def asserted(a):
    assert a
    assert a != 1, "one"
    assert a > 2 or a < -2, ("small", a)
    if a > 5:
        assert a < 7, f"{a} is large"
        return "some"
    for i in range(a):
        assert i < 4
    return i

def nothing(a):
    for i in range(a):
        if i < 3:
            pass
        assert i < 4
    return a

def around():
    x = "local"
    def inner():
        global x
        return x
    return inner(), x
'''

CHECK = r'''
import sys, types, warnings
sys.path.insert(0, %r)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import sample
import cdbg

def run(f, *a):
    try:
        return repr(f(*a))
    except Exception as e:
        return repr(e)

warnings.simplefilter("error")
filters = warnings.filters
before = list(filters)
for name in ("warned", "asserted", "around", "nothing")[:3 if sys.flags.optimize else 4]:
    f = getattr(sample, name)
    g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__)
    args = [()] if name == "around" else [(n,) for n in (-3, 0, 1, 2, 3, 4, 5, 6, 7)]
    print(name, all(run(f, *a) == run(g, *a) for a in args))
print("filters", warnings.filters is filters and filters == before)
print("----")
print(cdbg.decompile(sample.asserted) + cdbg.decompile(sample.around))
'''
folder = os.path.dirname(script(SAMPLE, "sample.py"))
made = subprocess.run([interpreter(), script(CHECK % folder, "check.py", folder)], capture_output=True, text=True,
                      timeout=PATIENCE, env=environment())
results, _, text = made.stdout.partition("----\n")
for name in "warned", "asserted", "around", "nothing":
    ok(name + " True\n" in results, name + ": compiled again it does the same", made.stdout + made.stderr)
ok("filters True\n" in results, "the filters are what they were", results)
is_(made.stderr, "", "no warning is shown, and none becomes an error")
for line in ("    assert a\n", "    assert a != 1, 'one'\n", "    assert a > 2 or a < -2, ('small', a)\n",
             "        assert a < 7, f\"{a} is large\"\n", "        assert i < 4\n"):
    ok(line in text, line.strip(), text)
ok("        global x\n" in text, "the global of an inner function is declared", text)
optimized = subprocess.run([interpreter(), "-O", script(CHECK % folder, "check.py", folder)], capture_output=True,
                           text=True, timeout=PATIENCE, env=environment())
ok("asserted True\n" in optimized.stdout, "with -O, too", optimized.stdout + optimized.stderr)
done()
