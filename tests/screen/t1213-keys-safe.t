#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# No key runs the program, or is lost, unless the screen names it: in each mode every letter, Esc once and twice, Tab, F-keys
# and pasted text.
import os
import re
import string
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *
from cdbgtest import _folder

PROGRAM = script('''
    def total(n):
        sum = 0
        for i in range(n):
            sum += i
        return sum


    for k in range(50):
        total(k)
    print("end")
''', "walk.py")
ESC, BACK = "\x1b", "\x1b[Z"
KEYS = [c for c in string.printable if c in string.ascii_letters + string.digits + string.punctuation]
F = ["\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS"] + ["\x1b[%d~" % n for n in (15, 17, 18, 19, 20, 21, 23, 24)]
RUN_F = ["\x1b[%d~" % n for n in (15, 18, 19, 20, 21, 23, 24)]     # continue, steps, break
SIZES = (24, 80), (40, 120)


def hints(s):
    return s.text.split("\n")[-1]


def place(s):
    """Where the program is; a question waits in the same row."""
    found = re.search(r" · (total|<module>) walk.py:\d+", s.text)
    return found and found.group()


def at_prompt(s):
    return bool(re.match(r"\(cdbg\)", s.prompt))


for rows, cols in SIZES:
    size = "%dx%d: " % (cols, rows)
    with Screen(PROGRAM, rows=rows, cols=cols, options=["-q"], limit=120) as s:
        s.line("break total").line("continue").line("next")
        here = place(s)

        # the output pane
        s.line("focus output")
        like(hints(s), "keys go to the program +S-Tab leaves +Esc prompt", size + "the output pane says how to leave it")
        s.keys(ESC).keys(ESC)
        ok(at_prompt(s), size + "Esc Esc leaves it", s.text)
        s.line("focus output").keys(ESC + ESC).keys("p 5+6\r")
        like(s.text, "^11$", size + "also at once, and the prompt has the keys")
        s.line("focus output")
        for key in KEYS:
            s.keys(key)
        is_(place(s), here, size + "letters there move nothing")
        s.keys(ESC)

        # a question
        s.line("focus source").keys("q")
        like(s.text, "The program is running.*End it.*y or n", size + "q asks")
        like(hints(s), "^ y then Enter: yes  Esc no", size + "the hints answer")
        s.keys(ESC)
        ok(at_prompt(s), size + "Esc is no, and ends at the prompt", s.text)
        for text in "next", "info breaks", "nope", "yesterday", "", "\x1b[200~continue\r\x1b[201~", "0":
            s.line("delete", wait=False).see("delete all")
            for c in [text] if text[:1] == ESC else text:
                s.keys(c)
            s.keys("\r").see("answer y or n")
            if text and ESC not in text:
                ok("'%s' is kept in the history" % text in s.text, size + "%r answers nothing" % text, s.text)
            is_(place(s), here, size + "%r runs nothing" % text)
            for key in RUN_F + [BACK, "\t", "\x1b[A", "\x01"]:
                s.keys(key)
            s.keys("nx\x7f\x7fn\r" if text == "nope" else "no\r" if text else "n\r")
            ok(at_prompt(s) and "answer y or n" not in s.prompt, size + "n and Enter answers it", s.text)
            like("\n".join(s.text.split("\n")[-8:]), r"delete all.*\(y or n\) n", size + "with no")
            if text and ESC not in text and text != "0":
                s.keys("\x1b[A")
                is_(s.prompt, "(cdbg) " + text, size + "the line is in the history")
                s.keys("\x03")
        s.line("info breakpoints")
        like(s.text, "1 +breakpoint|total", size + "nothing was deleted")

        # an open answer, and help
        for name, opens in ("an answer", "help\r"), ("help", "\x1bOP"):
            s.keys(opens)
            title = r"^\[answer\] help" if name == "an answer" else r"\[help\]"
            like(s.text, title, size + name + " is open")
            lost = []
            for key in KEYS:
                if key in "q/:!?&":
                    continue
                s.keys("G" if key == "g" else "g").keys(key)
                moves = key in "jkgG"
                if (bool(re.search(title, s.text)) != moves or s.prompt.rstrip().endswith("(cdbg) " + key) == moves
                        or place(s) != here):
                    lost.append(key)
                s.keys(ESC + "\x03" if moves else "\x03").keys(opens)
            is_(lost, [], size + name + ": letters move in it, or are typed at the prompt, and run nothing")
            s.keys("\x1b[200~next\r\x1b[201~")
            ok(not re.search(title, s.text) and place(s) == here and "(cdbg) next" in s.text, size + name + ": a paste is typed there, too", s.text)
            s.keys("\x03").keys(opens)
            for key in RUN_F + ["\x12", "\r"]:
                s.keys(key)
            ok(re.search(title, s.text) and place(s) == here, size + name + ": F-keys do nothing", s.text)
            s.keys(ESC + ESC)
            ok(at_prompt(s), size + name + ": Esc Esc ends at the prompt", s.text)

        # the menu and the search
        s.keys("c\t")
        like(hints(s), "^ Tab next  Enter run the line  Esc close", size + "the menu says what Enter does")
        for key in RUN_F:
            s.keys(key)
        s.keys("\t")
        like(hints(s), "^ Tab next  Enter accept  Esc close", size + "when a row is chosen, that it is taken")
        s.keys(ESC).keys("\x03")
        is_(place(s), here, size + "F-keys do nothing while the menu is open")
        s.line("focus source").keys("/").keys("total").keys("nnn\x7f\x7f\x7f")
        for key in RUN_F:
            s.keys(key)
        is_(place(s), here, size + "nothing runs in a search")
        s.keys(ESC + ESC)
        ok(at_prompt(s), size + "Esc Esc ends it at the prompt", s.text)

        # a pane that is hidden
        s.line("focus stack").keys("x")
        like(s.text, "stack is hidden: 'focus stack' shows it again", size + "x says what it did")
        s.keys(ESC).line("focus stack")
        ok(s.pane("stack"), size + "and that brings it back", s.text)
        s.keys(ESC)

        # each pane: what its hints and help do not name does nothing
        for name in "source", "asm", "stack", "locals", "frames", "breakpoints":
            s.line("focus " + name)
            for key in [k for k in KEYS if k not in "sniocfudwtbqhjkl.H/?evVSBCO:!zx+-=<>][gGm&{}"]:
                s.keys(key)
                if "has no meaning here" not in s.text:
                    ok(False, size + "%s in %s is reported" % (key, name), s.text)
            for paste in "next\r", "cc", "s":
                s.keys("\x1b[200~%s\x1b[201~" % paste)
            is_(place(s), here, size + name + ": nothing runs")
            s.keys(ESC + ESC)
            ok(at_prompt(s), size + name + ": Esc Esc ends at the prompt", s.text)

        # a border that is dragged
        edge = next(y for y, r in enumerate(s.text.split("\n")) if re.search("\\d output ─", r))
        s.keys("\x1b[<0;5;%dM" % (edge + 1))
        for key in KEYS[:10]:
            s.keys(key)
        s.keys("\x1b[<0;5;%dm" % (edge + 1)).keys(ESC + ESC)
        is_(place(s), here, size + "nothing runs while a border is dragged")
        ok(at_prompt(s), size + "and Esc Esc ends at the prompt", s.text)

with Terminal(PROGRAM, options=("--plain", "-q"), env={"HOME": _folder()}) as t:
    t.expect(r"\(cdbg\) ")
    t.line("break total")
    t.expect(r"\(cdbg\) ")
    t.line("delete")
    t.expect(r"\(y or n\) ")
    for text in "next", "", "whatever":
        t.line(text)
        t.expect(r"Answer y or n")
        t.expect(r"\(y or n\) ")
    t.line("No")
    t.expect(r"\(cdbg\) ")
    t.send("\x10\x10\x10")
    t.expect("next")
    t.send("\x15info breakpoints\r")
    ok(t.expect("total"), "the plain prompt asks again, too")
done()
