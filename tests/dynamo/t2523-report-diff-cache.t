#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# 'report diff' of a run that compiled with inductor and one that took the same from inductor's cache: nothing changed; nor do
# addresses of objects in names change anything.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
path = script("""
    import torch

    @torch.compile
    def f(x):
        return (x.sin() * torch.arange(8) + torch.zeros(8)).sum()

    f(torch.ones(8, requires_grad=True)).backward()
""", "cached.py")
cache = {"TORCHINDUCTOR_CACHE_DIR": place("cache")}
first, second = report(path, "first", env=cache)[3], report(path, "second", env=cache)[3]


def devices(where):
    return {"device(type='cpu')" in n["args"] for f in data(where)["functions"] for e in f["entry"] for g in e["graphs"]
            for s in g["stages"] for n in s.get("nodes", ()) if "device" in n.get("args", "")}


note("devices written as objects: %s in the first run, %s in the second" % (devices(first), devices(second)))


def diff(a, b):
    out = run("print()\\n", commands=["report diff %s %s" % (a, b)])[1]
    return [l for l in out.splitlines() if (l.startswith("f") or l == "nothing changed") and "compile time" not in l]


ok(diff(first, second) in ([], ["nothing changed"]), "a graph that came from the cache did not change", diff(first, second))


def move(d):
    for f in d["functions"]:
        for e in f["entry"]:
            for g in e["graphs"]:
                for s in g["stages"]:
                    for n in s.get("nodes", ()):
                        for old in "device='cpu'", "device=device(type='cpu')":
                            n["args"] = n.get("args", "").replace(old, new)


for new in "device='cuda:0'", "device=device(type='cuda', index=0)":
    changed(first, "moved%d" % len(new), move)
moved = place("moved%d" % len("device='cuda:0'"))
is_(diff(moved, place("moved%d" % len(new))) in ([], ["nothing changed"]), True, "nor did one with another device, written in either way")
like("\n".join(diff(first, moved)), r"^f, entry 0/0: graph changed: joint has .*device='cuda:0'", "a device that is another one changed")


def guarded(name):
    def change(d):
        for f in d["functions"]:
            for e in f["entry"]:
                e["guards"].append(dict(e["guards"][-1], source="G['%s']()" % name, source_shown=name, kind="NOT_NONE", expected="not None"))
    return change


for k, name in enumerate(("__optimizer_140673377457360_140673377699056_c10", "__optimizer_140153093903568_140153091112640_c10",
                          "__optimizer_140153093903568_140153091112640_c11")):
    changed(first, "guarded%d" % k, guarded(name))
is_(diff(place("guarded0"), place("guarded1")) in ([], ["nothing changed"]), True, "nor a guard whose object Dynamo named after its address")
like("\n".join(diff(place("guarded0"), place("guarded2"))), r"^f, entry 0/0: guard added: NOT_NONE of __optimizer_c11", "a guard on another object is one that was added")
done()
