# SPDX-License-Identifier: BSD-3-Clause
# What a program sees of how it was started.
import builtins, os, sys

print(sys.argv[1:], sys.flags, sys.path[0] == os.path.dirname(os.path.abspath(__file__)), __name__, __builtins__ is builtins)
print(sorted(k for k in os.environ if "CDBG" in k), [m for m in ("pdb", "bdb", "json", "threading", "cmd") if m in sys.modules])
print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.breakpointhook is sys.__breakpointhook__)
print(sys.stdout.encoding, sys.stdout.line_buffering, sys.stdin.fileno(), len(sys.path_hooks))
print(sys.getswitchinterval(), sys.getrecursionlimit(), os.getcwd() == os.environ.get("PWD"))
