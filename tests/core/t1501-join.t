#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank of a distributed job connects to a controller before its script begins, and runs as ever without one."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, START, Controller  # noqa: E402

folder = tempfile.mkdtemp(prefix="cdbg-join-")
PROGRAM = """
    import os, sys
    def f(n):
        return n + 1
    print("args", sys.argv[1:], [n for n in os.environ if n.startswith(("CDBG_CONNECT", "CDBG_TOKEN"))], "start" in os.environ.get("PYTHONPATH", ""))
    print(f(1), __name__, sys.modules["__main__"].f is f)
    sys.exit(3)
"""


def start(program, *args, env=None, before=()):
    return subprocess.Popen(cdbgtest.argv(*before, program if program.startswith("-") else script(program), *args), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cdbgtest.environment(env))


def ended(proc):
    out, err = proc.communicate(timeout=LIMIT)
    return proc.returncode, out, err


RIGHT = (3, "args ['-a', 'b c'] [] False\n2 __main__ True\n", "")

# ---- one rank, over both kinds of sockets ----

for c, where in ((Controller(folder), "a Unix socket"), (Controller(), "TCP")):
    proc = start(PROGRAM, "-a", "b c", env=c.environment(2, 4, TORCHELASTIC_RESTART_COUNT="1"), before=("-u",))
    rank, hello = c.welcome()
    is_({k: hello[k] for k in ("event", "protocol", "rank", "world", "local", "restart", "pid")},
        {"event": "hello", "protocol": 1, "rank": 2, "world": 4, "local": 2, "restart": 1, "pid": proc.pid}, "%s: a rank says who it is" % where)
    is_((hello["host"], hello["python"], rank.known), (os.uname().nodename, "%d.%d.%d" % sys.version_info[:3] if interpreter() == sys.executable
        else hello["python"], True), "... where it runs, and that it knows the token")
    ok(c.token not in str(hello), "... without telling it")
    is_(rank.next()["event"], "ready", "... it speaks the machine interface then")
    stop = rank.event("stopped")
    is_((stop["reason"], stop["frame"]["function"]), ("start", "<module>"), "... and stops before the first line of its script")
    like(stop["text"], r"prog\.py", "... which is also told as people see it")
    is_(rank.cmd("break f")["ok"], True, "... where breakpoints can be set")
    stop = rank.go()
    is_((stop["reason"], stop["frame"]["function"]), ("breakpoint", "f"), "... it stops there")
    ok("rows" in rank.cmd("info locals"), "... and answers with rows")
    like(rank.cmd("info locals", **{"as": "text"})["text"], r"^n\b.*1", "... or with text, if asked")
    is_(rank.go()["status"], 3, "... its end is told")
    rank.send("quit")
    is_(ended(proc), RIGHT, "... the program sees nothing of it: arguments, output, status, environment")
    rank.close()

# ---- the controller goes ----

c = Controller()
proc = start(PROGRAM, "-a", "b c", env=c.environment(0, 1))
rank, _ = c.welcome()
rank.event("stopped")
rank.close()
is_(ended(proc), RIGHT, "a controller that goes at a stop leaves the program running")
LOOP = """
    import os, sys, time
    print("up", flush=True)
    while sys.gettrace() or "cdbg" in sys.modules and sys.modules["cdbg"]._cdbg.active():
        time.sleep(0.01)
    print("alone")
"""
proc = start(LOOP, env=c.environment(0, 1))
rank, _ = c.welcome()
rank.event("stopped")
rank.cmd("continue")
is_(proc.stdout.readline(), "up\n", "the program runs")
rank.close()
is_(ended(proc), (0, "alone\n", ""), "a controller that goes while it runs ends the session at once")
proc = start(PROGRAM, "-a", "b c", env=c.environment(0, 1))
rank, _ = c.welcome()
rank.event("stopped")
is_(rank.cmd("restart")["ok"], False, "a rank is not restarted alone")
rank.send("detach")
is_(ended(proc), RIGHT, "detach leaves the program running")

# ---- those that do not join ----

proc = start(PROGRAM, "-a", "b c", env=dict(c.environment(0, 1), CDBG_CONNECT="unix:" + folder + "/nobody.sock"))
status, out, err = ended(proc)
is_((status, out), RIGHT[:2], "without a controller the program runs")
like(err, r"\Acdbg: cannot connect to the controller at 'unix:.*nobody\.sock': No such file or directory; this rank runs without cdbg\n\Z",
     "... with a line that says why")
for what, keys, pattern in (("a controller that does not know the token", {"know": False}, "does not know the token"),
                            ("one that refuses", {"refuse": "rank 0 is \x1b[1m there"}, r"refused this rank: rank 0 is \\x1b\[1m there"),
                            ("one of another protocol", {"first": {"protocol": 7, "version": "9"}}, r"protocol 7 \(cdbg 9\), this rank 1 .*same version"),
                            ("what is no controller", {"first": {"event": "hello"}}, "is no controller")):
    proc = start(PROGRAM, "-a", "b c", env=c.environment(0, 1))
    rank, _ = c.welcome(**keys)
    status, out, err = ended(proc)
    is_((status, out), RIGHT[:2], "%s: the program runs" % what)
    like(err, r"\Acdbg: .*%s.*; this rank runs without cdbg\n\Z" % pattern, "... with a line that says why")
    rank.close()
proc = start(PROGRAM, "-a", "b c", env=c.environment(0, 1))
rank = c.accept()
rank.send("x" * 5000)
like(ended(proc)[2], "is no controller", "a first line without end is none of a controller")
rank.close()
env = c.environment(0, 1)
del env["CDBG_TOKEN"]
like(ended(start(PROGRAM, "-a", "b c", env=env))[2], "no token", "a rank without a token says so")
path = os.path.join(folder, "token")
with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644), "w") as f:
    f.write(c.token + "\n")
env["CDBG_TOKEN_FILE"] = path
like(ended(start(PROGRAM, "-a", "b c", env=env))[2], "nobody else can read", "a token in a file that others can read is not used")
os.chmod(path, 0o600)
proc = start(PROGRAM, "-a", "b c", env=env)
rank, _ = c.welcome()
is_(rank.known, True, "the token can be in a file")
rank.close()
is_(ended(proc), RIGHT, "... the program sees nothing of it")

# ---- only ranks, and only once ----

CHILD = """
    import os, subprocess, sys
    env = dict(os.environ)
    child = "import os; print('child', [n for n in os.environ if n.startswith(('CDBG_CONNECT', 'CDBG_TOKEN'))])"
    print("parent", flush=True)
    sys.exit(subprocess.run([sys.executable, "-c", child]).returncode or subprocess.run([sys.executable, sys.argv[0] + ".child"]).returncode)
"""
path = script(CHILD)
with open(path + ".child", "w") as f:
    f.write("print('grandchild')\n")
proc = subprocess.Popen(cdbgtest.argv(path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                        env=cdbgtest.environment(c.environment(0, 1)))
rank, _ = c.welcome()
rank.event("stopped")
is_(rank.go()["status"], 0, "a rank with children ends")
rank.send("quit")
is_(ended(proc), (0, "parent\nchild []\ngrandchild\n", ""), "its children run without cdbg, and without the token")
env = c.environment(0, 1)
del env["RANK"]
is_(ended(start("print(1)", env=env)), (0, "1\n", ""), "a process without a rank runs without cdbg")
status, out, err = ended(start("-c", "import os; print(os.environ['RANK'])", env=c.environment(0, 1)))
is_((status, out, err), (0, "0\n", ""), "python -c runs without cdbg")
os.mkdir(folder + "/site")
with open(folder + "/site/sitecustomize.py", "w") as f:
    f.write("import sys\nsys.flag = __file__\n")
env = c.environment(0, 1)
del env["RANK"]
env["PYTHONPATH"] += os.pathsep + folder + "/site"
is_(ended(start("import sys; print(sys.flag, sys.modules['sitecustomize'].__file__, any(p.endswith('/start') for p in sys.path))", env=env)),
    (0, "%s %s False\n" % ((folder + "/site/sitecustomize.py",) * 2), ""), "the program's own sitecustomize is imported as ever")
env["RANK"] = "0"
proc = start("import sys; print(sys.flag)", env=env)
rank, _ = c.welcome()
rank.event("stopped")
rank.go()
rank.send("quit")
is_(ended(proc), (0, folder + "/site/sitecustomize.py\n", ""), "... in a rank, too")
with open(folder + "/site/sitecustomize.py", "w") as f:
    f.write("import nothing_of_this_name\n")
del env["RANK"]
like(ended(start("print(1)", env=env))[2], "nothing_of_this_name", "... and its error is its own")
launcher = os.path.join(folder, "torchrun")
with open(launcher, "w") as f:
    f.write("import os; print('launcher', 'CDBG_TOKEN' in os.environ, 'CDBG_CONNECT' in os.environ)\n")
proc = subprocess.Popen(cdbgtest.argv(launcher), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                        env=cdbgtest.environment(c.environment(0, 1)))
is_(ended(proc)[:2], (0, "launcher True True\n"), "a launcher that has a rank of its own does not join, and passes all on")
proc = subprocess.Popen(cdbgtest.argv("-m", "json.tool", "--help"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                        env=cdbgtest.environment(c.environment(1, 2)))
rank, hello = c.welcome()
is_((hello["rank"], rank.event("stopped")["reason"]), (1, "start"), "python -m MODULE joins")
rank.go()
rank.send("quit")
like(ended(proc)[1], r"(?i)^usage: .*json.tool", "... and gets its arguments")
done()
