#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the real screens: doc/screens/NAME.txt and NAME.svg, from a visit to doc/examples/toy.py.

    doc/pictures.py            needs pyte, and torch in the interpreter that cdbg is built for
"""
import html
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(here), "tests", "lib"))
from screen import Screen  # noqa: E402

TOY = "doc/examples/toy.py"
FORE, BACK = "d0d0d0", "1c1c1c"
NAMES = dict(black="000000", red="cc4444", green="55aa55", brown="c0a040", blue="5577cc", magenta="aa66aa", cyan="44aaaa",
             white="d0d0d0")
CELL, ROW = 8.4, 17


def look(c):
    fore = FORE if c.fg == "default" else NAMES.get(c.fg, c.fg)
    back = BACK if c.bg == "default" else NAMES.get(c.bg, c.bg)
    return (back, fore, c.bold) if c.reverse else (fore, back, c.bold)


def svg(screen):
    """Stretches of one look as rectangles and texts of a set length, so that columns stay columns in any font."""
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="DejaVu Sans Mono,Menlo,Consolas,'
           'monospace" font-size="14">' % (screen.columns * CELL + 16, screen.lines * ROW + 16),
           '<rect width="100%%" height="100%%" rx="6" fill="#%s"/>' % BACK]
    for y in range(screen.lines):
        x = 0
        while x < screen.columns:
            first, start, text = look(screen.buffer[y][x]), x, ""
            while x < screen.columns and look(screen.buffer[y][x]) == first:
                text += screen.buffer[y][x].data
                x += 1
            left, top, width = 8 + start * CELL, 8 + y * ROW, (x - start) * CELL
            if first[1] != BACK:
                out.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#%s"/>' % (left, top, width, ROW, first[1]))
            if text.strip():
                out.append('<text x="%.1f" y="%d" textLength="%.1f" xml:space="preserve" fill="#%s"%s>%s</text>' %
                           (left, top + 13, width, first[0], ' font-weight="bold"' if first[2] else "", html.escape(text)))
    return "\n".join(out + ["</svg>\n"])


def keep(s, name):
    folder = os.path.join(here, "screens")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".txt"), "w") as f:
        f.write("\n".join(line.rstrip() for line in s.text.split("\n")).rstrip() + "\n")
    with open(os.path.join(folder, name + ".svg"), "w") as f:
        f.write(svg(s.screen))


def stop(s, line, *words):
    """Run to a stop: past the marks of the time that it runs."""
    before = s.marks
    s.line(line)
    s.until(lambda: s.marks > before and s.row(r"^ stopped: ") and all(w in s.row(r"^ stopped: ") for w in words), line)
    return s.ready()


def main():
    os.chdir(os.path.dirname(here))
    with Screen(TOY, rows=40, cols=120, options=["-q"], limit=120) as s:
        s.line("tbreak toy_example")
        s.line("catch resume")
        stop(s, "continue", "graph call")
        keep(s, "graph-call")
        while ", break " not in s.row(r"^ stopped: "):
            stop(s, "step")
        keep(s, "break")
        # a guard is dropped, and what belongs with it is marked in the other panes
        s.line("focus guards")
        s.keys("gj").keys("/TENSOR_MATCH\r").keys(" ")
        keep(s, "guards")
        s.keys(" ").keys(":")
        stop(s, "continue", "resumes")
        keep(s, "resume")
    # why a graph breaks: the card of the stop
    with Screen(TOY, rows=40, cols=120, options=["-q"], limit=120) as s:
        s.line("catch graph-break")
        stop(s, "continue", "graph break")
        keep(s, "why")


main()
