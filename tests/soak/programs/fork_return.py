# SPDX-License-Identifier: BSD-3-Clause
# A child that goes on to the end of the program as its parent does.
import atexit, os, sys

def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()

atexit.register(say, "atexit")
pid = os.fork()
if pid:
    os.waitpid(pid, 0)
    say("parent")
else:
    say("child")
    raise SystemExit(3)
say("end")
