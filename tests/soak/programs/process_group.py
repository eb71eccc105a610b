# SPDX-License-Identifier: BSD-3-Clause
# Signals to the whole process group, orphans that the program adopts, waiting until there is no child, a child in a session.
import ctypes, errno, os, pty, signal, sys, time

PR_SET_CHILD_SUBREAPER = 36
got = []

def handler(number, frame):
    got.append(signal.Signals(number).name)

def wait_all():
    n = 0
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return n
        n += 1
        print("child", os.waitstatus_to_exitcode(status))

print("children at start", wait_all())
print("subreaper", ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGWINCH, signal.SIGCONT):
    signal.signal(number, handler)
    os.killpg(0, number)
print(got)
pid = os.fork()
if not pid:
    if not os.fork():
        while os.getppid() != int(os.environ.get("UP", 0)) and not os.path.exists("go"):
            os.sched_yield()
        os._exit(3)
    os._exit(2)
os.waitpid(pid, 0)
open("go", "w").close()
print("adopted", wait_all())
pid, fd = pty.fork()
if not pid:
    os.write(1, b"in a session of its own %d\n" % (os.getsid(0) == os.getpid()))
    os._exit(4)
data = b""
try:
    while True:
        more = os.read(fd, 100)
        if not more:
            break
        data += more
except OSError as e:
    print(errno.errorcode[e.errno])
print(data)
print("at the end", wait_all())
try:
    os.setpgid(0, 0)
except OSError as e:
    print(errno.errorcode[e.errno])
signal.signal(signal.SIGTERM, signal.SIG_DFL)
sys.stdout.flush()
os.killpg(0, signal.SIGTERM)
time.sleep(10)
print("never")
