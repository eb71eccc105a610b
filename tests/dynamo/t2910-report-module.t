#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`python -m cdbg.report` makes and compares reports from their data alone: without torch, inside the directory only, and with one line of
error for data that are no report's. The command `report` writes the data where jinja2 is missing, and shows the program nothing of it."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
NO_TORCH = place("no-torch")
os.makedirs(NO_TORCH)
for name in "torch", "numpy":
    with open(os.path.join(NO_TORCH, name + ".py"), "w") as f:
        f.write("raise ImportError('there is no %s here')\n" % name)


def module(*args, more=()):
    """(status, output, error output) of python -m cdbg.report without torch.  more: options of Python."""
    env = environment()
    env["PYTHONPATH"] = NO_TORCH + os.pathsep + env.get("PYTHONPATH", "")
    done = subprocess.run([*argv()[:1], *more, "-m", "cdbg.report", *args], capture_output=True, text=True, env=env)
    return done.returncode, done.stdout, done.stderr


PROGRAM = """
    import sys
    import torch

    def helper(x):
        return torch.relu(x) * 2

    @torch.compile(backend="aot_eager", dynamic=False)
    def f(x, n):
        y = helper(x) + n
        print("break", "<b>\\u202e&")
        return y.sum()

    for n in 1, 2.5, 1:
        f(torch.ones(3), n)
    print([name for name in sys.modules if name.partition(".")[0] in ("jinja2", "markupsafe", "cdbg_report", "cdbg_graphs")])
"""
path = script(PROGRAM)
status, out, err, first = report(path, "first")
is_((status, out), bare(path)[:2], "the program prints what it prints without cdbg")
valid(first, "the data is as the schema says")

# ---- pages again -----------------------------------------------------------------------------------------------------

again = place("again")
os.makedirs(again)
shutil.copy(os.path.join(first, "index.json"), again)
status, out, err = module(again)
is_((status, err), (0, ""), "pages are made from index.json alone, without torch")
like(out, r"^\d+ files, \d+ bytes: open '.*/again/index.html' in a browser$", "the answer names the first page")
is_(files(again), files(first), "they have the files that cdbg wrote")
is_([n for n in files(first) if text(first, n) != text(again, n)], [], "each with the same text")
like(text(again, data(first)["functions"][0]["folder"], "index.html"), r"torch</span>|helper", "the page shows source that the machine lacks")
d = data(first)
for f in d["functions"]:
    f.pop("folder")
    for s in [s for e in f["entry"] for g in e["graphs"] for s in g["stages"]]:
        s.pop("file")
with open(os.path.join(again, "index.json"), "w") as f:
    json.dump(d, f)
is_((module(again)[0], [n for n in files(first) if text(first, n) != text(again, n)]), (0, []), "data without the names of files gives the same")
status, out, err = module("--diff", first, again)
is_((status, out, err), (0, "nothing changed\n", ""), "--diff compares two reports without torch")
other = changed(first, "other", lambda d: d["functions"][-1]["breaks"].clear())
like(module("--diff", first, other)[1], r"no more graph break at ", "and says what changed")
with Cdbg("print(1)\n") as c:
    is_(c.do("report diff %s %s" % (first, other))["text"] + "\n", module("--diff", first, other)[1], "in the words of 'report diff'")

# ---- without jinja2 --------------------------------------------------------------------------------------------------

status, out, err = module(again, more=["-S"])
is_((status, out, err), (1, "", "cdbg: the pages need jinja2: 'pip install jinja2' installs it\n"), "without jinja2 it says what is missing")
is_(module("--diff", first, again, more=["-S"])[1], "nothing changed\n", "a comparison needs no jinja2")
status, out, err, where = report(script("""
    import sys
    sys.path[:] = [p for p in sys.path if "site-packages" not in p]
    print("ran")
    """), "bare")
is_((status, out), (0, "ran\n"), "a program that cannot import jinja2 runs")
like(err, r"^cdbg: report: 1 files, \d+ bytes, no pages: the pages need jinja2: 'pip install jinja2' installs it; 'python -m cdbg\.report .*bare' makes them$",
     "cdbg says how to make the pages")
is_(files(where), ["index.json"], "the data is there")
is_((module(where)[0], os.path.exists(os.path.join(where, "index.html"))), (0, True), "the pages are made later")
with Cdbg("""
    import sys
    kept = sys.path[:]
    sys.path[:] = [p for p in kept if "site-packages" not in p]
    print(1)
""") as c:
    c.do("next 3")
    reply = c.do("report %s" % place("at-stop"))
    like(reply["text"], r"no pages: the pages need jinja2", "at a stop, too")
    is_(reply["files"], 1, "and the answer counts the data")

# ---- a program with other modules of these names ---------------------------------------------------------------------

path = script("""
    import sys
    sys.modules["jinja2"] = sys.modules["markupsafe"] = None
    print("ran")
    """)
os.makedirs(os.path.join(os.path.dirname(path), "jinja2"))
with open(os.path.join(os.path.dirname(path), "jinja2", "__init__.py"), "w") as f:
    f.write("print('the program has a jinja2 of its own')\n")
status, out, err, where = report(path, "replaced")
is_((status, out), (0, "ran\n"), "a program with a jinja2 of its own runs, and cdbg does not run that")
ok(os.path.exists(os.path.join(where, "index.html")), "its report has pages", err)

# ---- only inside the directory ---------------------------------------------------------------------------------------


def refused(how, words, where=None, *more):
    status, out, err = module(*more, where)
    ok(status == 1 and out == "" and re.fullmatch(r"cdbg: .*\n", err) and re.search(words, err), how, (status, out, err))


outside = place("outside")
os.makedirs(outside)
folder = data(first)["functions"][-1]["folder"]
for what, link in ("a folder", folder), ("the folder of the style sheet", "assets"):
    where = changed(first, "link-" + link, lambda d: None)
    os.symlink(outside, os.path.join(where, link))
    refused("%s that is a link is not followed" % what, "cannot write", where)
where = changed(first, "link-page", lambda d: None)
with open(os.path.join(outside, "mine"), "w") as f:
    f.write("mine")
os.symlink(os.path.join(outside, "mine"), os.path.join(where, "index.html"))
is_((module(where)[0], os.path.islink(os.path.join(where, "index.html"))), (0, False), "a page that is a link is replaced")
os.symlink(where, place("to-report"))
refused("a directory that is a link is refused", "is a link", place("to-report"))
where = changed(first, "link-data", lambda d: None)
os.rename(os.path.join(where, "index.json"), os.path.join(where, "data"))
os.symlink("data", os.path.join(where, "index.json"))
refused("data that is a link is refused", "is not a report", where)
where = changed(first, "up", lambda d: [f.update(qualname="../../outside/x", folder="../../outside/x") for f in d["functions"]])
module(where)
is_((os.listdir(outside), text(outside, "mine")), (["mine"], "mine"), "nothing outside the directory is written, whatever names the data has")
where = changed(first, "unfinished", lambda d: None)
open(os.path.join(where, ".cdbg-unfinished"), "w").close()
refused("a report that is being written is refused", "is not a report", where)
os.makedirs(place("empty"))
refused("a directory without a report is refused", "is not a report", place("empty"))
refused("a directory that does not exist is refused", "No such file", place("nowhere"))
os.makedirs(place("pipe"))
os.mkfifo(os.path.join(place("pipe"), "index.json"))
refused("a pipe without a writer is refused at once", "regular file", place("pipe"))
done()
