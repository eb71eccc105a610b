#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""index.json may come from anywhere: whatever it has, `python -m cdbg.report` and --diff make a report or print one line of error.  No value
leads to a traceback, to markup, or to a long wait."""
import copy
import html.parser
import os
import random
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

sys.path.insert(0, os.path.join(build, "inplace", "cdbg", "plugins"))
from cdbg_report import data as report_data, diff, make

need_torch()
path = script("""
    import torch

    def helper(x):
        return torch.relu(x) * 2

    @torch.compile(backend="aot_eager", dynamic=False)
    def f(x, n, log):
        y = helper(x) + n
        log.append(n)
        print("break")
        return y.sum()

    for n in 1, 2.5:
        f(torch.ones(3), n, [])
""")
first = report(path, "first")[3]
whole = data(first)


def outcome(text):
    """ "made", the sentence of an error, or what was raised."""
    try:
        root = report_data.parse(text, "index.json")
        for part in make.texts, make.pages:
            for name, made in part(root):
                if type(name) is not str or type(made) is not bytes or ".." in name or name.startswith("/") or name.count("/") > 1:
                    return "a file named %r" % name
        with open(os.path.join(place("mutated"), "index.json"), "wb") as f:
            f.write(text)
        worked, said = diff.answer(os.fsencode(first), os.fsencode(place("mutated")))
        return "made" if worked else said
    except report_data.Refused as e:
        return "refused: " + str(e)
    except Exception:
        return traceback.format_exc()


os.makedirs(place("mutated"))
is_(outcome(json.dumps(whole).encode()), "made", "a report as it is")

# ---- one wrong value ---------------------------------------------------------------------------------------------------

for what, text in {
    "an empty file": b"", "no JSON": b"<html>", "a list": b"[]", "a number": b"1", "another format": b'{"format": "other"}',
    "bytes that are not UTF-8": b"\xff\xfe\x00", "half of it": json.dumps(whole).encode()[:5000],
    "lists within lists": b'{"format": "cdbg report", "version": 1, "functions": ' + b"[" * 100000 + b"]" * 100000 + b"}",
    "a number without end": b'{"format": "cdbg report", "version": 1, "summary": {"entries": ' + b"9" * 100000 + b"}}",
    "infinity": b'{"format": "cdbg report", "version": 1, "summary": {"seconds": Infinity}}',
    "a large number": b'{"format": "cdbg report", "version": 1, "summary": {"seconds": 1e999}}',
    "functions that are a text": b'{"format": "cdbg report", "version": 1, "functions": "f"}',
    "a function that is null": b'{"format": "cdbg report", "version": 1, "functions": [null]}',
    "another version": b'{"format": "cdbg report", "version": 2}',
}.items():
    said = outcome(text)
    ok(said.startswith("refused: ") and "\n" not in said and len(said) < 300, "%s is refused in one line" % what, said)
like(outcome(json.dumps(dict(whole, functions=[dict(whole["functions"][0], line="12")])).encode()), r"functions\[0\]\.line is not a whole number",
     "the line says which value is wrong")
is_(outcome(b'{"format": "cdbg report", "version": 1}'), "made", "data without anything in them make a report")
unknown = copy.deepcopy(whole)
for e in unknown["functions"][0]["entry"]:
    e["guards"] = [{}]
is_(outcome(json.dumps(unknown).encode()), "made", "guards of which nothing is known make no failure")

# ---- many ----------------------------------------------------------------------------------------------------------------

WRONG = [None, True, False, 0, -1, 1 << 40, 1 << 70, -0.5, 1e300, "", "x", "../../x", "<script>alert(1)</script>", "\"'><img src=x onerror=1>",
         "\ud800", "\x00\x1b[31m\u202e", "0/0", "{{ 7 * 7 }}{% raw %}", "a" * 3000, [], ["x"], [[]], [None], {}, {"line": 1}]


def places(value, found):
    """(container, key) of each value below."""
    for key in list(value if type(value) is dict else range(len(value))):
        found.append((value, key))
        if type(value[key]) in (dict, list):
            places(value[key], found)
    return found


def same_type(value):
    kind = type(value) if type(value) not in (int, float) else (int, float)
    return [v for v in WRONG if isinstance(v, kind) and type(v) is not bool or type(v) is type(value)]


def mutated(random, whole):
    root = copy.deepcopy(whole)
    for _ in range(random.choice((1, 1, 3, 10))):
        container, key = random.choice(places(root, []))
        how = random.randrange(4)
        if how == 0:
            del container[key]
        elif how == 1 and type(container) is list:
            container.insert(key, container[key])
        else:
            container[key] = random.choice((same_type(container[key]) or WRONG) if how < 3 else WRONG)
    return root


class Markup(html.parser.HTMLParser):
    """Finds elements that no template has."""
    def __init__(self):
        super().__init__()
        self.bad = []

    def handle_starttag(self, tag, attrs):
        if tag == "img" or tag == "script" and dict(attrs).get("id") != "links" and not dict(attrs).get("src", "").endswith("assets/report.js"):
            self.bad.append((tag, attrs))


rng, bad, longest, count, results = random.Random(int(os.environ.get("CDBG_REPORT_SEED", "1"))), [], 0, int(os.environ.get("CDBG_REPORT_MUTATIONS", "100")), {}
small = dict(whole, functions=[f for f in whole["functions"] if f["function"] == "f"][:1])
for i in range(count):
    text = json.dumps(mutated(rng, small)).encode()
    start = time.monotonic()
    said = outcome(text)
    longest = max(longest, time.monotonic() - start)
    kind = "made" if said == "made" else "refused" if said.startswith("refused: ") and "\n" not in said and len(said) < 400 else "bad"
    results[kind] = results.get(kind, 0) + 1
    if kind == "bad":
        bad.append(said)
is_(bad[:3], [], "%d changed data: each is made or refused in one line" % count)
ok(results.get("made", 0) > count // 5 and results.get("refused", 0) > count // 10, "many of both", results)
ok(longest < 20, "none takes long", longest)

hostile = copy.deepcopy(small)
for container, key in places(hostile, []):
    if type(container[key]) is str and key not in ("format", "file", "entry", "state", "op", "stage", "language"):
        container[key] = "<script>alert(1)</script>\"'><img src=x onerror=1>{{ 7 * 7 }}\u202e" + container[key]
root = report_data.parse(json.dumps(hostile).encode(), "index.json")
pages = {name: text.decode() for part in (make.texts, make.pages) for name, text in part(root) if name.endswith(".html")}
found = []
for text in pages.values():
    page = Markup()
    page.feed(text)
    found += page.bad
is_(found, [], "no text of the data becomes markup")
is_([n for n, text in pages.items() if "\u202e" in text or "49" in text.split("<footer>")[1]], [], "none turns the text around it, and none is a template")
done()
