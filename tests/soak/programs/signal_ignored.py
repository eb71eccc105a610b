# SPDX-License-Identifier: BSD-3-Clause
# SIGINT ignored, SIGPIPE at its default.
import os, signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
os.kill(os.getpid(), signal.SIGINT)
print("alive", flush=True)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
r, w = os.pipe()
os.close(r)
os.write(w, b"x")
print("never")
