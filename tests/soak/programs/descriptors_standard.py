# SPDX-License-Identifier: BSD-3-Clause
# Standard streams replaced, redirected and closed.
import contextlib, io, os, sys

with contextlib.redirect_stdout(io.StringIO()) as s:
    print("caught")
print(repr(s.getvalue()))
old = os.dup(1)
r, w = os.pipe()
os.dup2(w, 1)
print("to the pipe", flush=True)
os.dup2(old, 1)
os.close(w)
print(os.read(r, 100))
sys.stderr.write("err without newline")
sys.stderr.flush()
os.close(0)
print("stdin is", os.open("/dev/null", os.O_RDONLY))
sys.stdout.flush()
os.close(1)
os.close(2)
try:
    os.write(1, b"no")
except OSError:
    os._exit(6)
