# SPDX-License-Identifier: BSD-3-Clause
# Another interpreter by each way that starts a program: it is not debugged, and inherits no descriptor.
import os, subprocess, sys

CODE = """
import os, sys
print(sorted(m for m in sys.modules if "cdbg" in m), sys.gettrace(), len(os.listdir("/proc/self/fd")))
def f(n):
    return n + 1
print(f(1), flush=True)
sys.exit(3)
"""
argv = [sys.executable, "-c", CODE]
sys.stdout.flush()
pid = os.posix_spawn(sys.executable, argv, os.environ)
print("posix_spawn", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
pid = os.posix_spawn(sys.executable, argv, {"PATH": os.environ["PATH"]}, file_actions=[(os.POSIX_SPAWN_CLOSE, 0)])
print("posix_spawn", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
print("spawnv", os.spawnv(os.P_WAIT, sys.executable, argv), flush=True)
for more in ({}, {"close_fds": False}, {"start_new_session": True}, {"preexec_fn": lambda: None}):
    p = subprocess.run(argv, capture_output=True, text=True, **more)
    print(sorted(more), p.returncode, p.stdout.split("\n"), p.stderr)
print("system", os.waitstatus_to_exitcode(os.system("%s -c 'print(__debug__)'" % sys.executable)), flush=True)
with os.popen("%s -c 'print(2 + 2)'" % sys.executable) as f:
    print(f.read())
