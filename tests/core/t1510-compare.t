#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare VIEW: the rows that some ranks of a job have and others do not.  Ranks are fakes, then processes without torch."""
import os
import re
import subprocess
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import Fake, Prompt  # noqa: E402


def opened(world):
    p = Prompt("--listen", "--world", str(world))
    env = p.listening()
    ranks = [Fake(env, r, world) for r in range(world)]
    for r in ranks:
        r.stop()
    p.expect(r"^\[0-\d+\] <module>.*\n")
    return p, ranks


def over(p, ranks):
    p.send("quit")
    p.ended()
    for r in ranks:
        r.close()


# ---- who has what ----

p, ranks = opened(4)


def compare(line, rows):
    """What the prompt prints when ranks answer with these rows."""
    requests = []

    def serve(r, mine):
        requests.append(r.next())
        r.reply(requests[-1], **mine) if isinstance(mine, dict) else r.reply(requests[-1], view="guards", lines=mine)
    t = [threading.Thread(target=serve, args=(ranks[r], mine)) for r, mine in rows.items()]
    for each in t:
        each.start()
    text = p.answer(line)
    for each in t:
        each.join()
    is_({(r["command"], r["as"]) for r in requests}, {("info guards", "lines")}, "%s asks for lines of the view" % line)
    return text


is_(compare("compare guards", {r: ["a", "b", "b"] if r else ["b", "a", "b"] for r in range(4)}), "all 4 ranks agree: 3 rows\n",
    "equal rows in any order are one line")
is_(compare("compare guards", {0: ["a", "b"], 1: ["a", "c", "d"], 2: ["a", "b"], 3: ["a", "d"]}),
    "compared with 0,2: 2 rows\nmissing in 1,3: b\nonly 1: c\nonly 1,3: d\n", "ranks with a row that others lack are named together, as are those without one")
is_(compare("compare guards", {0: ["x"], 1: ["a"], 2: ["a"], 3: ["a"]}), "compared with 1-3: 1 row\nonly 0: x\nmissing in 0: a\n",
    "the most are right, whatever their numbers")
is_(compare("compare 0-1 guards", {0: ["a", "a"], 1: ["a"]}), "compared with 0: 2 rows\nmissing in 1: a\n", "a row that is there twice counts twice; ranks can be named")
is_(compare("compare 2 guards", {2: ["a"]}), "only rank 2 was asked: 1 row\n", "one rank has nobody to be compared with")
is_(compare("compare all guards", {r: [] for r in range(4)}), "all 4 ranks agree: 0 rows\n", "no rows are equal, too")
is_(compare("compare guards", {0: ["a"], 1: ["a"], 2: {"ok": False, "error": "no such view"}, 3: {"text": "no rows"}}),
    "all 2 ranks agree: 1 row\n[2] error: no such view\n[3] error: this has no rows to compare; 'info' lists the views\n",
    "ranks that do not answer with rows say so, and the others are compared")
text = compare("compare 0-1 guards", {0: [], 1: ["%04d " % i + "x" * 9000 + "\x1b[2J" for i in range(500)]})
is_((text.count("\n"), text.splitlines()[-1]), (102, "... 400 more rows differ: 'rank N info VIEW' shows all rows of a rank"), "very many rows are cut off")
ok(max(map(len, text.splitlines())) < 300 and "\x1b" not in text, "... as are long ones, and none controls the terminal")
is_(compare("compare 0 guards", {0: [["a"], {"b": 1}, 3, None, "a"]}), "only rank 0 was asked: 1 row\n", "what is no text is no row")
for line, why in (("compare", "needs a view"), ("compare 0-3", "needs a view"), ("compare 7 guards", "there is no rank 7"), ("compare 0,x guards", "invalid ranks '0,x'")):
    like(p.answer(line), "error: .*%s" % why, "%r is refused" % line)
p.send("set ranks-patience 0.1")
p.send("continue")
is_([r.serve() for r in ranks], ["continue"] * 4, "the ranks continue")
for r in ranks[:3]:
    r.stop("breakpoint", "g", line=3)
shown = ""
while len(re.findall(r"\d", shown)) < 3 and shown != "0-2":       # together, or one after the other
    shown += p.expect(r"^\[([0-2,-]+)\] g at /p/a\.py:3\n")[1]
is_(compare("compare guards", {r: ["a"] for r in range(3)}), "all 3 ranks agree: 1 row\n[3] is not compared: it runs; 'interrupt' stops it\n", "a rank that runs is left out, and said to be")
over(p, ranks)

# ---- many ----

WORLD = 256
p, ranks = opened(WORLD)
rows = ["entry 0/%d, source L['self'].layer[%d].weight, kind TENSOR_MATCH, expected f32[%d] cpu" % (i % 8, i, i) for i in range(500)]


def serve_all():
    for r in ranks:
        r.serve(lines=rows if r.rank != 77 else rows[1:])


t = threading.Thread(target=serve_all)
t.start()
p.send("compare guards")
p.says(r"^compared with 0-76,78-255: 500 rows\nmissing in 77: entry 0/0, source L\['self'\]\.layer\[0\]\.weight", "500 rows of each of 256 ranks are compared")
t.join()
with open("/proc/%d/status" % p.proc.pid) as f:
    kib = int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))
ok(kib < 64 << 10, "... in less than 64 MiB", "%d KiB" % kib)
over(p, ranks)

# ---- rows of programs ----

PROGRAM = """
    import os
    class C: pass
    def f(rank):
        o, device, index = C(), "cuda:%d" % rank, "device=%d" % rank
        made, at = "__compiled_fn_%d" % rank, 140000000000 + rank
        y = "both"
        return rank
    f(int(os.environ["RANK"]))
    f(7)
"""
p = Prompt("--listen", "--world", "2")
env = p.listening()
env["PYTHONPATH"] = env["PYTHONPATH"] + os.pathsep + cdbgtest.environment()["PYTHONPATH"]
path = script(PROGRAM)
procs = [subprocess.Popen(cdbgtest.argv(path), stdin=subprocess.DEVNULL, env=cdbgtest.environment(dict(env, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE="2")))
         for r in range(2)]
p.expect(r"^\[0-1\]\n<module> at")
p.send("set ranks-patience 60")
p.send("break prog.py:7")
p.ask("continue", r"^f at .*prog\.py:7$")
p.answer()
like(p.answer("compare locals"), r"^compared with 0: 7 rows\n(missing in 1: name rank, value 0, type int.*\n|only 1: name rank, value 1, type int.*\n){2}\Z",
     "values that differ are named; addresses, numbers of devices and counters in names do not count")
is_(p.answer("compare breakpoints"), "all 2 ranks agree: 1 row\n", "any view with rows is compared")
p.send("quit")
p.ended()
is_([proc.wait(60) for proc in procs], [0, 0], "the ranks end")
done()
