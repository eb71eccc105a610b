#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--report of programs that compile nothing: they run as without cdbg, and what cannot be written is refused or said."""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

PROGRAM = """
    import sys
    print("out", sys.argv[1:])
    print("err", file=sys.stderr)
    sys.exit(3)
"""
path = script(PROGRAM)
status, out, err, where = report(path, "plain", "a", "b c")
is_((status, out, err), bare(path, "a", "b c"), "output and status are those of the program")
is_(files(where), ["assets/report.css", "assets/report.js", "index.html", "index.json"], "the report has its first page, its data and what pages need")
is_(data(where)["functions"], [], "it has no function")
like(text(where, "index.html"), "Nothing was compiled", "the page reports that")
is_(data(where)["torch"], None, "torch was not imported")
valid(where, "the data is as the schema says")
is_(left_over(where), [], "nothing is left beside it")

for name, program in (("an exception", "raise ValueError('x')\n\n"), ("Ctrl-C in the program", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
                      "while True: pass\n"), ("SystemExit with a text", "import sys\nsys.exit('bye')\n")):
    path = script(program)
    status, out, err, where = report(path, "e%d" % len(name))
    is_((status, out, err), bare(path), "%s: output and status are those of the program" % name)
    ok(os.path.isfile(os.path.join(where, "index.html")), "%s: the report is written" % name)

for sig in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGALRM"):
    status, out, err, where = report("import os, signal\nprint('on', flush=True)\nos.kill(os.getpid(), signal.%s)\nwhile True: pass\n" % sig, sig)
    is_((status, out), (-getattr(signal, sig), "on\n"), "%s ends the program as it does without cdbg" % sig)
    ok(os.path.isfile(os.path.join(where, "index.html")), "%s: the report is written" % sig)

path = script("""
    import os, signal
    signal.signal(signal.SIGTERM, lambda *a: print("handled"))
    os.kill(os.getpid(), signal.SIGTERM)
    print("goes on")
""")
status, out, err, where = report(path, "handler")
is_((status, out, err), bare(path), "a handler of the program's own runs, and the program continues")

path = script("""
    import cdbg, os
    cdbg.breakpoint()
    breakpoint()
    if os.fork() == 0:
        print("child", flush=True)
        os._exit(0)
    os.wait()
    print("parent")
""")
status, out, err, where = report(path, "stops")
is_((status, out, err), (0, "child\nparent\n", ""), "breakpoints in the program do not stop it, and it may fork")

# ---- directories -------------------------------------------------------------------------------------------------

path = script("print('ran')\n\n")
os.makedirs(place("other"))
open(os.path.join(place("other"), "mine"), "w").close()
status, out, err = run(path, options=["--report", place("other")])
is_((status, out), (2, ""), "a directory that holds something else is refused before the program runs")
like(err, r"the directory '.*other' is not empty and is not one that cdbg wrote; choose another name", "with what to do")
is_(os.listdir(place("other")), ["mine"], "it stays as it is")
status, out, err = run(path, options=["--report", os.path.join(place("other"), "mine")])
is_(status, 2, "a file is refused")
status, out, err = run(path, options=["--report", place("no/such/folder")])
is_((status, "No such file" in err), (2, True), "so is one whose parent is not there")
os.makedirs(place("empty"))
is_(report(path, "empty")[0], 0, "an empty directory is taken")
ok(os.path.isfile(place("empty/index.html")), "and filled")
open(place("empty/old"), "w").close()
is_(report(path, "empty")[0], 0, "an earlier report is replaced")
is_((os.path.exists(place("empty/old")), left_over(place("empty"))), (False, []), "whole, with nothing left beside it")
is_(report(path, 'a "b" c\\')[0], 0, "its name may hold spaces and quotes")
ok(os.path.isfile(place('a "b" c\\/index.html')), "and is taken as it is")
os.chdir(os.path.dirname(place("x")))
over = run(script("import os\nos.chdir('/')\n"), options=["--report", "relative"])
is_(over[:2], (0, ""), "a relative name")
like(over[2], r"\Acdbg: report: 4 files, \d+ bytes: open '%s/relative/index\.html' in a browser\n\Z" % re.escape(os.getcwd()), "the last line names the report")
ok(os.path.isfile("relative/index.html"), "means the directory where cdbg began, wherever the program has gone")

os.makedirs(place("locked"))
os.chmod(place("locked"), 0o500)
if os.access(place("locked"), os.W_OK):
    skip("a directory that cannot be written is refused", "root may write everywhere")
else:
    is_(run(path, options=["--report", place("locked/r")])[:2], (2, ""), "a directory that cannot be written is refused")

full = place("full")
os.makedirs(full)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", full], stderr=subprocess.DEVNULL).returncode:
    skip("a full disk", "needs to mount a file system")
else:
    try:
        status, out, err = run(path, options=["--report", os.path.join(full, "r")])
        is_((status, out), (0, "ran\n"), "on a full disk the program runs as it does without cdbg")
        like(err, r"^cdbg: no report: cannot write '.*': No space left on device; free space on its disk, or choose a file on another one$", "and cdbg says why there is no report")
        is_(os.listdir(full), [], "nothing of it stays")
    finally:
        subprocess.run(["umount", full])

status, out, err = run(path, options=["--report", place("x1"), "--json"])
like(err, "--report runs without stopping: it cannot be used with --json", "--report with --json is refused")
done()
