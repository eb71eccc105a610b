#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A list that generated code passes on more than once is one and the same object after the code is compiled again."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = """
    import sys
    import cdbg
    import torch
    from torch._dynamo import convert_frame

    def again(old, new):
        made.append(cdbg.recompile(new))
        return made[-1]

    made = []
    if sys.argv[1] == "again":
        convert_frame.register_bytecode_hook(again)

    def shape(v, seen):
        if not isinstance(v, (list, tuple)):
            return type(v).__name__
        if isinstance(v, list) and id(v) in seen:
            return "the same as %d" % seen[id(v)]
        seen[id(v)] = len(seen)
        return [shape(x, seen) for x in v]

    @torch._dynamo.disable
    def passed(a, *more):
        print(shape(more, {}))
        return a

    def within(a):
        y = [a]
        return passed(a, [y, y])

    def nested(a):
        y = [a]
        z = [y, [y, a]]
        return passed(a, y, z, [z], (y, (z,)))

    def changed(a):
        y = [a]
        r = passed(a, y, y)
        y.append(a)
        return passed(r, y, [y])

    def tuples(a):
        y = [a]
        both = y, y
        return passed(passed(a, both, [both], {"a": y}["a"]), both)

    for f in within, nested, changed, tuples:
        print(f.__name__)
        torch.compile(f, backend="eager")(torch.ones(2))
    print("recompiled", len(made))
"""
path = script(PROGRAM)


def printed(how):
    p = python(path, how)
    head, _, count = p.stdout.rpartition("recompiled ")
    return head, count.strip(), p.stderr


plain, again = printed("plain"), printed("again")
ok(plain[0].count("the same as") >= 6, "the program passes lists more than once", plain[0] + plain[2])
is_(again[0], plain[0], "they are the same objects where all generated code is compiled again")
ok(int(again[1] or 0) >= 6, "all of it was compiled again", again[1] + again[2])
done()
