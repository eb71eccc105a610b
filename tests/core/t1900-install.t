#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# make install puts a working package in place, and headers that a plugin outside the tree is built with.
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

program = script("print('ran', __import__('sys').argv[1:])\n")
prefix = tempfile.mkdtemp(prefix="cdbg-test-")
try:
    made = subprocess.run(["make", "-C", build, "install", "prefix=" + prefix], capture_output=True, text=True)
    ok(made.returncode == 0, "make install ends well", made.stdout[-2000:] + made.stderr[-2000:])
    where = subprocess.run(["find", prefix, "-name", "_cdbg.so"], capture_output=True, text=True).stdout.strip()
    ok(os.path.exists(os.path.join(os.path.dirname(where), "__main__.py")), "the package holds Python and C side by side", where)
    site = os.path.dirname(os.path.dirname(where))
    is_(subprocess.run(["find", prefix, "-name", "*.la"], capture_output=True, text=True).stdout, "",
        "nothing of libtool is left")
    ok(os.path.exists(os.path.join(prefix, "share", "man", "man1", "cdbg.1")), "the manual page is installed")
    ok(os.path.exists(os.path.join(prefix, "share", "man", "man7", "cdbg-commands.7")), "and the one of the commands")

    status, out, err = run(program, "one", options=["--plain", "-q", "-batch", "-ex", "info breakpoints", "-ex", "continue"], env={"PYTHONPATH": site})
    is_(status, 0, "python -m cdbg from there ends as the program does")
    like(out, r"^ran \['one'\]$", "it runs the program with its arguments")
    like(out + err, "no breakpoints", "and the commands")

    example = os.path.join(prefix, "example")
    shutil.copytree(os.path.join(top, "doc", "examples", "plugin"), example)
    pkg_config = os.path.join(prefix, "lib", "pkgconfig")
    asked = subprocess.run(["pkg-config", "--variable=python", "cdbg"], capture_output=True, text=True,
                           env=dict(os.environ, PKG_CONFIG_PATH=pkg_config))
    is_(asked.stdout.strip(), interpreter(), "cdbg.pc names the interpreter cdbg is built for")
    made = subprocess.run(["make", "-C", example, "PKG_CONFIG=pkg-config --define-prefix",
                           "CFLAGS=-Wall -Wextra -Werror"], capture_output=True, text=True,
                          env=dict(os.environ, PKG_CONFIG_PATH=pkg_config))
    ok(made.returncode == 0, "the example plugin builds against the installed headers", made.stdout + made.stderr)
    with Cdbg(program, env={"CDBG_PLUGIN_PATH": os.path.join(example, "hello.so"), "PYTHONPATH": site}) as d:
        ok("hello" in d.ready["plugins"], "it is loaded by its path", d.ready)
        is_(d.text("hello"), "hello, world", "its command runs")
        d.do("set hello-name cdbg")
        is_(d.text("hello"), "hello, cdbg", "its option is set")
        is_(d.text("hello [1] * 3"), "hello, [1, 1, 1]", "it evaluates in the program")
        like(d.error("hello nothing"), "NameError", "an error of the evaluation is reported")
        is_([(r["greetings"], r["name"]) for r in d.rows("info hello")], [(3, "cdbg")], "its view has rows")
        like(d.text("help hello"), "greet the value", "help knows it")
    shutil.rmtree(example)

    made = subprocess.run(["make", "-C", build, "uninstall", "prefix=" + prefix], capture_output=True, text=True)
    left = subprocess.run(["find", prefix, "-type", "f", "-not", "-path", "*/__pycache__/*"], capture_output=True, text=True).stdout
    is_(left, "", "make uninstall removes all of it")
finally:
    shutil.rmtree(prefix, ignore_errors=True)
done()
