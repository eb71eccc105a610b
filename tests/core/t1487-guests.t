#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clients of TCP that say nothing keep nobody out who has the token."""
import json
import os
import re
import socket
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

LIMIT = 60 * cdbgtest.PATIENCE
PLACES = 8

proc = subprocess.Popen(cdbgtest.argv("-m", "cdbg", "--json=:0", script("x = 1\n")), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, text=True, env=cdbgtest.environment())
port, token = re.search(r":(\d+), token (\w+)", proc.stderr.readline()).groups()


def client():
    s = socket.create_connection(("127.0.0.1", int(port)), LIMIT)
    return s, s.makefile("rb")


silent = [client() for i in range(PLACES + 1)]
like(json.loads(silent[0][1].readline())["error"], "too many others wait to be let in", "where all places are taken, the one that waits longest goes")
s, f = client()
s.sendall(b"token %s\n" % token.encode())
events = []
while "stopped" not in events:
    events.append(json.loads(f.readline()).get("event"))
is_(events[-2:], ["ready", "stopped"], "... and one with the token is let in at once")
s.sendall(b"quit\n")
is_(proc.wait(LIMIT), 0, "... and served")
for s, f in silent:
    f.close(), s.close()
proc.stdout.close(), proc.stderr.close()
done()
