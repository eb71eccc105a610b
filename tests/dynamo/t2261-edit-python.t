#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# code edit -python: changes of many kinds, each of which the program then runs, and mistakes that leave all as it was.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()
PROGRAM = script('''
    import torch
    def f(x):
        y = x + 1
        print("mid")
        return y * 2
    f = torch.compile(f, backend="eager")
    print(f(torch.ones(2)).tolist())
    print("here")
    print(f(torch.ones(2)).tolist())
''', "edited.py")


def changed(entry, before, after):
    return edited(PROGRAM, 8, entry, before, after)


text = changed("0/0", r"\[0\]", "[0] * 10")
like(text, r"(?s)\[4\.0, 4\.0\].*here\nmid\n\[40\.0, 40\.0\]", "a value is multiplied")
text = changed("0/0", r"^(    graph_out_0 = )", r"    print('added')\n\1")
like(text, r"(?s)here\nadded\nmid\n\[4\.0, 4\.0\]", "a statement is added")
text = changed("0/0", r"graph_out_0 = .*", "graph_out_0 = [x + 100]")
like(text, r"(?s)here\nmid\n\[202\.0, 202\.0\]", "something else takes the place of the graph's call")
text = changed("1/0", r"^    return ", r"    print('resumed')\n    return ")
like(text, r"(?s)\+1 +f \(resumed at line 4\) +edited.*here\nmid\nresumed\n\[4\.0, 4\.0\]", "a resume function is changed")
text = changed("0/0", r"^    return ", "    return return ")
like(text, r"cannot recompile: SyntaxError: .*line \d+\); the text is kept in (\S+)", "a syntax error is reported, and where the text is")
kept = re.search(r"the text is kept in (\S+)", text)
ok(kept and "return return" in open(kept[1]).read(), "the text is there")
like(text, r"(?s)0/0 +f +live.*here\nmid\n\[4\.0, 4\.0\]", "and the entry is what it was")
unlike(text, r"0/0\+1 +f", "there is no clone")
text = changed("0/0", r"^    return ", r"    nothing_here()\n    return ")
like(text, r"NameError: name 'nothing_here' is not defined.*\n.*generated 0/0\+1", "an unknown name is reported where it is run")
for after, why in ((r"    yield 1\n    return ", r"only one of both texts has a 'yield' or an 'await'"),):
    text = changed("0/0", r"^    return ", after)
    like(text, "cannot recompile 'f': " + why + r"; the text is kept in /", "a function that becomes a generator is refused")
    unlike(text, r"0/0\+1 +f", "there is no clone of it")
text = changed("0/0", r"(?s)\Z", "\nprint('outside')\n")
like(text, r"cannot recompile 'f': the text has a statement outside of the function; the text is kept in /", "a statement outside of the function is not lost in silence")
like(text, r"(?s)0/0 +f +live.*here\nmid\n\[4\.0, 4\.0\]", "the entry runs as before")
done()
