# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share that edit entries of Dynamo's cache: how their programs see that cache, and how it is asked."""
import os
import subprocess
import sys

from cdbgtest import *
from cdbgtest import PATIENCE, environment

# An editor that replaces what FROM matches by TO, and says how long the longest line was.
EDITOR = r'''#!%s
import os, re, sys
text = open(sys.argv[1]).read()
print("LONGEST", max(map(len, text.splitlines())))
new = re.sub(os.environ["FROM"], os.environ["TO"], text, count=1, flags=re.M)
assert new != text
open(sys.argv[1], "w").write(new)
'''


def edited(program, line, entry, before, after):
    """Runs a program's file up to a line, edits the Python of an entry there, installs the result and goes on to the end: what was
    written.  BEFORE: a regular expression, AFTER: what replaces its first match, as re.sub() takes them."""
    editor = os.path.join(os.path.dirname(program), "editor")
    with open(editor, "w") as f:
        f.write(EDITOR % sys.executable)
    os.chmod(editor, 0o755)
    commands = ["break %d" % line, "continue", "code edit -python " + entry, "entry install %s+1" % entry, "entry list f", "continue", "quit"]
    made = subprocess.run([interpreter(), "-m", "cdbg", "--plain", program], input="\n".join(commands) + "\n", text=True,
                          env=dict(environment(), EDITOR=editor, FROM=before, TO=after), capture_output=True,
                          timeout=120 * PATIENCE)
    return made.stdout + made.stderr


PRELUDE = '''
    import collections, gc, sys, threading, weakref, torch
    unseen = getattr(torch._C._dynamo.eval_frame, "_load_precompile_entry", None)
    import torch._dynamo
    from torch._dynamo.utils import counters
    ef = torch._C._dynamo.eval_frame

    def compiles():
        return counters["frames"]["total"]

    def entries(fn):
        return ef._debug_get_cache_entry_list(fn.__code__)

    def ids(fn, ordered=True):              # in the order in which they are tried
        each = [str(e.compile_id) for e in entries(fn)]
        return " ".join(each if ordered else sorted(each))

    def leaves(m):
        out = [(m.get_source(), type(l).__name__, *l.verbose_code_parts()) for l in m.get_leaf_guards()]
        if hasattr(m, "get_key_value_managers"):
            pairs = [c for pair in m.get_key_value_managers().values() for c in pair if c is not None]
        else:
            pairs = m.get_child_managers()
        for c in pairs:
            out += leaves(c)
        if hasattr(m, "get_epilogue_lambda_guards"):
            out += [("epilogue", *l.verbose_code_parts()) for l in m.get_epilogue_lambda_guards()]
        return out

    def texts(fn, ordered=True):            # of all leaf guards of all entries
        each = [(str(e.compile_id), leaves(e.guard_manager.root)) for e in entries(fn)]
        return hash(str(each if ordered else sorted(each)))
'''


class Editing(Cdbg):
    def value(self, text):
        return self.text("print " + text).strip()

    def states(self, words=""):
        return {r["entry"]: r["state"] for r in self.rows("info entries " + words)}

    def entries(self, words, *states):
        return [e for e, state in self.states(words).items() if state in states or not states]
