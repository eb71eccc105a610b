#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What torch does once in a program, a run by cdbg before it does not use up: warnings, the check of the first call of compiled code, and the
compile of its backward."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
cases = os.path.join(top, "tests", "cases")


def program(name):
    return os.path.join(cases, name)


def after(name, command):
    """What the program prints after a command at its first call."""
    with Cdbg(program(name)) as d:
        d.do("break f")
        d.go()
        d.send(command)
        d.answer(command)
        before = len(d.out)
        d.do("delete")
        d.run_out()
        return d.out[before:]


plain = bare(program("warned_once.py"))[1]
like(plain, r"(?s)warned: slow path\n.*\.T.*\n.*logged once\n.*4\.0|6\.0", "the program alone warns in its first call")
for command in "graph run 0/0", "graph compare 0/0", "graph run 0/0 inference", "graph recompile 0/0", "graph memory 0/0", "entry run 0/0", "entry diff 0/0":
    is_(after("warned_once.py", command), plain, "after '%s' the program's first call still warns" % command)
plain = bare(program("first_call_fails.py"))[1]
for command in "graph compare 0/0", "entry run 0/0", "entry diff 0/0":
    is_(after("first_call_fails.py", command), plain, "after '%s' the program's first call is still checked" % command)
plain = "".join(bare(program("backward_compiled_once.py"))[1].splitlines(True)[1:])
for command in "entry run 1/0", "entry diff 1/0":
    is_(after("backward_compiled_once.py", command), plain, "after '%s' the backward is still compiled, once" % command)
done()
