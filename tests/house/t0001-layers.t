#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The floors of the house: who includes what, where CPython and the terminal may be known, and sizes.
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

FLOORS = ["base", "py", "event", "engine", "view", "cmd", "ui"]
DECOMPILE_FOLDERS = ["tree", "bytecode", "stack", "flow", "shape", "tidy", "text", "compile", ""]    # each calls those before it
PY_FOLDERS = ["version", "value", "code", "frame", "asm", "decompile", "interp", "record", "hook", "crash"]     # lowest first
os.chdir(top)
sources = sorted(glob.glob("src/**/*.[ch]", recursive=True) + glob.glob("ui/**/*.[ch]", recursive=True) + glob.glob("plugins/**/*.[ch]", recursive=True))
text = {p: open(p, encoding="utf-8").read() for p in sources}


def code_only(s):
    """Comments and the contents of strings blanked, lines kept."""
    def blank(m):
        return '""' if m.group(0)[0] == '"' else "''" if m.group(0)[0] == "'" else re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, s, flags=re.S)


bare_code = {p: code_only(s) for p, s in text.items()}


def includes(path):
    """(quoted?, name) of each include."""
    return [(m.group(1) == '"', m.group(2)) for m in re.finditer(r'^\s*#\s*include\s*(["<])([^">]+)[">]', text[path], re.M)]


def floor(path):
    """The floor's number; None for files outside (module.c, plugin.c, plugin.h) and for plugins."""
    part = path.split("/")
    name = part[0] if part[0] == "ui" else part[1] if part[0] == "src" and len(part) > 2 else None
    return FLOORS.index(name) if name in FLOORS else None


def resolve(path, name):
    """The file of the tree that an include means; None for made ones (config.h, lists)."""
    for p in (os.path.join(os.path.dirname(path), name), "src/" + name, name, "plugins/" + name, "/".join(path.split("/")[:2]) + "/" + name):
        if os.path.normpath(p) in text:
            return os.path.normpath(p)


def py_folder(path):
    """The number of the folder of src/py that the file is in, or None."""
    part = path.split("/")
    return PY_FOLDERS.index(part[2]) if part[:2] == ["src", "py"] and len(part) > 3 and part[2] in PY_FOLDERS else None


def none(bad, name):
    ok(not bad, name, "\n".join(bad))


ok(len(sources) > 50, "the sources are found")

up, outside, foreign = [], [], []
for p in sources:
    for quoted, name in includes(p):
        target = resolve(p, name) if quoted else None
        if quoted and not target and not re.fullmatch(r"config\.h|[\w/]+_list\.h", name):
            foreign.append("%s includes %s, which is not there" % (p, name))
        if not target:
            continue
        if floor(p) is not None and (floor(target) is None or floor(target) > floor(p)):
            up.append("%s includes %s" % (p, target))
        if p.startswith("plugins/") and target != "src/plugin.h" and not target.startswith("plugins/dlpack/") and target.split("/")[:2] != p.split("/")[:2]:
            outside.append("%s includes %s" % (p, target))
py_up = ["%s includes %s" % (p, t) for p in sources if py_folder(p) is not None
         for q, n in includes(p) for t in [resolve(p, n)] if q and t
         and py_folder(p) < (py_folder(t) or 0)]
none(py_up, "a folder of src/py includes its own files and those of lower folders only")
none([p for p in sources if p.startswith("src/py/") and p.count("/") > 2 and py_folder(p) is None], "each file of src/py is in one of its folders")
none(["%s: %s" % (p, l) for p in sources if p.startswith("src/py/") and not re.search(r"/version/|_(trace|monitor)\.c$", p)
      for l in re.findall(r"^\s*#\s*(?:if|elif).*", bare_code[p], re.M) if not re.fullmatch(r"#ifndef CDBG_\w+_H", l.strip())],
     "src/py asks about versions and opcodes in version/ and in *_trace.c and *_monitor.c only")
none(foreign, "every quoted include names a file of the tree")
none(up, "a floor includes its own files and lower ones only")
none(outside, "a plugin includes plugin.h, its own headers and those that plugins share, and nothing else of cdbg")

python = [p for p in sources if any(n.startswith(("Python.h", "pycore", "internal/", "cpython/", "frameobject")) for _, n in includes(p))]
none([p for p in python if not re.match(r"src/py/(\w+/)*\w+\.[ch]$|src/\w+\.[ch]$|plugins/", p)],
     "Python.h is included only on floor py, by files outside the floors, and in plugins")
none([p for p in sources if p.endswith(".h") and re.search(r"\bPyObject\b", bare_code[p])
      and not re.match(r"src/py/|src/(plugin|source_api)\.h$|plugins/", p)], "no header above floor py names PyObject, except plugin.h and source_api.h")
none([p for p in sources if re.search(r"\bPy_BUILD_CORE\b|\bPY_VERSION_HEX\b|\bPY_M(AJOR|INOR)_VERSION\b", bare_code[p])
      and not re.fullmatch(r"src/py/(version/py3\d+|hook/\w+_(trace|monitor))\.c", p)],
     "CPython's version and its core are known only in py3NN.c, *_trace.c and *_monitor.c")
none([p for p in glob.glob("src/py/version/py3*.c") if not re.search(r"#error", text[p])], "each py3NN.c refuses any other version")
none([p for p in sources if any(re.match(r"n?curses|histedit|editline|term\.h", n) for _, n in includes(p)) and floor(p) != FLOORS.index("ui")],
     "curses and libedit are included only on floor ui")
none([p for p in sources if any("jansson" in n for _, n in includes(p)) and floor(p) != FLOORS.index("ui")],
     "the JSON library is included only on floor ui")
none([p for p in sources if p != "src/base/text.c" and any("utf8proc" in n for _, n in includes(p))],
     "utf8proc is included only in base/text.c")
none([p for p in sources if p.startswith("src/") and re.search(r"\btorch\b|\b[Dd]ynamo\b", bare_code[p])],
     "the core's code has never heard of torch")

installed = set()
with open("Makefile.am") as f:
    for m in re.finditer(r"^\w+_HEADERS = (.*)$", f.read(), re.M):
        installed.update(m.group(1).split())
ok("src/plugin.h" in installed, "plugin.h is installed")
none(["%s includes %s" % (p, resolve(p, n)) for p in sorted(installed) for q, n in includes(p)
      if q and resolve(p, n) not in installed], "what an installed header includes is installed too")

none(["%s: %s" % (p, m.group(1)) for p in sorted(installed) if not p.startswith("src/base/")
      for m in re.finditer(r"^(?!static|typedef|#)\w[\w *]*?\b(\w+)\(", bare_code[p], re.M) if m.group(1) != "__attribute__"],
     "headers for plugins declare data only, beside those of base")

for pattern, name in ((r"\b(strcpy|strcat|v?sprintf|strtok|gets)\s*\(", "no strcpy, strcat, sprintf, strtok or gets"),
                      (r"\b(malloc|calloc|strdup|strndup|asprintf)\s*\(", "memory of our own comes from base only")):
    none(["%s: %s" % (p, m.group(1)) for p in sources if not (p.startswith("src/base/") and "malloc" in pattern)
          for m in re.finditer(pattern, bare_code[p])], name)

scripts = sorted(glob.glob("src/*.py") + glob.glob("plugins/**/*.py", recursive=True) + glob.glob("tests/*.[chpst]*") + glob.glob("tests/*/t[0-9]*.t") + glob.glob("tests/lib/*") + glob.glob("tests/unit/*") + glob.glob("bench/*")
                 + ["bootstrap", "build-aux/backend.py", "build-aux/mklist.sh"])
lines = {p: open(p, encoding="utf-8").read().splitlines() for p in sources + [s for s in scripts if os.path.isfile(s)]}
none(["%s: %d" % (p, len(l)) for p, l in lines.items() if len(l) > 800], "no file has more than 800 lines")
none(["%s:%d" % (p, k) for p in sources for k, l in enumerate(lines[p], 1) if len(l.expandtabs(8)) > 120],
     "no line of C is wider than 120 columns")
none([p for p, l in lines.items() if not any("SPDX-License-Identifier: BSD-3-Clause" in x for x in l[:2])
      and os.path.getsize(p) and not p.endswith(".supp")], "each file names its license in its first two lines")
none(["%s:%d" % (p, k) for p in sources for k, l in enumerate(lines[p], 1) if re.match(r" {8}|\t* {8}\t", l) or l != l.rstrip()],
     "C is indented with tabs and has no white space at the end of a line")

long = []
for p in sources:
    start = None
    for k, l in enumerate(bare_code[p].splitlines(), 1):
        if l.rstrip() == "{":
            start = k
        elif l.rstrip() == "}" and start:
            if k - start - 1 > 80:
                long.append("%s:%d: %d lines" % (p, start, k - start - 1))
            start = None
none(long, "no function has more than 80 lines")



def calls(folder):
    """Who calls whom among the object files below a folder: {file: files}."""
    objects = glob.glob(os.path.join(build, folder, "**", ".libs", "*.o"), recursive=True)
    defined, used = {}, {}
    for path in objects:
        name = os.path.basename(path).rsplit("-", 1)[-1]
        name = os.path.splitext(name)[0]
        if name.endswith("_table"):
            continue                     # who lists all pieces is above them
        for line in subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "TDBR":
                defined[symbol] = name
            elif kind == "U":
                used.setdefault(name, set()).add(symbol)
    return {n: {defined[s] for s in used.get(n, ()) if defined.get(s, n) != n} for n in set(defined.values())}


def cycle(graph):
    """Files that lead back to themselves, each with those it calls among them."""
    graph = dict(graph)
    while True:
        leaves = [n for n, to in graph.items() if not any(t in graph for t in to)]
        if not leaves:
            return ["%s calls %s" % (n, " ".join(sorted(t for t in to if t in graph))) for n, to in sorted(graph.items())]
        for n in leaves:
            del graph[n]


def py_calls():
    """Who calls whom in src/py: {"folder/file": {"folder/file": symbols}}."""
    names, used, graph = {}, {}, {}
    for path in glob.glob(os.path.join(build, "src/py/**/.libs/_cdbg_la-*.o"), recursive=True):
        name = os.path.relpath(path, os.path.join(build, "src/py")).replace(".libs/_cdbg_la-", "")[:-len(".o")]
        if not os.path.exists("src/py/%s.c" % name):
            continue                     # an object without its source is left from another build
        for line in subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "TDBR":
                names[symbol] = name
            elif kind == "U":
                used.setdefault(name, set()).add(symbol)
    for name in set(names.values()) | set(used):
        graph[name] = {}
        for symbol in used.get(name, ()):
            if names.get(symbol, name) != name:
                graph[name].setdefault(names[symbol], []).append(symbol)
    return graph


UI_FOLDERS = ["", "term", "output", "wire", "line", "json", "ranks", "dap", "plain", "tui"]      # each calls those before it


def ui_calls():
    """Who calls whom in ui: {"folder/file": files}; an object without its source is left from another build."""
    names, used = {}, {}
    for path in glob.glob(os.path.join(build, "ui/**/.libs/_cdbg_la-*.o"), recursive=True):
        name = os.path.relpath(path, os.path.join(build, "ui")).replace(".libs/_cdbg_la-", "")[:-len(".o")]
        if not os.path.exists("ui/%s.c" % name):
            continue
        for line in subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "TDBR":
                names[symbol] = name
            elif kind == "U":
                used.setdefault(name, set()).add(symbol)
    return {n: {names[s] for s in used.get(n, ()) if names.get(s, n) != n} for n in set(names.values()) | set(used)}


def circle(graph, start):
    """The files that `start` calls, at whatever distance, and that lead back to it; itself among them."""
    def reached(edges):
        seen, todo = {start}, [start]
        while todo:
            for to in edges.get(todo.pop(), ()):
                if to not in seen:
                    seen.add(to)
                    todo.append(to)
        return seen
    back = {}
    for name, calls_ in graph.items():
        for to in calls_:
            back.setdefault(to, set()).add(name)
    return reached(graph) & reached(back)


if shutil.which("nm"):
    graph = py_calls()
    ok(len(graph) > 40, "the object files of src/py are found", sorted(graph))
    none(["%s calls %s of %s" % (a, " ".join(graph[a][b]), b) for a in sorted(graph) for b in sorted(graph[a])
          if PY_FOLDERS.index(a.split("/")[0]) < PY_FOLDERS.index(b.split("/")[0])], "a folder of src/py calls lower folders only")
    part = lambda name: DECOMPILE_FOLDERS.index(os.path.dirname(name)[len("decompile/"):])
    none(["%s calls %s of %s" % (a, " ".join(graph[a][b]), b) for a in sorted(graph) for b in sorted(graph[a])
          if a.startswith("decompile/") and b.startswith("decompile/") and part(a) < part(b)],
         "a folder of decompile calls those before it only")
    none(sorted({" ".join(sorted(c)) for c in (circle(graph, n) for n in graph) if len(c) > 4}),
         "no more than four files of src/py depend on each other")
    graph = ui_calls()
    ok(len(graph) > 40, "the object files of ui are found", sorted(graph))
    none(["%s calls %s" % (a, b) for a in sorted(graph) for b in sorted(graph[a])
          if UI_FOLDERS.index(os.path.dirname(a)) < UI_FOLDERS.index(os.path.dirname(b))], "a folder of ui calls earlier folders only")
    none(sorted({" ".join(sorted(c)) for c in (circle(graph, n) for n in graph) if len(c) > 4}),
         "no more than four files of ui depend on each other")
    none(["%s: %d" % (p, len(l)) for p, l in lines.items() if p.startswith("ui/") and len(l) > 800], "no file of ui has more than 800 lines")
    for folder, least in (("src/engine", 20), ("src/event", 10)):
        graph = calls(folder)
        ok(len(graph) >= least, "the object files of %s are found" % folder, graph)
        none(cycle(graph), "no files of %s depend on each other" % folder)
else:
    skip("dependencies of object files", "needs nm")
none(["%s: %d" % (p, len(lines[p])) for p in sources if re.match(r"src/(engine/|event/)?\w+\.c$", p) and len(lines[p]) > 800],
     "no file of engine, event and what joins them has more than 800 lines")
none(["%s: %d" % (p, len(lines[p])) for p in sources if not p.startswith(("src/py/", "plugins/")) and p.endswith(".h") and len(lines[p]) > 200],
     "no header above py has more than 200 lines")

# The folders of an area, lowest first; how many files may depend on each other in a circle; lines of a file, of a header.
# Files in the area's own folder join the others; files that only list tables are above all.
AREAS = {
    "plugins/dynamo": (["torch", "model", "code", "guards", "observe", "edit", "show", "event cmd report"], 4, 800, 200),
}


def level(area, path):
    """The number of the folder in its area; None outside of its folders."""
    folder = path[len(area) + 1:].split("/")[0]
    return next((i for i, names in enumerate(AREAS[area][0]) if folder in names.split()), None)


def objects_below(area):
    """Who uses whom, by source: {file: files}; lists of tables are left out."""
    defined, used = {}, {}
    for path in glob.glob(os.path.join(build, area, "**", ".libs", "*.o"), recursive=True):
        name = os.path.relpath(path, build).replace(".libs/", "")
        name = re.sub(r"[^/]*-(\w+)\.o$", r"\1.c", name)
        if not os.path.exists(name) or re.search(r"(^|[-_/])(module|plugin|tables?|lists?)\.c$", name):
            continue
        used[name] = set()
        for line in subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "TDBRV":
                defined[symbol] = name
            elif kind == "U":
                used[name].add(symbol)
    return {n: {defined[s] for s in u if s in defined} - {n} for n, u in used.items()}


def reach(graph):
    """From each node, all that it leads to."""
    all_of = {}
    for start in graph:
        seen, todo = set(), list(graph[start])
        while todo:
            n = todo.pop()
            if n not in seen:
                seen.add(n)
                todo += graph.get(n, ())
        all_of[start] = seen
    return all_of


def circles(graph):
    """The sets of nodes that lead to each other."""
    to = reach(graph)
    return {frozenset(m for m in to[n] if n in to[m]) for n in graph if n in to[n]}


for area, (folders, most, file_lines, header_lines) in AREAS.items():
    up = []
    for p in sources:
        for quoted, name in includes(p) if p.startswith(area + "/") else ():
            target = resolve(p, name) if quoted else None
            if target and target.startswith(area + "/") and level(area, p) is not None and (
                    level(area, target) is None or level(area, target) > level(area, p)):
                up.append("%s includes %s" % (p, target))
    none(up, "%s: a folder includes its own files and those of lower ones" % area)
    none(["%s: %d" % (p, len(lines[p])) for p in sources if p.startswith(area + "/") and len(lines[p]) > file_lines],
         "%s: no file has more than %d lines" % (area, file_lines))
    none(["%s: %d" % (p, len(lines[p])) for p in sources if p.startswith(area + "/") and p.endswith(".h") and len(lines[p]) > header_lines],
         "%s: no header has more than %d lines" % (area, header_lines))
    if not shutil.which("nm"):
        skip("%s: what object files use" % area, "needs nm")
        continue
    files = objects_below(area)
    ok(len(files) > 10, "%s: the object files are found" % area)
    none([" ".join(sorted(c)) for c in circles(files) if len(c) > most],
         "%s: at most %d files use each other in a circle" % (area, most))
    by_folder = {os.path.dirname(n): set() for n in files}
    for n, to in files.items():
        by_folder[os.path.dirname(n)] |= {os.path.dirname(t) for t in to} - {os.path.dirname(n)}
    none([" ".join(sorted(c)) for c in circles(by_folder)], "%s: no folders use each other in a circle" % area)
none(["%s: %d" % (p, len(lines[p])) for p in sources if p.startswith("src/py/")
      and len(lines[p]) > (200 if p.endswith(".h") else 800)], "src/py has no header over 200 lines, no file over 800")


def fields(body):
    """Names of the fields of a struct; those of a struct inside of it count as one."""
    while re.search(r"\{[^{}]*\}", body):
        body = re.sub(r"\{[^{}]*\}", "", body)
    for statement in body.split(";"):
        pointed = re.findall(r"\(\*(\w+)\)\s*\(", statement)
        parts = pointed or [(re.findall(r"\w+", part) or [None])[-1] for part in
                            re.sub(r"\[[^]]*\]|:\s*\d+|__attribute__.*", "", statement).split(",")]
        yield from filter(None, parts)


# Who assigns to fields of a large struct, through a variable that its own function, or the file, declares as one.
# What other functions do with the address of a field is not seen.
large = {m.group(1): set(fields(m.group(2))) for p in sources
         for m in re.finditer(r"^struct (\w+) \{\n(.*?)^\}", bare_code[p], re.M | re.S)}
none(["struct %s: %d" % (n, len(f)) for n, f in sorted(large.items()) if len(f) > 30 and n not in ("cdbg_host", "plug_ops")],
     "no struct but the tables of functions for plugins has more than 30 fields")
large = {name: f for name, f in large.items() if len(f) > 15}
owners = {name: set() for name in large}
for p in sources:
    bodies = re.findall(r"^[^\s#{}][^{};=]*\)\n\{\n.*?^\}", bare_code[p], re.M | re.S)
    rest = re.sub(r"^[^\s#{}][^{};=]*\)\n\{\n.*?^\}", "", bare_code[p], flags=re.M | re.S)
    for name, names in large.items():
        declared = r"struct %s (?:\*+ ?)?(?:const )?(\w+)(?! ?\()" % name
        for body in bodies:
            variables = set(re.findall(declared, body)) | set(re.findall("^(?:static )?" + declared, rest, re.M))
            if variables and re.search(r"(?<![\w>.])(?:%s)(?:->|\.)(?:%s)\b(?:\[[^]]*\])*\s*(?:[-+|&^*/]?=(?!=)|\+\+|--)"
                                       % ("|".join(variables), "|".join(names)), body):
                owners[name].add("/".join(os.path.dirname(p).split("/")[:3]))     # the decompiler's folders are one
ok("src/engine" in owners.get("session", ()) and "ui/tui" in owners.get("pane", ()), "assignments to large structs are found")
none(["struct %s: %s" % (name, " ".join(sorted(by))) for name, by in sorted(owners.items()) if len(by) > 1],
     "no struct with more than 15 fields is written by two folders")

none([p for p in sorted(glob.glob("tests/**/*.t", recursive=True)) if not os.access(p, os.X_OK)], "every test script can be run as it is")
done()
