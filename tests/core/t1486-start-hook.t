#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The start hook of ranks: launchers keep what their ranks need, and all others have what they had without it."""
import os
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, START, Prompt  # noqa: E402

folder = tempfile.mkdtemp(prefix="cdbg-start-")
SHOW = """
import os, sys
print("PYTHONPATH" in os.environ and %r in os.environ["PYTHONPATH"].split(":"), sorted(n for n in os.environ if n.startswith(("CDBG_CONNECT", "CDBG_TOKEN"))), %r in sys.path)
""" % (START, START)
KEPT, GONE = "True ['CDBG_CONNECT', 'CDBG_TOKEN'] False\n", "False [] False\n"


def started(*words, rank="0"):
    env = cdbgtest.environment({"CDBG_CONNECT": "unix:%s/none" % folder, "CDBG_TOKEN": "t" * 16})
    env["PYTHONPATH"] = START + ":" + env["PYTHONPATH"]
    if rank is not None:
        env["RANK"] = rank
    p = subprocess.run(cdbgtest.argv(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                       timeout=LIMIT)
    return p.stdout


def named(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


is_(started(named("torchrun", SHOW)), KEPT, "a launcher with a RANK of its own, as in a pod, keeps what its ranks need")
is_(started(named("job.py", SHOW), rank=None), KEPT, "... as does any program without a RANK")
is_(started(named("train.py", SHOW)), GONE, "the children of a rank know nothing of the controller")
is_(started("-c", SHOW), GONE, "... nor do those of one that is no script")

# ---- descriptors ----

FDS = """
import os
links = []
for name in os.listdir("/proc/self/fd"):
    try:
        links.append((int(name), os.readlink("/proc/self/fd/" + name)))
    except OSError:
        pass        # that of the listing
print("open", sorted(fd for fd, to in links if fd > 2 and not to.startswith("/proc/")), flush=True)
"""
plain = subprocess.run(cdbgtest.argv(named("fds.py", FDS)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                       env=cdbgtest.environment()).stdout
p = Prompt("--ranks", command=[interpreter(), named("fds.py", FDS)])
p.says(r"the job has ended with status 0, and no rank has joined", "a job without ranks ends")
p.send("quit")
out = p.ended()[1]
is_([line for line in (p.seen + out).splitlines() if line.startswith("open")], plain.splitlines(), "the launcher inherits no descriptor of the controller")
done()
