#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A program that replaces builtins: cdbg's own Python looks nothing up in them, so that the program ends as without cdbg.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PATCHED = os.path.join(top, "tests", "cases", "builtins_replaced.py")
ENDS = {"an exception": "", "sys.exit(3)": "exit", "SystemExit with a text": "text"}

for what, how in ENDS.items():
    is_(run(PATCHED, how, options=["--batch", "-q", "-ex", "set post-mortem off", "-ex", "continue"])[0], bare(PATCHED, how)[0], "%s of a program that replaced every builtin gives its status" % what)
status, out, err = run(PATCHED, options=["--batch", "-q", "-ex", "continue", "-ex", "continue"])
unlike(out + err, "cdbg/", "no frame of cdbg is in what is shown")
is_(err, bare(PATCHED)[2], "standard error is the program's own, with the count of calls that the replaced builtins got")
with Cdbg(PATCHED) as d:
    d.do("break last")
    d.go()
    for line in "info locals", "backtrace", "list", "disassemble", "decompile", "info source", "print n", "info breakpoints", "break 3", "complete info ", "catch exception", "set var n = 5", "display n":
        reply = d.cmd(line)
        ok(reply["ok"], "'%s' works while every builtin is replaced" % line, reply)
    d.do("delete")
    d.do("undisplay")
    d.run_out()
    is_((d.exited["status"], d.err), (1, bare(PATCHED)[2]), "... and the replaced builtins are not called more often than without cdbg")

for name in "isinstance", "len", "print", "__import__", "str", "BaseException", "SystemExit", "getattr", "exec":
    program = script("""
        import builtins
        def replaced(*args):
            raise RuntimeError("called")
        builtins.%s = replaced
        raise ValueError("own error")
    """ % name)
    alone = bare(program)
    ran = run(program, options=["--batch", "-q", "-ex", "continue", "-ex", "continue"])
    is_((ran[0], ran[2]), (alone[0], alone[2]), "an exception after the program replaced %s is reported as without cdbg" % name)

with Cdbg("""
    names = {"__builtins__": {}, "n": 1}
    exec('n = n + 1\\nn = n + 2\\n', names)
    print(names["n"])
""") as d:
    d.do("catch exception")
    d.go("stepi 1")
    d.do("delete")
    d.run_out()
    is_(d.out, "4\n", "code whose builtins are an empty dict runs")
program = script("""
    import os, sys
    os.path.dirname = sys.exit = sys.excepthook = None
    raise ValueError("own error")
""")
alone, ran = bare(program), run(program, options=["--batch", "-q", "-ex", "continue", "-ex", "continue"])
is_((ran[0], ran[2]), (alone[0], alone[2]), "a program that replaced functions of os.path and sys ends as without cdbg")
done()
