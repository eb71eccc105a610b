#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports of programs with several threads that compile, of programs that end in the middle of a compile, with hostile
texts in files for tools, the same names in two runs, and what Tab completes after report."""
import ast
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
path = script("""
    import sys, threading, torch

    def work(i):
        names = {}
        exec("def k%d(x):\\n    return x * %d\\n" % (i, i), names)
        for n in 2, 3:
            torch.compile(names["k%d" % i], backend="eager", dynamic=False)(torch.ones(n))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print("done")
""")
status, out, err, where = report(path, "threads")
is_((status, out), (0, "done\n"), "threads that compile: the program runs")
is_(sorted((f["qualname"], len(f["entry"])) for f in data(where)["functions"]), [("k%d" % i, 2) for i in range(4)], "each function of each thread is there, with its entries")
valid(where, "the data is as the schema says")

for how, end, wanted in (("an exception of a backend", "raise ValueError('boom')", 1), ("sys.exit in a backend", "sys.exit(3)", 3),
                         ("SIGTERM in a backend", "os.kill(os.getpid(), signal.SIGTERM)", -15)):
    path = script("""
        import os, signal, sys, torch

        def f(x):
            return x + 1

        def g(x):
            return x + 2

        def backend(gm, inputs):
            %s

        torch.compile(f, backend="eager")(torch.ones(2))
        print("first", flush=True)
        torch.compile(g, backend=backend)(torch.ones(2))
    """ % end)
    got, out, err, where = report(path, "end%d" % wanted)
    is_((got, out), bare(path)[:2], "%s: output and status are those of the program" % how)
    is_(got, wanted, "%s: it ends the program" % how)
    ok("f" in [f["qualname"] for f in data(where)["functions"]], "%s: the report has what was compiled before" % how)
    valid(where, "%s: the data is as the schema says" % how)

EVIL = ["</script><script>alert(1)</script>", "a\nb\r\x1b[31mc", "\u202eevil", "'''\"\"\"\\", "\u4e2d\u00e4", "../../x"]
path = script("""
    import torch
    EVIL = %s

    def make(name):
        def f(x, **named):
            y = x + len(named)
            return {name: y, "\\ud800": name}
        f.__code__ = f.__code__.replace(co_name=name, co_qualname=name, co_filename=name)
        return f

    for name in EVIL:
        g = torch.compile(make(name), backend="eager")
        for n, value in (2, 1), (3, name):
            try:
                g(torch.ones(n), **{name: value})
            except Exception as e:
                print(type(e).__name__)
    print("end")
""" % ascii(EVIL))
status, out, err, where = report(path, "hostile")
is_((status, out), bare(path)[:2], "hostile names of functions, files, keys and arguments: the program runs as without cdbg")
valid(where, "the data is as the schema says")
bad = []
for name in files(where):
    with open(os.path.join(where, name), "rb") as f:
        raw = f.read()
    if not re.fullmatch(r"[A-Za-z0-9._/-]+", name):
        bad.append("name %r" % name)
    try:
        words = raw.decode()
    except UnicodeDecodeError as e:
        bad.append("%s: %s" % (name, e))
        continue
    found = re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", words)
    if found:
        bad.append("%s: control character in %r" % (name, words[max(0, found.start() - 60):found.end() + 20]))
    if name.endswith(".html") and "<script>alert" in words:
        bad.append("%s: markup" % name)
    if name.endswith(".py"):
        try:
            ast.parse(words)
        except SyntaxError as e:
            bad.append("%s: %s" % (name, e))
is_(bad, [], "every file is UTF-8 without control characters, each .py is Python, no name is more than letters, digits and ._-")
ok(len(data(where)["functions"]) >= 5, "the functions are there", [f["qualname"] for f in data(where)["functions"]])
is_(files(report(path, "again")[3]), files(where), "another run has the same names")

os.makedirs(place("tab/reports-one"))
os.makedirs(place("tab/reports-two/inner"))
with open(place("tab/reports-file"), "w"):
    pass
with Cdbg("""
    import torch
    def some_function(x):
        return x + 1
    torch.compile(some_function, backend="eager")(torch.ones(2))
    print("end")
""") as s:
    s.do("break 5")
    s.go()

    def tab(line):
        return " ".join(s.text("complete " + line).split())

    like(tab("report %s" % place("tab/rep")), r"reports-one/ .*reports-two/$", "Tab completes directories, no files")
    like(tab("report %s" % place("tab/reports-t")), r"reports-two/$", "also after a hyphen")
    like(tab("report %s some_f" % place("tab")), "some_function", "and functions after one")
    like(tab("report diff a %s" % place("tab/rep")), "reports-one/", "both directories of report diff")
done()
