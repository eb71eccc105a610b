#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Command files end: one that reads itself, one that an interrupt ends in each front end, one without end.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROG = script("""
    import sys, threading
    def f(n):
        return n            # here
    def work():
        for i in range(3):
            f(i)
    if "thread" in sys.argv:
        t = threading.Thread(target=work)
        t.start()
        t.join()
    else:
        work()
    print("end")
""")
folder = os.path.dirname(PROG)


def commands(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


own = os.path.join(folder, "own")
commands("own", "source %s\nprint 'after'\n" % own)
last = commands("last", "print 1\nsource %s\n" % os.path.join(folder, "last"))
twice = commands("twice", ("source %s\n" % os.path.join(folder, "twice")) * 2)
two = commands("two", "source %s\n" % commands("one", "source %s\n" % os.path.join(folder, "two")))
deep = commands("deep0", "print 'deepest'\n")
for n in range(1, 90):
    deep = commands("deep%d" % n, "source %s\nprint %d\n" % (deep, n))
big = commands("big", "".join("print 'line %d'\n" % n for n in range(300000)))
steps = commands("steps", "stepi\n" * 100000 + "print 'not stepped'\n")

# ---- files that read each other ----

for path, what in (own, "a file that reads itself"), (last, "... by its last line"), (twice, "... twice, so that the files are a tree"), (two, "two files that read each other"):
    status, out, err = run(PROG, options=["--plain", "-q", "-nx"], commands=["source %s" % path, "print 'prompt'", "continue"])
    like(out, "error: '%s' was not read.*nested more than 100 deep" % (path if path != two else ".*"), "%s ends with an error that names it" % what)
    ok(out.count("error") == 1 and "'after'" not in out and "'prompt'\nend" in out, "... once; the next command is obeyed, the program runs", out[-900:])
status, out, err = run(PROG, options=["--plain", "-q", "-nx"], commands=["source %s" % deep, "continue"])
is_(out.splitlines()[2:-2], ["'deepest'"] + [str(n) for n in range(1, 90)], "files nested 90 deep are obeyed in order")
home = os.path.join(folder, "home")
os.mkdir(home)
with open(os.path.join(home, ".cdbgrc"), "w") as f:
    f.write("source ~/.cdbgrc\nsource %s/.cdbgrc\n" % home)
status, out, err = run(PROG, options=["--plain", "-q"], commands=["continue"], env={"HOME": home})
like(out, r"nested more than 100 deep[^\0]*\nend", "a ~/.cdbgrc that reads itself does not hinder the start")

# ---- files without end ----

with Cdbg(PROG) as d:
    like(d.error("source /dev/zero"), "^'/dev/zero' was not read: it is larger than 64 MiB$", "a file without end is refused")
    like(d.error("source %s" % folder), "^cannot read '.*': Is a directory", "a directory is refused")

# ---- interrupts: JSON ----

def notes(d, text):
    """Read until a note has this text."""
    while True:
        obj = d.next()
        if obj.get("event") == "note" and text in obj["text"]:
            return obj


with Cdbg(PROG) as d:
    for how in "interrupt", "SIGINT":
        d.do("source %s" % big)
        notes(d, "line 20")
        if how == "SIGINT":
            d.interrupt()
        else:
            d.send("interrupt")
            ok(d.answer("interrupt")["ok"], "'interrupt' while a command file runs is answered")
        is_(d.text("print 40 + 2"), "42", "%s ends a command file of 300,000 lines" % how)
        ok(any("queued command lines were not run" in n["text"] for n in d.notes) and len(d.notes) < 299000, "... with a note", d.notes[-3:])
        d.notes.clear()
    d.do("source %s" % steps)
    d.wait()
    d.interrupt()
    while not d.notes or "queued command lines were not run" not in d.notes[-1]["text"]:
        d.next()
    is_(d.text("print 40 + 3"), "43", "SIGINT ends a file of 100,000 steps, whether it comes at a stop or between two")
    d.do("delete")
    while not d.exited:
        d.go()
    is_(d.out, "end\n", "... and the program runs to its end")

with Cdbg(PROG, "thread") as d:
    d.do("break f")
    d.go()
    ok(d.stop["thread"] != 1, "a stop in a worker thread", d.stop)
    slow = commands("slow", "print sum(range(20000))\n" * 50000)
    d.do("source %s" % slow)
    notes(d, "199990000")
    d.interrupt()
    notes(d, "queued command line")
    is_(d.text("print 40 + 2"), "42", "SIGINT ends a command file that a worker thread's stop runs")

with Cdbg(PROG) as d:
    endless = commands("endless", "python\nprint('begun', flush=True)\nwhile True:\n    pass\nend\nprint 'after'\n")
    d.do("source %s" % endless)
    while "begun" not in d.out:
        d.next()
    d.interrupt()
    is_(d.text("print 40 + 2"), "42", "SIGINT ends a Python block of a file, and the file")
    ok(not any("after" in n["text"] for n in d.notes), "... whose next line is not run", d.notes)

LOOP = """
    import time
    n = 0
    while n < 10 ** 9:
        n += 1              # here
"""
with Cdbg(LOOP) as d:
    d.do("break %d" % d.line_of("# here"))
    d.do("source %s" % commands("cmds", "commands\nprint n\ncontinue\nend\n"))
    d.do("continue")
    notes(d, "10")
    d.interrupt()
    d.notes.clear()
    while not (d.notes and "queued command line" in d.notes[-1]["text"] or d.stop["reason"] == "interrupt"):
        d.next()
    d.do("delete")
    ok(int(d.text("print n")) > 5, "SIGINT ends the loop of a breakpoint whose commands continue")

# ---- the command line, and the full screen ----

with Terminal(PROG, options=["--plain", "-q", "-nx"]) as t:
    t.expect(r"\(cdbg\) ")
    t.line("set pagination off")
    t.line("source %s" % big)
    t.expect("'line 20'")
    t.send("\x03")
    t.expect(r"interrupted: \d+ queued command lines were not run")
    t.line("print 40 + 2")
    t.expect("^42$")
    ok("'line 299999'" not in t.text, "Ctrl-C ends a command file on a terminal, with a note")
    t.line("source %s" % commands("short", "print 'short'\n"))
    ok(t.expect("^'short'$"), "... and the next file is run")

with Screen(PROG, rows=24, cols=80, options=["-nx"]) as s:
    s.line("source %s" % big, wait=False)
    s.until(lambda: "'line " in s.text, "lines of the file")
    s.keys("\x03", wait=False)
    s.until(lambda: "queued command lines were not run" in s.text.replace("\n", " "), "the note")
    s.settled()
    s.line("print 40 + 2")
    like(s.text, r"^42 *$", "Ctrl-C ends a command file in the full screen")

# ---- what stays ----

WAITS = """
    import os, signal
    def f():
        os.kill(os.getppid(), 0)
        while True:
            pass
    print("ready", flush=True)
    f()
"""
import signal, subprocess
import cdbgtest
def interrupted(*options):
    proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--plain", "-q", "-nx", *options, script(WAITS)), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=cdbgtest.environment())
    seen = ""
    while "ready" not in seen:
        seen += proc.stdout.readline()
    proc.send_signal(signal.SIGINT)
    return proc.communicate(timeout=60 * cdbgtest.PATIENCE)[0]


like(interrupted("--batch", "-ex", "continue", "-ex", "print 'kept'"), "'kept'", "a line given by -ex is run after an interrupt stopped the program")
like(interrupted("--batch", "-x", commands("batch", "continue\nprint 'kept'\n")), "'kept'", "a script of --batch continues after an interrupt stopped the program")
done()
