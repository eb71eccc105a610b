#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One prompt for the ranks of a job: real ranks of plain Python, started by a launcher that knows nothing of cdbg."""
import os
import re
import signal
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Fake, Prompt  # noqa: E402

folder = tempfile.mkdtemp(prefix="cdbg-ranks-")
WORLD = 3


def launcher(text, name="launch.py"):
    """A program that starts ranks, each a python with the rest of its arguments; it has no RANK itself."""
    return script("import os, subprocess, sys\n" + text, name=name)


LAUNCH = launcher("""
def rank(r, restart=0):
    return subprocess.Popen([sys.executable, "-u", *sys.argv[1:]], env=dict(os.environ, RANK=str(r), WORLD_SIZE="%d", LOCAL_RANK=str(r),
                            TORCHELASTIC_RESTART_COUNT=str(restart)))
procs = [rank(r) for r in range(%d)]
status = [p.wait() for p in procs]
if os.path.exists(sys.argv[1] + ".again"):
    status[1] = rank(1, 1).wait()
print("launcher", status, "CDBG_CONNECT" in os.environ)
sys.exit(max(status))
""" % (WORLD, WORLD))
PROGRAM = """
    import os, sys
    r = int(os.environ["RANK"])
    def f(n):
        m = n + (r == 2)
        return m
    for i in range(3):
        f(i)
    os.write(1, b"rank %d done\\n" % r)
    sys.exit(r)
"""


def job(program, *options, **keys):
    path = script(program)
    return Prompt(*options, command=[interpreter(), LAUNCH, path], **keys), path


def in_order(text):
    """The lines that ranks print come in any order."""
    return sorted(line for line in text.splitlines() if "rank" in line and "done" in line or line.startswith("launcher"))


bare_out = subprocess.run([interpreter(), LAUNCH, script(PROGRAM)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          env=cdbgtest.environment())

# ---- a session ----

p, path = job(PROGRAM, "--ranks")
p.says(r"^\[0-2\]\n<module> at .*prog.py:1\n", "the prompt comes when all ranks stand before the first line of the script, which is told once")
p.answer("set ranks-patience 60")     # a slow rank is waited for
is_(p.answer("ranks"), "[0-2] stopped start <module> prog.py:1\n", "equal ranks are one line")
is_(p.answer("break f"), "breakpoint 1 at prog.py:4 (f)\n", "a breakpoint is set in all, and answered once")
like(p.answer("continue"), r"^\[0-2\]\nstopped: breakpoint 1\nf at .*prog.py:4\n", "continue lets all go, and shows where they stop")
is_(p.answer("print n"), "0\n", "other commands are for the chosen rank")
is_(p.answer("rank all print r"), "[0] 0\n[1] 1\n[2] 2\n", "... or for those that are named")
is_(p.answer("rank 0-1 print n"), "[0-1] 0\n", "... and equal answers are told once")
like(p.answer("rank 2"), r"^\[2\] stopped breakpoint f prog.py:4\nstopped: breakpoint 1\n", "another rank is chosen")
is_(p.answer("print r"), "2\n", "... and has the next commands")
like(p.answer("next"), r"^\[0-2\]\nf at .*prog.py:5", "steps are for all")
like(p.answer("rank 1 stepi"), r"^\[1\]\nf at .*prog.py:5", "... or for those that are named")
p.answer("set schedule-multiple off")
like(p.answer("continue"), r"^\[2\]\nstopped: breakpoint 1\n", "schedule-multiple off: one rank continues, and the prompt waits for it alone")
is_(p.answer("rank all print n"), "[0-1] 0\n[2] 1\n", "... the others have not moved")
like(p.answer("show schedule-multiple"), r"off: .*the chosen rank", "... which can be asked for")
p.answer("set schedule-multiple on")
for line, why in (("rank 9", "there is no rank 9"), ("rank 2-1 print n", "invalid ranks '2-1'"), ("rank 1,x", "invalid ranks '1,x'"), ("rank 0,", "invalid ranks"),
                  ("rank all", "needs a command"), ("rank 0-1", "one rank is chosen"), ("set ranks-patience -1", "from 0 to"), ("ranks 3", "no arguments"),
                  ("set schedule-multiple perhaps", "on or off"), ("print nosuchname", "NameError"), ("source /no/file", "No such file"), ("finish 3", "error: ")):
    like(p.answer(line), r"^error: .*" + why if why != "error: " else why, "'%s' is refused, with the reason" % line)
like(p.answer("help rank"), r"^rank \[N\|RANKS COMMAND\]: ", "help describes the controller's commands")
like(p.answer("help"), r"^interrupt +stop all ranks", "... lists them")
like(p.answer("help finish"), r"finish", "... and asks the ranks about theirs")
p.answer("commands 1", "print n * 100", "end")
p.answer("rank all info breakpoints")
like(p.answer("continue"), r"^\[[0-2,-]+\] \d00$", "commands of a breakpoint are given to all ranks")
p.answer("delete")
p.send("continue")
p.expect(r"^\[0\] ended with status 0\n\[1\] ended with status 1\n\[2\] ended with status 2\n")
p.says(r"^the job has ended with status 2\n", "the ends of ranks and job are told")
is_(p.answer("ranks"), "[0] ended with status 0\n[1] ended with status 1\n[2] ended with status 2\n", "... and can be asked for afterwards")
p.send("quit")
status, out, err = p.ended()
is_((status, err), (0, ""), "quit ends the controller")
is_(in_order(p.seen + out), [l.replace("False", "True") for l in in_order(bare_out.stdout)], "the program printed what it prints without cdbg")

# ---- the job's end is the controller's ----

p, path = job(PROGRAM, "--ranks", "-ex", "break f", "-ex", "detach")
status, out, err = p.ended()
is_((status, in_order(out), err), (2, [l.replace("False", "True") for l in in_order(bare_out.stdout)], ""), "detach lets the job run on, and has its status")
p, path = job(PROGRAM, "--ranks")
p.proc.stdin.close()
is_((p.proc.wait(LIMIT), in_order(p.proc.stdout.read())), (2, [l.replace("False", "True") for l in in_order(bare_out.stdout)]), "so does the end of input")
p.proc.stdout.close(), p.proc.stderr.close()
p, path = job(PROGRAM, "--ranks", "-ex", "break f", "-ex", "continue", "-batch")
status, out, err = p.ended()
is_((status, "done" in out), (0, False), "-batch quits after the commands, and the ranks end")
p, path = job(PROGRAM, "--ranks")
p.expect(r"^\[0-2\]")
p.proc.kill()
is_(in_order(p.proc.stdout.read()), [l.replace("False", "True") for l in in_order(bare_out.stdout)], "a controller that is killed leaves the job running")
p.proc.communicate()

# ---- ranks that join late, or again ----

path = script(PROGRAM)
open(path + ".again", "w").close()
p = Prompt("--ranks", command=[interpreter(), LAUNCH, path])
p.expect(r"^\[0-2\]")
p.answer("set ranks-patience 60", "break f if n == 1", "set repr-limit 77")
p.answer("continue")
p.send("rank 0,2 detach")
p.send("rank 1 quit")
p.send("interrupt")
p.says(r"rank 1 joined again \(restart 1\)\n", "a rank that is started again joins again")
p.says(r"^\[1\]\nstopped: breakpoint 1\n", "... with the breakpoints that were set for all, and does not wait at its start")
p.answer()
is_(p.answer("print n"), "1\n", "... its conditions")
like(p.answer("show repr-limit"), "77", "... and its settings")
p.send("quit")
p.ended()

# ---- interrupt ----

LOOP = """
    import os, sys, time
    def loop():
        while not os.access(sys.argv[0] + ".end", os.F_OK):          # no frame of the library
            time.sleep(0.01)
    os.write(1, b"looping %s\\n" % os.environb[b"RANK"])
    loop()
"""
p, path = job(LOOP, "--ranks")
p.expect(r"^\[0-2\]")
p.answer("set ranks-patience 60")
p.send("continue")
for i in range(WORLD):
    p.expect(r"looping \d\n")
p.proc.send_signal(signal.SIGINT)
p.says(r"^\[[0-2,-]+\]\nstopped: interrupt", "Ctrl-C stops the ranks that run")
p.answer()
like(p.answer("ranks"), r"\A(\[[0-2,-]+\] stopped interrupt .*prog.py:\d\n)+\Z", "... all of them")
open(path + ".end", "w").close()
p.send("continue")
p.says(r"^the job has ended with status 0\n", "... and the job ends right")
p.send("quit")
p.ended()

# ---- a job that is started elsewhere ----

p = Prompt("--listen", "--world", "2")
env = p.listening()
like(env["CDBG_CONNECT"], r"^127\.0\.0\.1:\d+$", "--listen says where ranks connect to: the loopback interface unless a host is named")
path = script(PROGRAM)
ranks = [subprocess.Popen(cdbgtest.argv(path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          env=cdbgtest.environment(dict(env, RANK=str(r), WORLD_SIZE="2"))) for r in range(2)]
p.says(r"^\[0-1\]\n<module> at", "ranks join over TCP, with what was printed in their environment")
p.send("continue")
p.expect(r"^all ranks have ended\n")
is_([r.communicate(timeout=LIMIT)[0] for r in ranks] + [r.returncode for r in ranks], ["rank 0 done\n", "rank 1 done\n", 0, 1], "they end as ever")
p.send("quit")
is_(p.ended()[0], 0, "and the controller ends")

# ---- the command line ----

for words, why in ((["--ranks"], "no command given"), (["--listen"], "--world N"), (["--world", "3", "x.py"], "without --listen"), (["--ranks=0", "x.py"], "expected a number of ranks"),
                   (["--ranks", "--dap", "x"], "cannot be used with"), (["--listen=nothing", "--world", "2"], "invalid address"), (["--ranks", "--", "/no/such/launcher"], "cannot start '/no/such/launcher'")):
    r = python("-m", "cdbg", *words)
    is_(r.returncode, 2, "%s is refused" % " ".join(words))
    like(r.stderr, why, "... with the reason")
done()
