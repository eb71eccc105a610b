#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The prompt: on a terminal (editing, history, completion, Ctrl-C, Ctrl-D, Ctrl-Z, questions, colours) and in a pipe."""
import os
import re
import signal
import sys
import termios
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

PROMPT = r"^\(cdbg\) $"
CUT = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>][0-9A-Za-z]?|\x0f|\r|.\x08")
PROG = script("""
    import sys
    def f(number):
        other = number + 1
        return other
    for i in range(1000000):
        f(i)
        if i % 1000 == 500:
            print("at", i)
    print("all done")
""")


class Person(Terminal):
    """A terminal whose text is without what only moves the cursor."""

    def _more(self, seconds):
        more = Terminal._more(self, seconds)
        self.raw = getattr(self, "raw", "") + self.text[getattr(self, "cut", 0):]
        self.text = CUT.sub("", self.text)
        self.cut = len(self.text)
        return more

    def prompt(self):
        return self.expect(r"\(cdbg\) ")

    def say(self, line):
        """A line typed at the prompt; what came up to the next one."""
        at = self.mark
        self.line(line)
        self.prompt()
        return self.text[at:self.mark]


def modes(t):
    return termios.tcgetattr(t.fd)


def home():
    return os.path.dirname(script("", "nothing.py"))


# ---- a visit ----

def has_open(pid, path):
    folder = "/proc/%d/fd" % pid
    return any(os.path.realpath(os.path.join(folder, name)) == path for name in os.listdir(folder))


with Person(PROG, env={"HOME": home()}) as t:
    before = modes(t)
    t.prompt()
    like(t.text, r"cdbg .*: 'help' lists the commands", "on a terminal it says how to begin")
    like(t.text, r"<module> at .*prog.py:1\n +1 +-> +import sys", "and where the program is")
    like(t.say("break f"), "breakpoint 1 at", "a command is answered")
    like(t.say("continue"), r"stopped: breakpoint 1\nf at .*prog.py:3", "a stop says why and where")
    like(t.say("p number + 40"), r"^40$", "Python is evaluated in the frame")
    like(t.say("for k in range(2):\n    print('k is', k)\n"), r"k is 0\nk is 1", "a statement may go on over several lines")
    t.say("commands 1\nsilent\np number\nend")
    like(t.say("c"), r"\n1\n", "commands of a breakpoint are gathered up to end, and run at it")
    for k in range(1500):               # a key may be thrown away between the moment it is seen and its reading
        t.send("p nonsense")
        until = time.perf_counter() + k % 40 * 1e-6
        while time.perf_counter() < until:
            pass
        t.send("\x03")
        t.prompt()
    like(t.say("p 1000 + 1"), r"1001", "Ctrl-C at the prompt clears the line, at whatever moment")
    t.say("delete 1")
    t.line("continue")
    t.expect("^at")
    t.send("\x03")
    t.expect("stopped: interrupt")
    t.prompt()
    like(t.say("bt"), "<module>", "Ctrl-C while the program runs stops it")
    t.send("while True: pass\n\n")
    t.expect(r"\.\.\. ")
    t.send("\x03")
    t.prompt()
    like(t.say("p 2000 + 1"), "2001", "Ctrl-C ends what was typed at the prompt and does not end")
    fifo = os.path.join(home(), "fifo")
    os.mkfifo(fifo)
    writer = os.open(fifo, os.O_RDWR)
    t.line("source " + fifo)
    limit = time.monotonic() + 60
    while not has_open(t.pid, fifo) and time.monotonic() < limit:
        pass
    os.kill(t.pid, signal.SIGINT)
    os.close(writer)
    t.expect(r"\^C\n")
    t.prompt()
    like(t.say("p 2000 + 2"), "2002", "Ctrl-C while a command runs that evaluates nothing is not kept for one that does")
    t.line("quit")
    t.expect(r"running\..*\(y or n\) ")
    t.line("n")
    t.prompt()
    like(t.say("p 3000 + 3"), "3003", "quit asks while the program lives, n stays")
    t.line("kill")
    t.expect(r"and cdbg with it\?  'run' starts it again instead\..*\(y or n\) ")
    t.line("n")
    t.prompt()
    like(t.say("kill 9"), "'quit STATUS' ends with a status", "kill asks, too; it has no status")
    t.send("\x04")
    t.expect(r"\(y or n\) ")
    t.line("y")
    is_(t.ended(), 0, "Ctrl-D asks too, y ends it with status 0")
    unlike(t.text, "all done|Traceback", "as it is")

# ---- editing ----

place = home()
with Person(PROG, env={"HOME": place}) as t:
    t.prompt()
    like(t.say("p 1x0\x02\x7f7\x05 + 1"), r"^171$", "the cursor moves and what is after it goes")
    like(t.say("p 5\x01\x0bp 6"), r"^6$", "Ctrl-A and Ctrl-K edit the line")
    like(t.say("p '\u00e9\u20ac'"), "'\u00e9\u20ac'", "what is typed may be any UTF-8")
    t.say("break f")
    t.say("c")
    like(t.say("p numb\t"), r"^0$", "Tab completes a name of the frame")
    like(t.say("info breakp\t"), r"prog.py:3", "and the word after a command")
    t.send("un\t")
    listed = t.expect("undisplay .*until")
    t.prompt()
    t.send("\x03")
    t.prompt()
    is_(listed[0].split(), ["undisplay", "undo", "unhide", "until"], "with several that fit it lists them")
    like(t.say("p 300 + 3"), r"^303$", "(an answer)")
    like(t.say("\x10"), r"^303$", "Ctrl-P takes the line before")
    like(t.say("p 7"), r"^7$", "(another)")
    like(t.say("\x12" + "300"), r"^303$", "Ctrl-R searches the history")
    like(t.say("n"), r"prog.py:4", "next")
    like(t.say(""), r"stopped: return", "an empty line repeats it")
    t.line("detach")
    t.expect("all done")
    is_(t.ended(), 0, "detach lets the program run to its end")
lines = open(os.path.join(place, ".cdbg_history")).read().splitlines()
ok("p 300 + 3" in lines, "the history is kept in a file", lines)
is_(os.stat(os.path.join(place, ".cdbg_history")).st_mode & 0o777, 0o600, "that only its owner reads")
with open(os.path.join(place, ".cdbg_history"), "w") as f:
    f.writelines("p %d\n" % k for k in range(5000))
with Person(PROG, env={"HOME": place}) as t:
    t.prompt()
    like(t.say("\x10"), r"^4999$", "it is there in the next session")
    t.line("quit")
    t.expect(r"\(y or n\) ")
    t.line("y")
    t.ended()
ok(len(open(os.path.join(place, ".cdbg_history")).readlines()) <= 1010, "and bounded")

# ---- restart ----

with Person(PROG, env={"HOME": home()}) as t:
    t.prompt()
    t.say("tbreak 4")
    t.say("break f if number == 3")
    t.say("c")
    t.line("restart")
    t.expect(r"\(y or n\) ")
    t.line("y")
    t.expect("-> +import sys")
    t.prompt()
    like(t.say("c"), r"stopped: breakpoint \d\nf at", "restart asks, then runs the program again with what was set")
    like(t.say("p number"), r"^3$", "conditions too")
    t.line("detach")
    t.expect("all done")
    is_(t.ended(), 0, "and it ends as ever")

# ---- the terminal is the program's ----

ASKS = script("""
    import sys
    name = input("name? ")
    print("hello", name)
    import tty, termios
    old = termios.tcgetattr(0)
    tty.setcbreak(0)
    print("press")
    key = sys.stdin.read(1)
    termios.tcsetattr(0, termios.TCSANOW, old)
    print("key", key)
""")
with Person(ASKS, env={"HOME": home()}) as t:
    t.prompt()
    t.line("c")
    t.expect(r"name\? ")
    t.line("world")
    t.expect("hello world\npress")
    t.send("k")
    pressed = t.expect("key (.)")
    t.expect("ended with status 0")
    t.prompt()
    is_(pressed[1], "k", "the program has the terminal while it runs")
    like(t.say("step"), "error: the program has ended", "after its end what needs it is refused")
    t.send("\x04")
    is_(t.ended(), 0, "Ctrl-D ends the session without a question")
    ok(modes(t)[3] & termios.ICANON and modes(t)[3] & termios.ECHO, "and the terminal is as it was")

for name, sig in (("SIGTERM", signal.SIGTERM), ("SIGHUP", signal.SIGHUP)):
    with Person(PROG, env={"HOME": home()}) as t:
        t.prompt()
        t.send("p 1")
        t.expect("p 1")
        ok(not modes(t)[3] & termios.ICANON, name + ": the editor has the terminal")
        os.kill(t.pid, sig)
        is_(t.ended(), -sig, name + " at the prompt ends the process, as without cdbg")
        ok(modes(t)[3] & termios.ICANON and modes(t)[3] & termios.ECHO, "with the terminal as it was")

# A shell with job control, or the kernel ignores Ctrl-Z.
with Person(None, command=["bash", "-c", "set -m; \"$@\"; echo; stty -a | grep -o -- '-*icanon'; fg", "bash"]
            + cdbgtest.argv("-m", "cdbg", "--plain", PROG), env={"HOME": home()}) as t:
    t.prompt()
    t.send("p 40")
    t.expect("p 40")
    t.send("\x1a")
    is_(t.expect("^-?icanon$")[0], "icanon", "Ctrl-Z stops the process, with the terminal as it was")
    t.expect("p 40")
    t.send(" + 2\n")
    like(t.expect(r"^\d+$")[0], "^42$", "and what was typed is still there when it continues")

with Person(script("""
    import os, sys, time
    open("started", "w").close()
    x = 1
    open(sys.argv[1], "w").write("ran on")
"""), os.path.join(home(), "out"), env={"HOME": home()}, cwd=home()) as t:
    t.prompt()
    t.hang_up()
    pid, status = os.waitpid(t.pid, 0)
    t.status = os.waitstatus_to_exitcode(status)
    ok(t.status in (-signal.SIGHUP, 0), "a terminal that hangs up ends it as it ends any program, or lets it run on", t.status)

# ---- colours, logging, pages ----

with Person(PROG, env={"HOME": home()}) as t:
    t.prompt()
    t.say("break f")
    t.say("c")
    like(t.raw, r"\x1b\[1mstopped", "on a terminal there are colours")
    log = os.path.join(home(), "log")
    t.say("set logging " + log)
    t.say("p 10 + 11")
    t.say("set logging")
    t.say("p 10 + 12")
    is_(open(log).read(), "(cdbg) p 10 + 11\n21\n(cdbg) set logging\n", "set logging keeps what the prompt shows")
    t.say("set color off")
    at = len(t.raw)
    t.say("c")
    unlike(t.raw[at:], r"\x1b\[1mstopped", "set color off: none")
status, out, err = run("f = 1\n", options=["--plain", "-nx"], commands=["set logging /no/such/file", "p f", "set logging", "p f",
                                                                         "set logging /no/such/file", "p f", "p f"])
is_(out.count("cannot write '/no/such/file'"), 2, "each time that logging is set to a file that cannot be written, that is reported")
with Person(PROG, env={"HOME": home(), "NO_COLOR": "1"}) as t:
    t.prompt()
    t.say("break f")
    t.say("c")
    unlike(t.raw, r"\x1b\[1mstopped", "nor with NO_COLOR")
with Person(PROG, env={"HOME": home()}, size=(10, 80)) as t:
    t.prompt()
    t.say("set pagination on")
    t.line("help")
    t.expect("-- more")
    t.line("q")
    t.prompt()
    like(t.say("p 4000 + 4"), "4004", "set pagination on: an answer longer than the screen waits, q ends it")

# ---- a pipe ----

status, out, err = run(PROG, options=["-q"], commands=["break f", "c", "p number", "delete", "frob"])
like(out, r"^0$", "from a pipe commands are read one by one")
like(out, r"error: unknown command 'frob'", "errors are reported and the rest continues")
unlike(out, r"\(cdbg\)|\x1b", "without prompt, echo or colour")
is_((status, out.splitlines()[-1]), (0, "all done"), "its end detaches")
status, out, err = run(PROG, options=["-q"], input="python\nv = 6\nprint(v * 7)\nend\nquit")
like(out, r"^42$", "python ... end runs several lines")
is_(status, 0, "a last line without its newline is run")
status, out, err = run(PROG, options=["-q"], commands=["n"], input="n\r\np 1 + 1\r\nquit\r\n")
like(out, r"^2$", "lines that end in CR LF are taken")

done()
