#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What a checkpoint puts back and what it cannot, where it is refused, and those that are taken at stops.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from family import all_gone, processes

data = script("0123456789", "data.txt")
log = script("", "log.txt")

# ---- files, timers, signals of the program
with Cdbg("""
    import os, signal, socket, sys
    data = open(sys.argv[1])
    log = open(sys.argv[2], "w")
    a, b = socket.socketpair()
    r, w = os.pipe()
    rang = []
    signal.signal(signal.SIGALRM, lambda *x: rang.append(1))
    signal.setitimer(signal.ITIMER_REAL, 1e6)
    def f(i):
        log.write("%d " % i)
        return data.read(1)
    text = ""
    for i in range(5):
        text += f(i)
    log.flush()
    done = True
""", data, log) as d:
    d.do("break f")
    d.do("break 16")
    d.go()
    d.go()
    like(d.do("checkpoint")["text"], r"\d+ pipes and 2 sockets stay as they are then", "pipes and sockets are named")
    d.do("disable 1")
    d.go()
    is_(d.do("p text")["text"], "'01234'", "a file is read")
    d.go("checkpoint go 1")
    is_(d.do("p 999999 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1e6")["text"], "True", "timers run in the child")
    d.go()
    is_(d.do("p text")["text"], "'01234'", "from the same place again")
    is_(d.do("p rang")["text"], "[]", "no signal came")
    d.go()
    with open(log) as f:
        is_(f.read(), "0 1 2 3 4 ", "what was buffered, but not written, is written once and in its place")
    d.do("quit")

# ---- what is refused
with Cdbg("""
    import multiprocessing, threading
    go = threading.Event()
    def wait():
        go.wait()
    t = threading.Thread(target=wait, name="helper")
    t.start()
    at = 1
    go.set()
    t.join()
    p = multiprocessing.get_context("fork").Process(target=__import__("time").sleep, args=(600,), name="worker-7", daemon=True)
    p.start()
    at = 2
    p.terminate()
    p.join()
    from concurrent.futures import ThreadPoolExecutor
    pool = ThreadPoolExecutor(2)
    sums = [pool.submit(sum, (i, 1)).result() for i in range(3)]
    at = 3
    sums += [pool.submit(sum, (i, 1)).result() for i in range(3)]
    print(sums, flush=True)
""") as d:
    for line in (8, 13, 19, 20):
        d.do("break %d" % line)
    d.go()
    like(d.error("checkpoint"), r"no checkpoint: it would lack 1 other thread \(helper\): end it first, or 'checkpoint take -f'",
         "other threads: refused, with the name and what to do")
    like(d.do("checkpoint -f")["text"], "checkpoint 1:", "-f takes it")
    d.go("checkpoint go 1")
    is_([r["name"] for r in d.rows("info threads")], ["MainThread"], "without that thread")
    d.go("checkpoint go 2")
    d.go()
    like(d.error("checkpoint"), r"it would lack 1 worker process \(worker-7\): .* DataLoader", "child processes: refused")
    like(d.do("checkpoint take -f")["text"], "checkpoint", "-f takes it")
    d.do("delete checkpoints 1")
    d.go()
    text = d.do("checkpoint")["text"]
    like(text, "checkpoint", "an idle pool of threads is no reason")
    d.go()
    is_(d.do("p sums")["text"], "[1, 2, 3, 1, 2, 3]", "it works on here")
    d.go(re.search("checkpoint go \\d+", text).group())
    is_(d.do("p sums")["text"], "[1, 2, 3]", "and back there")
    d.go()
    is_(d.do("p sums")["text"], "[1, 2, 3, 1, 2, 3]", "its work is done by new threads")
    is_(d.go()["status"], 0, "the program ends, joining none that is not there")
    d.do("quit")

with Cdbg("""
    import asyncio
    async def work():
        n = 1
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)
        return n
    print(asyncio.run(work()), flush=True)
""") as d:
    d.do("break 4")
    d.go()
    like(d.error("checkpoint"), r"no checkpoint: asyncio runs its loop here.*'checkpoint take -f'", "a loop of asyncio: refused")
    d.do("checkpoint take -f")
    d.go("next")
    d.go("next")
    d.go("checkpoint go 1")
    d.go("next")
    d.go("next")
    d.do("delete breakpoints")
    d.go()
    is_((d.out.split()[-1:], d.stop.get("status")), (["1"], 0), "where -f took it, the loop goes on")
    d.do("quit")

d2 = Cdbg("def f():\n    pass\nfor i in range(60):\n    f()\n").__enter__()
for line, words in (("checkpoint go", "needs CHECKPOINT"), ("checkpoint go x", "invalid number"), ("checkpoint go 0", "invalid number"),
                    ("checkpoint go 99999999999", "invalid number"), ("checkpoint -x", "-x"), ("checkpoint frog", "frog"),
                    ("delete checkpoint", "missing number"), ("delete checkpoint 4", "no checkpoint 4"),
                    ("delete checkpoint a", "invalid number"), ("set checkpoint auto -1", "-1"), ("set checkpoint auto 99", "24")):
    like(d2.error(line) or "accepted", words, "%s: refused" % line)

# ---- those taken at stops
d2.do("set checkpoint auto 4")
like(d2.do("show checkpoint-auto")["text"], "4", "they are an option")
d2.do("break f")
for i in range(40):
    d2.go()
rows = d2.rows("info checkpoints")
is_([r["kind"] for r in rows], ["auto"] * 4, "no more than so many are kept")
numbers = [r["checkpoint"] for r in rows]
gaps = [b - a for a, b in zip(numbers, numbers[1:])]
ok(gaps == sorted(gaps, reverse=True) and gaps[0] > gaps[-1], "the older they are, the further apart", numbers)
at = []
for n in numbers[1:]:
    d2.go("checkpoint go %d" % n)
    at.append(int(d2.do("p i")["text"]))
is_([b - a for a, b in zip(at, at[1:])], gaps[1:], "each goes to its own stop")
d2.do("set checkpoint auto 0")
pids = list(processes(d2).values())
ok(len(pids) >= 4, "they wait", pids)
d2.do("detach")
is_(d2.wait()["status"], 0, "after 'detach' the program runs to its end")
is_(all_gone(pids), [], "and none is left")
d2.__exit__(None, None, None)
done()
