#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The tree speaks of the project alone: no path of anybody's machine, nothing of where it was written.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

os.chdir(top)


def tree():
    """Files that git knows or would add; in an unpacked archive all of them."""
    git = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True)
    if git.returncode == 0 and git.stdout:
        return [p for p in git.stdout.decode().split("\0") if p and os.path.isfile(p)]
    found = []
    for folder, folders, files in os.walk("."):
        folders[:] = [d for d in folders if not d.startswith((".", "build", "_build", "autom4te", "__pycache__", "m4"))]
        found += [os.path.join(folder, f)[2:] for f in files]
    made = {"configure", "aclocal.m4", "config.h.in", "Makefile.in"}
    return [p for p in found if os.path.basename(p) not in made]


# Spelt so that this file does not hold them.
WORDS = {
    "a folder of one machine": r"(?<![\w.$}])/(?:wor[k]|hom[e]|roo[t])/|/op[t]/\w|/tm[p]/wt",
    "the workplace": r"\bspike[s]?/|\bfact[s]/|HELPER[S]|\bissues (?:sho[w]|lis[t])\b|\bissue [#]\d|\b(?:sub)?agen[t]\b",
    "a host of some network": r"\b(?:pypi|deb|mirror|registry|proxy)\.[a-z0-9-]+\.[a-z]{2,}\b",
}

paths = tree()
ok(len(paths) > 100, "the tree is found")
for what, pattern in WORDS.items():
    bad = []
    for p in paths:
        with open(p, encoding="utf-8", errors="replace") as f:
            bad += ["%s:%d: %s" % (p, k, l.strip()[:120]) for k, l in enumerate(f, 1) if re.search(pattern, l)]
    ok(not bad, "no file names %s" % what, "\n".join(bad))
beside = []
for p in paths:
    with open(p, encoding="utf-8", errors="replace") as f:
        if re.search(r"(?<!\w)share[d]/", f.read()):
            beside.append(p)
is_(beside, [".ci/run"], "only .ci/run looks beside the checkout")
done()
