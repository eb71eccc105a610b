#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report in a folder where another user has prepared names: nothing that a link leads to, and nothing of that user's, is removed."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from two_users import *
from cdbgtest import argv, environment

MARK = ".cdbg-unfinished"
REPORT = '{"format":"cdbg report"}'
prog = script("print('ran')\n")


def precious(name):
    path = folder(name)
    os.mkdir(os.path.join(path, "inner"))
    put(os.path.join(path, "inner", "thesis"), "years of work")
    return path


def is_whole(path, name):
    is_(text_of(os.path.join(path, "inner", "thesis")) if os.path.exists(os.path.join(path, "inner", "thesis")) else "gone",
        "years of work", name)


def unfinished(path, *links, mark=0o666):
    os.mkdir(path)
    if mark:
        put(os.path.join(path, MARK), "", mark)
    for i, target in enumerate(links):
        os.symlink(target, os.path.join(path, "x%d" % i))


def report(where):
    return run(prog, options=["--report", where])


# A user who is not root cannot remove a link in another user's directory, and must not follow it.
victim, everybodys, works = precious("victim"), folder("everybodys"), folder("works", owner=ONE)
os.chmod(everybodys, 0o1777)
for top_, _, names in os.walk(victim):
    for path in [top_] + [os.path.join(top_, n) for n in names]:
        os.chown(path, ONE, ONE)
os.chmod(os.path.dirname(prog), 0o755)
as_other(unfinished, os.path.join(everybodys, "rep.1.tmp"), victim, os.path.join(victim, "inner"))
p = run_as_one(argv("-m", "cdbg", "--report", os.path.join(everybodys, "rep"), prog), env={"HOME": works})
if p is None:
    skip("another user's unfinished directory", "needs setpriv")
else:
    is_((p.returncode, p.stdout), (0, "ran\n"), "a report of a user who is not root, beside another user's unfinished directory")
    is_whole(victim, "what links in that directory lead to stays")
    as_other(os.symlink, victim, os.path.join(everybodys, "rep2.1.tmp"))
    trap = 'for i in $(seq $$ $(($$ + 3))); do ln -s "$1" "$2.$i.tmp"; chown -h %d "$2.$i.tmp"; done; shift 2; exec "$@"' % OTHER
    p = subprocess.run(["sh", "-c", trap, "sh", victim, os.path.join(everybodys, "rep2"), *AS_ONE,
                        *argv("-m", "cdbg", "--report", os.path.join(everybodys, "rep2"), prog)], env=environment({"HOME": works}),
                       capture_output=True, text=True, timeout=300)
    is_((p.returncode, p.stdout), (0, "ran\n"), "where another user's link has the name under which it would be written")
    is_whole(victim, "what it leads to stays")
    ok(os.path.isfile(os.path.join(everybodys, "rep2", "index.json")), "the report is there")

home, shared = precious("home"), folder("shared", 0o777)
rep = os.path.join(shared, "rep")
as_other(unfinished, rep + ".1.tmp", home)
is_(report(rep)[:2], (0, "ran\n"), "a report beside another user's unfinished directory is written")
is_whole(home, "what a link in that directory leads to stays")
is_(sorted(os.listdir(rep + ".1.tmp")), sorted([MARK, "x0"]), "that directory stays as it is")
ok(os.path.isfile(rep + "/index.json"), "the report is there")

unfinished(rep + ".2.tmp", mark=0)
os.chmod(rep + ".2.tmp", 0o777)
as_other(lambda: (put(rep + ".2.tmp/" + MARK, "", 0o666), put(rep + ".2.tmp/x", "")))
put(rep + ".2.tmp/mine", "mine")
report(rep)
is_(sorted(os.listdir(rep + ".2.tmp")), sorted([MARK, "x", "mine"]), "a directory of the user's with another user's mark in it stays")

unfinished(rep + ".3.tmp", home)
os.mkdir(rep + ".3.tmp/deep")
os.symlink(home, rep + ".3.tmp/deep/link")
as_other(os.symlink, home, rep + ".4.tmp")
report(rep)
is_whole(home, "an unfinished directory of the user's is removed, and its links are not followed")
is_((kind(rep + ".3.tmp"), kind(rep + ".4.tmp")), (None, "link"), "it is gone; another user's link of such a name stays")

# The name with the process number: a shell makes the link and becomes the interpreter.
trap = 'ln -s "$1" "$2.$$.tmp" && chown -h %d "$2.$$.tmp" && shift 2 && exec "$@"' % OTHER
p = subprocess.run(["sh", "-c", trap, "sh", home, rep, *argv("-m", "cdbg", "--report", rep, prog)], env=environment(),
                   capture_output=True, text=True, timeout=300)
is_((p.returncode, p.stdout), (0, "ran\n"), "the program runs where a link has the name under which the report would be written")
is_whole(home, "what this link leads to stays")
is_(sorted(os.listdir(home)), ["inner"], "nothing is written there")
is_(text_of(rep + "/index.json")[:23], REPORT[:23], "the report is written under another name first")
like(p.stderr, r"\Acdbg: report: 4 files, \d+ bytes: open '%s/index\.html' in a browser\n\Z" % re.escape(rep), "without a warning")


def foreign(path, target):
    os.mkdir(path)
    put(os.path.join(path, "index.json"), REPORT)
    os.symlink(target, os.path.join(path, "x"))


as_other(foreign, os.path.join(shared, "theirs"), home)
status, out, err = report(os.path.join(shared, "theirs"))
is_((status, out), (2, ""), "a directory of another user is not replaced by a report")
like(err, r"another user \(uid %d\) owns the directory .*; choose another name" % OTHER, "the error names its owner, and what to do")
is_whole(home, "what its links lead to stays")

as_other(os.symlink, home, os.path.join(shared, "linked"))
status, out, err = report(os.path.join(shared, "linked"))
is_((status, out), (2, ""), "a link that leads to a directory that cdbg did not write is refused")
is_whole(home, "that directory stays")

earlier = os.path.join(folder("earlier"), "rep")
report(earlier)
put(os.path.join(earlier, "index.json"), REPORT + "earlier")
as_other(os.symlink, earlier, os.path.join(shared, "to-earlier"))
status, out, err = report(os.path.join(shared, "to-earlier"))
is_((status, out), (2, ""), "another user's link that leads to a report is refused")
like(err, r"a symbolic link of another user \(uid %d\), which is not followed" % OTHER, "the error says why")
is_(text_of(os.path.join(earlier, "index.json")), REPORT + "earlier", "that report stays")
os.symlink(earlier, os.path.join(shared, "own-link"))
report(os.path.join(shared, "own-link"))
ok(text_of(os.path.join(earlier, "index.json")) != REPORT + "earlier", "a link that the user made is followed")

own = folder("own")
put(os.path.join(own, "index.json"), REPORT)
os.symlink(home, os.path.join(own, "functions"))
os.mkdir(os.path.join(own, "sub"))
os.symlink(home, os.path.join(own, "sub", "link"))
is_(report(own)[:2], (0, "ran\n"), "an earlier report is replaced")
is_whole(home, "links in it are not followed")
is_([kind(os.path.join(own, n)) for n in ("functions", "sub")], [None, None], "they are gone")

diff = folder("diff", 0o777)
as_other(os.mkfifo, os.path.join(diff, "index.json"))
status, out, err = run("x = 1\n", options=["--plain", "-q"], commands=["report diff %s %s" % (diff, rep), "quit"], limit=30)
is_(status, 0, "a pipe in place of a report's data does not hold up the session")

# Its own files: another user may put names into a directory that everybody can write to.
old = os.umask(0)
try:
    open_rep = os.path.join(folder("open", 0o777), "rep")
    is_(report(open_rep)[:2], (0, "ran\n"), "with a umask of 0 a report is written")
    as_other(os.symlink, home, os.path.join(open_rep, "trap"))
    is_(report(open_rep)[:2], (0, "ran\n"), "and replaced after another user has put a link into it")
    is_whole(home, "the link is not followed")
finally:
    os.umask(old)
done()
