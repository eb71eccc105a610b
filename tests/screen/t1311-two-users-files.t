#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that cdbg writes and reads by name, in folders where another user has prepared these names: links of that user are not
followed, files and pipes are not written to or waited for."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from two_users import *

prog = script("x = 1\ny = 2\n")
mine = folder("mine")
target = os.path.join(mine, "target")


def plain(*commands, env=None):
    return run(prog, options=["--plain", "-q"], commands=["break 2", *commands, "quit"], env=env, limit=60)[1]


# ---- files that a command names ---------------------------------------------------------------------------------

WAYS = [("a link to the user's file", lambda p: os.symlink(target, p), "link"),
        ("a link to a file that is not there", lambda p: os.symlink(target + "2", p), "link"),
        ("a link of a link", lambda p: (os.symlink(target, p + "2"), os.symlink(p + "2", p)), "link"),
        ("a pipe", os.mkfifo, "pipe"),
        ("a file of that user's", lambda p: put(p, "theirs", 0o666), "file")]
for what, command in ("save breakpoints", "save breakpoints %s"), ("the log", "set logging %s"):
    for n, (way, prepare, left) in enumerate(WAYS):
        shared = folder("%s%d" % (what.replace(" ", "-"), n), 0o777)
        path = os.path.join(shared, "name")
        put(target, "mine")
        as_other(prepare, path)
        out = plain(command % path, "p 6 * 7")
        like(out, r"cannot write '%s': .*another user" % path, "%s: %s of another user is refused" % (what, way))
        is_((text_of(target), os.path.exists(target + "2")), ("mine", False), "%s, %s: nothing else is written" % (what, way))
        is_(kind(path), left, "%s, %s: it stays" % (what, way))
        if left == "file":
            is_(text_of(path), "theirs", "%s, %s: it is as it was" % (what, way))
        is_([f for f in os.listdir(shared) if not f.startswith("name")], [], "%s, %s: nothing is left beside it" % (what, way))

shared = folder("shared", 0o777)
put(target, "earlier")
os.symlink(target, os.path.join(shared, "own"))
plain("save breakpoints %s/own" % shared)
is_((kind(shared + "/own"), "break" in text_of(target)), ("link", True), "a link that the user made is followed, and stays")
plain("set logging %s/own" % shared, "p 6 * 7")
like(text_of(target), r"\n42\n", "by the log, too")
theirs = folder("theirs", 0o755, other=True)
put(os.path.join(theirs, "bp"), "old")
os.chown(os.path.join(theirs, "bp"), OTHER, OTHER)
plain("save breakpoints %s/bp" % theirs)
st = os.stat(os.path.join(theirs, "bp"))
is_((st.st_uid, "break" in text_of(os.path.join(theirs, "bp"))), (OTHER, True), "root keeps the owner of a file in the owner's folder")

os.mkfifo(os.path.join(mine, "pipe"))
like(plain("save breakpoints %s/pipe" % mine), "cannot write '.*pipe': .*; no process reads from it", "a pipe without a reader is an error at once")
like(plain("set logging %s/pipe" % mine), "cannot write '.*pipe': .*; no process reads from it", "for the log, too")
is_(plain("source %s/pipe" % mine, "p 6 * 7").splitlines()[-1], "42", "one without a writer has no commands")
put(os.path.join(mine, "commands"), "p 'from the pipe'\n")
like(run(prog, options=["--plain", "-q"], commands=["source /proc/self/fd/0", "p 'rest'"], limit=60)[1], "'rest'", "an open pipe is read")

# ---- files in the home folder: root with another user's HOME ------------------------------------------------------


def plain_person(home, line):
    with Terminal(prog, options=("--plain", "-q"), env={"HOME": home}) as t:
        t.expect(r"\(cdbg\) $")
        t.line(line)
        t.expect(r"\(cdbg\) $")
        t.line("kill")
        t.expect("y or n")
        t.line("y")
        t.ended()


put(target, "mine")
LINKED = [("a link", os.symlink), ("a link to a file that is not there", lambda t, p: os.symlink(t + "2", p)), ("a second name", os.link)]
for n, (way, link) in enumerate(LINKED):
    home = folder("home%d" % n, 0o755, other=True)
    link(target, os.path.join(home, ".cdbg_history"))
    if way != "a second name":
        os.chown(os.path.join(home, ".cdbg_history"), OTHER, OTHER, follow_symlinks=False)
    plain_person(home, "print 'typed'")
    is_((text_of(target), os.path.exists(target + "2")), ("mine", False), "root's lines do not go where %s in another user's home leads" % way)
home = folder("home-history", 0o755, other=True)
put(os.path.join(home, ".cdbg_history"), "earlier\n" * 3000, 0o600)
os.chown(os.path.join(home, ".cdbg_history"), OTHER, OTHER)
plain_person(home, "print 'typed'")
st = os.stat(os.path.join(home, ".cdbg_history"))
is_((st.st_uid, st.st_mode & 0o777, st.st_size < 20000), (OTHER, 0o600, True), "a history that is too long is cut there: owner and mode stay")

if os.environ.get("CDBG_WRAP"):
    skip("layouts in another user's home", "not under a command")
else:
    for name in ".cdbg_layouts", ".cdbg_layouts.new":
        home = folder("home" + name, 0o755, other=True)
        as_other(os.symlink, target, os.path.join(home, name))
        with Screen(prog, options=["-q"], env={"HOME": home}) as s:
            s.line("layout save wide")
            s.line("quit")
            s.line("y", wait=False)
            s.ended()
        is_(text_of(target), "mine", "layouts do not go where a link %s in another user's home leads" % name)
    home = folder("home-pipe", 0o755)
    os.mkfifo(os.path.join(home, ".cdbg_layouts"))
    with Screen(prog, options=["-q"], env={"HOME": home}) as s:
        like(s.text, "x = 1", "a pipe in place of the layouts does not hold up the start")
    path = os.path.join(folder("output", 0o777), "name")
    as_other(os.symlink, target, path)
    with Screen(script("x = 1\nprint('shown')\n"), options=["-q"], env={"HOME": home}, cols=120) as s:
        s.line("set output " + path)
        s.line("next")
        s.line("next")
        is_(text_of(target), "mine", "the program's output does not go where another user's link leads")

# ---- commands and plugins ---------------------------------------------------------------------------------------------

place = folder("place", 0o755, other=True)
put(os.path.join(place, ".cdbgrc"), "p 'from here'\n")
home = folder("rc-home")
put(os.path.join(home, ".cdbgrc"), "set auto-load safe-path /\n")


def start(cwd=place, **env):
    return run(prog, options=["--plain", "-q"], commands=["quit"], env=dict({"HOME": home}, **env), cwd=cwd)[1]


like(start(), "'./.cdbgrc' was not read: another user owns its directory", "commands are not read from another user's folder, whoever owns the file")
rc_home = folder("pipe-home")
os.mkfifo(os.path.join(rc_home, ".cdbgrc"))
like(start(HOME=rc_home), "was not read: it is not a regular file", "a pipe in place of ~/.cdbgrc does not hold up the start")

plugins = folder("plugins", 0o755)
put(os.path.join(plugins, "x.so"), "not a plugin")
like(start(CDBG_PLUGIN_PATH=plugins), "plugin '.*x.so' is not used: .*(invalid ELF|file too short)", "a plugin in the user's folder is loaded")
os.chmod(os.path.join(plugins, "x.so"), 0o666)
like(start(CDBG_PLUGIN_PATH=plugins), "is not used: every user can write it: 'chmod o-w ", "one that every user can write is not")
os.chmod(os.path.join(plugins, "x.so"), 0o644)
os.chmod(plugins, 0o777)
like(start(CDBG_PLUGIN_PATH=plugins), "is not used: every user can write to the folder", "one in a folder that every user can write to is not")
sticky = folder("sticky")
os.chmod(sticky, 0o1777)
put(os.path.join(sticky, "a.so"), "not a plugin")
as_other(put, os.path.join(sticky, "b.so"), "not a plugin")
out = start(CDBG_PLUGIN_PATH=sticky)
like(out, "a.so' is not used: .*(invalid ELF|file too short)", "of a sticky folder the user's own is loaded")
like(out, "b.so' is not used: every user can write to the folder '.*sticky', and another one owns 'b.so' in it", "another user's is not")
as_other(os.mkdir, os.path.join(sticky, "deep"))
as_other(put, os.path.join(sticky, "deep", "c.so"), "not a plugin")
like(start(CDBG_PLUGIN_PATH=os.path.join(sticky, "deep")), "another one owns 'deep' in it", "nor is one in another user's folder there")
theirs = folder("their-plugins", 0o755, other=True)
as_other(put, os.path.join(theirs, "d.so"), "not a plugin")
like(start(CDBG_PLUGIN_PATH=theirs), "d.so' is not used: .*(invalid ELF|file too short)", "one in another user's own folder, which the user named, is loaded")
done()
