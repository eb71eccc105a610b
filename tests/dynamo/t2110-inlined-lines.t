#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Breakpoints on lines of inlined functions that put nothing into a graph: they stop where the call's effect is.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import collections
import torch
from library import half

def innermost(k):
    if k > 3:
        j = k * 2                       # large
    elif k > 100:
        j = 0                           # never
    else:
        j = k                           # small
    return j

def moves(k):
    a = [k, k + 1]                      # moves
    b = {"k": innermost(a[1])}          # calls innermost
    return b["k"]

def raises(d):
    v = d["absent"]                     # raises
    return v

def generates(n):
    for i in range(n):
        yield i * 2                     # yields

def mixed(x, k):
    s = k + 1                           # no node
    return x * s                        # node

def f(x, k):
    y = x.relu()
    n = moves(k) + half(k)              # calls moves
    m = innermost(k - 5)
    try:
        raises({})
    except KeyError:
        m = m + sum(generates(2))
    y = mixed(y, k)
    print("broke")                      # breaks
    n = n + moves(k)                    # resumed
    return x * n + y + m

def before(k):
    n = moves(k)                        # before any node
    print("x", n)                       # early break
    return torch.ones(2) * n

def round():
    pass

f = torch.compile(f, backend="eager")
before = torch.compile(before, backend="eager")
x = torch.ones(4)
for i in range(30):
    round()
    f(x, 5)
    before(5)
'''

LIBRARY = '''
def half(n):
    q = n // 2                          # library
    return q
'''

path = script(PROGRAM)
library = script(LIBRARY, "library.py", os.path.dirname(path))
at = lambda text: line_of(library if text == "library" else path, "# " + text)
place = lambda text: "%s:%d" % ("library.py" if text == "library" else "prog.py", at(text))


def stops(where):
    """The stops of one round, and what cdbg says of the breakpoint."""
    d.do("break " + where)
    number = d.rows("info breakpoints")[-1]["number"]
    found = []
    while d.go()["event"] == "stopped" and d.frame["function"] != "round":
        found.append((d.frame["function"].split("_at_")[0], d.frame["region"]))
    notes = d.rows("info breakpoints")[-1]["notes"]
    d.do("delete %s" % number)
    return found, notes


FIRST, SECOND = ("f", "graph call"), ("torch_dynamo_resume_in_f", "graph call")
EARLY = ("before", "break")
with Cdbg(path) as d:
    d.do("break round")
    d.go()
    d.go()
    found, notes = stops(place("moves"))
    is_(found, [FIRST, SECOND, EARLY], "a line of an inlined function that only moves Python values stops for each call")
    like(notes, r"moves is inlined in f: line %d was evaluated when 0/0 was compiled: it stops at the graph call" % at("moves"),
         "the note says why it stops there")
    like(notes, r"moves is inlined in before: .*: it stops at the break", "without a graph call it stops at the break")
    is_(stops(place("calls innermost"))[0], [FIRST, SECOND, EARLY], "so does the line that calls another one")
    found, notes = stops(place("large"))
    is_(found, [FIRST, SECOND, EARLY], "so does a line of a nested inlined function")
    like(notes, "innermost is inlined in f", "whose note names it")
    is_(stops(place("small"))[0], [FIRST], "a line that one of two calls takes stops for that one")
    is_(stops(place("never"))[0], [], "a line that no call takes does not stop")
    found, notes = stops(place("library"))
    is_(found, [FIRST], "a line of a library's function stops")
    like(notes, "half is inlined in f", "with the same note")
    is_(stops(place("raises"))[0], [FIRST], "a line that raises an exception, which the caller handles, stops")
    is_(stops(place("yields"))[0], [FIRST], "a line of a generator stops")
    is_(stops(place("no node"))[0], [FIRST], "a line without a node stops in a function that has nodes")
    is_(stops(place("node"))[0], [FIRST], "as does one with a node")
    is_(stops(place("calls moves"))[0], [FIRST], "the compiled function's own line stops as before")
    is_(stops(place("before any node"))[0], [EARLY], "also where it has no graph call")
    is_(stops(place("breaks"))[0], [("f", "break")], "a line that breaks the graph stops once, not again where it continues")
    is_(stops(place("moves") + " if k == 5")[0], [FIRST, SECOND, EARLY], "a condition is evaluated there")
    is_(stops(place("moves") + " if k == 6")[0], [], "and holds it back")
    is_(stops("moves")[0], [FIRST, SECOND, EARLY], "break FUNC of such a function stops too")
    found, notes = stops("half")
    is_(found, [FIRST], "and of a library's")
    like(notes, "half is inlined in f: it stops at the graph call of 0/0", "with its note")
done()
