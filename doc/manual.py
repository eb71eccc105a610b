#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes doc/cdbg-commands.7 from the tables that `help` reads: what stands above the line MARK in that file is kept.

    doc/manual.py            needs cdbg's build folder (CDBG_BUILD), torch is not needed

tests/house/t0003-man.t compares the page with page()."""
import os
import re
import sys
import textwrap

here = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(here, "cdbg-commands.7")
MARK = '.\\" What follows is made by doc/manual.py.\n'


def safe(text):
    """Text as roff takes it: nothing in it is a request, and signs that people copy stay as they are."""
    text = text.replace("\\", "\\e").replace("`", "\\(ga").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"(?<![\w\\])-(?=\w)|--", lambda m: "\\-" * len(m.group()), text)


def line(text):
    """A line of text that does not begin as a request does."""
    return ("\\&" if text.startswith((".", "'")) else "") + text


def item(head):
    """The head of a list's row: one argument, so that no word of it is read as a macro."""
    return '.It Ic "%s"' % safe(head).replace('"', '\\(dq')


def filled(lines):
    """Lines of a paragraph, wrapped again."""
    return [line(l) for l in textwrap.wrap(safe(" ".join(l.strip() for l in lines)), 110, break_long_words=False, break_on_hyphens=False)]


def rows(text):
    """[(name with its arguments, other names, one line)] of a listing."""
    return [(m[1], m[2] or "", m[3]) for m in re.finditer(r"^  (\S.*?)(?: \(([^)]*)\))?  +(\S.*)$", text, re.M)]


def entry(text, full):
    """The row of a list for a help text: usage, other names, one line, details; full(usage) gives the text of a subcommand, or None."""
    lines = text.splitlines()
    out, details, subs, i = [item(lines[0])], [], [], 1
    while i < len(lines) and lines[i].startswith("    "):
        word = lines[i].strip()
        out += [".Pq Ic " + safe(word[6:].replace(" ", " , "))] if word.startswith("also: ") else []
        if not word.startswith("also: "):
            out += filled([word[0].upper() + word[1:] + "."])
        i += 1
    while i < len(lines):
        if re.match(r"  \S", lines[i]) and i + 1 < len(lines) and lines[i + 1].startswith("      "):
            subs.append(lines[0].split()[0] + " " + lines[i].strip())
            i += 2
        elif re.match(r"  \S", lines[i]):
            i += 1                              # a row of another table, which has its own section
        else:
            details.append(lines[i])
            i += 1
    out += filled(details)
    if subs:
        out += [".Bl -tag -width Ds"]
        for s in subs:
            out += entry(full(" ".join(s.split()[:2])), full)
        out += [".El"]
    return out


def chapters(text):
    """[(chapter, rows)] of what `help` prints."""
    found = []
    for l in text.splitlines():
        if re.match(r"[A-Za-z]\S*$", l):
            found.append((l, []))
        found[-1][1].extend(rows(l + "\n"))
    return found


def index(parts):
    """Every command in one line."""
    out = [".Sh INDEX"]
    for name, commands in parts:
        out += [".Ss " + name, ".Bl -tag -width disassemblexx -compact"]
        for command, others, short in commands:
            out += ['.It Ic "%s"' % safe(command)] + filled([short + (" (%s)" % others if others else "")])
        out += [".El"]
    return out


def listing(heading, intro, found):
    out = [".Sh " + heading] + filled([intro]) + [".Bl -tag -width Ds"]
    for name, short in found:
        out += [item(name)] + filled([short])
    return out + [".El"]


def views(d):
    out = [".Sh VIEWS"] + filled(["info VIEW shows one; without VIEW it lists them. Panes of the full screen show the same rows. "
                                  "A column is null where nothing is known."]) + [".Bl -tag -width Ds"]
    for name, _, _ in rows(d.text("help view")):
        text = d.text("help view " + name)
        columns = [(c, words) for c, _, words in rows(re.sub(r"^    .*\n?", "", text, flags=re.M))]
        out += entry(re.sub(r"^  \S.*\n?", "", text, flags=re.M), None) + [".Bl -tag -width parametersxx -compact"]
        for column, words in columns:
            out += ['.It Cm "%s"' % column] + filled([words])
        out += [".El"]
    return out + [".El"]


def settings(d):
    out = [".Sh SETTINGS"] + filled(["set OPTION VALUE changes one, show prints all with their values."]) + [".Bl -tag -width Ds"]
    for name, _, short in rows(d.text("help option")):
        more = re.findall(r"^    (one of: .*|[^n].*)$", d.text("help option " + name), re.M)[1:]
        out += ['.It Cm "%s"' % name] + filled([short + ("; " + "; ".join(more) if more else "")])
    return out + [".El"]


def keys(d):
    out = [".Sh KEYS"] + filled(["Each key stands for a command line; bind changes that."])
    for where, heading in (("pane", "While a pane has the focus"), ("line", "On the command line"), ("all", "Everywhere")):
        found = [r for r in d.rows("info keys") if r["where"] == where]
        if found:
            out += [".Ss " + heading, ".Bl -tag -width S-F11xx -compact"]
            for r in found:
                out += ['.It Li "%s"' % safe(r["key"]), '.Ic "%s"' % safe(r["command"])]
                out += ["\\(em " + safe(r["help"])] if r["help"] else []
            out += [".El"]
    return out


def page(d):
    """The whole page.  d: a session of cdbg that answers help and info."""
    with open(PAGE) as f:
        own = f.read().split(MARK)[0]
    parts = chapters(d.text("help").split("'help COMMAND'")[0])
    out = index(parts) + [".Sh COMMANDS"]
    for name, commands in parts:
        out += [".Ss " + name, ".Bl -tag -width Ds"]
        for command, _, _ in commands:
            out += entry(d.text("help " + command), lambda usage: d.text("help " + usage))
        out += [".El"]
    kinds = [(name, short) for name, _, short in rows(d.text("help catch"))]
    out += listing("CATCHPOINTS", "Kinds of stop, for catch and tcatch.", kinds) + views(d) + settings(d) + keys(d)
    return own + MARK + "\n".join(out + [".Sh SEE ALSO", ".Xr cdbg 1"]) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(os.path.dirname(here), "tests", "lib"))
    from cdbgtest import Cdbg
    with Cdbg("pass\n") as session:
        text = page(session)
    with open(PAGE, "w") as f:
        f.write(text)
