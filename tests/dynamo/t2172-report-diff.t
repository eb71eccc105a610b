#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`report diff` says in words what changed from one report to another."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
PROGRAM = """
    import sys, torch

    def f(x, n):
        y = x * n
        if sys.argv[1:] == ["b"]:
            print("break")
        return y + 1

    g = torch.compile(f, backend="aot_eager")
    g(torch.ones(2), 3)
    if sys.argv[1:] == ["b"]:
        g(torch.ones(2), 4.5)
"""
path = script(PROGRAM)
a, b = report(path, "a")[3], report(path, "b", "b")[3]


def diff(x, y):
    status, out, err = run(script("print()\n\n"), commands=["report diff %s %s" % (x, y), "quit"], options=["-q", "--plain"])
    return out


is_("nothing changed" in diff(a, a), True, "a report and itself: nothing changed")
said = diff(a, b)
like(said, r"f: new graph break at prog.py:%d: " % line_of(path, 'print("break")'), "a new graph break, with its line")
like(said, r"f: new entry: 0/1, compiled because ", "a new entry, with the reason")
like(diff(b, a), r"f: no more graph break at ", "and the other way round")
like(diff(b, a), r"f: entry gone: ", "entries that are gone")


def change(name, how):
    return changed(a, name, how)


def kernels(n):
    return {"stage": "kernel", "code": "", "kernels": [{"kernel": "k%d" % i, "language": "c++", "nodes": []} for i in range(n)]}


def entry(d):
    return d["functions"][0]["entry"][0]


one = change("one", lambda d: entry(d)["graphs"][0]["stages"].append(kernels(1)))
three = change("three", lambda d: entry(d)["graphs"][0]["stages"].append(kernels(3)))
like(diff(one, three), r"f, entry 0/0: fusion lost: 3 kernels instead of 1", "a fusion that is lost")
like(diff(three, one), r"more is fused: 1 kernel instead of 3", "one that is gained")
fewer = change("fewer", lambda d: entry(d)["guards"].pop())
gone = entry(data(a))["guards"][-1]["kind"]
like(diff(fewer, a), r"f, entry 0/0: guard added: %s " % gone, "a guard that is added")
like(diff(a, fewer), r"f, entry 0/0: guard gone: %s " % gone, "and one that is gone")
slow = change("slow", lambda d: entry(d).update(seconds=entry(d)["seconds"] + 5))
like(diff(a, slow), r"f: compile time \d+\.\d\d s instead of \d+\.\d\d s", "compile time that doubled")
like(said, r"f: 1 recompile instead of 0\n", "how often it was compiled again")
like(diff(b, a), r"f: 0 recompiles instead of 1\n", "and that it no longer is")
nodes = change("nodes", lambda d: entry(d)["graphs"][0]["stages"][0]["nodes"].append(dict(entry(d)["graphs"][0]["stages"][0]["nodes"][-1])))
like(diff(a, nodes), r"f, entry 0/0: graph grown: captured has (\d+) nodes instead of \d+", "a graph that has grown")
like(diff(nodes, a), r"f, entry 0/0: graph smaller: captured has ", "and one that is smaller")
none = change("none-left", lambda d: d["functions"].pop(0))
like(diff(a, none), r"^function gone: f$", "a function that is gone")
like(diff(none, a), r"^new function: f, ", "and one that is new")
like(diff(a, place("none")), r"cannot read '.*none/index.json': No such file", "a directory without a report is refused")
done()
