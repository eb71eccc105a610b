#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The tree speaks of the project alone: no path of anybody's machine, nothing of where it was written.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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
is_(beside, [], "no file looks beside the checkout")

# A file's name says which one is meant without its folder; a header has the name of the file that it belongs to.  Two are
# fixed: plugin.c holds the tables of a plugin, and plugin.h is what a plugin includes.
by_name = {}
for p in paths:
    if p.startswith(("src/", "ui/", "plugins/")) and p.endswith((".c", ".h")):
        by_name.setdefault(os.path.splitext(os.path.basename(p))[0], set()).add(os.path.dirname(p))
by_name.pop("plugin", None)
twice = ["%s: %s" % (n, " ".join(sorted(f))) for n, f in sorted(by_name.items()) if len(f) > 1]
ok(len(by_name) > 300 and not twice, "each file name is used in one folder", "\n".join(twice))

# A comment or a document names files that exist; these are files of libc, CPython and torch, or made by configure.
FOREIGN = {"dlpack.h", "opcode.h", "codeobject.c", "config.h"}
names = {os.path.basename(p) for p in paths} | FOREIGN
stale = []
for p in paths:
    if not p.endswith((".c", ".h", ".md")) or p.startswith("tests/"):
        continue
    with open(p, encoding="utf-8") as f:
        words = f.read()
    if not p.endswith(".md"):
        words = "\n".join(re.findall(r"/\*.*?\*/", words, re.S))
    stale += ["%s: %s" % (p, n) for n in re.findall(r"(?<![\w./\"*])([a-z_][a-z0-9_]+\.[ch])\b", words) if n not in names]
ok(not stale, "comments and documents name files that exist", "\n".join(sorted(set(stale))))

# An exported function begins with the name of its file, of the header that declares it, of their folder or of a struct: who
# reads a call knows where to look.  The base has a few that everybody knows by heart (mem_, bug_).
sources = {}
for p in paths:
    if p.startswith(("src/", "ui/", "plugins/")) and p.endswith((".c", ".h")):
        with open(p, encoding="utf-8") as f:
            sources[p] = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", f.read(), flags=re.S)
declared, owners = {}, set()
for p, words in sources.items():
    if p.endswith(".h"):
        owners |= set(re.findall(r"\b(?:struct|enum|union)\s+(\w{3,})", words))
        for name in re.findall(r"(?m)^(?!static|#|typedef)[A-Za-z_][\w\s*]*?\b(\w+)\s*\(", words):
            declared.setdefault(name, set()).add(p)
owners |= {n + "s" for n in owners} | {n[:-1] + "ies" for n in owners if n.endswith("y")}
exported, strange = 0, []
for p, words in sorted(sources.items()):
    if not p.endswith(".c"):
        continue
    for name in re.findall(r"(?m)^(?!static|#|typedef|extern)[A-Za-z_][\w\s*]*?\b(\w+)\s*\([^;{]*?\)\s*\n?\{", words):
        if name.startswith("PyInit_"):
            continue
        exported += 1
        places = {p} | declared.get(name, set())
        good = {w for f in places for w in (os.path.splitext(os.path.basename(f))[0], os.path.basename(os.path.dirname(f)))}
        good |= {w[:-1] for w in good if w.endswith("s")} | owners
        if not any(name == w or name.startswith(w + "_") for w in good):
            strange.append("%s: %s" % (p, name))
ok(exported > 1500 and len(strange) * 50 <= exported, "98 of 100 exported functions begin with the name of their place",
   "%d of %d\n%s" % (len(strange), exported, "\n".join(strange)))

# A test that cannot fail holds nothing.
hollow = []
for p in paths:
    if p.startswith("tests/") and p.endswith((".t", ".py")):
        with open(p, encoding="utf-8") as f:
            hollow += ["%s:%d: %s" % (p, k, l.strip()) for k, l in enumerate(f, 1) if re.match(r"\s*(?:ok|tap)\((?:True|1|not False),", l)]
ok(not hollow, "no test states a fact without looking", "\n".join(hollow))

done()
