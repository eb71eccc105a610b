#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The full screen under abuse: sizes that change all the time, keys at random, a paste of a megabyte, a held key.
import os
import random
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

WALK = script('''
    def total(n):
        sum = 0
        for i in range(n):
            sum += i
        return sum


    while True:
        print(total(40))
''', "walk.py")

with Screen(WALK, rows=24, cols=80, options=["-q"]) as s:
    r = random.Random(20261121)
    for k in range(200):
        s.resize(r.randint(1, 120), r.randint(1, 320), wait=False)
        if k % 7 == 0:
            s.pump(0)
    s.resize(1, 1)
    s.resize(24, 80)
    like(s.text, r"^ \d source .*┤ \d asm ", "200 changes of size, down to 1x1, leave a whole screen")
    s.line("stepi")
    like(s.row("stopped:"), "step", "and commands work")

    big = ("x = 1 # é注\n" * 90000).encode()[:1000000].decode(errors="ignore")
    s.keys("\x1b[200~" + big + "\x1b[201~")
    like(s.text, r"é注 x = 1 # é注", "a paste of a megabyte is a long line")
    s.keys("\x03")
    like(s.prompt, r"^\(cdbg\)$", "which Ctrl-C clears")

with Screen(WALK, rows=40, cols=120, options=["-q", "-ex", "break total", "-ex", "continue"]) as s:
    s.see("breakpoint 1").ready()
    s.keys("\x1b[Z")
    before = len(s.raw)
    for _ in range(60):
        s.keys("i")
    sent = len(s.raw) - before
    unlike(s.raw[before:].decode(errors="replace"), r"\x1b\[H\x1b\[2?J|\x1b\[2J", "60 single steps never clear the screen")
    ok(sent / 60 < 2048, "and take less than 2 KB each", "%d bytes each" % (sent / 60))
    s.keys("i" * 300)
    like(s.row("stopped:"), "step . total", "a key held down is kept up with")

SEQUENCES = ["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[Z", "\t", "\x1b", "\x1b[5~", "\x1b[6~", "\x1b[15~", "\x1b[19~",
             "\x1bOP", "\x1bOQ", "\x1bOS", "\x1b[<0;10;5M", "\x1b[<64;30;8M", "\x1b[<65;70;20M", "\r", "\r", "\x7f", "\x12",
             "\x03", "\x0c", "\x18o", "\x181", "\x1b[200~pa\nste\x1b[201~", "layout next\r", "si\r", "zoom\r", "focus next\r",
             "b 3\r", "delete\r", "info locals\r", "é", "注", "𝄞", "/", "?", "[", "]", "\x1b[", "\x1b]0;x\x07", "\xff", "\x00"]
seconds = float(os.environ.get("CDBG_FUZZ") or 10)
seed = int(os.environ.get("CDBG_SEED") or 7)
with Screen(WALK, rows=40, cols=120, options=["-q"]) as s:
    r = random.Random(seed)
    end, n, alive = time.monotonic() + seconds, 0, True
    while alive and time.monotonic() < end:
        k = r.choice(SEQUENCES) if r.random() < 0.6 else chr(r.randint(32, 126))
        if k == "q":                         # ends the program, rightly
            continue
        s.keys(k.encode("utf-8", "surrogateescape"), wait=False)
        n += 1
        if n % 100 == 0:
            s.resize(r.randint(1, 60), r.randint(1, 200), wait=False)
            alive = os.waitpid(s.pid, os.WNOHANG)[0] == 0
    ok(alive, "%d random keys in %g seconds (seed %d) do no harm" % (n, seconds, seed), s.raw[-2000:])
    if alive:
        s.resize(24, 80, wait=False)
        s.keys("\x03n\x1b\x03\x03", wait=False)
        s.until(lambda: s.mark[0] >= s.sent and s.mark[1:] == (24, 80), "the screen after it")
        like(s.text, r"stopped:|ended|running|working|question waits", "and the screen is drawn after it")
    else:
        s.status = 0
done()
