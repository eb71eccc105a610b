# SPDX-License-Identifier: BSD-3-Clause
"""A report's data read from its directory, and questions about it.  The data may come from anywhere: what is no report, or has a value
of another type than doc/report.schema.json says, is refused with one sentence."""
import json
import math
import os
import stat

FORMAT, VERSION, FILE = "cdbg report", 1, "index.json"
SCHEMA = os.path.join(os.path.dirname(__file__), "report.schema.json")
MOST_BYTES, MOST_NUMBER = 1 << 30, 1 << 53


class Refused(Exception):
    """One sentence for the user."""


# ---- reading -------------------------------------------------------------------------------------------------------------

def read(directory):
    """The data of the report in a directory."""
    path = os.path.join(directory, FILE)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as e:
        raise Refused("cannot read '%s': %s; 'report DIR' writes a report" % (path, getattr(e, "strerror", None) or e)) from None
    return parse(read_all(fd, path), path)


def read_all(fd, path):
    """The bytes of a file; takes the descriptor."""
    with os.fdopen(fd, "rb") as f:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise Refused("cannot read '%s': it is not a regular file" % path)
        if info.st_size > MOST_BYTES:
            raise Refused("cannot read '%s': it has more than %d bytes" % (path, MOST_BYTES))
        return f.read(MOST_BYTES + 1)


def parse(text, path):
    """Bytes of index.json as data.  path: for the message."""
    def refused(why):
        return Refused("'%s' is not the data of a report%s" % (path, ": " + why if why else ""))

    try:
        root = json.loads(text.decode("utf-8", "replace"))
        if type(root) is not dict or root.get("format") != FORMAT:
            raise refused("")
        if root.get("version") != VERSION:
            raise Refused("'%s' is data of another version of cdbg: write the report again" % path)
        checker()(root, "")
    except RecursionError:
        raise refused("it is nested too deeply") from None
    except (ValueError, Wrong) as e:
        raise refused(str(e)) from None
    return root


# ---- types ---------------------------------------------------------------------------------------------------------------

class Wrong(Exception):
    """Where a value has another type."""


def is_number(v):
    return type(v) in (int, float) and math.isfinite(v) and abs(v) < MOST_NUMBER


SIMPLE = {"string": ("a text", lambda v: type(v) is str), "boolean": ("true or false", lambda v: type(v) is bool),
          "integer": ("a whole number", lambda v: type(v) is int and abs(v) < MOST_NUMBER), "number": ("a number", is_number)}


def checker():
    """A function (value, where it is) that raises Wrong unless the types are those of the schema.  What is absent, or not in the
    schema, is as good."""
    with open(SCHEMA, encoding="utf-8") as f:
        schema = json.load(f)
    named = {name: None for name in schema["$defs"]}

    def check_of(s):
        if "$ref" in s:
            name = s["$ref"].rpartition("/")[2]
            return lambda v, at: named[name](v, at)
        kind = s.get("type", "integer" if type(s.get("const")) is int else "string")
        if type(kind) is list:
            return any_check(kind)
        if kind == "object":
            return object_check({key: check_of(of) for key, of in s.get("properties", {}).items()})
        return list_check(check_of(s["items"])) if kind == "array" else simple_check(*SIMPLE[kind])

    for name, of in schema["$defs"].items():
        named[name] = check_of(of)
    return check_of(schema)


def simple_check(what, good):
    def check(v, at):
        if not good(v):
            raise Wrong("%s is not %s" % (at[1:], what))
    return check


def any_check(kinds):
    def check(v, at):
        if not (v is None and "null" in kinds or any(SIMPLE[k][1](v) for k in kinds if k in SIMPLE)):
            raise Wrong("%s is not %s" % (at[1:], " or ".join(kinds)))
    return check


def list_check(of):
    def check(v, at):
        if type(v) is not list:
            raise Wrong("%s is not a list" % at[1:])
        for i, item in enumerate(v):
            of(item, "%s[%d]" % (at, i))
    return check


def object_check(known):
    def check(v, at):
        if type(v) is not dict:
            raise Wrong("%s is not an object" % (at[1:] or "it"))
        for key, item in v.items():
            if key in known:
                known[key](item, at + "." + key)
    return check


# ---- questions -----------------------------------------------------------------------------------------------------------

def name_of(f):
    """A function's; "(no name)" where there is nothing to see or to click on."""
    name = f.get("qualname", "")
    return name if name.strip(" \t\r\n") else "(no name)"


def shown(row, key):
    """A text of the program's as a person writes it."""
    return row.get(key + "_shown", row.get(key, ""))


def same_code(a, b):
    """Are both entries of the function itself, or of the same resume function?  Two of these may share their name."""
    return a.get("resume_number", 0) == b.get("resume_number", 0)


def seconds_of(f):
    return sum(e.get("seconds", 0) for e in f.get("entry", ()))


def remedies(e, most):
    """Rows of "why" with a remedy, one for each remedy, those of the entry with the fewest failing guards first."""
    found = {}
    for near in True, False:
        for row in e.get("why", ()):
            if row.get("nearest", False) is near and row.get("remedy") and len(found) < most:
                found.setdefault(row["remedy"], row)
    return list(found.values())


def stages(e, name):
    """Those of this name over all graphs of an entry."""
    return [s for g in e.get("graphs", ()) for s in g.get("stages", ()) if s.get("stage") == name]


class Sources:
    """Lines of source files that the pages show."""
    def __init__(self, root):
        self.line = {}
        runs = root.get("sources", [])
        for f in root.get("functions", ()):
            runs = runs + [{"file": f.get("file", ""), "first": r.get("line", 0), "lines": [r.get("text", "")]} for r in f.get("source", ())]
        for run in runs:
            for i, text in enumerate(run.get("lines", ())):
                self.line[run.get("file"), run.get("first", 0) + i] = text

    def text(self, file, line):
        """None: it is not known."""
        return self.line.get((file, line))
