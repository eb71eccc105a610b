#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Questions with an answer that was bare, wrong or useless: values with commas, patterns of guards, remedies for lists that
# the function fills, symbolic numbers, and variables that a resume function did not receive.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch

class Net:
    def __init__(self):
        self.seen = []

    def run(self, x):
        self.seen.append(1)
        return x + len(self.seen)

def given(x, items):
    return x + len(items)

def f(x, unused):
    y = x * 2
    print("broke")                      # breaks
    return y + 1                        # behind

def shapes(x):
    n = x.shape[0] * 2 + 1
    return x.sum() + make(n, x)         # symbolic

@torch.compiler.disable
def make(n, x):
    return x.new_ones(n).sum()

net = Net()
run = torch.compile(Net.run, backend="eager")
given = torch.compile(given, backend="eager")
f = torch.compile(f, backend="eager")
shapes = torch.compile(shapes, backend="eager", dynamic=True)
x = torch.ones(3)
run(net, x)
given(x, [1, 2])
f(x, 5)
compiled = 1
run(net, x)
given(x, [1, 2, 3])
f(x, 5)
shapes(x)
'''

path = script(PROGRAM)
at = lambda text: line_of(path, text)

with Cdbg(path) as d:
    d.do("tbreak %d" % at("compiled = 1"))
    d.go()
    entry = {e["function"]: e["entry"] for e in d.rows("info entries")}
    number = entry["given"]
    for words in "with items=[1],x=x", "with items=[1], x=x", "with x=x, items=[1]":
        like(d.error("entry check %s %s" % (number, words)), "separated by spaces, not by commas", "a comma in %r is refused" % words)
    unlike(d.do("entry check %s with x=x items=max([1, 2], [2, 1])" % number)["text"], "comma", "a comma in brackets is part of the expression")
    like(d.error("entry check %s with x=x items=(1" % number), "SyntaxError", "another mistake is still told as it is")
    like(d.error("guard drop absent"), r"pattern .*'\*absent\*'", "guard drop with a name that is not a guard mentions patterns")

    remedies = {}
    d.do("catch recompile")
    while d.go()["event"] == "stopped" and d.stop["reason"] == "recompile":
        for row in d.rows("info why"):
            if row.get("remedy"):
                remedies[d.frame["function"]] = row["remedy"]
        if "given" in remedies:
            break
    unlike(remedies.get("run"), "pad it", "the remedy for a list that the function fills is not to pad it")
    like(remedies.get("run"), "the function changed its length", "it says that the function changes it")
    like(remedies.get("given"), "pad it", "the remedy for a list of the caller's is to pass one length")

    d.do("break prog.py:%d" % at("# behind"))
    d.go()
    like(d.error("print unused"), r"NameError: name 'unused' is not defined: 'unused' is a variable of f, and this resume function did not receive it",
         "print of a variable that a resume function did not receive reports it")
    like(d.error("unused + 1"), "did not receive it", "so does Python typed at the prompt")
    is_(d.error("print nothing_at_all"), "NameError: name 'nothing_at_all' is not defined", "another unknown name is reported as before")
    d.do("delete")
    like(d.do("display unused")["text"], "did not receive it", "so does a display")
    d.do("undisplay")
    d.do("catch graph-break shapes")
    d.go()
    stack = [row["value"] for row in d.rows("info stack")]
    ok(any("SymInt 2*s" in v for v in stack), "a symbolic number on the symbolic stack is shown as its expression", stack)
done()
