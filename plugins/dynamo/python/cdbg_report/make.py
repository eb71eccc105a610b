# SPDX-License-Identifier: BSD-3-Clause
"""All files of a report, one after the other, from its data."""
import json
import os

from .data import FILE
from .files import GuardFiles, function_files, name_folders
from .texts import ESCAPED, UNSAFE, visible

ASSETS = os.path.join(os.path.dirname(__file__), "assets")


def data_text(root):
    text = json.dumps(root, ensure_ascii=False, separators=(",", ":"))
    return UNSAFE.sub(lambda m: "\\u%04x" % ord(m[0]), text).encode() + b"\n"


def texts(root):
    """(name, bytes) of the files for other tools, then of index.json with their names."""
    guards = GuardFiles()
    name_folders(root)
    for f in root.get("functions", ()):
        for name, text in function_files(f, guards):
            yield "%s/%s" % (f["folder"], name), text.encode("utf-8", "replace")
    yield FILE, data_text(root)


def pages(root):
    """(name, bytes) of the pages and what they need.  ImportError: without jinja2.  root: after texts()."""
    from .pages import Pages
    make = Pages(visible(root) if ESCAPED.search(data_text(root).decode("utf-8")) else root)
    for name in sorted(os.listdir(ASSETS)):
        with open(os.path.join(ASSETS, name), "rb") as f:
            yield "assets/" + name, f.read()
    for f in make.root.get("functions", ()):
        yield f["folder"] + "/index.html", make.function(f).encode()
    yield "index.html", make.index().encode()


def report(text):
    """All of it from the bytes of index.json that cdbg collected, which are not looked through again."""
    root = json.loads(text)
    yield from texts(root)
    yield from pages(root)
