#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdbg --attach PID on a terminal, on the full screen and on a pipe; whoever dies, the other one is as it was."""
import os
import signal
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import argv, environment  # noqa: E402
from attaching import LIMIT, Running, WORK  # noqa: E402

p = Running(WORK)


def attach(*options, env=None):
    return Terminal(None, command=argv("-m", "cdbg", "-nx", *options, "--attach", str(p.pid)), env=env)


def pipe(text, *options):
    return subprocess.run(argv("-m", "cdbg", "-nx", *options, "-p", str(p.pid)), env=environment(), input=text, capture_output=True, text=True,
                          timeout=LIMIT)


def ticks():
    """Processor time that the program has used, in clock ticks: at a stop it uses none."""
    with open("/proc/%d/stat" % p.pid) as f:
        return sum(map(int, f.read().rpartition(")")[2].split()[11:13]))


# ---- the command line ----------------------------------------------------------------------------------------------------
with attach("--plain") as t:
    t.expect(r"stopped: interrupt[\s\S]*\(cdbg\) ")
    t.line("break work")
    t.expect(r"breakpoint 1 at prog.py:\d+ \(work\)[\s\S]*\(cdbg\) ")
    t.line("continue")
    ok(t.expect(r"stopped: breakpoint 1[\s\S]*\(cdbg\) "), "a breakpoint is hit on the attaching terminal")
    t.line("delete 1")
    t.expect(r"\(cdbg\) ")
    t.line("continue")
    t.expect(r"continue\r?\n")
    used = ticks()
    while ticks() < used + 5:       # the line was read, so Ctrl-C does not drop it, and the program computes
        pass
    t.send("\x03")
    t.expect("stopped: interrupt")
    ok(t.expect(r"\(cdbg\) "), "Ctrl-C stops the program, and does not kill it")
    t.send("abc\x03")
    ok(t.expect(r"\^C\s+\(cdbg\) "), "and drops what was typed at the prompt")
    t.line("quit")
    t.expect("detached")
    is_(t.ended(), 0, "quit detaches, without a question")

got = pipe("backtrace\nbreak work\ncontinue\nprint i\n")
like(got.stdout, r"stopped: interrupt[\s\S]*stopped: breakpoint 1[\s\S]*^3$", "commands come from a pipe, too")
is_((got.returncode, got.stderr), (0, ""), "and its end detaches")
got = pipe("", "-batch", "-ex", "backtrace")
like(got.stdout, r"stopped: interrupt[\s\S]*<module>", "-batch ends after the commands of -ex")
is_(p.proc.poll(), None, "and the program runs on")

# ---- the full screen -------------------------------------------------------------------------------------------------------
screen = {"TERM": "xterm"}
with attach(env=screen) as t:
    t.expect("interrupt")
    t.expect("prog.py")
    t.line("break work")
    t.expect("breakpoint 1")
    t.line("continue")
    t.expect("stopped: breakpoint 1|breakpoint 1")
    t.line("detach")
    is_(t.ended(), 0, "the full screen is drawn on the attaching terminal")
    like(t.text[-200:], "\x1b\\[\\?1049l", "which is left as it was")

with attach(env=screen) as t:
    t.expect("interrupt")
    t.proc.send_signal(signal.SIGTERM)
    is_(t.ended(), -signal.SIGTERM, "a signal ends the client")
    like(t.text[-300:], "\x1b\\[\\?1049l", "and it leaves the screen")
with attach(env=screen) as t:
    t.expect("interrupt")
    t.proc.kill()
with attach("--plain") as t:
    t.expect(r"stopped: interrupt[\s\S]*\(cdbg\) ")
    t.line("continue")
    t.hang_up()
    t.proc.wait(LIMIT)
is_(p.proc.poll(), None, "the program runs on when the client is killed, or its terminal hangs up")
with attach("--plain") as t:
    ok(t.expect(r"stopped: interrupt[\s\S]*\(cdbg\) "), "and can be attached to again")
    t.line("detach")
    t.ended()
is_(p.end(), ("right 0", 0), "its result is right, and it has no descriptor more than before")

p = Running(WORK)
with attach(env=screen) as t:
    t.expect("interrupt")
    p.proc.kill()
    is_(t.ended(), 1, "the process is killed")
    like(t.text[-300:], "\x1b\\[\\?1049l[\\s\\S]*process %d has ended" % p.pid, "the client leaves the screen, and says so")
p.proc.wait()

# ---- a launcher of ranks, whose own RANK is that of its host ------------------------------------------------------------------
p = Running(WORK, {"RANK": "3"}, "torchrun")
no_ranks = "this launcher has no ranks now, and is debugged itself: attach again later"
got = pipe("")
like(got.stdout, "^%s\nstopped: interrupt" % no_ranks, "that it has no ranks is said in a line")
got = pipe("", "--json")
is_((got.stdout.count("stopped"), got.stderr), (1, "cdbg: %s\n" % no_ranks), "to a program on standard error")
is_(p.end(), ("right 0", 0), "it goes on")
done()
