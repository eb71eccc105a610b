#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The controller of a job speaks JSON: who joins and stops, a reply a command, rows, the job's output, its end."""
import os
import socket
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402
from ranks import LIMIT, Fake, Machine, Peer  # noqa: E402

WORLD = 3
LAUNCH = script("""
    import os, subprocess, sys
    def rank(r):
        return subprocess.Popen([sys.executable, "-u", *sys.argv[1:]], env=dict(os.environ, RANK=str(r), WORLD_SIZE="%d", LOCAL_RANK=str(r)))
    procs = [rank(r) for r in range(%d)]
    status = [p.wait() for p in procs]
    print("launcher", status, flush=True)
    if os.path.exists(sys.argv[1] + ".fifo"):
        with open(sys.argv[1] + ".fifo", "w") as f:
            f.write("ended %%s" %% status)
    sys.exit(max(status))
""" % (WORLD, WORLD), name="launch.py")
PROGRAM = """
    import os, sys, time
    r = int(os.environ["RANK"])
    def f(n):
        m = n + (r == 2)
        return m
    for i in range(3):
        f(i)
    sys.stdout.write("rank %d done\\n" % r)
    while os.path.exists(sys.argv[0] + ".wait"):
        time.sleep(0.01)
    sys.exit(r)
"""


def job(*options, wait=False, **keys):
    path = script(PROGRAM)
    if wait:
        open(path + ".wait", "w").close()
    return Machine(*options, command=[interpreter(), LAUNCH, path], **keys), path


def begun(*options, **keys):
    """All ranks have stopped before their script."""
    m, path = job(*options, **keys)
    stops = [m.wait(event="stopped") for r in range(WORLD)]
    return m, path, stops


def lines(text):
    return sorted(text.splitlines())


PRINTED = ["launcher [0, 1, 2]", "rank 0 done", "rank 1 done", "rank 2 done"]

# ---- a session ----

m, path, stops = begun("--ranks", "--json")
is_({k: m.seen[0][k] for k in ("event", "protocol", "world")}, {"event": "ready", "protocol": 1, "world": None}, "the first object says which protocol it is")
joined = {o["rank"]: o for o in m.seen if o["event"] == "joined"}
is_([(joined[r]["world"], joined[r]["local"], joined[r]["restart"], joined[r]["host"]) for r in range(WORLD)],
    [(WORLD, r, 0, os.uname().nodename) for r in range(WORLD)], "each rank that joins says who it is")
is_(sorted((o["rank"], o["reason"], o["frame"]["line"]) for o in stops), [(r, "start", 1) for r in range(WORLD)], "each stops before its first line, which is told with its rank")
rows = m.ask("ranks")["rows"]
is_([(r["rank"], r["state"], r["reason"], r["line"], r["pid"]) for r in rows], [(r, "stopped", "start", 1, joined[r]["pid"]) for r in range(WORLD)], "ranks has a row a rank")
a = m.ask({"id": "x", "command": "break f"})
is_((a["id"], a["ok"], a["ranks"], len(a["answers"])), ("x", True, [0, 1, 2], 1), "a command for all has one reply with its id, where equal answers are one")
is_((a["answers"][0]["ranks"], a["answers"][0]["breakpoint"]["number"]), ([0, 1, 2], 1), "... that has all of what the ranks said")
a = m.ask("continue")
is_((a["ok"], a["ranks"]), (True, [0, 1, 2]), "a command that continues is answered")
stops = [m.wait(event="stopped") for r in range(WORLD)]
is_(sorted((o["rank"], o["reason"], o["frame"]["function"]) for o in stops), [(r, "breakpoint", "f") for r in range(WORLD)], "... then the stops of the ranks come")
a = m.ask("info locals")
is_((a["rank"], a["view"], [r["name"] for r in a["rows"]]), (0, "locals", ["n"]), "a command for the chosen rank is answered as by one process, with the rank")
is_("rows" in m.ask({"command": "info locals", "as": "text"}), False, "... and as text if that is asked for")
is_([(x["ranks"], x["text"]) for x in m.ask("rank all print r")["answers"]], [([r], str(r)) for r in range(WORLD)], "answers that differ are told apart")
is_(m.ask("rank 2 print r")["rank"], 2, "one rank can be named")
is_([m.ask(line)["rank"] for line in ("rank 2", "print r")], [2, 2], "... or chosen")
a = m.ask("next")
is_(sorted(m.wait(event="stopped")["frame"]["line"] for r in range(WORLD)), [5] * WORLD, "all step")
a = m.ask("compare locals")
is_((a["norm"], [(r["ranks"], r["missing"]) for r in a["rows"]]), ({"ranks": [0, 1], "rows": 2}, [([2], True), ([2], False)]), "compare has rows that some ranks have and others lack")
like(a["rows"][1]["text"], "name m, value 1", "... with their text")
for line, why in (("rank 9 print 1", "no rank 9"), ("nonsense", "unknown command"), ("compare nosuch", "no rank has rows"), ("set schedule-multiple x", "on or off"), ("compare", "needs a view")):
    a = m.ask(line)
    is_(a["ok"], False, "%s is refused" % line)
    like(a["error"], why, "... with the reason")
like(m.ask('{"id":1')["error"], "not JSON", "a line that is no request is answered")
like(m.ask("help rank")["text"], "choose a rank", "help is text")
m.ask("delete")
m.send("continue")
m.wait(event="exited", status=2, rank=None)
is_(sorted((o["rank"], o["status"]) for o in m.seen if o.get("event") == "exited" and "rank" in o), [(r, r) for r in range(WORLD)], "the end of each rank is told")
is_([r["state"] for r in m.ask("ranks")["rows"]], ["exited"] * WORLD, "... and can be asked for when the job has ended")
m.send("quit")
is_(lines(m.output()), PRINTED, "what the job writes comes as objects")
is_(sum(o.get("event") == "exited" and "rank" not in o for o in m.seen), 1, "the job's end is told once")
is_((m.proc.wait(LIMIT), m.proc.stderr.read()), (0, b""), "quit ends the controller")

# ---- ends ----

m, path, stops = begun("--ranks", "--json")
m.proc.stdin.close()
is_((lines(m.output()), m.seen[-1], m.proc.wait(LIMIT)), (PRINTED, {"event": "exited", "status": 2}, 2), "at the end of input the job runs on, and its status is told")
m, path, stops = begun("--ranks", "--json", wait=True)
m.send("continue")
while sum(o["text"].count("done") for o in m.seen if o.get("event") == "output") < WORLD:
    m.next()
a = m.ask("interrupt")
is_((a["ok"], "rank" in a), (True, False), "interrupt is answered while the ranks run")
is_(sorted((o["rank"], o["reason"]) for o in (m.wait(event="stopped") for r in range(WORLD))), [(r, "interrupt") for r in range(WORLD)], "... and stops them")
os.mkfifo(path + ".fifo")
m.proc.kill()
m.output()
is_(m.seen[-1], {"event": "exited", "signal": "SIGKILL"}, "that the controller was killed is told")
os.unlink(path + ".wait")
with open(path + ".fifo") as f:
    is_(f.read(), "ended [0, 1, 2]", "... and the job runs on, and can write")
m.proc.communicate()
m, path, stops = begun("--ranks", "--json", "-ex", "break f", "-ex", "continue")
is_(m.wait(event="note")["text"], "breakpoint 1 at prog.py:4 (f)", "what -ex prints is a note")
is_(m.wait(event="stopped")["reason"], "breakpoint", "... and its commands continue")
m.proc.stdin.close()
m.output()

# ---- a socket ----

ours, theirs = socket.socketpair()
m, path = job("--ranks", "--json=%d" % theirs.fileno(), fd=theirs)
theirs.close()
peer = Peer(ours)
is_(peer.event("stopped")["reason"], "start", "the conversation can be on a descriptor")
peer.close()
m.proc.communicate(timeout=LIMIT)
is_(m.proc.returncode, 2, "... whose end lets the job run on")
where = os.path.join(os.path.dirname(script("")), "c.sock")
m, path = job("--ranks", "--json=unix:" + where)
like(m.proc.stderr.readline().decode(), "waiting for a client|" + where, "it waits for a client on a Unix socket")
ours = socket.socket(socket.AF_UNIX)
ours.connect(where)
peer = Peer(ours)
is_(peer.next()["event"], "ready", "... who is greeted")
is_([peer.event("stopped")["reason"] for r in range(WORLD)], ["start"] * WORLD, "... and has the job, which begins then")
peer.send("quit")
is_((peer.event("nothing"), m.proc.wait(LIMIT), os.path.exists(where)), (None, 0, False), "... and ends it")
m.proc.communicate()

# ---- divergence, of fakes ----

m = Machine("--listen", "--world", str(WORLD), "--json")
env = m.next()["environment"]
is_(sorted(env), ["CDBG_CONNECT", "CDBG_TOKEN", "PYTHONPATH"], "a job that is started elsewhere is told what it needs")
ranks = [Fake(env, r, WORLD) for r in range(WORLD)]
for r in ranks:
    r.stop()
like(Fake(env, 0, WORLD, token="0" * 32).answer["error"], "token", "a rank without the token is refused")
is_("token" in m.wait(event="refused")["error"], True, "... which is told")
m.send("set ranks-patience 0.1")
m.send("catch divergence")
for i in range(3):
    for r in ranks:
        r.serve()
m.send("continue")
for r in ranks:
    r.serve()
ranks[2].stop("recompile", "f", "/p/a.py", 6, text="stopped: f compiles again", detail={"function": "f", "entry": "0/1", "entries": [
    {"entry": "0/0", "failing": [{"guard": 5, "text": "check_tensor(x)", "expected": "f32[8]", "live": "f32[9]", "line": 6}]}]})
for r in ranks[:2]:
    r.stay(place={"function": "f", "file": "/p/a.py", "line": 8}, collective={"group": "default_pg", "seq": 4, "collective": "all_reduce", "state": "waits", "members": "0-1" if r.rank else "0-2"})
a = m.wait(event="stopped", reason="divergence")
is_((a["ranks"], a["waiting"], a["detail"]["kind"], a["detail"]["entries"][0]["failing"][0]["guard"]), ([2], [0, 1], "recompile", 5), "a divergence is a stop with who parted, who waits, and why")
is_([(e["ranks"], e["members"]) for e in a["absent"]], [([0], "0-1")], "... and who is missing in a collective of some ranks")
is_(m.wait(event="stopped")["rank"], 2, "... then the stop itself comes")
ranks[1].close()
is_(m.wait(event="gone")["rank"], 1, "a rank that goes is told")
m.proc.stdin.close()
m.output()
m.proc.wait(LIMIT)
m.proc.stderr.close()
done()
