#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The way back is the way that was gone: instructions and lines, through generators that resume, handlers, recursion."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

TEXT = """\
def counter(limit):
    n = 0
    while n < limit:
        got = yield n
        n += got or 1
    return "done"

def outer(limit):
    result = yield from counter(limit)
    yield result

def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)

def careful(v):
    q = 0
    try:
        try:
            q = 10 // v
        except ZeroDivisionError as e:
            q = -1
            raise KeyError(v) from e
        finally:
            q += 1
    except KeyError as k:
        q = -2
    else:
        q += 100
    return q

def main():
    both = [v * v for v in (1, 2)], careful(0), list(outer(2)), careful(5)
    return both, fact(3)

main()
"""


def ways(command):
    """Where `command` stops from main() to its end, and where it goes back, each from its first step to its last."""
    there, back = [], []
    with Cdbg(TEXT) as d:
        d.do("tbreak main")
        d.go()
        d.do("record all")
        d.do("tbreak %d" % d.line_of("return both"))
        while True:
            stop = d.go(command)
            if stop["frame"]["line"] == d.line_of("return both"):
                break
            there.append((stop["frame"]["function"], stop["frame"]["line"], stop["frame"]["offset"], stop["reason"]))
        try:
            while True:
                frame = d.go("r" + command)["frame"]
                back.append((frame["function"], frame["line"], frame["offset"]))
        except Trouble:
            pass
        like(d.error("r" + command), "the record begins here", "%s goes back to the beginning" % ("r" + command))
        d.go("now")
        d.go()
    back.reverse()
    return there, back


there, back = ways("stepi")
there = [s[:3] for s in there]
ok(len(there) > 150 and sum(s[0] == "counter" for s in there) > 30, "stepi goes into a generator that resumes while it is recorded",
   sorted({s[0] for s in there}))
is_(there, back[1:], "rstepi goes through the same instructions, and to the one at which the record began")

first = [s[1] for s in there[:[s[0] for s in there].index("outer")] if s[0] == "careful"]
end = TEXT.splitlines().index("    return q") + 1
ok(end - 1 not in first and first.index(end) > first.index(end - 3), "a handler that begins is shown at its own line, not at the one before it",
   first)

there, back = ways("step")
lines = [s for i, s in enumerate(there) if s[3] != "return" or s[:2] != there[i - 1][:2]]  # without returns from a line that was seen
is_([s[:3] for s in lines], back[1:], "rstep goes to the same lines: a handler's instructions without a line are none")
there, back = ways("next")
is_([s[:3] for s in there], back[1:], "and rnext")
done()
