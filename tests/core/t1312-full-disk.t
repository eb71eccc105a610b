#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that cannot be written completely: the earlier one stays as it was, nothing is left beside it, and the error names the file,
the reason and the remedy."""
import os
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import _folder

prog = script("import resource\nx = 1\ny = 2\n")
BREAKS = ["break 2", "break 3"] + ["break 3 if x == %d" % i for i in range(300)]


def plain(*commands, env=None, before=("next",)):
    return run(prog, options=["--plain", "-q"], commands=[*before, *commands, "kill"], env=env, limit=120)[1]


def text_of(path):
    with open(path) as f:
        return f.read()


def put(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def limited(n):
    return "! resource.setrlimit(resource.RLIMIT_FSIZE, (%s, resource.RLIM_INFINITY))" % n


# ---- a limit of the process: no root needed ---------------------------------------------------------------------------

here = _folder()
file = put(os.path.join(here, "bp"), "earlier")
out = plain("break 3", limited(5), "save breakpoints " + file, limited("resource.RLIM_INFINITY"))
like(out, r"error: cannot write '%s': File too large; the earlier file is unchanged; .*'ulimit -f'" % file, "save breakpoints names file, reason and remedy")
is_((text_of(file), os.listdir(here)), ("earlier", ["bp"]), "the earlier file is as it was, alone")
out = plain("break 3", limited(5), "save breakpoints " + file + "2", limited("resource.RLIM_INFINITY"))
like(out, r"error: cannot write '%s2': File too large; the limit" % file, "the error about a new file names no earlier one")
is_(os.listdir(here), ["bp"], "and there is none")

log = os.path.join(here, "log")
out = plain("set logging " + log, "p 'one'", limited(60), "p 'two' * 10", "p 'three' * 10", limited("resource.RLIM_INFINITY"), "p 'four'")
is_(out.count("cannot write to the log"), 1, "a log that cannot be written is reported once")
like(out, r"warning: cannot write to the log '%s': File too large; .*'ulimit -f'.*; until it can be written, text is missing" % log,
     "with file, reason, remedy, and what follows")
like(text_of(log), r"(?s)'one'.*\n\[cdbg: \d+ bytes are missing here: File too large\]\n.*'four'", "it continues, and says where text is missing")
out = plain("set logging /dev/full", "p 'one'", "p 'two'", "set logging " + log, "p 'five'")
is_((out.count("cannot write to the log '/dev/full': No space left on device; free space"), out.count("cannot write")), (1, 1),
    "the same for a full disk")
like(text_of(log), "'five'", "another name is written to")
like(plain("set logging " + log, "set logging /dev/full", "p 1", "set logging", "set logging /dev/full", "p 1"),
     r"(?s)(cannot write to the log.*){2}", "set again, it is reported again")

# ---- what the file is -------------------------------------------------------------------------------------------------

for mode in 0o600, 0o640, 0o755:
    os.chmod(file, mode)
    plain("break 3", "save breakpoints " + file)
    is_(stat.S_IMODE(os.stat(file).st_mode), mode, "a file of mode %o keeps it" % mode)
like(text_of(file), "^break ", "it has the breakpoints")
old = os.umask(0o027)
try:
    plain("save breakpoints " + os.path.join(here, "new"))
finally:
    os.umask(old)
is_(stat.S_IMODE(os.stat(os.path.join(here, "new")).st_mode), 0o640, "a new file has the mode that the umask leaves")
os.mkdir(os.path.join(here, "deep"))
os.symlink("deep/real", os.path.join(here, "link"))
for what in "to nothing", "to a file":
    plain("break 3", "save breakpoints link", before=["! import os; os.chdir(%r)" % here, "next"])
    is_((os.readlink(os.path.join(here, "link")), text_of(os.path.join(here, "deep", "real")).startswith("break")), ("deep/real", True),
        "a link %s is followed" % what)
os.link(file, os.path.join(here, "second"))
before = text_of(file)
plain("save breakpoints " + file)
is_((text_of(file), text_of(os.path.join(here, "second"))), ("", before), "a second name of a file keeps the earlier text")
is_(sorted(os.listdir(here)), ["bp", "deep", "link", "log", "new", "second"], "nothing is left beside them")

for target, reason in ((here, "Is a directory; choose the name of a file"), (here + "/no/bp", "No such file or directory; create its folder"),
                       (file + "/bp", "Not a directory"), (here + "/", "Is a directory"), ("/dev/full", "No space left on device")):
    like(plain("break 3", "save breakpoints " + target), "error: cannot write '%s': %s" % (target, reason), "%s: %s" % (target.replace(here, "."), reason))
os.symlink("loop", os.path.join(here, "loop"))
like(plain("save breakpoints %s/loop" % here), "cannot write '.*loop': Too many levels of symbolic links", "a link to itself is an error")
like(plain("break 3", "save breakpoints /dev/stdout"), "^break prog.py:3|^break .*prog.py:3", "/dev/stdout is written to")
whole = put(os.path.join(here, "output"), "before\n")
with open(whole, "a") as f:
    subprocess.run([interpreter(), "-m", "cdbg", "--plain", "-q", prog], input="break 3\nsave breakpoints /dev/stdout\nkill\n", stdout=f,
                   env=dict(os.environ, PYTHONPATH=os.path.join(build, "inplace"), HOME=here), text=True, timeout=120)
like(text_of(whole), r"(?s)^before\n.*break .*prog.py:3\n", "where standard output is a file, what is in it stays")

# ---- a full disk ------------------------------------------------------------------------------------------------------

disk = os.path.join(here, "disk")
os.mkdir(disk)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
    skip("a full disk", "needs to mount a file system")
    done()
    sys.exit()


def fill():
    fd = os.open(os.path.join(disk, "ballast"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        while True:
            os.write(fd, b"x" * 4096)
    except OSError:
        os.close(fd)


try:
    saved = put(os.path.join(disk, "bp"), "earlier")
    fill()
    out = plain("save breakpoints " + saved, before=["next", *BREAKS])
    like(out, "error: cannot write '%s': No space left on device; the earlier file is unchanged; free space on its disk" % saved,
         "on a full disk save breakpoints reports it")
    is_((text_of(saved), sorted(os.listdir(disk))), ("earlier", ["ballast", "bp"]), "the earlier file is as it was, and alone")
    os.unlink(os.path.join(disk, "ballast"))
    plain("save breakpoints " + saved, before=["next", *BREAKS])
    is_(text_of(saved).count("\n"), len(BREAKS), "with room, all is written")

    home = os.path.join(disk, "home")
    os.mkdir(home)
    history = put(os.path.join(home, ".cdbg_history"), "")
    with open(history, "w") as f:
        f.write("earlier\n" * 512)              # one page
    fill()
    with Terminal(prog, options=("--plain", "-q"), env={"HOME": home}) as t:
        t.expect(r"\(cdbg\) $")
        for i in range(2):
            t.line("p %d + 100" % i)
            t.expect(r"\(cdbg\) $")
        t.line("kill")
        t.expect("y or n")
        t.line("y")
        t.ended()
        is_(t.text.count("the history cannot be written to ~/.cdbg_history: No space left on device; free space"), 1, "a history that cannot be written is reported once")
    is_(text_of(history), "earlier\n" * 512, "it keeps its lines, whole")
finally:
    subprocess.run(["umount", "-l", disk])
done()
