#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# One history file for the plain prompt and the full screen, for several sessions at once, in one format.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from cdbgtest import _folder

PROGRAM = script("x = 1\ny = 2\n")


def home(lines=None, rc=None):
    place = _folder()
    if lines is not None:
        with open(os.path.join(place, ".cdbg_history"), "w") as f:
            f.write(lines)
    if rc:
        with open(os.path.join(place, ".cdbgrc"), "w") as f:
            f.write(rc)
    return place


def kept(place):
    try:
        with open(os.path.join(place, ".cdbg_history")) as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def plain(place, *lines, leave="quit"):
    with Terminal(PROGRAM, options=("--plain", "-q"), env={"HOME": place}) as t:
        t.expect(r"\(cdbg\) $")
        for line in lines:
            t.line(line)
            t.expect(r"\(cdbg\) $")
        if leave:
            t.line(leave)
            t.expect("y or n")
            t.line("y")
            t.ended()
        return t.text


def screen(place, *lines, leave=True):
    with Screen(PROGRAM, options=["-q"], env={"HOME": place}) as s:
        for line in lines:
            s.line(line)
        if leave:
            s.line("quit")
            s.line("y", wait=False)
            s.ended()
        return s.text


# ---- one file ----

place = home()
plain(place, "print 'first plain'")
screen(place, "print 'then screen'", "print 1 \\\\ 2 # \u00e9")
plain(place, "print 'plain again'")
is_([l for l in kept(place) if l != "quit"],
    ["print 'first plain'", "print 'then screen'", "print 1 \\\\ 2 # \u00e9", "print 'plain again'"],
    "the plain prompt and the full screen keep their lines in one file, as they were typed")
with Terminal(PROGRAM, options=("--plain", "-q"), env={"HOME": place}) as t:
    t.expect(r"\(cdbg\) $")
    t.send("\x12then")
    t.expect("then screen")
    t.send("\n")
    is_(t.expect(r"^'[a-z ]+'$").group(), "'then screen'", "the plain prompt finds lines of the full screen")
with Screen(PROGRAM, options=["-q"], env={"HOME": place}) as s:
    s.keys("\x12first")
    s.keys("\r")
    s.see("first plain")
    like(s.text, r"^ *'first plain'$", "and the other way round")
is_(os.stat(os.path.join(place, ".cdbg_history")).st_mode & 0o777, 0o600, "nobody else reads it")

# ---- lines are kept at once ----

place = home()
with Screen(PROGRAM, options=["-q"], env={"HOME": place}) as s:
    s.line("print 'before the end'")
    is_(kept(place), ["print 'before the end'"], "a line is kept when it is typed, not when the full screen ends")
    s.line("print 'before the end'")
    is_(len(kept(place)), 1, "the same one twice is one")
    plain(place, "print 'meanwhile'")
    s.line("print 'after'")
    s.line("quit")
    s.line("y", wait=False)
    s.ended()
is_([l for l in kept(place) if l != "quit"], ["print 'before the end'", "print 'meanwhile'", "print 'after'"],
    "sessions at the same time lose nothing of each other")

# ---- the format of libedit ----

OLD = "_HiStOrY_V2_\nprint\\0401\nbreak\\040f\nprint\\040'\\\\134n'\nstep\nprint\\0402\\012quit\n".replace("\\\\134", "\\134")
for name, use in ("plain", plain), ("full screen", screen):
    place = home(OLD + "print 'appended plainly'\n")
    use(place, "print 'new'")
    is_([l for l in kept(place) if l != "quit"],
        ["print 1", "break f", "print '\\n'", "step", "print 2 quit", "print 'appended plainly'", "print 'new'"],
        "%s: a file that the full screen once wrote in libedit's format is taken over" % name)

# ---- its size ----

many = "".join("print %d\n" % i for i in range(100))
for name, use in ("plain", plain), ("full screen", screen):
    place = home(many, rc="set history-size 20\n")
    use(place, "print 'new'")
    lines = [l for l in kept(place) if l != "quit"]
    ok(len(lines) <= 41 and lines[-1] == "print 'new'" and lines[-2] == "print 99",
       "%s: 'set history-size' bounds the file" % name, lines)
    place = home(many, rc="set history-size 0\n")
    use(place, "print 'new'")
    is_(kept(place), many.splitlines(), "%s: with 0 nothing is written" % name)

# ---- a block of NULs, as a machine leaves it that loses its power ----

place = home("print 'before'\n" + "\0" * 100 + "print 'after'\nprint 'last'\n")
with Terminal(PROGRAM, options=("--plain", "-q"), env={"HOME": place}) as t:
    t.expect(r"\(cdbg\) $")
    t.send("\x12after\n")
    like(t.expect(r"^('\w+'|.*rror.*)$").group(0), "^'after'$", "lines after NULs are found")
place = home("print 'before'\n" + "\0" * 100 + "print 'behind'\n" + many, rc="set history-size 20\n")
plain(place, "print 'new'")
lines = [l for l in kept(place) if l != "quit"]
ok(len(lines) <= 41 and lines[-2:] == ["print 99", "print 'new'"], "they count, so that the file is cut, and survive that", lines)

# ---- what else the file may contain ----

place = home()
os.mkfifo(os.path.join(place, ".cdbg_history"))
like(plain(place, "print 40 + 2"), "^42$", "a pipe of that name stops nobody")
place, elsewhere = home(), home("print 'elsewhere'\n")
os.symlink(os.path.join(elsewhere, ".cdbg_history"), os.path.join(place, ".cdbg_history"))
plain(place, "print 'linked'")
ok(os.path.islink(os.path.join(place, ".cdbg_history")) and "print 'linked'" in kept(elsewhere), "a link is followed")
place = home("print 'locked'\n")
import fcntl
with open(os.path.join(place, ".cdbg_history")) as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    plain(place, "print 'new'")
is_([l for l in kept(place) if l != "quit"], ["print 'locked'", "print 'new'"], "a lock that is never released stops nobody")
done()
