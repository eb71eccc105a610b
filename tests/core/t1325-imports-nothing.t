#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdbg imports no module of the library into the program beside those of python -m: each may act at the program's end, as
threading does.  It knows the folders of the library all the same."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

LIST = "import sys\nprint('modules', *sorted(sys.modules))\n"


def modules(out):
    return set(re.search(r"^modules (.*)$", out, re.M).group(1).split())


alone, by_m = modules(bare(script(LIST))[1]), modules(bare(script("import runpy\n" + LIST))[1])
ran = modules(run(script(LIST), options=["--batch", "-q", "-ex", "continue"])[1])
is_(sorted(ran - alone - by_m - {"cdbg", "cdbg._cdbg"}), [], "a program has only the modules that it has with python -m")
with Cdbg("""
    import json.decoder
    import site
    def hook(pairs):
        return len(pairs)
    print(json.loads('{"a": 1}', object_pairs_hook=hook))
""") as d:
    d.do("break hook")
    d.go()
    is_(d.reason, "breakpoint", "a stop in a function that the library calls")
    kinds = {f["kind"] for f in d.rows("backtrace -a") if "json" in (f["file"] or "")}
    is_(kinds, {"library"}, "the library's frames are known as such")
    for line in "info locals", "info source", "info breakpoints", "disassemble", "list", "catch exception", "watch pairs":
        d.cmd(line)
    d.do("delete")
    d.run_out()
    is_(d.out, "1\n", "the program ends")
done()
