#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Ctrl-C ends a command that runs long at a prompt, in every front end, and nothing but that command.
import os
import select
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from screen import PATIENCE, Screen

# This many take seconds.
PROGRAM = '''
import threading
names = {}
exec("def long(a):\\n" + "".join("    for i in a:\\n        if i == %d: break\\n        elif i: continue\\n        while i:\\n"
                                 "            if a: break\\n    else: a = 2\\n" % i for i in range(30000)) + "    return 0\\n", names)
long = names["long"]
def short(a):
    return a + 1
def work():
    done = 1                            # here
    return done
if __name__ == "__main__":
    work()
    t = threading.Thread(target=work)
    t.start()
    t.join()
    print("end")
'''
path = script(PROGRAM)
here = line_of(path, "# here")


def ended(d, command, name):
    d.send(command)
    before = time.monotonic()
    d.send("interrupt")
    answer = d.answer(command)
    ok(time.monotonic() - before < 30 * PATIENCE, "'interrupt' ends %s in time" % name)
    like(answer.get("error", ""), "interrupted|KeyboardInterrupt", "%s: the command says that it was interrupted" % name)
    d.answer("interrupt")


with Cdbg(path, limit=120) as d:
    d.do("break %d" % here)
    d.go()
    ended(d, "decompile long", "decompile")
    ended(d, "print __import__('cdbg').decompile(long)", "print of cdbg.decompile()")
    like(d.do("decompile short")["text"], r"return a \+ 1", "the next command is not ended")
    d.go()
    ok(d.stop["thread"] != 1, "a stop in a worker thread", d.stop)
    ended(d, "decompile long", "decompile in a worker thread")
    like(d.do("decompile short")["text"], r"return a \+ 1", "the next command there is not ended")
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")
    is_(len(d.stops), 4, "and no interrupt was kept for it")


def busy(pid):
    """Until the process computes."""
    def ticks():
        with open("/proc/%d/stat" % pid) as f:
            return int(f.read().rsplit(")", 1)[1].split()[11])
    first, end = ticks(), time.monotonic() + 60 * PATIENCE
    while ticks() < first + 10 and time.monotonic() < end:
        select.select([], [], [], 0.05)


with Terminal(path) as t:
    t.expect(r"\(cdbg\)")
    t.line("break %d" % here)
    t.line("continue")
    t.expect("stopped: breakpoint 1")
    t.line("decompile long")
    t.expect("decompile long\n")
    busy(t.pid)
    t.send("\x03")
    t.expect("interrupted: 'long' is not decompiled")
    t.expect(r"\(cdbg\)")
    t.line("print 40 + 2")
    is_(t.expect(r"^(\d+|[a-z ]*interrupted.*)$").group(), "42", "plain: Ctrl-C ends the command, and the next one is answered")

with Screen(path) as s:
    s.line("break %d" % here)
    s.stopped("continue", "breakpoint 1")
    s.line("decompile long", wait=False)
    s.until(lambda: "working" in s.text, "working")
    busy(s.pid)
    s.keys("\x03", wait=False)
    s.until(lambda: "interrupted: 'long' is not decompiled" in s.text, "interrupted")
    s.ready()
    s.line("print 40 + 2")
    s.see("42")
    like(s.text, r"(?m)^.?42\b", "full screen: Ctrl-C ends the command, and the next one is answered")
done()
