#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# code edit -python: statements and definitions of several lines, comments and texts in triple quotes, with free variables and without.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()
PROGRAM = script('''
    import torch
    def made(scale):
        def f(the_long_first_argument, the_long_second_argument, the_long_third_argument, the_long_fourth_argument, the_long_fifth_argument):
            y = the_long_first_argument * the_long_second_argument
            y = y * the_long_third_argument * the_long_fourth_argument * the_long_fifth_argument + scale
            print("mid", scale)
            return y * scale
        return f
    f = torch.compile(made(3), backend="eager")
    x = torch.ones(2)
    f(x, x, x, x, x)
    print("here")
    print(f(x, x, x, x, x).tolist())
''', "edited.py")


def changed(before, after):
    return edited(PROGRAM, 12, "0/0", before, after)


text = changed(r"^(    graph_out_0 = )", r"    print('added')\n\1")
like(text, r"(?s)0/0\+1.*added\nmid 3\n\[12\.0, 12\.0\]", "a statement is added before one of several lines")
ok(0 < int(text.split("LONGEST ")[1].split()[0]) <= 100, "the text has no line of more than 100 columns", text)
text = changed(r"^(def \w+\([^,]*), ([^,]*), ", r"\1,\n        \2,  # the second: (one\n    ")
like(text, r"(?s)override 1: entry 0/0\+1.*\nmid 3\n\[12\.0, 12\.0\]", "the definition may have several lines, with comments")
text = changed(r"\):\n", r"):  # what it does: nothing\n    print('begins')\n")
like(text, r"(?s)override 1: .*\nbegins\nmid 3\n\[12\.0, 12\.0\]", "... and a comment after its colon")
text = changed(r"\):\n", "):\n    print(\'\'\'of\ntwo \"lines\n  # no comment\'\'\' + \"it's\")\n")
like(text, "(?s)override 1: .*\nof\ntwo \"lines\n  # no commentit's\nmid 3\n\\[12\\.0, 12\\.0\\]", "a text of several lines stays as it was typed")
text = changed(r"\):\n", r"): pass\n")
like(text, r"the text has no line 'def NAME\(ARGUMENTS\):'; the text is kept in", "a body on the line of the definition is refused")
like(text, r"(?s)no entry '0/0\+1'.*\nmid 3\n\[12\.0, 12\.0\]", "... and the entry is as before")
done()
