#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--ranks --report: a report of each rank, and the page of what differs."""
import json
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from reports import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

need_torch(imported=False)
WORLD = 3
LAUNCH = script("""
    import os, subprocess, sys
    def rank(r):
        return subprocess.Popen([sys.executable, *sys.argv[1:]], env=dict(os.environ, RANK=str(r), WORLD_SIZE="%d", LOCAL_RANK=str(r)))
    procs = [rank(r) for r in range(%d)]
    sys.exit(max(abs(p.wait()) for p in procs))
""" % (WORLD, WORLD), name="launch.py")
# Rank 2 gets another size; the names say what is in the environment of the program.
PROGRAM = script("""
    import os, signal, sys, torch
    r = int(os.environ["RANK"])
    @torch.compile(backend="eager")
    def f(x):
        return x.sin() * 2
    f(torch.ones(4))
    if r == 2:
        f(torch.ones(5))
    os.write(1, b"rank %d %s\\n" % (r, str(sorted(n for n in os.environ if n.startswith("CDBG_REPORT"))).encode()))    # one write
    if r == 1 and sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(r)
""")


def job(where, how="run", options=()):
    r = subprocess.run(argv("-m", "cdbg", "--ranks", "--report", where, *options, "--", interpreter(), LAUNCH, PROGRAM, how), text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), timeout=300 * cdbgtest.PATIENCE)
    return r.returncode, sorted(r.stdout.splitlines()), r.stderr


where = place("ranks")
status, out, err = job(where)
is_((status, out), (2, ["rank 0 []", "rank 1 []", "rank 2 []"]), "output and status are those of the job, whose programs see nothing of it")
like(err, r"^cdbg: reports: ranks 0-1 are equal; rank 2: \d+ differences, open '%s/index.html' in a browser$" % re.escape(where), "one line says which ranks differ")
is_([sorted(d for d in os.listdir(where) if d.startswith("rank")), left_over(where)], [["rank0", "rank1", "rank2"], []], "each rank has a folder")
root = json.loads(text(where, "index.json"))
is_([r["rank"] for r in root["ranks"]], [0, 1, 2], "the data has a row a rank")
is_([r["entries"] for r in root["ranks"]], [1, 1, 2], "... with what each compiled")
is_([g["ranks"] for g in root["groups"]], [[0, 1], [2]], "... and groups of equal ranks")
lines = "\n".join(root["groups"][1]["changes"])
like(lines, r"(?m)^f: new entry: 0/1, compiled because this guard did not hold: 0/0: ", "... with the entry that rank 2 has alone, and the guard that failed")
page = text(where, "index.html")
like(page, r"f: new entry: 0/1", "the page says it")
is_(sorted(re.findall(r'scope="row" class="num"><a href="(rank\d/index.html)"', page)), ["rank%d/index.html" % r for r in range(WORLD)], "... and leads to each rank's")
is_([name for name in re.findall(r'(?:href|src)="([^"#]+)"', page) if not os.path.isfile(os.path.join(where, name))], [], "... and to no file that is not there")
status, out, err = run(script("print(2)\n"), options=("--plain", "-q"), commands=(
    "report diff %s/rank0 %s/rank1" % (where, where), "report diff %s/rank0 %s/rank2" % (where, where), "quit"))
like(out + err, r"nothing changed", "report diff works on the ranks' folders")
like(out + err, r"f: new entry: 0/1", "... and finds what differs")

# ---- again ----

before = page
os.unlink(os.path.join(where, "index.html"))
r = python("-m", "cdbg.report", "--ranks", where)
is_((r.returncode, text(where, "index.html")), (0, before), "the page is made again from the reports")
status, out, err = job(where, "kill", ("--report-blame",))
like(err, r"cdbg: reports: rank 0; rank 2: \d+ differences; no report of 1, open ", "an earlier folder is replaced; a rank that is killed is named as one without a report")
like(text(where, "index.html"), r"No report of <a [^>]*>1</a>", "... by the page, too")
ok(any(e.get("verdict") for f in data(os.path.join(where, "rank0"))["functions"] for e in f.get("entry", ())), "--report-blame judges the calls in each rank")

# ---- refused ----

mine = place("mine")
os.mkdir(mine)
open(os.path.join(mine, "thing"), "w").close()
status, out, err = job(mine)
is_((status, out, os.listdir(mine)), (2, [], ["thing"]), "a folder with other files is not touched, and nothing is run")
like(err, r"^cdbg: .*mine", "... with the reason")
r = python("-m", "cdbg", "--listen", "--world", "2", "--report", place("never"))
like(r.stderr, r"--report starts the job itself", "--listen has no reports")
r = python("-m", "cdbg.report", "--ranks", os.path.join(where, "rank0"))
is_((r.returncode, r.stdout), (1, ""), "the report of one rank is none of a job")
like(r.stderr, r"is not of the reports of a job's ranks", "... with the reason")
done()
