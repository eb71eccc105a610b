# SPDX-License-Identifier: BSD-3-Clause
"""The floor of CPython alone: `from probe import probe` in a test gives tests/lib/pyprobe.c as a module.

The test is started again under the interpreter that cdbg is built for, when another one runs it.
"""
import importlib.machinery
import importlib.util
import os
import sys

from cdbgtest import argv, build, skip_all

_built = os.path.join(build, "tests", "lib", ".libs", "pyprobe.so")


def _again():
    env = dict(os.environ, CDBG_PROBED="1", PYTHONDONTWRITEBYTECODE="1")
    if os.environ.get("CDBG_PRELOAD"):
        env["LD_PRELOAD"] = os.environ["CDBG_PRELOAD"]
    command = argv(*sys.argv)
    os.execvpe(command[0], command, env)


if not os.path.exists(_built):
    skip_all("no %s: `make check` builds it" % _built)
if not os.environ.get("CDBG_PROBED"):
    sys.stdout.flush()
    _again()

_loader = importlib.machinery.ExtensionFileLoader("pyprobe", _built)
probe = importlib.util.module_from_spec(importlib.util.spec_from_file_location("pyprobe", _built, loader=_loader))
_loader.exec_module(probe)
