#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# pip install . and pip install -e . give a working python -m cdbg, without a network.
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

if not os.access(top, os.W_OK):
    skip_all("the source tree cannot be written: pip builds in it")
if subprocess.run([interpreter(), "-c", "import ensurepip, venv"], capture_output=True).returncode:
    skip_all("%s makes no virtual environments" % interpreter())

program = script("print('ran', __import__('sys').argv[1:])\n")
folder = tempfile.mkdtemp(prefix="cdbg-test-")
python = os.path.join(folder, "bin", "python")
env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CDBG_BUILD")}
env["HOME"] = folder
env["CFLAGS"] = "-O0"                          # what is built here runs a few commands
env.update(CCACHE_BASEDIR=top, CCACHE_NOHASHDIR="1")
env["PATH"] = "/usr/lib/ccache:" + env["PATH"]  # where there is a ccache, it knows most of the objects


def do(*words):
    return subprocess.run(words, capture_output=True, text=True, env=env, cwd=folder, stdin=subprocess.DEVNULL)


def works(how):
    r = do(python, "-m", "cdbg", "--plain", "-q", "-batch", "-ex", "info breakpoints", "-ex", "continue", program, "one")
    ok(r.returncode == 0 and "no breakpoints" in r.stdout and "ran ['one']" in r.stdout, "python -m cdbg works after %s" % how,
       r.stdout + r.stderr)
    r = do(python, "-c", "import cdbg; print(cdbg.__file__)")
    return r.stdout.strip()


try:
    made = do(interpreter(), "-m", "venv", folder)
    ok(made.returncode == 0, "a virtual environment is made", made.stderr)
    made = do(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", top)
    ok(made.returncode == 0, "pip install . ends well", made.stdout[-2000:] + made.stderr[-3000:])
    where = works("pip install .")
    ok(where.startswith(folder), "the package is in the environment", where)
    package = os.path.dirname(where)
    ok(os.path.exists(os.path.join(package, "plugins", "dynamo.so")), "with its plugins")
    made = do(python, "-m", "pip", "uninstall", "-y", "cdbg")
    ok(made.returncode == 0 and not os.path.exists(where), "pip uninstall removes it", made.stdout + made.stderr)
    made = do(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "-e", top)
    ok(made.returncode == 0, "pip install -e . ends well", made.stdout[-2000:] + made.stderr[-3000:])
    where = works("pip install -e .")
    ok(where.startswith(os.path.join(top, "build")), "the package is in the build tree", where)
    is_(os.path.realpath(where), os.path.join(top, "src", "__init__.py"), "its Python is that of the source tree")

    # What is missing is named, before anything is built.
    bin_dir = os.path.join(folder, "few")
    os.mkdir(bin_dir)
    for name in ("python3", "sh", "env", "gcc", "cc", "make"):
        if shutil.which(name):
            os.symlink(shutil.which(name), os.path.join(bin_dir, name))
    env["PATH"] = bin_dir
    made = do(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "-e", top)
    ok(made.returncode != 0, "without pkg-config it ends")
    like(made.stdout + made.stderr, r"missing: .*pkg-config", "it says what is missing")
    like(made.stdout + made.stderr, r"on Debian: apt-get install .*pkg-config", "and which package brings it")
finally:
    shutil.rmtree(folder, ignore_errors=True)
done()
