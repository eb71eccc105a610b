#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catch divergence with ranks that are fakes: who stops for what, who waits where, and when there is an alarm."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from ranks import Fake, Prompt  # noqa: E402

WORLD = 3
NO_NUMBER = -1          # of a message


def watched():
    """A prompt and its ranks, which run and are watched."""
    p = Prompt("--listen", "--world", str(WORLD))
    env = p.listening()
    ranks = [Fake(env, r, WORLD) for r in range(WORLD)]
    for r in ranks:
        r.stop()
    p.expect(r"^\[0-2\] <module>")
    p.send("set ranks-patience 0.1")
    p.send("catch divergence")
    is_([[r.serve() for r in ranks] for i in range(3)], [[kind] * WORLD for kind in ("catch compile", "catch recompile", "catch graph-break")],
        "catch divergence sets catchpoints in all ranks")
    p.send("continue")
    for r in ranks:
        r.serve()
    return p, ranks


def recompile(rank, source="L['x']", expected="f32[8]", entry="0/1", live="f32[9]", folder="/p"):
    rank.stop("recompile", "f", folder + "/a.py", 6, text="stopped: f compiles again", detail={"function": "f", "entry": entry, "entries": [
        {"entry": "0/%d" % i, "failing": [{"guard": 5, "kind": "TENSOR_MATCH", "source": source, "text": "check_tensor(x, %s)" % expected, "expected": expected,
                                           "live": live, "line": 6}]} for i in range(int(entry[-1]))]})


def waits(seq=4, name="all_reduce", group="default_pg", members=None, **more):
    """What a look finds; seq None: it waits in nothing; members: the ranks of the group, if they are known."""
    return dict(more, place={"function": "f", "file": "/p/a.py", "line": 8},
                collective=seq and {"group": group, "seq": seq if seq != NO_NUMBER else None, "collective": name, "state": "waits", "members": members})


def look(rank, *args, **keys):
    """Answers the next look."""
    while (request := rank.next())["command"] != "look":
        rank.reply(request)
    rank.reply(request, **waits(*args, **keys))


def stay(rank, *args, **keys):
    """Answers all looks from now on."""
    rank.stay(**waits(*args, **keys))


def over(p, ranks):
    p.send("quit")
    p.ended()
    for r in ranks:
        r.close()


p, ranks = watched()
for r in ranks:
    recompile(r, live="f32[%d]" % r.rank)
is_([r.obey() for r in ranks], ["continue"] * WORLD, "ranks that stop for the same go on by themselves, whatever their own values are")
for r in ranks:
    recompile(r, "G['spec_1396991604526%02d']" % r.rank, "f32[%d]" % r.rank, "%d/%d" % (r.rank, 1 + r.rank), folder="/p%d" % r.rank)
is_([r.obey() for r in ranks], ["continue"] * WORLD, "... or their guards expect, and however many entries they had before")
recompile(ranks[2])
for i in range(3):
    look(ranks[0]), look(ranks[1], None)
look(ranks[0]), look(ranks[1])
recompile(ranks[0]), recompile(ranks[1])
is_([r.obey() for r in ranks], ["continue"] * WORLD, "no alarm while a rank runs on, nor before it was seen to wait twice")
recompile(ranks[2])
stay(ranks[0]), stay(ranks[1])
p.says(r"^divergence: the ranks have parted\n\[0-1\] waits in all_reduce seq 4 of default_pg, f a\.py:8\n\[2\] stopped: f compiles again\n",
       "an alarm says who waits where, and who stopped for what")
unlike(p.seen[:-200], "divergence: the", "... and is the first")
over(p, ranks)

p, ranks = watched()
recompile(ranks[0]), recompile(ranks[1])
recompile(ranks[2], "L['y']")
p.says(r"^divergence: .*\n\[0-2\] stopped: f compiles again", "ranks that stop for other guards have parted")
over(p, ranks)

p, ranks = watched()
stay(ranks[0]), stay(ranks[1], name="broadcast"), stay(ranks[2])
p.says(r"^divergence: .*\n\[0,2\] waits in all_reduce seq 4 .*\n\[1\] waits in broadcast seq 4 ", "ranks that wait in other collectives have parted, without a stop")
over(p, ranks)

p, ranks = watched()
for i in range(3):
    look(ranks[0], 7, group="tp", members="0"), look(ranks[1], group="tp", members="1-2"), look(ranks[2], group="tp", members="1-2")
ranks[0].stop("breakpoint", "g", line=3)
p.expect(r"^\[0\] g at ")
unlike(p.seen, "divergence: the", "ranks that wait in collectives of their groups have not parted while all members are there")
over(p, ranks)

p, ranks = watched()
stay(ranks[0], members="0-2"), stay(ranks[1], 2, group="tp", members="1-2"), stay(ranks[2], members="0-2")
p.says(r"^divergence: .*\n\[0,2\] waits in all_reduce seq 4 of default_pg, .*\n\[1\] waits in all_reduce seq 2 of tp, .*\nrank 2 is not in all_reduce seq 2 of tp\n(?!rank)",
       "an alarm names who is missing where a part of the ranks waits")
over(p, ranks)

p, ranks = watched()
for moves in range(3):
    look(ranks[0]), look(ranks[1], NO_NUMBER, "recv from 2", moves=moves), look(ranks[2])
stay(ranks[0]), stay(ranks[1], NO_NUMBER, "recv from 0", moves=3), stay(ranks[2])
p.says(r"^divergence: .*\n\[0,2\] waits in all_reduce seq 4 .*\n\[1\] waits in recv from 0 of default_pg, f a\.py:8\n",
       "a rank that gets many messages has parted once it waits for one all the time")
over(p, ranks)

p, ranks = watched()
ranks[1].send({"event": "exited", "status": 1})
ranks[1].next()
ranks[1].close()
stay(ranks[0]), stay(ranks[2])
p.says(r"^divergence: .*\n\[0,2\] waits in all_reduce seq 4 .*\n\[1\] ended with status 1\n", "a rank that has ended, and others that wait, have parted")
over(p, ranks)

p, ranks = watched()
recompile(ranks[1])
for r in ranks[0], ranks[2]:
    r.stop("recompile", "f", "/p/a.py", 6, detail={"function": "f", "entry": "0/1", "other_rank": True, "entries": [{"entry": "0/0", "failing": []}]})
is_([r.obey() for r in ranks], ["continue"] * WORLD, "ranks that another one's guards make compile have not parted")
ranks[1].stop("exception", "g", line=3, dead=True, text="stopped: uncaught exception")
stay(ranks[0]), stay(ranks[2])
p.says(r"^divergence: .*\n\[0,2\] waits in all_reduce seq 4 .*\n\[1\] stopped: uncaught exception\n", "an uncaught exception, and others that wait, have parted")
over(p, ranks)

p, ranks = watched()
ranks[1].stop("breakpoint", "g", line=3)
p.says(r"^\[1\] g at /p/a\.py:3\n", "a breakpoint stops as ever")
unlike(p.seen, "divergence: the", "... and is no divergence")
over(p, ranks)
done()
