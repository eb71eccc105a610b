# SPDX-License-Identifier: BSD-3-Clause
"""Reports of programs, for tests: written with --report, read back, checked against the schema."""
import importlib.util
import json
import os
import re
import subprocess
import tempfile

from cdbgtest import *
from cdbgtest import argv, environment

_root = tempfile.TemporaryDirectory(prefix="cdbg-report-")
SCHEMA = os.path.join(top, "doc", "report.schema.json")


def place(name):
    """A path for a report, in a folder that is deleted after the test."""
    return os.path.join(_root.name, name)


def report(program, name="r", *args, env=None):
    """Run a program with --report: (status, stdout, stderr without the line that names the report, the report's directory)."""
    path = place(name)
    status, out, err = run(program, *args, options=["--report", path], env=env, limit=300)
    return status, out, unnamed(err), path


def unnamed(err):
    """Standard error without what --report adds at its end: where the report is."""
    return re.sub(r"cdbg: report: \d+ files, \d+ bytes: open '(?:.|\n)+?/index\.html' in a browser\n"
                  r"(removed \d+ unfinished reports? beside it: the process was killed\n)?\Z", "", err)


def data(path):
    with open(os.path.join(path, "index.json"), encoding="utf-8") as f:
        return json.load(f)


def changed(path, name, how):
    """A report under another name with the data of this one after how(data)."""
    d = data(path)
    how(d)
    os.makedirs(place(name))
    with open(os.path.join(place(name), "index.json"), "w") as f:
        json.dump(d, f)
    return place(name)


def files(path):
    """Every file of a directory by its name below it."""
    return sorted(os.path.relpath(os.path.join(d, f), path) for d, _, names in os.walk(path) for f in names)


def text(path, *name):
    with open(os.path.join(path, *name), encoding="utf-8") as f:
        return f.read()


def left_over(path):
    """What is beside a report and does not belong to it: temporary directories."""
    return [n for n in os.listdir(os.path.dirname(path)) if n.startswith(os.path.basename(path) + ".")]


def valid(path, name):
    """index.json is as the schema says; skipped without jsonschema."""
    if importlib.util.find_spec("jsonschema"):
        import jsonschema
        with open(SCHEMA, encoding="utf-8") as f:
            found = [("/".join(map(str, e.path)) + ": " + e.message)[:300]
                     for e in jsonschema.Draft202012Validator(json.load(f)).iter_errors(data(path))]
        ok(not found, name, "\n".join(found[:10]))
    else:
        skip(name, "needs jsonschema")
