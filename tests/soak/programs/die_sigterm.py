# SPDX-License-Identifier: BSD-3-Clause
# Ends by a signal, output written before.
import os, signal

print("before", flush=True)
os.write(2, b"to stderr\n")
os.kill(os.getpid(), signal.SIGTERM)
