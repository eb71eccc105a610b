#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Graphs, code, entries and overrides that cannot be written completely: the earlier file stays, nothing is left beside it, and the error
names the file, the reason and the remedy."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import resource, torch
    def f(x, y):
        return (x * 2 + y).sum()
    g = torch.compile(f, backend="eager")
    x, y = torch.rand(600, 600), torch.rand(600, 600)
    for _ in range(2):
        g(x, y)
    done = 1
"""
_temporary = tempfile.TemporaryDirectory(prefix="cdbg-full-")
here = _temporary.name


def text_of(path):
    with open(path) as f:
        return f.read()


def put(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


COMMANDS = {"graph save": "graph save %s 0/0 with x=x y=y", "code save": "code save 0/0 %s", "entry save": "entry save 0/0 %s", "overrides save": "overrides save %s"}
REMEDY = "the earlier file is unchanged; %s"

with Cdbg(PROGRAM) as d:
    d.do("break %d" % line_of(d.path, "done = 1"))
    d.go()
    d.do("guard force 1 true")
    for name, command in COMMANDS.items():
        folder = os.path.join(here, name.replace(" ", "-"))
        os.mkdir(folder)
        file = put(os.path.join(folder, "file.py"), "earlier")
        d.do("! resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))")
        said = d.error(command % file) or ""
        d.do("! resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))")
        like(said, "cannot write '%s': File too large; %s" % (file, REMEDY % "the limit of a file's size"), "%s names file, reason and remedy" % name)
        is_((text_of(file), os.listdir(folder)), ("earlier", ["file.py"]), "%s: the earlier file is as it was, alone" % name)
        like(d.error(command % os.path.join(folder, "no", "file.py")) or "", "cannot write '%s/no/file.py': No such file or directory; create its folder first" % folder,
             "%s: a folder that is not there is named" % name)
        os.chmod(file, 0o600)
        is_(d.error(command % file), None, "%s: the file is written then" % name)
        is_((os.stat(file).st_mode & 0o777, "earlier" in text_of(file)), (0o600, False), "%s: it has the mode that it had" % name)
        is_([n for n in os.listdir(folder) if not n.startswith("file.py")], [], "%s: nothing is left beside it" % name)

    # The inputs of a graph are larger than what fits.
    folder = os.path.join(here, "graph-save")
    program, inputs = os.path.join(folder, "file.py"), os.path.join(folder, "file.py.inputs.pt")
    before = text_of(program), os.path.getsize(inputs)
    d.do("! resource.setrlimit(resource.RLIMIT_FSIZE, (100000, resource.RLIM_INFINITY))")
    said = d.error("graph save %s 0/0 with x=x y=y" % program) or ""
    d.do("! resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))")
    like(said, "cannot write '%s': File too large; %s" % (inputs, REMEDY % "the limit"), "graph save: of inputs that are too large, file, reason and remedy are named")
    is_((text_of(program), os.path.getsize(inputs)), before, "both earlier files are as they were")
    is_(sorted(os.listdir(folder)), ["file.py", "file.py.inputs.pt"], "nothing is left beside them")

    disk = os.path.join(here, "disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
        skip("a full disk", "needs to mount a file system")
    else:
        try:
            said = d.error("graph save %s/g.py 0/0 with x=x y=y" % disk) or ""
            like(said, "cannot write '%s/g.py.inputs.pt': No space left on device; free space" % disk, "on a full disk, the same")
            is_(os.listdir(disk), [], "nothing is left there")
            like(d.error("graph reduce %s/none/g.py 0/0 with x=x y=y" % disk) or "", "does not differ|No such file", "graph reduce has nothing to write")
            with open(os.path.join(disk, "ballast"), "wb", buffering=0) as f:
                try:
                    while True:
                        f.write(b"x" * 4096)
                except OSError:
                    pass
            for name, command in COMMANDS.items():
                like(d.error(command % os.path.join(disk, "file")) or "", "cannot write '%s/file': No space left on device; free space" % disk, "%s on a full disk" % name)
            is_(os.listdir(disk), ["ballast"], "nothing is left of any")
        finally:
            subprocess.run(["umount", "-l", disk])
    d.run_out()
    is_(d.exited["status"] if isinstance(d.exited, dict) else d.exited, 0, "the program ends as it does without cdbg")
done()
