#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank that stops while the prompt waits is shown at once, and the prompt comes again with what was typed."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import argv  # noqa: E402
from ranks import Fake, Prompt  # noqa: E402


def stopped(rank, reason="breakpoint", line=5):
    rank.stop(reason, "f", line=line, text="stopped: %s\nf at a.py:%d" % (reason, line))


# ---- at a pipe ----

p = Prompt("--listen", "--world", "3")
env = p.listening()
ranks = [Fake(env, r, 3) for r in range(3)]
for r in ranks:
    r.stop()
p.expect(r"^\[0-2\] <module> at /p/a\.py:1\n")
p.send("set schedule-multiple off")
p.send("rank 1-2 continue")
for r in ranks[1:]:
    r.serve()
p.send("")
stopped(ranks[1])
p.says(r"^\[1\]\nstopped: breakpoint\nf at a\.py:5\n", "a stop is shown though nothing is typed")
ranks[2].send({"event": "note", "level": "info", "text": "a word"})
p.says(r"^\[2\] a word\n", "... and a note")
p.send("rank 1 continue")
ranks[1].serve()
stopped(ranks[1], "signal SIGUSR1")
p.says(r"^\[1\]\nstopped: signal SIGUSR1\n", "... and the next one")
p.send("quit")
p.ended()

# ---- on a terminal ----

with Terminal(None, command=argv("-m", "cdbg", "--listen", "--world", "2")) as t:
    t.expect(r"start the job with\n")
    found = t.expect(r"CDBG_CONNECT=(\S+)\n\s+CDBG_TOKEN=(\S+)\n")
    env = {"CDBG_CONNECT": found[1], "CDBG_TOKEN": found[2]}
    ranks = [Fake(env, r, 2) for r in range(2)]
    for r in ranks:
        r.stop()
    t.expect(r"^\[0-1\] <module> at .*\n(?:.*)\(rank 0\) ")
    t.line("rank 1 print 7")
    is_(ranks[1].serve(text="7"), "print 7", "a rank is asked")
    t.expect(r"\[1\] 7\n")
    t.line("continue")
    is_([r.serve() for r in ranks], ["continue"] * 2, "... and both are continued")
    stopped(ranks[0])
    t.expect(r"^\[0\]\nstopped: breakpoint\nf at a\.py:5\n\(rank 0\) ")
    t.send("show ranks-pat")
    t.expect("show ranks-pat")
    stopped(ranks[1], "watch", 6)
    t.expect(r"^\[1\]\nstopped: watch\nf at a\.py:6\n")
    ok(t.expect(r"\(rank 0\) show ranks-pat"), "the prompt comes again with what was typed")
    t.send("ience\n")
    ok(t.expect(r"^ranks-patience is 1 s"), "... which goes on where it was")
    t.line("quit")
    t.ended()
done()
