#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# '?' is help, with and without a space, and a command that waits for the next stop says how to stop the program now.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = script('''
    import time

    def work():
        print("works", flush=True)
        while True:
            time.sleep(0.01)

    work()
''', "waits.py")


def answers(*lines):
    """What each line prints in plain mode."""
    out = []
    for line in lines:
        status, text, err = run("x = 1\ny = 2\n", options=["--plain", "-q"], commands=[line, "kill"])
        out.append(text.split("->", 1)[1].split("\n", 1)[1])
    return out


overview, asked, one, asked_one, tight, verb, sub, two = answers("help", "?", "help break", "? break", "?break", "?info locals",
                                                              "help info locals", "??")
is_(asked, overview, "'?' is 'help'")
is_(asked_one, one, "'? break' is 'help break'")
is_(tight, one, "so is '?break'")
is_(verb, sub, "a subcommand is described, too")
like(two, r"^help .*\n +list commands, or describe one\n +also: h \?", "'??' describes help itself")

with Cdbg("x = 1\ny = 2\n") as d:
    like(d.text("? tbreak"), r"^tbreak ", "a program that speaks JSON is answered, too")
    is_(d.text("complete ?tbr").split(), ["?tbreak"], "Tab completes the command after ?")
    like(d.error("? nosuch"), r"unknown command 'nosuch'", "a command that does not exist is reported")
    is_(d.text("complete ? info loc").split()[-1], "locals", "and what follows the command")

with Screen(PROGRAM, options=["-q"]) as s:
    s.line("?break")
    like(s.text, r"stop each time a location is reached", "? is help in the full screen, too")
    s.keys("q")
    s.line("continue", wait=False).see("works")
    s.line("quit", wait=False).see("quit   (waits for the next stop: Ctrl-C stops now)")
    like(s.text, r"quit   \(waits for the next stop: Ctrl-C stops now\)", "a command that waits while the program runs says that Ctrl-C stops it")
    s.keys("\x03", wait=False).see("stopped: interrupt")
    s.line("quit", wait=False).see("y or n")
    s.keys("y\r", wait=False)
    is_(s.ended(), 0, "Ctrl-C stops the program, and quit ends it")
done()
