#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Which files of commands are read unasked: only what the user wrote, and nobody else can write.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import _folder


def put(folder, text, mode=0o644, name=".cdbgrc"):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def go(here, home, *options, commands=()):
    return run("five.py", options=["-q", *options], commands=list(commands) + ["quit"], cwd=here, env={"HOME": home})[1]


def places(rc="", local="print 'from here'\n"):
    here, home = os.path.realpath(_folder()), os.path.realpath(_folder())
    put(here, "x = 1\n", name="five.py")
    if local is not None:
        put(here, local)
    if rc is not None:
        put(home, rc.replace("HERE", here))
    return here, home


HERE, HOME = "^'from here'$", "^'from home'$"
SAFE = "set auto-load safe-path HERE\n"

here, home = places(rc="print 'from home'\n")
out = go(here, home)
like(out, HOME, "~/.cdbgrc is read")
unlike(out, HERE, "./.cdbgrc is not read by default")
like(out, r"^warning: '\./\.cdbgrc' was not read: .*put 'set auto-load safe-path %s' into ~/\.cdbgrc$" % here,
     "one line reports it, and how to allow it")
is_(out.count("was not read"), 1, "once")
put(home, "set auto-load safe-path %s\n" % here)
like(go(here, home), HERE, "what that line says to do works")
unlike(go(here, home, "-nx"), HERE + "|not read", "-nx reads neither, and says nothing")

for what, rc, read in [
        ("the directory above", "set auto-load safe-path %s\n" % os.path.dirname(here), True),
        ("one of several directories", "set auto-load safe-path /nowhere:HERE:/usr\n", True),
        ("everything", "set auto-load safe-path /\n", True),
        ("the directory by the option's whole name", "set auto-load-safe-path HERE\n", True),
        ("a directory that begins alike", "set auto-load safe-path HERE2:HEREx\n", False),
        ("part of the directory's name", "set auto-load safe-path " + here[:-2] + "\n", False),
        ("a directory below", "set auto-load safe-path HERE/sub\n", False),
        ("nothing", "set auto-load safe-path\n", False)]:
    put(home, rc.replace("HERE", here))
    out = go(here, home)
    (like if read else unlike)(out, HERE, "safe-path with %s: the file is %sread" % (what, "" if read else "not "))

put(home, SAFE.replace("HERE", here))
put(here, "set auto-load safe-path /\nprint 'from here'\n")
os.unlink(os.path.join(home, ".cdbgrc"))
unlike(go(here, home), HERE, "a file cannot declare itself safe")
out = go(here, home, "-ex", "set auto-load safe-path /")
unlike(out, HERE, "nor does -ex, which runs later")
out = go(here, home, commands=["show auto-load safe-path", "set auto-load safe-path /a:/b", "show auto-load safe-path"])
like(out, r"^auto-load-safe-path\s+-\s(.*\n)+?auto-load-safe-path\s+/a:/b\s", "show auto-load safe-path")

# ---- whose file it is ----

for mode, read in (0o600, True), (0o644, True), (0o664, False), (0o646, False), (0o666, False):
    here, home = places(rc=SAFE)
    os.chmod(os.path.join(here, ".cdbgrc"), mode)
    out = go(here, home)
    (like if read else unlike)(out, HERE, "./.cdbgrc of mode %o is %sread" % (mode, "" if read else "not "))
    if not read:
        like(out, r"not read: other users can write it: 'chmod go-w ", "mode %o: it says why" % mode)
    here, home = places(rc="print 'from home'\n", local=None)
    os.chmod(os.path.join(home, ".cdbgrc"), mode)
    out = go(here, home)
    (like if read else unlike)(out, HOME, "~/.cdbgrc of mode %o is %sread" % (mode, "" if read else "not "))

if os.geteuid() == 0:
    here, home = places(rc=SAFE)
    os.chown(os.path.join(here, ".cdbgrc"), 12345, 12345)
    out = go(here, home)
    unlike(out, HERE, "./.cdbgrc of another user is not read")
    like(out, r"not read: another user owns it \(uid 12345\)", "it names the owner")
    here, home = places(rc="print 'from home'\n", local=None)
    os.chown(os.path.join(home, ".cdbgrc"), 12345, 12345)
    unlike(go(here, home), HOME, "nor is ~/.cdbgrc of another user")
    here, home = places(rc=SAFE, local=None)
    other = put(os.path.realpath(_folder()), "print 'from here'\n")
    os.chown(other, 12345, 12345)
    os.symlink(other, os.path.join(here, ".cdbgrc"))
    unlike(go(here, home), HERE, "nor is one after a link")
else:
    skip("files of other users are not read", "only root can make them")

here, home = places(rc=SAFE)
os.chmod(here, 0o777)
out = go(here, home)
unlike(out, HERE, "a file that everybody can replace is not read")
like(out, "every user can replace files", "it says why")
os.chmod(here, 0o1777)
like(go(here, home), HERE, "in a directory with the sticky bit only its owner can")

here, home = places(rc=SAFE, local=None)
out = go(here, home)
unlike(out, "not read", "without the file there is nothing to say")
os.mkfifo(os.path.join(here, ".cdbgrc"))
like(go(here, home), "not a regular file", "a pipe of that name is not waited for")
here, home = places(rc=SAFE, local=None)
os.symlink(put(os.path.realpath(_folder()), "print 'from here'\n"), os.path.join(here, ".cdbgrc"))
unlike(go(here, home), HERE, "a link that leads out of the safe path is not followed")

here, home = places(rc=None)
out = go(here, here)
is_(out.count("'from here'"), 1, "where the home is the current directory, the file is ~/.cdbgrc")
with Cdbg("x = 1\n", env={"HOME": places()[1]}, cwd=here) as d:
    ok(any("was not read" in n["text"] for n in d.notes) or d.do("info cdbg") and any(
        "was not read" in n["text"] for n in d.notes), "a machine gets a note", d.notes)
done()
