#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The manual page, the tables and `help` name the same commands, catchpoints, views, columns and options.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

with open(os.path.join(top, "doc", "cdbg.1")) as f:
    page = f.read()
sections = dict(re.findall(r"^\.Sh ([A-Z -]+)\n(.*?)(?=^\.Sh |\Z)", page, re.M | re.S))


def items(section, macro):
    """The words of each .It line with this macro: [(first word, the rest of its paragraph)]."""
    return re.findall(r"^\.It %s (\S+)[^\n]*\n(.*?)(?=^\.It |^\.El|\Z)" % macro, sections[section], re.M | re.S)


def rows(text):
    """Of a listing: {name: other names}."""
    found = {}
    for m in re.finditer(r"^  (\S+)(?: \[[^\n]*?\](?=  | ))?(?: \(([^)]*)\))? +\S", text, re.M):
        found[m.group(1)] = (m.group(2) or "").split()
    return found


def same(in_page, in_tables, what):
    page_only = sorted(set(in_page) - set(in_tables))
    tables_only = sorted(set(in_tables) - set(in_page))
    ok(not tables_only, "every %s is in the manual page" % what, "missing there: %s" % ", ".join(tables_only))
    ok(not page_only, "every %s of the manual page is there" % what, "missing: %s" % ", ".join(page_only))


with Cdbg("pass\n") as d:
    commands = rows(d.text("help"))
    views = rows(d.text("help view"))
    settings = rows(d.text("help option"))
    kinds = rows(d.text("help catch").split("\n", 2)[2])
    columns = {v: list(rows("\n".join(l for l in d.text("help view " + v).splitlines()[1:] if not l.startswith("    "))))
               for v in views}
    details = {c: d.text("help " + c) for c in commands}

ok(len(commands) > 40, "help lists the commands", "%d" % len(commands))
ok(len(views) > 7 and len(settings) > 10 and kinds, "help lists views, options and kinds of stop")

written = {name: rest for name, rest in items("COMMANDS", "Ic")}
for name, first in re.findall(r"^\.It Ic set (var|stack)", sections["COMMANDS"], re.M) and [("set", None)]:
    written.setdefault(name, "")
same(written, commands, "command")
same([name for name, _ in items("CATCHPOINTS", "Cm")], kinds, "kind of stop that can be caught")
same([name for name, _ in items("SETTINGS", "Cm")], settings, "option")

shown = dict(re.findall(r"^\.It Ic info (\S+)[^\n]*\n(.*?)(?=^\.It |^\.El|\Z)", sections["VIEWS"], re.M | re.S))
same(shown, views, "view")
wrong = []
for v in sorted(set(views) & set(shown)):
    m = re.search(r"Columns:\n\.Cm ([\w -]+?) *\.?$", shown[v], re.M)
    if not m or sorted(m.group(1).split()) != sorted(columns[v]):
        wrong.append("%s: has %s, the page says %s" % (v, " ".join(columns[v]), m and m.group(1)))
ok(not wrong, "each view has the columns of the manual page", "\n".join(wrong))

wrong = []
for name, others in commands.items():
    said = set(re.findall(r"[^\s,]+", " ".join(re.findall(r"^\.Pq Ic ([^\n]*)", written.get(name, ""), re.M)).replace("\\&", "")))
    if said != set(others):
        wrong.append("%s: also %s, the page says %s" % (name, sorted(others), sorted(said)))
ok(not wrong, "each command has the other names of the manual page", "\n".join(wrong))

names = [n for name, others in commands.items() for n in [name] + others]
ok(len(names) == len(set(names)), "no two commands share a name", sorted(n for n in set(names) if names.count(n) > 1))
ok(all(text.startswith(c) for c, text in details.items()), "help COMMAND answers for each command")

subs = {}
for name, text in details.items():
    for m in re.finditer(r"^  (\S+)([^\n]*)\n      \S", text, re.M):
        subs[name + " " + m.group(1)] = m.group(2)
ok(len(subs) > 25, "help lists the subcommands", "%d" % len(subs))
have_subs = {name.split()[0] for name in subs}
items_of_subs = {c + " " + sub: re.sub(r"\b(Ar|Op|Oo|Oc|Cm|Ns|Li|No) ", "", rest.replace("Fl ", "-"))
                 for c, sub, rest in re.findall(r"^\.It Ic (\S+) (?:Cm )?(\S+)(.*)$", sections["COMMANDS"], re.M) if c in have_subs}
same(items_of_subs, subs, "subcommand")
wrong = []
for name in sorted(set(subs) & set(items_of_subs)):
    said = set(re.findall(r"-?[a-z]+", items_of_subs[name]))
    if said != set(re.findall(r"-?[a-z]+", subs[name].lower())):
        wrong.append("%s:%s, the page says %s" % (name, subs[name], items_of_subs[name]))
ok(not wrong, "each subcommand has the arguments of the manual page", "\n".join(wrong))

usage = run(None, options=["--help"])[1]
same(re.findall(r"Fl -?(\w+)", "\n".join(re.findall(r"^\.It Fl .*", sections["DESCRIPTION"], re.M))),
     re.findall(r"(?<![\w-])--?([a-z]+)", usage), "command-line option")
done()
