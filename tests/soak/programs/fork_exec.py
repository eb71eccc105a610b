# SPDX-License-Identifier: BSD-3-Clause
# fork and exec, with descriptors that are inherited and some that are not.
import os, sys

r, w = os.pipe()
os.set_inheritable(w, True)
sys.stdout.flush()
pid = os.fork()
if not pid:
    os.execv(sys.executable, [sys.executable, "-c", "import os; os.write(%d, b'from exec')" % w])
os.close(w)
print(os.read(r, 100), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
