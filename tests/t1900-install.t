#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# make install puts a working package in place, and headers that a plugin outside the tree is built with.
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cdbgtest import *

PLUGIN = """
    #include <plugin.h>
    #include <Python.h>

    static const struct cdbg_host *host;

    static int run(struct session *s, const char *args, struct reply *out, struct err *err)
    {
    	(void)s;
    	if (*args)
    		return host->err_set(err, "greet takes nothing");
    	host->buf_addf(&out->text, "hello from Python %s", PY_VERSION);
    	return 0;
    }

    static const struct cmd_def greet[] = {
    	{ .name = "greet", .help = "say hello", .group = GROUP_SUPPORT, .flags = CMD_AFTER_EXIT, .run = run },
    	{ .name = NULL }
    };
    static const struct cmd_def *const commands[] = { greet, NULL };

    static int init(const struct cdbg_host *h, struct err *err)
    {
    	(void)err;
    	host = h;
    	return 0;
    }

    __attribute__((visibility("default"))) const struct cdbg_plugin cdbg_plugin = {
    	.size = sizeof(struct cdbg_plugin), .abi = CDBG_PLUGIN_ABI, .name = "greeter", .commands = commands, .init = init,
    };
"""

program = script("print('ran', __import__('sys').argv[1:])\n")
prefix = tempfile.mkdtemp(prefix="cdbg-test-")
try:
    made = subprocess.run(["make", "-C", build, "install", "prefix=" + prefix], capture_output=True, text=True)
    ok(made.returncode == 0, "make install ends well", made.stdout[-2000:] + made.stderr[-2000:])
    where = subprocess.run(["find", prefix, "-name", "_cdbg.so"], capture_output=True, text=True).stdout.strip()
    ok(os.path.exists(os.path.join(os.path.dirname(where), "__main__.py")), "the package holds Python and C side by side", where)
    site = os.path.dirname(os.path.dirname(where))
    is_(subprocess.run(["find", prefix, "-name", "*.la"], capture_output=True, text=True).stdout, "",
        "nothing of libtool's is left behind")
    ok(os.path.exists(os.path.join(prefix, "share", "man", "man1", "cdbg.1")), "the manual page is installed")

    status, out, err = run(program, "one", options=["--plain", "-q", "-batch", "-ex", "info breakpoints", "-ex", "continue"], env={"PYTHONPATH": site})
    is_(status, 0, "python -m cdbg from there ends as the program does")
    like(out, r"^ran \['one'\]$", "it runs the program with its arguments")
    like(out + err, "no breakpoints", "and the commands")

    source = script(PLUGIN, "greeter.c")
    include = subprocess.run([interpreter(), "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             capture_output=True, text=True).stdout.strip()
    plugin = source[:-1] + "so"
    made = subprocess.run([os.environ.get("CC") or "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                           "-I" + os.path.join(prefix, "include", "cdbg"), "-isystem", include, "-o", plugin, source],
                          capture_output=True, text=True)
    ok(made.returncode == 0, "a plugin outside the tree builds against the installed headers", made.stderr)
    with Cdbg(program, env={"CDBG_PLUGIN_PATH": plugin, "PYTHONPATH": site}) as d:
        ok("greeter" in d.ready["plugins"], "it is loaded by its path", d.ready)
        like(d.text("greet"), "hello from Python 3", "its command runs")
        is_(d.error("greet me"), "greet takes nothing", "its errors are told")
        like(d.text("help greet"), "say hello", "help knows it")

    made = subprocess.run(["make", "-C", build, "uninstall", "prefix=" + prefix], capture_output=True, text=True)
    left = subprocess.run(["find", prefix, "-type", "f", "-not", "-path", "*/__pycache__/*"], capture_output=True, text=True).stdout
    is_(left, "", "make uninstall takes all of it away")
finally:
    shutil.rmtree(prefix, ignore_errors=True)
done()
