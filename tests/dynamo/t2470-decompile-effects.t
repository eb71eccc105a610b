#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Generated code whose side effects include an ordered dictionary has a loop: it is replaced by its recompiled version, and its text has
# neither lists of the frame nor methods in variables.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = script('''
    import collections
    import os
    import torch

    STATE, LOG = {"n": 0}, []
    ORDER, SEEN = collections.OrderedDict(), collections.deque(maxlen=3)

    class Box:
        pass

    box = Box()

    def effects(x, d, l, s):
        STATE["n"] += 1
        LOG.append((STATE["n"], x.shape))
        d["y"] = y = x + STATE["n"]
        d.pop("old", None)
        l[0] = y
        l.extend([1, 2])
        s.add("k")
        SEEN.append(STATE["n"])
        ORDER["a"] = y
        box.attr = y
        torch._dynamo.graph_break()
        return y * 2

    def inner(x, k=2, *, tag="t"):
        print("inner", tag)
        return x * k

    def star(x, **kw):
        u = x.sin()
        v = inner(u, **kw) + 1
        return v * 2

    def captured(x, k):
        ys = [lambda: x + k for _ in range(1)]
        print("captured", k)
        return ys[0]()

    def stacked(x):
        print(f"mean {x.mean().item():.2f}", "first")
        print(f"sum {x.sum().item():.2f}", "second")
        return x + 1

    def names(x, words):
        a = x + 1
        print(*words)
        words = [w.upper() for w in words]
        print(words)
        return a, words

    def types(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x
            print("types")
        return y

    if os.environ.get("REPLACE"):
        import cdbg
        from torch._dynamo import convert_frame
        made = [0, 0]
        def hook(frame, code):
            made[0] += 1
            new = cdbg.recompile(code)
            made[1] += 1
            return new
        convert_frame.register_bytecode_hook(hook)
    x = torch.ones(2, 2)
    effect = torch.compile(effects, backend="eager")
    d, l, s = {"old": 1}, [0, 1], set()
    for i in range(3):
        print(effect(x, d, l, s), sorted(d), len(l), s, STATE, LOG, list(SEEN), list(ORDER.items()), box.attr)
    print(torch.compile(star, backend="eager")(x, tag="z"))
    print(torch.compile(captured, backend="eager")(x, 3))
    print(torch.compile(stacked, backend="eager")(x))
    print(torch.compile(names, backend="eager")(x, ["p", "q"]))
    print(torch.compile(types, backend="eager")(x))
    print("end")
    if os.environ.get("REPLACE"):
        print(*made)
''', "effects.py")
LINE = next(i for i, line in enumerate(open(PROGRAM), 1) if 'print("end")' in line)


bare, replaced = python(PROGRAM), python(PROGRAM, env={"REPLACE": "1"})
lines = replaced.stdout.splitlines()
is_(lines[:-1], bare.stdout.splitlines(), "the program's output is the same with its code replaced")
made = lines[-1].split() if lines else ["", "none"]
ok(made[0] == made[1] and int(made[0]) > 8, "every code object is replaced", replaced.stdout[-200:] + replaced.stderr[-2000:])


def plain(*commands):
    return python("-m", "cdbg", "--plain", "-q", PROGRAM, input="\n".join(("break %d" % LINE, "continue") + commands + ("quit", ""))).stdout


entries = re.findall(r"(?m)^(\d+/\d+) ", plain("entry list"))
ok(len(entries) > 12, "there is generated code", entries)
every = plain(*["decompile " + e for e in entries])
first = every[every.index("def effects"):every.index("return __resume_at", every.index("def effects"))]
unlike(first, r"bytecode", "the loop over an ordered dictionary is written as Python")
unlike(first, r"\[\(\)\]", "no list of the frame is left")
unlike(first, r"\.(clear|update|extend|append)\n", "no method of a container waits in a variable")
like(first, r"(?s)d\.clear\(\)\n +d\.update\(\{'y': y\}\)", "a dictionary is cleared and filled in lines that follow each other")
like(first, r"box\.attr = y\n", "a graph's result has the user's name wherever it is used, once it has one")
unlike(first, r"y = graph_out_0\[0\]\n(.*\n)*.*graph_out_0\[0\]", "and no other")
like(first, r"LOG\[:\] = \[\(1, torch\.Size\(\[2, 2\]\)\)\]", "a constant tuple with a size in it is written out")
# torch 2.15 makes one call of what was a loop
like(first, r"(?s) ORDER\.clear\(\)\n +(for k, v in new_OrderedDict\.items\(\):\n +ORDER\[k\] = v|ORDER\.update\(new_OrderedDict\))\n",
     "an ordered dictionary is cleared and filled by its methods")
like(first, r" graph_break = torch\._dynamo\.graph_break\n(.*\n)* +\w+ = graph_break\(\)\n", "a function that waits for side effects has its own name")
unlike(first, r"_t\d|tmp_\d", "each variable of the compiler's own that stays says what it holds")
like(every, r"inner\(graph_out_0\[0\], tag=kw\[.tag.\]\)", "arguments are written one by one")
unlike(every, r"\(\*\(|\*\*\{", "and none is unpacked from a display")
unlike(every, r"\n +(\w+) = \1\n", "no statement assigns a variable to itself")
like(every, r"autocast\(.*torch\.bfloat16", "a data type is written by its name")
unlike(every, r"__const_\d+: torch\.bfloat16", "and needs no comment")
like(every, r"(?s)def torch_dynamo_resume_in_\w+\([^)]*___stack0[^)]*\):\n(?:    [^\n]*\n)*? +___stack0 = print\([^\n]*\n +return __resume_at_", "a call that breaks again gives its value the name of the argument that nobody reads any more")
unlike(every, r"_t\d+ = print\(", "and no other")
whole = plain("decompile -a 0/0")
like(whole, r"record_pregraph", "-a shows the calls of hooks")
like(whole, r"= STATE\n", "and what waits, as the code has it")
unlike(every, r"= print\n", "print is named where it is passed, not in a variable")
like(every, r" words = \['P', 'Q'\]\n(.*\n)*? +return __resume_at_\w+\(.*, words\b", "a value has the name of an argument that it replaces")
done()
