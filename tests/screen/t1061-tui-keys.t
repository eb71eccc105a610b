#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen's keys: panes, moving, searching, acting on rows, layouts, the command line, bind.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

WALK = script('''
    def total(n):
        sum = 0
        for i in range(n):
            sum += i
        return sum


    def main():
        first = 1
        second = 2
        print("first line", total(4))
        return first + second


    main()
    print("last line")
''', "walk.py")
BACK, ESC, TAB = "\x1b[Z", "\x1b", "\t"


def focus(s):
    m = re.search(r"\[(?:\d )?([\w-]+)\]", s.text)
    return m and m.group(1)


with Screen(WALK, rows=40, cols=120) as s:
    like(s.text, "'help' lists commands, F1 keys", "the first start says how to get help and how to leave")
    is_(focus(s), None, "the command line has the focus at the start")
    s.keys(BACK)
    is_(focus(s), "source", "S-Tab goes to the panes")
    seen = []
    for _ in range(8):
        s.keys(TAB)
        seen.append(focus(s))
        if focus(s) == "output":
            break
    is_(seen, ["stack", "locals", "asm", "guards", "graph", "output"], "Tab goes round them")
    s.keys(BACK).keys(BACK)
    is_(focus(s), "guards", "S-Tab goes back")
    s.keys(":")
    is_(focus(s), None, ": goes to the command line")
    s.keys(ESC).keys(ESC)
    is_(focus(s), None, "Esc on the command line does nothing, however often")
    s.keys(BACK)
    is_(focus(s), "guards", "S-Tab goes back to the pane")
    like(s.text, "^-- keys go to guards --", "the prompt's row says where the keys go")
    s.keys("V")
    is_(focus(s), "locals", "V is the pane of locals")
    s.keys("S")
    is_(focus(s), "stack", "S the stack")
    s.keys("C")
    is_(focus(s), "asm", "C the code")
    s.keys("B")
    is_(focus(s), "breakpoints", "B breakpoints, which have no place in the layout")
    like(s.text, "breakpoints is shown in the place of graph$", "it takes the free place, and a line reports it")
    s.keys("z")
    like(s.row("stopped:"), "zoomed", "z shows the pane alone, and the status line reports it")
    s.keys(BACK)
    like(s.row("stopped:"), "zoomed", "S-Tab and its like go on in the zoomed place")
    s.keys("z")
    unlike(s.row("stopped:"), "zoomed", "z ends it")

    s.keys(":").line("focus asm")
    s.keys("jj")
    like(s.at, r" +\d+ STORE_NAME +total", "j moves the cursor down")
    s.keys("k")
    like(s.at, r" +\d+ MAKE_FUNCTION", "k up")
    s.keys("G")
    like(s.at, r"RETURN_(VALUE|CONST)", "G goes to the last row")
    s.keys("g")
    like(s.at, r" +0 RESUME", "g to the first")
    s.keys(".")
    like(s.at, r"▶ +\d+ LOAD_CONST", ". back to the current one")
    s.keys("/").keys("STORE_NAME")
    like(s.text, r"^/STORE_NAME +/STORE_NAME  1/2$", "/ asks for what to search, and counts the matches while that is typed")
    s.keys("\r")
    like(s.at, r" +\d+ STORE_NAME +total", "Enter stays at the first match")
    s.keys("\x0e")
    like(s.at, r" +\d+ STORE_NAME +main", "C-n goes to the next")
    s.keys("\x0e")
    like(s.at, r" +\d+ STORE_NAME +total", "round the end")
    like(s.text, "/STORE_NAME  1/2, wrapped to the start$", "which is reported")
    s.keys("\x10")
    like(s.at, r" +\d+ STORE_NAME +main", "C-p goes to the one before")
    s.keys(" ")
    like(s.at, r"●. *\d+ STORE_NAME +main", "Space sets a breakpoint there")
    s.keys(" ")
    unlike(s.at, "● |●›", "and removes it")
    s.keys("n")
    like(s.row("stopped:"), "step . <module> walk.py:8", "n is next, also while a search is shown")
    s.keys("/").keys("RETURN").keys(ESC)
    is_(focus(s), "asm", "Esc ends a search that is typed")
    like(s.at, r"▶ +\d+ ", "back where it began")
    s.keys("i")
    like(s.at, r"▶ +\d+ MAKE_FUNCTION", "i is stepi")
    s.keys(":").line("focus source")
    s.keys("jjj").keys("t")
    like(s.row("stopped:"), r"walk.py:11", "t runs to the row of the cursor")
    like(s.pane("locals")[2], r"first +1 +int", "locals of the frame are shown")
    s.keys("s")
    like(s.row("stopped:"), r"total walk.py:2", "s is step")
    s.keys("u")
    like(s.row("stopped:"), r"main walk.py:11 \(level 1\)", "u is up")
    s.keys("d")
    like(s.row("stopped:"), r"total walk.py:2", "d is down")
    s.keys("f")
    like(s.row("stopped:"), r"total walk.py:5", "f is finish")

    s.keys("z")
    ok(not s.pane("asm"), "z shows one pane alone")
    s.keys("z").keys("?")
    like(s.text, "Keys while a pane has the focus", "? is the help of the pane")
    like(s.text, "^ source: the source of the selected frame", "with what the pane shows")
    s.keys("/").keys("halfdown\r")
    like(s.text, r"C-d +tui scroll halfdown", "which can be searched")
    s.keys("q")
    ok(s.pane("asm") and focus(s) == "source", "q closes it")
    s.keys(":").keys("\x1bOP").keys("q")
    is_(focus(s), None, "F1 on the command line is its help, q goes back there")
    s.line(":focus source")
    is_(focus(s), "source", "a colon before a command is not of it")
    s.keys("x")
    ok(not s.pane("source"), "x hides the pane")
    s.keys(":").line("unhide")
    ok(s.pane("source"), "unhide shows it again")
    s.line("focus nothing")
    like(s.text, "^unknown pane 'nothing'; 'layout' alone lists the panes", "an unknown pane is refused, with the remedy")

with Screen(WALK, rows=24, cols=80) as s:
    stack = s.row(r"^ \d stack ")
    s.keys("\x1bOP").keys("q")
    is_(s.row(r"^ \d stack "), stack, "help takes no pane's place: where it was is the view that was there")
    s.line("help")
    like(s.text, r"^\[answer\] help ─+ 1-\d+/\d+ ─$", "an answer that is longer than its room opens over the panes, at its first line")
    s.keys("\x1b[6~")
    like(s.text, r"^\[answer\] help ─+ \d\d-\d+/\d+ ─$", "PageDown continues in it")
    s.line("p 1")
    unlike(s.text, r"\[answer\]", "until the next command")

with Screen(WALK, rows=50, cols=200, options=["-q", "-ex", "break 4", "-ex", "continue"]) as s:
    s.see("breakpoint 1").ready()
    s.line("focus asm")
    s.keys("G")
    linked = [line for line in s.pane("source") if re.match(r"..·", line)]
    ok(len(linked) == 1 and "return sum" in linked[0], "the source line of the instruction at the cursor is marked",
       "\n".join(s.pane("source")))
    s.keys("V").keys("j").keys("e")
    like(s.prompt, r"^\(cdbg\) set var \w+ = \d+$", "e on a local begins an assignment with the old value")
    name = s.prompt.split()[3]
    s.keys("\x17123\r")
    like("\n".join(s.pane("locals")), r"%s +123" % name, "which, finished, is made")
    s.line("focus frames")
    s.keys("j\r")
    like(s.row("stopped:"), r"\(level 1\)", "Enter on a frame selects it")
    s.keys("B").keys(" ")
    like(s.row("breakpoint +walk.py:4|breakpoint +/"), r"\bno\b", "Space on a breakpoint disables it")

with Screen(WALK, rows=40, cols=120) as s:
    before = len(s.pane("source"))
    s.line("winheight source +4")
    is_(len(s.pane("source")), before + 4, "winheight makes a pane higher")
    s.line("winheight source -2")
    is_(len(s.pane("source")), before + 2, "and lower")
    width = len(s.pane("source")[0])
    s.line("winwidth source +10")
    is_(len(s.pane("source")[0]), width + 10, "winwidth wider")
    s.line("winheight cmd 13")
    s.line("layout")
    like(s.text, r"\* default\n +src", "layout lists layouts")
    like(s.text, "^panes: output source stack", "and panes")
    saved = len(s.pane("source")), len(s.pane("source")[0])
    s.line("layout save mine")
    s.line("layout src")
    ok(not s.pane("asm"), "layout src is without code")
    s.line("layout next")
    ok(s.pane("asm") and not s.pane("source"), "layout next is the one after it")
    s.line("layout mine")
    is_((len(s.pane("source")), len(s.pane("source")[0])), saved, "what was saved comes back")
    s.line("tui new-layout two {-horizontal asm 1 locals 1} 1 output 1")
    ok(s.pane("asm") and s.pane("locals") and not s.pane("stack"), "a layout can be written")
    s.line("tui new-layout bad {-horizontal asm 1")
    like(s.text, r"cannot read the layout '\{-horizontal asm 1': a '\{' is not closed", "one that is wrong is refused")
    s.line("winheight asm 9")
    s.line("p __import__('os').environ['HOME']")
    home = re.findall(r"^'(/\S+)'$", s.text, re.M)[-1]
    s.line("quit").keys("y\r", wait=False)
    s.ended()

with Screen(WALK, rows=40, cols=120, env={"HOME": home}) as s:
    ok(s.pane("asm") and s.pane("locals") and not s.pane("stack"), "the last layout is there again the next time")
    is_(len(s.pane("asm")), 9, "with the sizes that were given by hand")
    s.line("layout two")
    ok(len(s.pane("asm")) > 12, "chosen again it is as it was made")
    s.line("tui show source walk.py:12")
    s.line("focus source")
    like(s.at, "return first", "tui show: another line of the source, until the next stop")
    s.keys(".")
    like(s.at, "▶", "or until the current row is requested again")
    s.keys("z:")
with open(os.path.join(home, ".cdbg_layouts"), "a") as f:
    f.write("use nowhere\nlayout broken {{{{\n")
with Screen(WALK, rows=40, cols=120, env={"HOME": home}) as s:
    ok(s.pane("source") and s.pane("stack"), "a broken file falls back to the default")
    like(s.text, "note: .*has an invalid layout", "with a note")

log = script("", "screen.log")
with Screen(WALK, rows=24, cols=80, options=["-q"]) as s:
    s.line("set logging " + log)
    s.line("p 6 * 7")
    s.line("set logging").line("p 'not this'")
with open(log) as f:
    like(f.read(), r"\(cdbg\) p 6 \* 7\n42\n(?!.*not this)", "set logging keeps what is typed and what is answered")

with Screen(WALK, rows=40, cols=120) as s:
    s.line("bind M-z stepi")
    s.line("bind -a F6 info threads")
    s.keys("\x1b[17~")
    like(s.text, r"^=> +1 +(MainThread +)?<module>", "bind -a: the key counts on the command line too")
    s.keys("\x1bz")
    like(s.row("stopped:"), "start", "without -a it does not count there")
    s.keys(BACK).keys("\x1bz")
    like(s.row(r"▶[· ]+\d+ MAKE"), "MAKE_FUNCTION", "but where a pane has the focus")
    s.keys(":").line('bind "C-x t" info breakpoints')
    s.keys(BACK).keys("\x18t")
    like(s.text, "no breakpoints", "keys in a row can be bound")
    s.keys(":").line("bind nokey next")
    like(s.text, "invalid key 'nokey'", "an invalid key is refused")
    s.line("bind M-z")
    like(s.text, r"^M-z +pane +stepi", "bind KEY tells what it is")

    s.keys("info thr\t")
    like(s.row(r"^\(cdbg\) info thr"), r"^\(cdbg\) info threads$", "Tab completes")
    s.keys("\x15").keys("info f\t")
    like(s.text, r"\bframes\b", "or shows what there is")
    s.keys("\x15")
    s.line("p 11 * 11")
    s.keys("\x12").keys("11 *")
    like(s.text, r"bck:11 \*", "Ctrl-R searches what was typed before")
    s.keys("\r")
    is_(len(re.findall("^121$", s.text, re.M)), 2, "and Enter runs it")
    s.keys("p 'é注'\x1b[D\x1b[D").keys("λ\r")
    like(s.text, "^'éλ注'$", "the line is edited in UTF-8, with arrow keys whole or in pieces")
    for c in "p 7\x1b[D5":
        s.keys(c, wait=False)
    s.keys("\r")
    like(s.text, "^57$", "a key that comes in pieces is one key")
    s.keys("\x1b[200~p 1\nquit\t\x1b[201~")
    like(s.row(r"^\(cdbg\) p 1"), r"p 1 quit", "pasted text is text: no line runs, no Tab completes")
    s.keys("\x03")
    like(s.prompt, r"^\(cdbg\)$", "Ctrl-C clears the line")
    s.keys("\x1b[<0;70;6M\x1b[<0;70;6m")
    is_(focus(s), "asm", "a click gives a pane the focus")
    like(s.at, r"│ › +\d+ STORE_NAME", "and its row the cursor")
    s.keys("\x1b[<65;10;20M")
    is_(focus(s), "asm", "the wheel scrolls the pane under it, the focus stays")
    before = len(s.raw)
    s.keys(":").line("set mouse off")
    ok(b"\x1b[?1000l" in s.raw[before:], "set mouse off gives the mouse back")
    s.line("tui nonsense")
    like(s.text, "unknown screen command 'nonsense'", "an unknown verb is refused")

with Cdbg("pass\n") as d:
    like(d.error("focus source"), "there is no full screen here", "without a screen its commands report it")
    rows = d.rows("info keys")
    ok(len(rows) > 60 and {"key", "where", "command"} <= set(rows[0]), "info keys lists the keys everywhere")
done()
