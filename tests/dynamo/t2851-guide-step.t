#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The session of doc/guide/step.md is what a person gets, on every CPython: to the letter on CPython 3.11, which it was made on;
# elsewhere but for instructions, which are that version's.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
with open(os.path.join(top, "doc", "guide", "step.md")) as f:
    block = re.search(r"^\$ cdbg ([^\n]*)\n(.*?)^```", f.read(), re.M | re.S)
words = block.group(1).split()
lines = block.group(2).splitlines()
commands = [l[len("(cdbg) "):] for l in lines if l.startswith("(cdbg) ")]
if version() >= (3, 13):
    commands = ["stepi 2" if c == "stepi" else c for c in commands]     # a branch is TO_BOOL and a jump there
expected = [l for l in lines if not l.startswith("(cdbg) ")]


def same_anywhere(text):
    """Without what each CPython does in its own way: instructions, where they are, how many; and columns made of them."""
    text = re.sub(r"\n +POP_JUMP_IF_FALSE to \d+ +\d+$", "", text, flags=re.M)
    text = re.sub(r"( \+ NULL)(?= +\()", "", re.sub(r"\b[A-Z]+(_[A-Z]+)+\b( to \d+| \d+| NULL \+)?", "OP", text))
    text = re.sub(r"(=>  )\d+", r"\1N", re.sub(r"\d+\.\.\d+|(?<=\) )at \d+$|\d+(?= instructions)", "N", text, flags=re.M))
    text = re.sub(r"^( +(?:outputs|prologue) .*?)\b\d+$", r"\1N", text, flags=re.M)
    # torch 2.6 keeps no list of frames on the stack, and its names are short
    text = re.sub(r"(__compiled_fn_\d+)_\.\.\.", r"\1", re.sub(r"\[\[\(\)\], \[\[.*?\]\](, )?", "[", text))
    text = re.sub(r"(__resume_at_)\d+|^( +return +)\d+$|(OP +)\d+", r"\1\2\3N", text, flags=re.M)
    text = re.sub(r"(OP) __resume_at_\S+(?= +\(resume call)", r"\1", text)
    return re.sub(r"(?<=\S) +", " ", text)


ok(len(commands) > 3, "the guide shows a session")
status, out, err = run(None, options=words, commands=commands, cwd=os.path.join(top, "doc", "guide"))
got = re.sub(r"(__compiled_fn_\d+)_[0-9a-f_]{36}", r"\1_...", out).splitlines()
is_(status, 0, "it ends as the program does")
like_here = (lambda text: text) if version() == (3, 11) else same_anywhere
is_(like_here("\n".join(got)), like_here("\n".join(expected)), "its output is that of the guide")
done()
