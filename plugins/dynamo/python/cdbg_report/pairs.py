# SPDX-License-Identifier: BSD-3-Clause
"""Which functions and entries of two reports belong together.

Functions belong together if name and file name are the same; of several of one name those with the same source, then the first with the
first.  Of those left in the same file, one was renamed to another if
- both have a source: all lines are the same, or at least four and three quarters of those of the longer one; or
- neither has: they have as many entries, whose captured graphs are the same and have at least three operations;
and each is nearer to the other than to any third one."""
import difflib
import re

from .data import same_code
from .nodes import changed_node, changed_operators
from .stable import same
from .texts import base

LEAST_LINES, LEAST_OPERATIONS, MOST_LINES = 4, 3, 4000  # the time of a comparison grows with the square of the lines


# ---- source --------------------------------------------------------------------------------------------------------------

def line_text(f, text):
    """A line without indentation, where the function's own name is like any other function's own name."""
    name = f.get("function", "")
    text = text.strip(" \t\f\r\n\v")
    return re.sub(r"(?<!\w)%s(?!\w)" % re.escape(name), "\1", text) if name and name in text else text


def line_at(f, number):
    """The text of a line of a function's source, by its number in the file; None: there is no such line."""
    source = f.get("source", ())
    first = source[0].get("line", 0) if source else 0
    row = source[number - first] if first <= number < first + len(source) else {}
    return line_text(f, row.get("text", "")) if row.get("line") == number else None


def body_of(f):
    """Its lines from 'def' on, without empty lines and lines that are comments.  Decorators come before; a lambda has no 'def'."""
    lines = [row.get("text", "") for row in f.get("source", ())]
    first = next((i for i, text in enumerate(lines) if re.match(r"[ \t\f]*(?:async[ \t]+)?def ", text)), 0)
    return [line_text(f, text) for text in lines[first:] if not re.match(r"[ \t\f]*(?:[#\r\n]|\Z)", text)]


def common_lines(a, b):
    """Lines that both have, in the same order."""
    shorter = min(len(a), len(b))
    head = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    tail = next((i for i in range(shorter - head) if a[-1 - i] != b[-1 - i]), shorter - head)
    a, b = a[head:len(a) - tail], b[head:len(b) - tail]
    if not a or not b or max(len(a), len(b)) > MOST_LINES:
        return head + tail
    return head + tail + sum(m.size for m in difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())


# ---- functions -----------------------------------------------------------------------------------------------------------

class Candidate:
    """A function of one of the reports."""
    def __init__(self, f):
        self.f, self.name, self.file, self.body = f, f.get("qualname", ""), base(f.get("file", "")), body_of(f)
        self.lines = set(self.body)
        self.mate = self.renamed = self.near = None     # near: the nearest of the other report; None: none, or several
        self.best = 0                                   # how near it is, from 0 to 1

    def join(self, other):
        self.mate, other.mate = other, self

    def nearness(self, other):
        """0: different functions; 1: alike but for the name."""
        longer = max(len(self.body), len(other.body))
        if self.file != other.file:
            return 0
        if not longer:
            return int(same_graphs(self.f, other.f))
        least = max(-(-longer * 3 // 4), min(LEAST_LINES, longer))
        if min(len(self.body), len(other.body)) < least or sum(line in other.lines for line in self.body) < least:
            return 0
        n = common_lines(self.body, other.body)
        return n / longer if n >= least else 0

    def note(self, other, near):
        if near > self.best:
            self.best, self.near = near, other
        elif near == self.best:
            self.near = None

    def how(self, other):
        longer, n = max(len(self.body), len(other.body)), common_lines(self.body, other.body)
        return "its graphs are the same" if not longer else "its source is the same" if n == longer else (
            "%d of %d lines of its source are the same" % (n, longer))


def operations(e):
    return sum(g.get("operations", 0) for g in e.get("graphs", ()))


def same_graphs(f, g):
    before, after = f.get("entry", ()), g.get("entry", ())
    if len(before) != len(after) or sum(map(operations, before)) < LEAST_OPERATIONS:
        return False
    return all(operations(a) == operations(b) and not changed_operators(a, b, "captured") and not changed_node(a, b, "captured")
               for a, b in zip(before, after))


def match_names(before, after, whole):
    free = {}
    for b in after:
        if not b.mate:
            free.setdefault((b.name, b.file), []).append(b)
    for a in before:
        for b in free.get((a.name, a.file), ()) if not a.mate else ():
            if not b.mate and (not whole or a.body == b.body):
                a.join(b)
                break


def match_renamed(before, after):
    for a in before:
        for b in after if not a.mate else ():
            near = 0 if b.mate else a.nearness(b)
            if near > 0:
                a.note(b, near)
                b.note(a, near)
    for a in before:
        if not a.mate and a.near and a.near.near is a:
            a.join(a.near)
            a.mate.renamed = a.how(a.mate)


class Pairs:
    """all: [(before or None, after or None, how it is known that it was renamed, or None)]: those that are gone, then those of the
    later report in its order."""
    def __init__(self, before, after):
        a, b = ([Candidate(f) for f in root.get("functions", ())] for root in (before, after))
        match_names(a, b, True)
        match_names(a, b, False)
        match_renamed(a, b)
        self.all = [(x.f, None, None) for x in a if not x.mate] + [(y.mate and y.mate.f, y.f, y.renamed) for y in b]
        self.renamed = [("G['%s']" % f.get("function", ""), "G['%s']" % g.get("function", "")) for f, g, how in self.all if how]

    def same_source(self, before, after):
        """Of guards: a function that was renamed is the same global."""
        return same(before, after) or any(before.startswith(x) and after.startswith(y) and before[len(x):] == after[len(y):]
                                          for x, y in self.renamed)


# ---- entries -------------------------------------------------------------------------------------------------------------

def entry_places(f):
    """{what tells an entry of the function apart: entry}: the code that it is of, and how many of that code came before.  Line numbers
    change: the text of the line counts where a resume function begins, if the source exists, else how far it is from the first."""
    entries, places, out = f.get("entry", []), [], {}
    for i, e in enumerate(entries):
        line = e.get("resume_line", 0)
        text = line_at(f, line)
        where = None if "resume_number" not in e else line - f.get("line", 0) if text is None else text
        family = [k for k in range(i) if same_code(entries[k], e)]
        nth = sum(places[k] == (where, 0) for k in range(family[0] if family else i))
        places.append((where, len(family)))
        out.setdefault((where, nth, len(family)), e)
    return out
