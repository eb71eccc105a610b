#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code that torch takes from its cache has the lines and links of the run that compiled it, also after an edit of the file above the
function.  Where cdbg did not see the compile an answer says which command finds them, and what that finds is kept for the next run."""
import os
import re
import shutil
import stat
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_inductor()

TOY = """
import torch
def f(x):
    y = torch.sin(x) * 2
    z = y.mean(dim=1, keepdim=True)
    return (x - z).exp() @ y.t()
c = torch.compile(f)
x = torch.ones(8, 16)
for i in range(2):
    c(x)
"""
BLOCK = """
import torch
import torch.nn.functional as F
def f(x, norm, qkv, out, up, down):
    h = F.layer_norm(x, (16,), norm)
    q, k, v = (h @ qkv).split(16, dim=-1)
    q, k, v = [t.view(2, 4, 2, 8).transpose(1, 2) for t in (q, k, v)]
    a = torch.softmax(q @ k.transpose(-1, -2) / 8 ** 0.5, dim=-1) @ v
    x = x + a.transpose(1, 2).reshape(2, 4, 16) @ out
    h = F.layer_norm(x, (16,), norm)
    return x + F.gelu(h @ up, approximate="tanh") @ down
c = torch.compile(f)
torch.manual_seed(0)
args = [torch.randn(*s) for s in ((2, 4, 16), (16,), (16, 48), (16, 16), (16, 64), (64, 16))]
with torch.no_grad():
    for i in range(2):
        c(*args)
"""
STEP = """
import torch
def f(x, w, v, t):
    h = torch.tanh(x @ w)
    y = h @ v
    return ((y - t) ** 2).mean()
c = torch.compile(f)
torch.manual_seed(0)
x, t = torch.randn(8, 16), torch.randn(8, 4)
w, v = torch.randn(16, 32, requires_grad=True), torch.randn(32, 4, requires_grad=True)
for i in range(2):
    loss = c(x, w, v, t)
    loss.backward()
"""
EDIT = "\nimport torch\nABOVE = [\n    1,\n    2,\n]\n"
folder = tempfile.mkdtemp(prefix="cdbg-t2860-")
notes = os.path.join(folder, "cdbg")


def env(cache):
    return {"TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, cache), "XDG_CACHE_HOME": folder}


def plain(text, path):
    """Without what differs between two runs: folders, numbers of the compile."""
    return re.sub(r"__compiled_fn_\d+\w*", "G", str(text).replace(path, "FILE")) if text is not None else None


def shown(d, backward):
    """What cdbg answers at the first step of a graph: rows of info graph, of each stage, and all links."""
    rows = d.rows("info graph")
    answer = {"info graph": [(r["node"], r["target"], r["line"]) for r in rows]}
    graph = d.rows("info graphs")[0]["graph"]
    stages = [r["stage"] for r in d.rows("info graphs") if r["graph"] == graph]
    for stage in stages:
        if stage.startswith("kernel"):
            continue
        answer[stage] = [[plain(r[k], d.path) for k in ("node", "op", "target", "args", "value", "stride", "line", "function", "users")]
                         for r in d.rows("graph show %s %s" % (graph, stage))]
    code = "kernel-backward" if backward else "kernel"
    for r in rows:
        if r["node"].startswith("buf"):
            found = d.rows("info links buffer %s:%s:%s" % (graph, code, r["node"]))
            answer["links of " + r["node"]] = [(l["what"], plain(l["id"], d.path), l["line"]) for l in found]
    for kernel in sorted({r["target"] for r in rows if str(r["target"]).startswith("cpp_")}):
        answer["info " + kernel] = [(r["node"], r["text"].replace(os.path.basename(d.path), "FILE")) for r in d.rows("info kernel " + kernel) if not r["line"]]
    return answer


def moved(answer, by):
    """The answer for a file whose lines are so much further up."""
    if isinstance(answer, dict):
        return {k: moved(v, by) for k, v in answer.items()}
    if isinstance(answer, (list, tuple)):
        return [moved(v, by) for v in answer]
    if isinstance(answer, str):
        return re.sub(r"FILE:(\d+)", lambda m: "FILE:%d" % (int(m.group(1)) - by), re.sub(r"^\d+$", lambda m: str(int(m.group()) - by), answer))
    return answer - by if isinstance(answer, int) and not isinstance(answer, bool) else answer


def walk(program, cache, commands=()):
    with Cdbg(program, env=env(cache), limit=300) as d:
        for line in commands:
            d.do(line)
        d.do("break f")
        d.go()
        d.go()                                  # the backward graph is compiled by now
        d.do("delete")
        backward = "backward" in program
        if backward:
            d.do("catch backward")
        d.go("stepg")
        found = [shown(d, False)]
        if backward:
            d.go()
            found.append(shown(d, True))
        return found


def differing(a, b):
    """The answers that are not equal, short."""
    a, b = moved(a, 0), moved(b, 0)
    return [(i, k, x[k], y.get(k)) for i, (x, y) in enumerate(zip(a, b)) for k in x if x[k] != y.get(k)][:2]


for name, program in (("the toy", TOY), ("a block of GPT-2", BLOCK), ("a training step", STEP)):
    cold, warm = walk(program, "torch"), walk(program, "torch")
    links = [k for a in cold for k in a if k.startswith("links") and any(what == "node" for what, _, _ in a[k])]
    ok(len(links) > 1, "%s: buffers are linked to nodes" % name, str(cold)[:2000])
    is_(differing(cold, warm), [], "%s: a second run shows the lines and links of the first" % name)
    below = walk(program.replace("\nimport torch\n", EDIT, 1), "torch")
    is_(differing(cold, moved(below, EDIT.count("\n") - 2)), [], "%s: ... also after an edit above the function" % name)

files = [os.path.join(notes, f) for f in os.listdir(notes)]
is_(sorted({stat.S_IMODE(os.stat(f).st_mode) for f in files} | {stat.S_IMODE(os.stat(notes).st_mode)}), [0o600, 0o700], "only the user can read the notes")
is_([f for f in files if not f.endswith(".note")], [], "... and nothing else is left there")
renamed = walk(TOY.replace("y = ", "u = ").replace("y.", "u."), "torch")
toy = walk(TOY, "torch")
is_([r[2] for r in renamed[0]["info graph"]], [r[2] for r in toy[0]["info graph"]], "a variable that has another name now leaves the lines as they are")
ok(any("G:u" == i for k in renamed[0] if k.startswith("links") for _, i, _ in renamed[0][k]), "... and links lead to the node of its new name",
   str({k: v for k, v in renamed[0].items() if k.startswith("links")}))

# the same operations on other lines, which are on one line in the note
OTHER = TOY.replace("    y = torch.sin(x) * 2\n", "    y = torch.sin(x)\n    y = y * 2\n")
other, fresh = walk(OTHER, "torch"), walk(OTHER, "fresh")
is_([fresh[0]["inference"], other[0]["inference"]], [fresh[0]["inference"]] * 2, "operations that have lines of their own now have these")
is_(differing(fresh, other), [], "... and all else is as after a compile")


# ---- without a note

def unseen(d):
    d.do("break f")
    d.go()
    d.go("stepg")
    rows = d.rows("info graph")
    is_({r["line"] for r in rows}, {None}, "without a note no buffer has a line")
    like(str(d.notes) + str(d.seen[-3:]), "'graph recompile' finds nodes and lines", "... and a note names the remedy")
    kernel = next(r["target"] for r in rows if str(r["target"]).startswith("cpp_"))
    like(d.rows("info kernel " + kernel)[0]["text"], "'graph recompile __compiled_fn_1' finds them", "... so does info kernel")
    like(d.error("info links kernel __compiled_fn_1:kernel:" + kernel), "graph recompile", "... and info links")
    like(d.error("graph diff captured post-grad"), "'graph recompile' finds its nodes", "... and graph diff")


for f in files:
    os.unlink(f)
with Cdbg(TOY, env=env("torch"), limit=300) as d:
    unseen(d)
    d.go("finish")
    d.go()
    like(d.text("graph recompile"), r"made again: inference, post-grad, kernel \(\d+\.\d s\)$", "graph recompile says how long it took")
    d.go("stepg")
    is_([(r["node"], r["target"], r["line"]) for r in d.rows("info graph")], list(map(tuple, toy[0]["info graph"])), "... and then buffers have their lines")
again = walk(TOY, "torch")
pick = lambda all: [{k: v for k, v in one.items() if k.startswith(("info", "links"))} for one in all]
is_(differing(pick(toy), pick(again)), [], "the next run has them from the start")
with Cdbg(TOY, env=env("torch"), limit=300) as d:
    d.do("set cache-notes off")
    unseen(d)
for f in os.listdir(notes):
    os.unlink(os.path.join(notes, f))
walk(TOY, "off", ["set cache-notes off"])
is_(os.listdir(notes), [], "set cache-notes off writes none")

# ---- notes that cannot be used
def lines(cache):
    with Cdbg(TOY, env=env(cache), limit=300) as d:
        d.do("break f")
        d.go()
        d.go("stepg")
        return {r["line"] for r in d.rows("info graph")}


ok(lines("bad") - {None}, "a run that compiles has lines")
note = os.path.join(notes, os.listdir(notes)[0])
with open(note) as f:
    text = f.read()
for what, bad in (("cut off", text[:len(text) // 2]), ("with bytes in it", text.replace("sin", "\1\udcff")),
                  ("of another graph", text.replace("torch.sin", "torch.cos"))):
    with open(note, "w", errors="surrogateescape") as f:
        f.write(bad)
    is_(lines("bad"), {None}, "a note that is %s counts as none" % what)
os.unlink(note)
elsewhere = os.path.join(folder, "elsewhere")
with open(elsewhere, "w") as f:
    f.write(text)
os.symlink(elsewhere, note)
is_(lines("bad"), {None}, "a link in place of a note is not followed")
os.chmod(notes, 0o777)
os.unlink(note)
lines("others")
is_(os.listdir(notes), [], "no note is written where others can write")
shutil.rmtree(folder)
done()
