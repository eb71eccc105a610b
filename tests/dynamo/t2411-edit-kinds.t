#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""code edit -python on entries of programs of many kinds: breaks within statements, side effects, closures, contexts, modules, resume
functions.  Every edit is installed, and the program's next calls show it: new closures, loops, handlers and definitions too."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()
PROGRAM = script('''
    import torch

    class Box:
        pass

    LOG = []
    BOX = Box()

    @torch._dynamo.disable
    def note(*what):
        LOG.append(what)
        return len(what)

    def loop_after(x, items):
        y = x + 1
        note("start")
        total = 0
        for i in items:
            if i == 3:
                break
            total += i
        return y * total

    def grad(x):
        with torch.no_grad():
            y = x * 3
            note("grad", torch.is_grad_enabled())
            y = y + 1
        return y

    def closure(scale):
        last = torch.zeros(2)
        def inner(x):
            nonlocal last
            y = x * scale + last
            last = x
            note("last", last.tolist())
            return y + last
        return inner

    def effects(x, items, d):
        items.append(5)
        d["k"] = x + 1
        BOX.value = 7
        note("effects", items)
        return x * 2 + d["k"]

    def several(x):
        a = x + 1
        note("one")
        b = a * 2
        note("two")
        c = b - 3
        return a + b + c

    def branch(x, k):
        y = x * k
        if y.sum() > 4:
            y = y + 10
        else:
            y = y - 10
        return y

    def makes(x):
        y = x + 1
        def add(z):
            return z + y
        note("made")
        return add(x) * 2

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(2, 2, bias=False)
            torch.nn.init.ones_(self.lin.weight)
        def forward(self, x, *, scale=2.0):
            h = self.lin(x)
            note("net")
            return torch.relu(h) * scale

    def keywords(x, *args, flag=True, **kw):
        y = x * len(args)
        note("kw", sorted(kw))
        if flag:
            return y
        return args

    CALLS = [(loop_after, [1, 2, 3, 4]), (grad,), (closure(3),), (effects, [], {}), (several,), (branch, 2), (makes,), (Net(),),
             (keywords, 1, 2)]
    NAMES = "loop_after grad inner effects several branch makes net keywords".split()
    done = [torch.compile(c[0], backend="eager") for c in CALLS]

    def run(x):
        for name, f, args in zip(NAMES, done, CALLS):
            LOG.clear()
            got = f(x, *[type(a)(a) if type(a) in (list, dict) else a for a in args[1:]])
            print(name, got.detach().tolist(), LOG)

    run(torch.ones(2))
    for i in range(4):
        print("stop")
        run(torch.ones(2))
''', "kinds.py")
EDITOR = r'''#!%s
import json, os, re, sys
text = open(sys.argv[1]).read()
was, now = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "edit.json")))
new = re.sub(was, now, text, count=1, flags=re.M)
if new == text:
    sys.exit(text)
open(sys.argv[1], "w").write(new)
'''
folder = os.path.dirname(PROGRAM)
with open(os.path.join(folder, "editor"), "w") as f:
    f.write(EDITOR % sys.executable)
os.chmod(os.path.join(folder, "editor"), 0o755)
CALL = r"^(    graph_out_0 = )"
ENDS = r"^    return "
# function, which of its entries (0: its own, 1: its first resume function), what is replaced by what, what its line shows then
ROUNDS = [[
    ("loop_after", 0, CALL, r"    n = 7\n    g = lambda: (n, x.shape[0])\n    note('closure', g())\n\1", r"\('closure', \(7, 2\)\), \('start',\)",
     "a closure over a new variable and an argument"),
    ("grad", 0, r"\('grad', False\)", r"('grad', (lambda: x.shape[0])())", r"\('grad', 2\)",
     "a closure over an argument within a try statement"),
    ("inner", 0, CALL, r"    seen = []\n    def look(k):\n        seen.append((k, last.tolist()))\n        return k\n    [look(k) for k in (1, 2)]\n"
     r"    note('seen', seen)\n\1", r"\('seen', \[\(1, \[1\.0, 1\.0\]\), \(2, \[1\.0, 1\.0\]\)\]\), \('last', \[1\.0, 1\.0\]\)", "a new function beside cells of the user's function"),
    ("effects", 0, r"^(def .*)", r"\1\n    x = x + 1", r"effects \[7\.0, 7\.0\] \[\('effects', \[5\]\)\]", "an argument is another one from there on"),
    ("several", 0, CALL, r"    for i in range(4):\n        if i == 2:\n            break\n        note('loop', i)\n    else:\n        note('never')\n\1",
     r"\[\('loop', 0\), \('loop', 1\), \('one',\), \('two',\)\]", "a loop with a break and an else"),
    ("branch", 0, r"^( +)if (.*):", r"\1if not \2:", r"\[-8\.0, -8\.0\]|\[12\.0, 12\.0\]", "a branch is turned round"),
    ("makes", 0, CALL, r"    try:\n        note('tried', 1 // 0)\n    except ZeroDivisionError as e:\n        note(str(e))\n    finally:\n"
     r"        note('finally')\n\1", r"\[\('[^']*zero',\), \('finally',\), \('made',\)\]", "a try statement with a finally clause"),
    ("net", 0, CALL, r"    import math as m\n    note(m.floor(2.5), {k: v for k, v in [(1, scale)]})\n\1", r"\(2, \{1: 2\.0\}\), \('net',\)",
     "an import and a comprehension over an argument"),
    ("keywords", 0, CALL, r"    args, kept = args[:1], args\n    kw['more'] = kept\n\1", r"\('kw', \[\]\)|\('kw', \['more'\]\)", "arguments of *args and **kw"),
], [
    ("loop_after", 1, ENDS, r"    note('resumed', [i for i in items if (lambda: i > n)()] if (n := 2) else 0)\n    return ", r"\('resumed', \[3, 4\]\)",
     "a closure over a variable of a comprehension, in a resume function"),
    ("grad", 1, r"\[0\]", "[0] * 10", r"grad \[40\.0, 40\.0\]", "the result of a resume function"),
    ("inner", 1, ENDS, r"    with torch_context() as c:\n        pass\n    return ", None, "an unknown name in a with statement"),
    ("effects", 1, ENDS, r"    class Two:\n        at = len(d)\n        def get(self):\n            return d['k'].sum().item(), self.at\n"
     r"    note(Two().get())\n    return ", r"\(\(6\.0, 1\),\)", "a class whose method reads an argument"),
    ("several", 1, ENDS, r"    def counter():\n        total = 0\n        def add(n):\n            nonlocal total\n            total += n\n"
     r"            return total + a.shape[0]\n        return add\n    add = counter()\n    note(add(1), add(2))\n    return ",
     r"\(3, 5\)", "a function in a function, with a variable of its own and an argument"),
    ("several", 2, r"\[0\]", "[0] - 1", r"several \[", "the third part of a function"),
    ("makes", 1, ENDS, r"    gen = (y + k for k in range(2))\n    note([v.tolist() for v in gen])\n    return ", r"\(\[\[2\.0, 2\.0\], \[3\.0, 3\.0\]\],\)",
     "a generator over a free variable"),
    ("net", 1, ENDS, r"    scale = 10\n    g = lambda: scale\n    note(g())\n    scale = 11\n    note(g())\n    return ", r"\(10,\), \(11,\)",
     "an argument that becomes a cell and is assigned"),
], [
    ("loop_after", 0, ENDS, r"    while True:\n        n = len(items)\n        try:\n            if n > 3:\n                note('over', n)\n                break\n"
     r"        finally:\n            note('again')\n    return ", r"\('over', 4\), \('again',\)", "a loop that is left through a finally clause"),
    ("inner", 0, r"^(    nonlocal .*)", r"\1\n    last = last * 100", r"inner \[104\.0, 104\.0\]", "the user's own cell is changed"),
    ("effects", 0, CALL, r"    def apply(f, *a):\n        return f(*a)\n    apply(lambda k: d.update(before=k), 3)\n    note(sorted(d))\n\1",
     r"\(\['before'\],\)", "a lambda as an argument"),
    ("makes", 0, r"^def (.*)", r"def \1\n    z = x\n    def outer():\n        def deep():\n            return z.shape, x.shape\n        return deep()\n"
     r"    note(*outer())", r"\(torch\.Size\(\[2\]\), torch\.Size\(\[2\]\)\), \('made',\)", "functions within functions over an argument"),
    ("keywords", 0, ENDS, r"    match len(args):\n        case 2:\n            note('two')\n        case _:\n            note('other')\n    return ",
     r"\('two',\)", "a match statement"),
    ("branch", 0, CALL, r"    return x - 5\n\1", r"branch \[-4\.0, -4\.0\]", "a return before the graph's call"),
]]


def by_function(d):
    found = {}
    for r in d.rows("info entries"):
        name = r["function"].split(" (")[0].split("torch_dynamo_resume_in_")[-1].split("_at_")[0].replace("forward", "net")
        if "+" not in r["entry"] and r["entry"] not in found.setdefault(name.split(".")[-1], []):
            found[name.split(".")[-1]].append(r["entry"])
    return found


with Editing(PROGRAM, env={"EDITOR": os.path.join(folder, "editor"), "VISUAL": "", "TMPDIR": folder}) as d:
    d.do("break %d" % d.line_of('print("stop")'))
    d.go()
    clones = {}
    for edits in ROUNDS:
        for name, which, was, now, shown, what in edits:
            entry = by_function(d)[name][which]
            with open(os.path.join(folder, "edit.json"), "w") as f:
                json.dump([was, now], f)
            clones[entry] = clones.get(entry, 0) + 1
            d.do("code edit -python " + entry)
            if shown:
                d.do("entry install %s+%d" % (entry, clones[entry]))
        d.out = ""
        d.go()
        out = d.out + d.err
        lines = {line.split(" ")[0]: line for line in d.out.splitlines() if " " in line}
        for name, which, was, now, shown, what in edits:
            if shown:
                like(lines.get(name, out), shown, "edited and run: " + what)
            else:
                ok(name in lines, "edited and not installed: " + what, out)
        is_(len(lines), 9, "the program continues")
    entry = by_function(d)["makes"][0]
    with open(os.path.join(folder, "edit.json"), "w") as f:
        json.dump([ENDS, "    __const_9\n    return "], f)
    like(d.error("code edit -python " + entry), r"there is no object '__const_9': the comments above the text say which there are; the text is kept",
         "an object that the text does not have is refused by name")
done()
