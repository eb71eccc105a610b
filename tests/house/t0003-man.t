#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The manual: cdbg-commands.7 says what the tables say, cdbg.1 has the options of the command line, and man formats both.
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

sys.path.insert(0, os.path.join(top, "doc"))
sys.dont_write_bytecode = True
import manual

with Cdbg("pass\n") as d:
    page, names = manual.page(d), re.findall(r"^  (\S+)(?: \(([^)]*)\))? ", d.text("help"), re.M)
    subs = [(name, sub) for name, _ in names for sub in re.findall(r"^  (\S+)[^\n]*\n      \S", d.text("help " + name), re.M)]
    views, columns = [name for name, _, _ in manual.rows(d.text("help view"))], d.rows("info guards")
    settings, keys = manual.rows(d.text("help option")), d.rows("info keys")

with open(manual.PAGE) as f:
    written = f.read()
ok(page == written, "doc/cdbg-commands.7 is what doc/manual.py makes of the tables", "run doc/manual.py")

wrong = [name for name, _ in names if not re.search(r'^\.It Ic "%s[ "]' % re.escape(name), written, re.M)]
ok(len(names) > 40 and not wrong, "it has every command", wrong)
wrong = [sub for sub in subs if not re.search(r'^\.It Ic "%s %s[ "]' % sub, written, re.M)]
ok(len(subs) > 25 and not wrong, "and every subcommand", wrong)
wrong = [name for name in views if '\n.It Ic "info %s' % name not in written]
ok(len(views) > 20 and not wrong, "and every view", wrong)
wrong = [name for name, _, _ in settings if '\n.It Cm "%s"' % name not in written]
ok(len(settings) > 20 and not wrong, "and every option", wrong)
wrong = [r["key"] for r in keys if '\n.It Li "%s"' % manual.safe(r["key"]) not in written]
ok(len(keys) > 60 and not wrong, "and every key", wrong)
for kind in ("graph-break", "recompile", "nan", "signal"):
    like(written, r'^\.It Ic "%s[ "]' % kind, "and the kind of stop '%s'" % kind)

names = [n for name, others in names for n in [name] + others.split()]
is_(sorted(n for n in set(names) if names.count(n) > 1), [], "no two commands share a name")

with open(os.path.join(top, "doc", "cdbg.1")) as f:
    first = f.read()
usage = run(None, options=["--help"])[1]
is_(sorted(set(re.findall(r"Fl -?(\w+)", "\n".join(re.findall(r"^\.It Fl .*", first, re.M))))),
    sorted(set(re.findall(r"(?<![\w-])--?([a-z]+)", usage))), "doc/cdbg.1 has the options of --help")
ok(first.count("\n") <= 400, "and is short", "%d lines" % first.count("\n"))

for name, text in (("cdbg.1", first), ("cdbg-commands.7", written)):
    if not shutil.which("groff"):
        skip("groff has no remark on %s" % name, "no groff")
        continue
    seen = subprocess.run(["groff", "-mdoc", "-Tutf8", "-ww", "-z"], input=text, capture_output=True, text=True)
    is_(seen.stderr, "", "groff has no remark on %s" % name)
done()
