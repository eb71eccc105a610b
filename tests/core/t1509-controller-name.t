#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank whose controller's name is not found runs without cdbg, soon, whatever the resolver does."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import Controller  # noqa: E402

if not shutil.which("cc"):
    skip_all("there is no C compiler for a resolver that waits")
folder = tempfile.mkdtemp(prefix="cdbg-name-")
source = os.path.join(folder, "slow.c")
with open(source, "w") as f:
    f.write("""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	if (node && !strcmp(node, "slow.invalid") && !(hints && hints->ai_flags & AI_NUMERICHOST))
		for (;;)
			pause();
	if (node && !strcmp(node, "known.invalid") && !(hints && hints->ai_flags & AI_NUMERICHOST))
		node = "127.0.0.1";
	return real(node, service, hints, res);
}
""")
library = os.path.join(folder, "slow.so")
subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
program = script("""
    import threading
    print("ran", threading.active_count())
""")


def rank(where, token="0" * 32):
    return subprocess.Popen(cdbgtest.argv("-m", "cdbg", program), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=cdbgtest.environment({"CDBG_CONNECT": where, "CDBG_TOKEN": token, "RANK": "0", "WORLD_SIZE": "1", "LD_PRELOAD": library}))


p = rank("slow.invalid:4711")
out, err = p.communicate(timeout=120 * cdbgtest.PATIENCE)
is_((p.returncode, out), (0, "ran 1\n"), "a rank runs though its controller's name is never found")
like(err, r"^cdbg: cannot connect to the controller at 'slow\.invalid:4711': its name was not found in 10 seconds; .*; this rank runs without cdbg$", "... and says so")
p = rank("wrong.invalid:4711")
out, err = p.communicate(timeout=120 * cdbgtest.PATIENCE)
is_((p.returncode, out), (0, "ran 1\n"), "a name that does not exist is the same")
like(err, r"^cdbg: cannot connect to the controller at 'wrong\.invalid:4711': .*; this rank runs without cdbg$", "... with the resolver's words")
c = Controller()
p = rank("known.invalid:%s" % c.address.rpartition(":")[2], c.token)
ok(c.welcome()[0].known, "a name that is found leads to the controller")
p.kill()
p.communicate()
shutil.rmtree(folder)
done()
