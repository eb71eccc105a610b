# SPDX-License-Identifier: BSD-3-Clause
# os._exit: nothing is flushed, no atexit function runs.
import atexit, os, sys

atexit.register(print, "never")
sys.stdout.write("flushed\n")
sys.stdout.flush()
sys.stdout.write("lost\n")
os._exit(9)
