# SPDX-License-Identifier: BSD-3-Clause
"""The command cdbg: `python -m cdbg` with the interpreter of the environment that cdbg is installed in."""
import os
import sys


def main():
    """Replaces this process by the debugger; reports on standard error if another environment is active."""
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if active and os.path.realpath(active) != os.path.realpath(sys.prefix):
        python = os.path.join(active, "bin", "python")
        print("cdbg: debugging with %s, where cdbg is installed; the active environment is %s: for that one, run "
              "'%s -m pip install cdbg' and '%s -m cdbg'" % (sys.executable, active, python, python), file=sys.stderr)
    os.execv(sys.executable, [sys.executable, "-m", "cdbg", *sys.argv[1:]])
