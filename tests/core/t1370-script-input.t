#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# python -m cdbg - < SCRIPT: the script is on standard input, as Python takes it; commands come from the terminal, -x and -ex.
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import argv

SCRIPTS = {
    "names": """
import sys
print(sorted(globals()), __name__, __file__, __loader__, __spec__, repr(sys.path[0]), sys.argv)
print(repr(sys.stdin.read()))
""",
    "an exception": """
def f():
    return 1 / 0

f()
""",
    "a syntax error": "x = (\n",
    "an exit": "import sys\nsys.exit(3)\n",
    "nothing": "",
    "no newline": "print('last')",
}
for what, text in SCRIPTS.items():
    plain, ours = python("-", "a", "b", input=text), python("-m", "cdbg", "--plain", "-q", "-ex", "continue", "-", "a", "b", input=text)
    kept = [line for line in ours.stdout.split("\n") if line in plain.stdout.split("\n")]
    is_(("\n".join(kept), ours.returncode), (plain.stdout, plain.returncode), what + ": output and status are those of python -")
    is_(ours.stderr.split("cdbg'")[0].replace("end of commands: the program continues without cdbg ('-x FILE' takes them from a file)\n", ""), plain.stderr, what + ": and what it writes to standard error")
out = python("-m", "cdbg", "--plain", "-q", "-ex", "list", "-ex", "restart", "-", input="x = 1\ny = 2\n").stdout
like(out, r"^ +1  ->  x = 1$", "the stop has its source")
like(out, r"^ +2      y = 2$", "and so has list")
refused = python("-m", "cdbg", "--json", "-", input="x = 1\n")
is_((refused.returncode, refused.stderr.split("\n")[0]), (2, "cdbg: standard input cannot be both the script and the conversation: use --json=FD"), "JSON on standard input is refused")
path = script("x = 1\nprint('ran', x)\n", "typed.py")
line = "%s < %s" % (" ".join(map(shlex.quote, argv("-m", "cdbg", "--plain", "-q", "-"))), shlex.quote(path))
with Terminal(None, command=["/bin/sh", "-c", line]) as t:
    t.expect(r"x = 1")
    t.expect(r"\(cdbg\) ")
    t.line("next")
    t.expect(r"\(cdbg\) ")
    t.line("print x")
    t.expect(r"^1$")
    t.line("continue")
    t.expect(r"ran 1")
    t.expect(r"\(cdbg\) ")
    t.line("quit")
    is_(t.ended(), 0, "commands come from the terminal")
with Terminal(None, command=argv("-m", "cdbg", "-")) as t:
    t.expect(r"'-' reads the script from standard input, which is a terminal")
    is_(t.ended(), 2, "a terminal is not a script")
done()
