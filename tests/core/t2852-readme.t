#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# README, NEWS and the guide stay short, and what they link to exists.
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

os.chdir(top)
texts = {}
for path in ["README.md", "NEWS"] + sorted(glob.glob("doc/guide/*.md")):
    with open(path) as f:
        texts[path] = f.read()

absent = ["%s: %s" % (path, to) for path, text in texts.items() if path != "NEWS" for to in re.findall(r"\]\(([^)#]+)[^)]*\)", text)
          if not to.startswith("http") and not os.path.exists(os.path.join(os.path.dirname(path), to))]
is_(absent, [], "each link of README and the guide leads to a file")

index = texts["doc/guide/README.md"]
is_([f for f in sorted(texts) if f.startswith("doc/guide/") and not f.endswith("README.md") and "(%s)" % os.path.basename(f) not in index], [],
    "the index of the guide links each of its files")
named = " ".join(texts.values())
is_([f for f in sorted(os.listdir("doc/guide")) if f.endswith(".py") and f not in named], [], "a session uses each program of the guide")
ok(texts["README.md"].count("\n") <= 60, "README is a screen and a half at most", texts["README.md"].count("\n"))
is_([(f, t.count("\n")) for f, t in texts.items() if f.startswith("doc/guide/") and t.count("\n") > 80], [], "a session has 80 lines at most, a screen included")
section = texts["NEWS"].split("\nVersion ")[1].split("\n", 2)[2]
ok(section.strip().count("\n") < 30, "NEWS has 30 lines at most for the version to come", section.strip().count("\n") + 1)
done()
