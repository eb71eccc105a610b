#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The program's terminal under the full screen: what it writes, what it reads, its children, programs that draw.
import os
import re
import select
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *


def lines(s):
    return [line for line in s.pane("output")[1:] if line]


with Screen('''
    import os, sys, subprocess
    print(sys.stdin.isatty(), sys.stdout.isatty(), os.ttyname(0) == os.ttyname(1))
    sys.stderr.write("to stderr\\n")
    os.write(1, b"from C\\n")
    subprocess.run(["echo", "from a child"])
    print("no newline", end="")
    x = 1
    print("\\x1b[31mred\\x1b[0m plain")
    print("tab\\tbed", "back\\rover", "wipe\\x1b[2Kd")
    print("\\x1b]0;title\\x07quiet", "注é")
''', options=["-q"]) as s:
    s.line("break 8")
    s.line("continue")
    is_(lines(s)[:4], ["True True True", "to stderr", "from C", "from a child"],
        "the program, its C code and its children write into the pane, which is their terminal, in order")
    is_(lines(s)[4:], ["no newline"], "at a stop what has no newline yet is there too")
    s.line("continue")
    s.see("the program ended")
    out = lines(s)
    ok("no newlinered plain" in out, "colours of the program are not text", out)
    red = [c for c in s.screen.buffer.values() for k in c.values() if k.data == "r" and k.fg in ("red", "cd0000", "800000")]
    ok(red, "they are colours")
    ok("over bed wipe" not in out and any("quiet 注é" in line for line in out), "other sequences do no harm", out)
    s.line("quit", wait=False)
    is_(s.ended(), 0, "the end")
    like(s.after, "no newline.*red.* plain", "what it wrote last is then on the terminal")

with Screen('''
    name = input("na" "me? ")
    print("hello", name)
    import sys
    print("read", repr(sys.stdin.readline()))
    import getpass
    print("secret", getpass.getpass("password: "))
    import termios, tty, os
    old = termios.tcgetattr(0)
    tty.setcbreak(0)
    print("ke" "y? ", end="", flush=True)
    print("got", os.read(0, 1))
    termios.tcsetattr(0, termios.TCSADRAIN, old)
    print("size", tuple(os.get_terminal_size()))
    done = 1
''', options=["-q"]) as s:
    s.line("continue").see("name?")
    like("\n".join(s.pane("output")), r"\[(\d )?output\]", "input() moves the focus to the program's pane")
    s.keys("bobx\x7f\r").see("hello bob")
    s.keys("a line\r", wait=False).until(lambda: b"read 'a line" in s.raw or b"password: " in s.raw, "the line")
    s.until(lambda: b"password: " in s.raw, "the question of getpass")
    ok(b"\x1b[?1049l" in s.raw[:s.raw.index(b"password: ")], "getpass, which opens the terminal by name, gets the screen")
    s.keys("sesame\r", wait=False).see("secret sesame", "key?")
    like(s.text, r"read 'a line\\n'", "what is typed there goes to the program, edited as its terminal says")
    unlike(s.text, "password", "and then it is shown again")
    s.sent = s.mark[0]
    s.keys("z").see("got b'z'", "size (", "ended with status 0").ready()
    like(s.text, "got b'z'", "a program that reads single keys gets them")
    size = re.search(r"size \((\d+), (\d+)\)", s.text)
    is_((int(size.group(1)), int(size.group(2))), (80, 5), "the program's terminal is as big as the pane")
    like(s.row("output"), r" output ─", "at the next stop the keys are the debugger's again")

with Screen('''
    import curses, time
    print("before")
    def draw(w):
        for i in range(200):
            w.addstr(3, 3, "DR" "AWN %d" % i)
            w.refresh()
    curses.wrapper(draw)
    after = 1
    print("after")
''', options=["-q"]) as s:
    s.line("break 9")
    s.line("continue")
    like(s.row("stopped:"), "breakpoint 1", "a program that uses curses itself does not disturb the screen")
    like(s.text, r"^ \d source .*┤ \d asm .*", "which is whole")
    unlike(s.text, "DRAWN", "and nothing of what it draws is outside its own terminal")
with Screen('''
    import curses, time
    def draw(w):
        w.addstr(3, 3, "DR" "AWN here")
        w.refresh()
        w.getch()
    curses.wrapper(draw)
    after = 1
''', options=["-q"]) as s:
    s.line("set terminal program")
    s.line("break 7")
    s.line("continue", wait=False).see("DRAWN here")
    unlike(s.text, "stopped:", "set terminal program: the program has the real screen")
    s.keys("x", wait=False).see("stopped: breakpoint 1")
    s.sent = s.mark[0]
    s.ready()
    like(s.text, "▶ +7 after", "until the next stop, where the screen is whole again")

with Screen("import time\ntime.sleep(0.7)\nx = 1\n", options=["-q"]) as s:
    s.line("next").line("next")
    like(s.row("stopped:"), r"step . <module> prog\.py:3", "a step that takes its time is waited for")

out = os.path.join(tempfile.mkdtemp(), "out")
with Screen("print('one')\nprint('two')\nx = 1\n", options=["-q"]) as s:
    s.line("break 3")
    s.line("set output " + out)
    s.line("continue")
    like(s.row("stopped:"), "breakpoint 1", "set output FILE")
    with open(out) as f:
        is_(f.read(), "one\ntwo\n", "what the program writes goes to the file")
    is_(lines(s), [], "and not to the pane")

with Screen('''
    import os, sys
    line = b"x" * 63 + b"\\n"
    for i in range(500):
        os.write(1, line * 1000)
    os.write(1, b"the end\\n")
    stop = 1
''', rows=40, cols=120, options=["-q"]) as s:
    s.line("break 6")
    s.line("continue").see("stopped: breakpoint 1")
    s.ready()
    like(s.row(r"^ \d output"), "/500002", "a flood of 32 MB is all there")
    like(s.text, "^the end", "its end is seen")
    s.line("focus output")
    s.keys("\x1b[5~")
    like(s.row(r"^\[(\d )?output\]"), r"499\d\d\d-499\d\d\d/500002", "and can be scrolled back")
    with open("/proc/%d/status" % s.pid) as f:
        rss = int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))
    most = 300000 if os.environ.get("CDBG_PRELOAD") else 100000         # a sanitizer keeps what was freed
    ok(rss < most, "memory is bounded: older output is in a file", "%d KiB" % rss)

with Screen('''
    import multiprocessing as mp, os, subprocess, sys, threading
    stop = False
    def noise():
        while not stop:
            os.write(1, b"n" * 63 + b"\\n")
    t = threading.Thread(target=noise)
    t.start()
    bad = 0
    for i in range(60):
        p = os.fork()
        if p == 0:
            os._exit(7)
        bad += os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) != 7
    for i in range(20):
        p = os.fork()
        if p == 0:
            os.execv("/bin/true", ["true"])
        bad += os.waitpid(p, 0)[1] != 0
    def square(x):
        return x * x
    with mp.get_context("fork").Pool(3) as pool:
        bad += sum(pool.map(square, range(50))) != 40425
    bad += sum(subprocess.run(["sh", "-c", "exit 3"]).returncode != 3 for i in range(20))
    stop = True
    t.join()
    print("bad:", bad)
''', options=["-q"]) as s:
    s.line("continue").see("the program ended")
    like(s.text, "bad: 0", "children, workers and what they execute end as they always do, under a flood of output")
    unlike(s.raw.decode(errors="replace"), r"\x1b\[\?1049l", "and nobody leaves the screen")
if has("readline"):
    with Screen("import readline\nx = 1\nprint(x)\n", options=["-q"], limit=30) as s:
        s.line("break 3")
        s.line("continue")
        s.line("tui disable", wait=False).see("(cdbg)").until(lambda: b"=>" in s.raw or b"B->" in s.raw, "the plain prompt")
        marks = s.marks
        s.keys("tui enable\r", wait=False).until(lambda: s.marks > marks and "asm" in s.text, "the screen")
        s.sent = s.mark[0]             # what the plain prompt took no mark counts
        s.resize(30, 100)
        is_(s.mark[1:], (30, 100), "a program that has readline's handler of SIGWINCH over ours is resized")
else:
    skip("a program that has readline's handler of SIGWINCH over ours is resized", "no readline")
with Screen("print('one')\nx = 6\nprint('two', x)\n", options=["-q"]) as s:
    s.line("break 3")
    s.line("continue")
    s.line("tui disable", wait=False).see("(cdbg)").until(lambda: s.raw.count(b"=>") or b"B->" in s.raw, "the plain prompt")
    s.keys("p x * 7\r", wait=False).see("\n42")
    ok(b"\x1b[?1049l" in s.raw, "tui disable: the plain prompt, on the terminal as it was")
    marks = s.marks
    s.keys("tui enable\r", wait=False).until(lambda: s.marks > marks and "asm" in s.text, "the screen")
    like(s.row("▶ *3"), "print\\('two', x\\)", "tui enable: the full screen again")
    other, terminal = os.openpty()
    name = os.ttyname(terminal)
    s.keys("tty %s\r" % name, wait=False)
    shown = bytearray()

    def drawn(words):
        while select.select([other], [], [], 0)[0]:
            shown.extend(os.read(other, 65536))
        return words in shown

    s.until(lambda: drawn(b"stopped: breakpoint 1"), "the screen on the other terminal")
    ok(drawn(b"stopped: breakpoint 1"), "tty DEVICE: the screen is drawn on another terminal")
    s.until(lambda: s.sane, "the first one left")
    ok(s.sane, "and the first one is as it was")
    os.write(other, b"c\r")
    s.until(lambda: s.raw.endswith(b"two 6\r\n"), "the program's output")
    ok(s.raw.endswith(b"two 6\r\n"), "where the program continues to write", s.raw[-200:])
    s.until(lambda: drawn(b"status 0"), "the end on the other terminal")
    os.write(other, b"quit\r")
    is_(s.ended(), 0, "the end")
done()
