#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Somebody who has not read the manual: from the start card to why a function breaks, why it recompiles and what each key
# would do, on the screen alone.  Counts the keys that it takes, and keeps the screens that are seen on the way.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
PROGRAM = script('''
    import torch


    def helper(y):
        if y.mean() > 0:
            return y + 1
        return y - 1


    @torch.compile(backend="eager")
    def f(x, n):
        y = x * n
        z = helper(y)
        return z.sum()


    f(torch.ones(4), 2)
    f(torch.ones(4), 3)
''', "tasks.py")
HIDE = [(r"/tmp/cdbg[^ ─┤│\"]*", "FILE"), (r"0x[0-9a-f]{12}", "0xADDRESS"), (r"main thread +contin\w*", "main thread")]


class Person:
    """Presses keys; each counts once, whatever bytes the terminal sends for it."""
    NAMED = {"Enter": "\r", "Tab": "\t", "F1": "\x1bOP", "F5": "\x1b[15~", "S-Tab": "\x1b[Z", "Esc": "\x1b", "PageDown": "\x1b[6~"}

    def __init__(self, screen):
        self.s, self.count = screen, 0

    def press(self, *keys, until=None):
        marks = self.s.marks
        for k in keys:
            self.count += 1
            self.s.keys(self.NAMED.get(k, k))
        if until:
            self.s.until(lambda: self.s.marks > marks and re.search(until, self.s.row(r"^ stopped: ")), "until %s" % until)
            self.s.see("Esc close the card").settled()

    def type(self, text):
        """What the screen said to type, then Enter."""
        self.press(*text)
        self.press("Enter")


def flat(s):
    return re.sub(r"\s+", " ", s.text)


for rows, cols in ((24, 80), (40, 120)):
    size = "%dx%d" % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=300) as s:
        p = Person(s)
        like(s.text, r"Find graph breaks +catch graph-break", size + ": the start card says how to find graph breaks")
        like(s.text.split("\n")[-1], r"F5 continue", size + ": the last row names the key that continues")
        s.same("task-start-" + size, size + ": the start card", HIDE)

        # why does it break
        p.type("catch graph-break")
        p.press("F5", until="graph")
        like(flat(s), r"graph break at tasks\.py:5: if y\.mean\(\) > 0: \(inlined from line 13\)", size + ": where it breaks is on the screen")
        like(flat(s), r"data-dependent branching .*Dynamo does not support tracing dynamic control flow", size + ": why, too")
        is_(p.count, 19, size + ": after 19 keys, two of them Enter and F5")
        s.same("task-graph-break-" + size, size + ": the stop at a graph break", HIDE)
        while "Use `torch.cond`" not in flat(s) and p.count < 25:
            p.press("PageDown")
        ok(p.count <= 21, size + ": what to do instead is at most two pages away", "%d keys" % p.count)
        broke = p.count

        # why does it recompile
        p.count = 0
        p.type("catch recompile")
        p.press("F5", until="graph|recompile|compiles again")
        while not re.search("recompile|compiles again", s.row("^ stopped: ")) and p.count < 25:
            p.press("F5", until="graph|recompile|compiles again")
        like(flat(s), r"f compiles again as 0/1 .*changed: n is 3, expected 2 remedy: torch\.compile\(dynamic=True\)", size + ": why it recompiles is on the screen")
        like(flat(s), r"entry 0/0, guard \d+: L\['n'\] == 2 made by: tasks\.py:12: y = x \* n", size + ": with the guard and the line")
        ok(p.count <= 19, size + ": after at most 19 keys more", "%d keys" % p.count)
        again = p.count
        s.same("task-recompile-" + size, size + ": the stop at a recompile", HIDE)

        # what would each key do
        p.count = 0
        p.press("Esc")
        hints = s.text.split("\n")[-1]
        like(hints, r"Tab complete .*S-Tab panes .*F1 help", size + ": the last row says what keys do at the prompt")
        p.press("S-Tab")
        like(s.text.split("\n")[-1], r"i instruction  s \w+  n over  t run to", size + ": and in a pane")
        p.press("F1")
        like(s.text, r"^\[.*help", size + ": F1 says it in full")
        is_(p.count, 3, size + ": three keys")
        p.press("Esc")
        note("%s: why it breaks and what to do: %d keys; why it recompiles: %d; what each key does: 3" % (size, broke, again))

        s.keys("catch \t")
        like(s.text, r"graph-break +a graph break, once when it is compiled", size + ": a menu says what may be typed")
        s.same("task-menu-" + size, size + ": the menu of completions", HIDE)
        s.keys("\x1b").keys("\x03")
        s.line("help break")
        s.same("task-answer-" + size, size + ": a long answer over the panes", HIDE)
done()
