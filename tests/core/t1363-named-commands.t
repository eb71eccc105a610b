#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Each command that a text of cdbg names exists, and takes the arguments that the text gives: errors, hints, help, cards, remedies, keys,
# and the documents.
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from named_commands import *

FOLDERS = "src", "ui", "plugins"
# What a text quotes besides: arguments, lines of files, commands of other programs, and of the controller of ranks.
OTHER = re.compile(r"""[^a-z]|(with|in|if|to|def|import|python -m|pip install|buffer|entry|instruction|kernel|line|node|region)\b|catch divergence$|\w+=|chmod |pytest |token |ulimit |sudo |cdbg --|gdb --args """)
KEYS = "C-c", "C-d", "C-r", "C-z", "C-x", "M-x", "F12"      # of the terminal and of the line editor, and kinds of keys
DOES = r"'([a-z][\w-]*)' (?:lists|tells|runs|starts|ends|leaves|reverts|restores|prints|continues|returns|goes|steps)\b"
os.chdir(top)


def sources():
    """(place, text) of each string of the product."""
    for folder in FOLDERS:
        for path in sorted(glob.glob(folder + "/**/*.[ch]", recursive=True) + glob.glob(folder + "/**/*.py", recursive=True)):
            with open(path) as f:
                text = f.read()
            for line, s in (python_strings if path.endswith(".py") else c_strings)(text):
                yield "%s:%d" % (path, line), s


with open("ui/ranks/ranks_cmd.c", encoding="utf-8") as f:
    CONTROLLER = re.findall(r'\.name = "([^"]+)"', f.read())     # the commands of the controller of ranks, which has a table of its own


def of_the_controller(place, q):
    return place.startswith("ui/ranks/") and any(q == name or q.startswith(name + " ") for name in CONTROLLER)


with Cdbg("x = 1\n") as d:
    table = Table(d)
    keys = d.rows("info keys")

    # the check itself
    for line in "guard drop 5 in 0/0", "guard edit 5 3", "graph run until nan", "info entries FUNC", "set var NAME = EXPR", "layout next", \
            "report diff DIR1 DIR2", "list FIRST,LAST", "catch nan", "code edit -python %s %s", "explain -a FUNC", "print NAME":
        is_(table.wrong(line), None, "'%s' is a command in the right form" % line)
    for line, why in ("nosuch", "no command"), ("guard frob 5", "no subcommand"), ("info nosuch", "no view"), \
            ("set nosuch on", "no option"), ("catch nosuch", "no kind"), ("graph compare -nosuch 3", "usage"), \
            ("guard add", None), ("tui nosuch", "no verb"), ("continue to the end", "usage"):
        like(table.wrong(line) or "", why or "^$", "'%s' is %s" % (line, "not" if why else "the name of one"))

    wrong, unknown, commands = [], [], set()
    for place, text in sources():
        for q in named(text, True):
            if of_the_controller(place, q):
                continue
            if table.is_command(q):
                commands.add(q)
                why = table.wrong(q)
                if why:
                    wrong.append("%s: '%s': %s" % (place, q, why))
            elif " " in q and not OTHER.match(q):
                unknown.append("%s: '%s'" % (place, q))
        unknown += ["%s: '%s'" % (place, w) for w in re.findall(DOES, text) if w not in table.names and not of_the_controller(place, w)]
    ok(len(commands) > 120, "the texts name many commands", len(commands))
    is_(wrong, [], "each takes the arguments that the text gives")
    is_(unknown, [], "and exists")

    card = []
    for place, text in sources():
        if place.startswith("ui/tui/paint.c"):
            card += [c for c in re.split(r", then |, ", text) if table.is_command(c)]
    ok(len(card) > 5, "the card at the start names commands", card)
    is_([c for c in card if table.wrong(c)], [], "which exist")

    bound = set(k["key"] for k in keys) | set(KEYS)
    is_(["%s: %s" % (place, key) for place, text in sources() if place.startswith("ui/") and " " in text
         for key in re.findall(r"(?<![\w-])([CSM]-[A-Za-z&]+|F[1-9][0-9]?)\b", text) if key not in bound], [], "keys that texts name are bound")

    is_([], ["%s: %s: %s" % (k["key"], k["command"], table.wrong(k["command"])) for k in keys
             if k["command"] and table.wrong(k["command"])], "each key runs a command that exists")

    wrong = []
    for path in ["README.md", "HACKING.md", "CONTRIBUTING.md"] + sorted(set(glob.glob("doc/*.md") + glob.glob("doc/guide/*.md")) - set(glob.glob("doc/compare*"))):
        with open(path) as f:
            text = re.sub(r"(?ms)^ {4}.*?$|```.*?```", "", f.read())
        wrong += ["%s: %s: %s" % (path, q, table.wrong(q)) for q in named(text, True)
                  if " " in q and not OTHER.match(q) and table.is_command(q) and table.wrong(q)]
    is_(wrong, [], "documents name commands that exist, in their form")
done()
