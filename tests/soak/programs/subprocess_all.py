# SPDX-License-Identifier: BSD-3-Clause
# subprocess in its ways: pipes, descriptors passed and closed, a function before exec, a shell, an end by a signal.
import os, signal, subprocess, sys

py = [sys.executable, "-c"]
print(subprocess.run(py + ["print(input())"], input="text\n", capture_output=True, text=True).stdout, end="")
r, w = os.pipe()
subprocess.run(py + ["import os; os.write(%d, b'passed')" % w], pass_fds=[w])
print(os.read(r, 10))
subprocess.run(py + ["import os; print(os.getsid(0) == os.getpid())"], preexec_fn=os.setsid)
print(subprocess.run("exit 5", shell=True).returncode)
p = subprocess.Popen(py + ["import time; time.sleep(100)"])
p.send_signal(signal.SIGTERM)
print(p.wait())
print(subprocess.run(py + ["import os; print([f for f in range(3, 30) if os.path.exists('/proc/self/fd/%d' % f)][:-1] or 'none')"],
                     capture_output=True, text=True, close_fds=True).stdout, end="")
