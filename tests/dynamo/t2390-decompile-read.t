#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What 'decompile' shows of generated code reads alone: what is folded into a comment holds nothing that the lines need.
import ast
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PROGRAM = script('''
    import torch

    class Ctx:
        def __enter__(self):
            self.k = 3
            return self
        def __exit__(self, *a):
            return False

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(2, 2)
            self.count = 0
        def forward(self, x):
            self.count += 1
            h = self.lin(x)
            print("forward")
            with torch.no_grad():
                h = h.relu()
                if h.sum() > 1:
                    h = h + 1
            return h

    def in_dict(x, **kw):
        d = dict(kw)
        d["a"] = x + 1
        print("kw", sorted(kw))
        d["b"] = d["a"] * 2
        return d

    def in_list(x):
        ys = [x + i for i in range(3)]
        print("list")
        return [y * 2 for y in ys]

    def within(x):
        n = 1
        def inner(y):
            nonlocal n
            n += 1
            return y + n
        x = inner(x)
        print("closure")
        return inner(x) + n

    def nested_with(x):
        with torch.no_grad(), torch.autocast("cpu"):
            a = x @ x
            print("nested with")
            b = a @ x
        return b

    def branches(x, flag=True):
        y = x + 1
        if y.sum() > 0:
            print("pos")
            z = y * 2
        else:
            z = y * 3
        if z.mean() > 1 and flag:
            return z, y
        return z - 1, y

    def several(x, *rest):
        print("a")
        x = x + rest[0]
        print("b")
        x = x * rest[1]
        print("c")
        return x - 3

    for f, args, kw in (in_dict, (), {"u": 1}), (in_list, (), {}), (within, (), {}), (nested_with, (), {}), (branches, (), {}), \\
            (several, (1, 2), {}), (Net(), (), {}):
        torch.compile(f, backend="eager")(torch.ones(2, 2), *args, **kw)
    print("end")
''', "read.py")
LINE = next(i for i, line in enumerate(open(PROGRAM), 1) if 'print("end")' in line)


def plain(*commands):
    made = run(PROGRAM, options=["--plain", "-q"], commands=["break %d" % LINE, "continue", *commands, "quit"])
    return made[1]


class Names(ast.NodeVisitor):
    """Those that are read before any line could have given them a value."""

    def __init__(self, f):
        a = f.args
        self.known = {x.arg for x in a.posonlyargs + a.args + a.kwonlyargs + [y for y in (a.vararg, a.kwarg) if y]}
        self.unknown = []

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.known.add(node.id)
        elif isinstance(node.ctx, ast.Load) and node.id not in self.known:
            self.unknown.append(node.id)

    def visit_Assign(self, node):
        self.visit(node.value)
        for t in node.targets:
            self.visit(t)

    def visit_NamedExpr(self, node):
        self.visit(node.value)
        self.visit(node.target)


entries = re.findall(r"(?m)^(\d+/0) ", plain("entry list"))
ok(len(entries) > 10, "there is generated code", entries)
out = plain(*["decompile " + e for e in entries])
texts = re.findall(r"(?m)^   def .*\n(?:    {4}.*\n)*", out)
is_(len(texts), len(entries), "each has its text")
seen = set()
whole = {}
for text in texts:
    f = ast.parse(re.sub("(?m)^   ", "", text)).body[0]
    names = Names(f)
    for s in f.body:
        names.visit(s)
    what = f.name.replace("torch_dynamo_resume_in_", "resumed: ")
    what = re.sub(r"_at_\d+$", "", what)
    number = sum(1 for w in seen if w.split(" #")[0] == what)
    seen.add("%s #%d" % (what, number + 1))
    whole[what, number + 1] = text
    bad = [n for n in names.unknown if re.match(r"(_t|tmp_|graph_out_|___stack|___context)\d*", n)]
    is_(bad, [], "%s, text %d: every variable that is read has got its value in a line above" % (what, number + 1))
    ok("record_pregraph" not in text, "%s, text %d: profiler hooks are folded" % (what, number + 1), text)
    ok(":=" not in text, "%s, text %d: values are assigned in lines of their own" % (what, number + 1), text)
    unlike(text, r"= graph_out_0\[\d\]\n +return _t", "%s, text %d: no variable comes between a graph's result and its return" % (what, number + 1))
like(whole["resumed: in_list", 1], r"return \[graph_out_0\[0\], graph_out_0\[1\], graph_out_0\[2\]\]", "the results of a graph are a list where they make one")
like(whole["nested_with", 1], r"with .*autocast\(.*\):\n +___stack2 = print\('nested with'\)\n",
     "print is named within the with statements, where it is called")
unlike(whole["nested_with", 1], r"= print\n", "and not before them")
with_all = plain(*["decompile -a " + e for e in entries])
like(with_all, r"# __const_0: the code of 'inner', at line \d+\n   # __const_1: the globals of the module '__main__'\n   def within\(",
     "above a text are the objects that its names stand for")
done()
