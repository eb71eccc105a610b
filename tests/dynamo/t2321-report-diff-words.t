#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What 'report diff' says to somebody who knows neither addresses nor Dynamo's names for values; files of closures that
Python can run; functions without a name."""
import html
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *

need_torch()
path = script("""
    import sys
    import torch
    import types

    def make():
        count, step = 0, 2

        @torch.compile(backend="eager")
        def bump(x):
            nonlocal count
            count += step
            return x + count
        return bump

    def f(x, n):
        y = x + n
        if "break" in sys.argv:
            print("middle")
        if "positive" in sys.argv and n > 0:
            y = y - 1
        return abs(y)

    g = torch.compile(f, backend="eager")
    g(torch.ones(2), 1)
    g(torch.ones(2), 2)
    g(torch.ones(2), 2.5)
    make()(torch.ones(2))
    nameless = types.FunctionType((lambda x: x * 2).__code__.replace(co_name="", co_qualname=""), globals())
    torch.compile(nameless, backend="eager")(torch.ones(2))
""")
first = report(path, "first")[3]


def diff(x, y):
    return run(script("print()\n\n"), commands=["report diff %s %s" % (x, y), "quit"], options=["-q", "--plain"])[1]


def change(name, how):
    return changed(first, name, how)


def entries(d, name):
    return next(f for f in d["functions"] if f["qualname"].split(".")[-1] == name)["entry"]


said = diff(first, change("newer", lambda d: d.update(torch="99.1")))
like(said, r"(?m)^torch is version 99\.1 instead of %s$" % data(first)["torch"].replace("+", r"\+"), "another version of torch is the first line")
unlike(said, "nothing changed", "and is a change")


def lose_value(d):
    entries(d, "f")[0]["graphs"][0]["stages"][0]["nodes"][-1]["value"] = ""


is_("nothing changed" in diff(first, change("cached", lose_value)), True, "a value that one of two reports lacks does not change the graph")
other = report(path, "other", "break", "positive")[3]
said = diff(first, other)
like(said, r"f, entry 0/0: guard added: ID_MATCH of print: ", "a guard's value is written as in the program")
unlike(said, "G\\['", "never by Dynamo's name for it")
like(said, r"f: new entry: \d/\d of its resume function at line %d" % line_of(path, '"middle"'), "an entry of a resume function says where that resumes")
last = report(path, "last", "positive")[3]
said = diff(first, last)
like(said, r"guard added: \S+: n > 0", "a condition on no single value is added, not a change of another one")


def without_last(d):
    del entries(d, "f")[-1]


why = diff(change("shorter", without_last), first)
like(why, r"f: new entry: 0/\d, compiled because this guard did not hold: .*type\(n\) is int", "the reason names a type")
unlike(why, r"\d{9}", "without addresses")

closure = entries(data(first), "bump")[0]["entry"].replace("/", "-")
folder = next(f["folder"] for f in data(first)["functions"] if f["qualname"].endswith("bump"))
source = text(first, folder, "entry-%s.py" % closure)
try:
    compile(source, "entry.py", "exec")
    failed = ""
except SyntaxError as e:
    failed = "%s\n%s" % (e, source)
is_(failed, "", "generated code that assigns to a variable of an outer function is a file that Python compiles")
like(source, r"def enclosing\(count, step\):", "within a function that has all variables that it shares")
index = text(first, "index.html")
like(index, r'href="[^"]*">\(no name\)</a>', "a function without a name has a link that can be seen")
page = html.unescape(text(first, folder, "index.html"))
like(page, r'<a class="file" href="entry-%s.py">entry-%s.py</a>' % (closure, closure), "links to files are named after the files")
done()
