#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The user's editor out of the full screen: it has the terminal, the program's other threads keep theirs, and the
# screen comes back whole however the editor ends.
import os
import re
import sys
import tempfile
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

need_torch()
folder = os.path.realpath(tempfile.mkdtemp())
# An editor that draws: it takes the whole terminal, reads single keys, says what it has, changes what it is given.
EDIT = os.path.join(folder, "edit")
with open(EDIT, "w") as f:
    f.write(r'''#!%s
import os, signal, sys, termios, tty
same = os.ttyname(0) == os.ttyname(1) == os.ttyname(2)
cooked = bool(termios.tcgetattr(0)[3] & termios.ICANON)
old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\x1b[?1049h\x1b[?1003h\x1b[2J\x1b[HEDITING %%s %%s %%dx%%d\r\n" %%
         (b"one terminal" if same else b"?", b"in line mode" if cooked else b"?", *os.get_terminal_size(0)))
blocked = [l for l in open("/proc/self/status") if l.startswith("SigBlk")][0].split()[1]
ignored = int([l for l in open("/proc/self/status") if l.startswith("SigIgn")][0].split()[1], 16)
os.write(1, b"blocks %%d ignores %%d" %% (int(blocked, 16), ignored & (1 << 1 | 1 << 2)))
while True:
    key = os.read(0, 1)
    if key == b"k":
        os.kill(os.getpid(), signal.SIGKILL)
    if key == b"f":
        sys.exit(3)
    if key == b"s":
        os.write(1, b"size %%dx%%d" %% os.get_terminal_size(0))
    if key == b"c":
        with open(sys.argv[1]) as f:
            text = f.read()
        with open(sys.argv[1], "w") as f:
            f.write(text.replace(sys.argv[2] if len(sys.argv) > 2 else "42", "43"))
    if key in (b"q", b"c"):
        break
termios.tcsetattr(0, termios.TCSADRAIN, old)
os.write(1, b"\x1b[?1003l\x1b[?1049l")
''' % sys.executable)
os.chmod(EDIT, 0o755)

PROGRAM = r'''
    import os, signal, threading, time, torch
    def f(x):
        return x + 1, 42
    cf = torch.compile(f, backend="eager")
    one = torch.ones(2)
    cf(one)
    ended = []
    signal.signal(signal.SIGCHLD, lambda *a: ended.append(a))
    go, said = threading.Event(), []
    def noise():
        go.wait()
        while len(said) < 300:
            print("thread says", len(said))
            said.append(0)
            time.sleep(0.001)
    t = threading.Thread(target=noise, daemon=True)
    t.start()
    def stop():
        return 1
    stop()
    t.join()
    print("children", len(ended))
'''


def edit(s, line="code edit 0/0"):
    s.line(line, wait=False).until(lambda: "ignores" in s.text and "EDITING" in s.text, "the editor")


def key(s, key, *words):
    """A key for the editor, which no mark counts; words: what the screen shows then."""
    s.keys(key, wait=False).until(lambda: all(w in s.text for w in words), "%s after %s" % (words, key))
    s.sent = s.mark[0]
    return s.ready()


with Screen(PROGRAM, rows=40, cols=120, options=["-q", "-ex", "break stop", "-ex", "continue"], limit=180,
            env={"EDITOR": EDIT, "VISUAL": "", "TMPDIR": folder}) as s:
    s.see("stopped: breakpoint 1").ready()
    s.line("p go.set()")
    before = termios.tcgetattr(s.slave)
    edit(s)
    like(s.text, "EDITING one terminal in line mode 120x40", "code edit: the editor has the terminal, as the shell left it")
    like(s.text, "blocks 0 ignores 0", "and every signal's action as a shell gives it")
    unlike(s.text, "thread says|cdbg", "nothing else is on it, though a thread of the program prints meanwhile")
    key(s, "q", "nothing was changed")
    like(s.row("stopped:"), "stopped: breakpoint 1", "when it has ended the screen is back")
    is_(termios.tcgetattr(s.slave), before, "the terminal's modes are the screen's")
    like("\n".join(s.pane("output")), r"thread says \d+", "what threads wrote meanwhile is in their pane")
    edit(s)
    key(s, "c", "its code was edited")
    like(s.text, r"entry 0/0\+1: its code was edited", "what was changed is taken")
    like(s.row(" graph "), "graph  (entry 0/0 f|__compiled_fn_1) .* 3 nodes", "the graph of both entries is one, and stays in its pane")
    edit(s)
    key(s, "k", "killed by signal 9")
    like(s.text, r"the editor '.*' was killed by signal 9", "an editor that is killed is reported")
    like(s.row("stopped:"), "stopped: breakpoint 1", "and the screen is whole")
    is_(termios.tcgetattr(s.slave), before, "its modes too, though the editor left its own")
    ok(s.raw.rfind(b"\x1b[?1003l") > s.raw.rfind(b"\x1b[?1003h"), "and the mouse that it had asked for is released")
    edit(s)
    s.rows, s.cols = 30, 100
    s.screen.resize(30, 100)
    s._size()
    s.keys("s", wait=False).until(lambda: "size 100x30" in s.text, "the new size")
    like(s.text, "size 100x30", "a resize is the editor's while it runs")
    key(s, "f", "failed with status 3")
    is_(s.mark[1:], (30, 100), "and the screen's when it comes back")
    like(s.text, r"^\(cdbg\)", "an editor that fails leaves the screen whole")
    ok(s.pane("output") and s.pane("guards"), "with its panes")
    s.line("continue", wait=False).see("the program ended")
    like(s.text, "children 0", "the program's own handlers saw no child")
    s.line("quit", wait=False)
    s.ended()
    ok(s.sane, "at the end the terminal is as it was: no mode of a killed editor is left")

with Screen(PROGRAM, rows=24, cols=80, options=["-q", "-ex", "break stop", "-ex", "continue"], limit=180,
            env={"EDITOR": os.path.join(folder, "none"), "VISUAL": "", "TMPDIR": folder}) as s:
    s.see("stopped: breakpoint 1").ready()
    s.line("code edit 0/0")
    like(s.text, r"the editor '.*none' failed with status 127", "an editor that is not there is reported")
    like(s.row("stopped:"), "stopped: breakpoint 1", "and the screen is whole")
done()
