#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code and guards in an editor, and graphs that are saved, in folders where another user prepares names: what that user wrote is not read
back as code, and links of that user are not followed."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from two_users import *

need_torch()
PROGRAM = """
    import torch
    def f(x):
        return x * 2 + 1
    g = torch.compile(f, backend="eager")
    x = torch.ones(3)
    for _ in range(2):
        g(x)
    done = 1
"""
temporary, tools, mine = folder("temporary", 0o777), folder("tools", 0o755), folder("mine")
# What the other user does while the editor is open: the file becomes that user's, or a link to a file with other code.
ACTIONS = {"chown": "chown %d \"$1\"" % OTHER, "link": 'cp "$1" %s/other && ln -sf %s/other "$1"' % (mine, mine), "write": "chmod 666 \"$1\"",
         "nothing": "true"}
EDITOR = put(os.path.join(tools, "edit"), "#!/bin/sh\nsed -i 's/^# .*$/&\\n# edited/;s/LOAD_CONST *1$/LOAD_CONST 2/' \"$1\"\n. %s/action\n" % tools, 0o755)

with Cdbg(PROGRAM, env={"EDITOR": EDITOR, "VISUAL": "", "TMPDIR": temporary}) as d:
    d.do("break %d" % line_of(d.path, "done = 1"))
    d.go()
    guard = next(r["guard"] for r in d.rows("info guards") if r["kind"] == "TENSOR_MATCH")
    for action, said in ("chown", "another user may have written it"), ("write", "another user may have written it"), ("link", "Too many levels of symbolic links"):
        put(os.path.join(tools, "action"), ACTIONS[action])
        like(d.error("code edit 0/0"), "cannot read '%s/cdbg-code-.*': %s" % (temporary, said), "code edit, %s: what the editor left is not used" % action)
        like(d.error("code edit -python 0/0"), "cannot read '%s/cdbg-code-.*': %s" % (temporary, said), "code edit -python, %s: nor there" % action)
        like(d.error("guard edit %d" % guard), "cannot read '%s/cdbg-code-.*': %s" % (temporary, said), "guard edit, %s: nor there" % action)
    is_([n for n in os.listdir(temporary) if n.startswith("cdbg")], [], "no file stays")
    put(os.path.join(tools, "action"), ACTIONS["nothing"])
    is_(d.error("code edit 0/0"), None, "a file that is the user's alone is read")

    target = put(os.path.join(mine, "target"), "mine")
    for n, command in enumerate(("graph save %s 0/0 with x=x", "code save 0/0 %s", "entry save 0/0 %s", "overrides save %s")):
        shared = folder("shared%d" % n, 0o777)
        for way, prepare in ("link", os.symlink), ("file", lambda target, p: put(p, "theirs", 0o666)), ("pipe", lambda target, p: os.mkfifo(p)):
            path = os.path.join(shared, way)
            as_other(prepare, target, path)
            like(d.error(command % path) or "", "cannot write '%s': .*another user" % path, "%s: another user's %s is refused" % (command % "FILE", way))
            is_((text_of(target), kind(path)), ("mine", way), "%s, %s: nothing is written" % (command % "FILE", way))
        is_(sorted(os.listdir(shared)), ["file", "link", "pipe"], "%s: nothing is left beside them" % (command % "FILE"))
done()
