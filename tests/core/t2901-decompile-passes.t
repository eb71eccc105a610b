#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# src/py/decompile/README.md lists the passes in the order of passes.c, and its example is what cdbg gives.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

folder = os.path.join(top, "src", "py", "decompile")
with open(os.path.join(folder, "README.md")) as f:
    readme = f.read()
with open(os.path.join(folder, "passes.c")) as f:
    tables = re.findall(r"static const struct \w+_pass \w+\[\] = \{\n(.*?)\n\};", f.read(), re.S)
passes = [m for t in tables for m in re.findall(r'\{\s*"(\w+)",\s*\w+,\s*(true|false)\s*\}', t)]
ok(len(passes) > 20, "the tables of passes are found", passes)
rows = re.findall(r"^\| (\w+) \| .* \|$", readme.partition("## The passes")[2], re.M)
is_([r for r in rows if r != "pass"], [name for name, _ in passes], "the README has the passes in the order in which they run")
people = [name for name, for_people in passes if for_people == "true"]
marked = re.findall(r"^\| (\w+) \| .*people\) \|$", readme, re.M)
ok(set(marked) <= set(people) and people, "those it marks are for people only", (marked, people))
folders = sorted(d for d in os.listdir(folder) if os.path.isdir(os.path.join(folder, d)))
is_(sorted(re.findall(r"^\| `(\w+)/` \|", readme, re.M)), folders, "it has each folder")

PROGRAM = r'''
import torch, cdbg
from torch._dynamo import convert_frame

def scale(x, name):
    y = x.sin()
    with torch.no_grad():
        print(name)
        y = y * 2 if len(name) > 3 else y
    return y + 1

def hook(_, code):
    if code.co_name == "scale":
        print(cdbg.decompile(code, whole=True), cdbg.decompile(code), sep="")
convert_frame.register_bytecode_hook(hook)
torch.compile(scale, backend="eager")(torch.ones(2), "long")
'''
if version() != (3, 11) or not has("torch") or torch_version() < (2, 13):
    skip("the example", "it is of CPython 3.11 and torch 2.13")
else:
    rc, out, said = bare(script(PROGRAM), limit=120)
    ok(rc == 0, "the example runs", said[-2000:])
    out = re.sub(r"(__compiled_fn_\d+)_[0-9a-f_]{36}", r"\1", out)
    shown = [re.sub(r"(?m)^    ", "", block).strip() for block in re.findall(r"(?m)(?:^    .*\n)+", readme)]
    texts = [t for t in shown if t.startswith("def scale(x, name):")]
    is_(len(texts), 2, "the README shows the text that is compiled, and the text for people")
    ok(texts and texts[0] in out, "the text that is compiled is as shown", out)
    ok(texts and texts[-1] in out, "the text for people is as shown", out)
done()
