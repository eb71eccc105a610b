# SPDX-License-Identifier: BSD-3-Clause
"""The menu of completions on a driven screen: its rows, and what is wrong with Tab after a line."""
import re

__all__ = ["is_open", "menu", "walk"]


def menu(s):
    """The rows of the open menu, and the count of it."""
    y = max(i for i, l in enumerate(s.text.split("\n")) if l.startswith("(cdbg)"))
    buffer, rows, colours = s.screen.buffer, [], set()
    for y in range(y - 1, -1, -1):
        at = [x for x in range(s.cols) if buffer[y][x].bg in ("444444", "87afd7") and buffer[y][x].fg in ("d0d0d0", "000000")]
        if not at:
            break
        text = "".join(buffer[y][x].data for x in range(at[0], at[-1] + 1))
        m = re.fullmatch(r"(\d+)/(\d+)", text.strip())
        if m:
            return rows[::-1], int(m.group(1)), int(m.group(2))
        rows.append(text)
    return rows[::-1], None, len(rows)


def is_open(s):
    return bool(re.search(r"^ Tab next", s.text.split("\n")[-1]))


def walk(s, line):
    """What is wrong with Tab after a line."""
    s.keys("\x1b").keys("\x03").keys(line)
    before = s.prompt
    s.keys("\t")
    if not is_open(s):
        tail = s.text.split("\n")[-2]
        return [] if re.search("nothing comple|nothing to complete|the program", s.text) or s.prompt.split("   ")[0].rstrip() != before.rstrip() \
            else ["%r: nothing said: %s" % (line, tail)]
    rows, _, n = menu(s)
    wrong = ["%r: row %r says nothing" % (line, r.strip()) for r in rows if not re.search(r"\S  +\S", r)]
    wrong += ["%r: no rows" % line] if not rows else []
    s.keys("\x1b")
    if s.prompt.rstrip() != before.rstrip():
        wrong.append("%r: Esc left %r" % (line, s.prompt))
    return wrong
