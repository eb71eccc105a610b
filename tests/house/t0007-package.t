#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The Python packages of the graph commands and of reports: imports that go one way, names that exist, and nothing that pyflakes finds.
import ast
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

def modules_of(folder):
    trees = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py"):
            with open(os.path.join(folder, file), encoding="utf-8") as f:
                trees[file[:-3]] = ast.parse(f.read(), file)
    return trees


def bound(n):
    """The names that a statement binds."""
    if isinstance(n, (ast.FunctionDef, ast.ClassDef)):
        return [n.name]
    if isinstance(n, (ast.Import, ast.ImportFrom)):
        return [a.asname or a.name.split(".")[0] for a in n.names]
    return [x.id for x in ast.walk(n) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]


folders = [os.path.join(top, "plugins/dynamo/python", package) for package in ("cdbg_graphs", "cdbg_report")]
for folder in folders:
    package = os.path.basename(folder)
    trees = modules_of(folder)
    ok(len(trees) > 10, "%s: the modules are found" % package, len(trees))
    names = {m: {x for n in t.body for x in bound(n)} for m, t in trees.items()}
    taken, missing, defined = {m: set() for m in trees}, [], {}
    for m, t in trees.items():
        for n in ast.walk(t):
            if isinstance(n, ast.ImportFrom) and n.level:
                of = {a.name for a in n.names} if n.module is None else {n.module}
                taken[m] |= of
                missing += ["%s: .%s" % (m, x) for x in of if x not in trees]
                missing += ["%s: %s of .%s" % (m, a.name, n.module) for a in n.names if n.module in names and a.name not in names[n.module]]
        for n in t.body:
            if isinstance(n, (ast.FunctionDef, ast.ClassDef)):
                defined.setdefault(n.name, []).append(m)
    is_(missing, [], "%s: each module and name that is imported exists" % package)
    left = {m: set(of) for m, of in taken.items()}
    while any([not of for of in left.values()]):
        free = {m for m, of in left.items() if not of}
        left = {m: of - free for m, of in left.items() if m not in free}
    is_(sorted(left), [], "%s: no modules import each other in a circle" % package)
    is_({n: of for n, of in defined.items() if len(of) > 1}, {}, "%s: no two modules define one name" % package)

# What C calls by name, "module", "function", and the values that it gives to functions which take what their parameters name.
sources = ""
for at, folders_of, files in os.walk(os.path.join(top, "plugins/dynamo")):
    for file in files:
        if file.endswith(".c"):
            with open(os.path.join(at, file), encoding="utf-8") as f:
                sources += f.read()
given = {n for list_of in re.findall(r'"kept", s->kept.*?;|Py_BuildValue\("\{s:N\}", "\w+"', sources, re.S) for n in re.findall(r'"(\w+)"', list_of)}
named = re.findall(r'\.module = "([\w.]+)",\s*\.function = "(\w+)"', sources)
asked = named + re.findall(r'\b(?:package_call|package_function|graph_call)\(\s*"([\w.]+)",\s*"(\w+)"', sources)
asked += [("edit", name) for name in re.findall(r'\bedit_call\("(\w+)"', sources)] + [("unseen", name) for name in re.findall(r'\bcall_unseen\("(\w+)"', sources)]
packages = {os.path.basename(folder): modules_of(folder) for folder in folders}


def definition(module, name):
    package, _, m = module.rpartition(".")
    return next((n for n in packages[package or "cdbg_graphs"].get(m, ast.Module([], [])).body if getattr(n, "name", None) == name), None)


ok(len(asked) > 25 and len(named) == 6, "the calls of C are found", (len(asked), named))
is_(["%s.%s" % pair for pair in asked if definition(*pair) is None], [], "each function that C calls exists")
is_([(name, a.arg) for module, name in named for a in definition(module, name).args.args if a.arg not in given], [],
    "each parameter of a function that takes values by name is one that C gives")
imported = {a.name.partition(".")[0] for t in modules_of(folders[1]).values() for n in ast.walk(t) if isinstance(n, ast.Import) for a in n.names}
is_(sorted(imported - sys.stdlib_module_names), [], "cdbg_report imports the standard library only: it runs without torch")
if shutil.which("pyflakes3"):
    found = subprocess.run(["pyflakes3", *folders, *[os.path.join(top, "src", f) for f in ("__init__.py", "command.py", "notebook.py", "pdb.py", "pytest.py", "report.py", "start/sitecustomize.py", "watching.py")]], capture_output=True, text=True)
    is_((found.returncode, found.stdout), (0, ""), "pyflakes finds nothing")
else:
    skip("pyflakes finds nothing", "no pyflakes3 on PATH")
done()
