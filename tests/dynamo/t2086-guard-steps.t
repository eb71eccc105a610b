#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many guards at once: one command is one step of undo and takes time in proportion to the guards; the whole check of an
entry is measured, also where it fails early."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()

PROGRAM = PRELUDE + '''
    class Settings:
        def __init__(self):
            self.scale, self.parts, self.names = 2, [1, 2, 3], {"a": 1, "b": 2}

    def f(x, s, n):
        return x * s.scale + sum(s.parts) + s.names["a"] + s.names["b"] + n

    def many(x, numbers):
        t = 0
        for k in numbers:
            t += k
        return x + t

    x, s, numbers = torch.ones(3), Settings(), [k % 7 for k in range(4000)]
    cf = torch.compile(f, backend="eager", dynamic=False)
    cf(x, s, 1), cf(x, s, 2)
    cm = torch.compile(many, backend="eager")
    cm(x, numbers)

    def stop(what):
        return what

    stop("here")
'''


def on(d):
    return [r["override"] for r in d.rows("info overrides") if r["state"] == "on"]


with Editing(PROGRAM) as d:
    d.do("break stop")
    d.go()
    before = d.value("texts(f, False)")
    entries = d.entries("f")
    all_of = [r["guard"] for e in entries for r in d.rows("info guards " + e) if "L['s']" in r["source"]]
    ok(len(all_of) > 10, "an object with many guards, in two entries")

    d.do("guard drop -r L['s']")
    is_(len(on(d)), len(all_of), "guard drop -r makes an override of each guard")
    is_(len({r["step"] for r in d.rows("info overrides")}), 1, "... and all are one step")
    said = d.text("undo")
    is_(on(d), [], "one undo takes the whole command back, in all entries")
    is_(d.value("texts(f, False)"), before, "... and the guards are as before")
    is_(said.count("undone: drop in entry %s\n" % entries[0]), len(all_of) // 2, "... and reports it")
    like(d.error("undo"), "nothing to undo", "then there is nothing left")

    d.do("guard drop -r L['s'] in %s" % entries[0])
    first = on(d)
    d.do("guard drop -r L['n']")
    d.do("undo %d" % first[3])
    is_([o for o in on(d) if o <= first[-1]], first[:3] + first[4:], "undo N reverts that override alone, of an older command")
    d.do("undo")
    is_(on(d), first[:3] + first[4:], "undo reverts the last command")
    d.do("undo")
    is_(on(d), [], "... then what is left of the one before it")
    is_(d.value("texts(f, False)"), before, "... and the guards are as before")

    d.do("guard drop -r L['s']")
    d.do("entry disable " + entries[1])
    d.do("undo")
    is_(len(on(d)), len(all_of), "a command on an entry is a step of its own")
    d.do("guard restore %d" % all_of[0])
    d.do("undo")
    is_(on(d), [], "what was restored meanwhile does not keep undo from the rest")

    d.do("guard force EQUALS_MATCH true")
    ok(len(on(d)) > 4, "guard force of a kind makes several overrides")
    d.do("undo")
    is_(on(d), [], "guard force of a pattern is one step, too")

    began = d.value("compiles()")
    d.do("guard drop L['numbers']*")
    is_(len(on(d)) > 4000, True, "thousands of guards are dropped at once")
    is_(d.value("cm(x, [6 - k for k in numbers])[0].item() == 1 + sum(numbers), compiles() == %s" % began), "(True, True)",
        "... and the entry serves what they refused")
    d.do("undo")
    is_(on(d), [], "... and come back at once")

    def spent(line):
        clock = d.value("__import__('time').process_time()")
        d.do(line)
        return float(d.value("__import__('time').process_time()")) - float(clock)

    one = [r["guard"] for r in d.rows("info guards many") if r["source"] == "L['numbers'][7]"][0]
    spent("guard drop %d" % one)
    d.do("undo")
    single = min(spent("guard drop %d" % one) + spent("undo") for _ in range(3))
    whole = min(spent("guard drop L['numbers']*") + spent("undo") for _ in range(3))
    note("one of 4,000: %.3f s, all: %.3f s" % (single, whole))
    ok(whole < 5 * single + 0.3, "4,000 guards take a few times what one takes, not thousands", "%.3f and %.3f s" % (single, whole))

    d.do("set guard-record off")
    d.do("python torch._dynamo.reset()")
    d.do("python cm(x, numbers)")
    d.do("guard drop -r L['numbers'] in many")
    ok(len(on(d)) > 4000, "without a record they go together, too")
    d.do("undo")
    is_(on(d), [], "... and come back together")

COST = PRELUDE + '''
    class Settings:
        def __init__(self, scale):
            self.scale, self.parts, self.names = scale, [1, 2, 3, 4, 5], {"a": 1, "b": 2}

    def f(s, x, y):
        return x * s.scale + sum(s.parts) + s.names["a"] + s.names["b"] + y

    x, y = torch.ones(3), torch.ones(3)
    cf = torch.compile(f, backend="eager", dynamic=False)
    for n in range(3):
        cf(Settings(n), x, y)

    def order(root):
        return str([(m.get_source(), m.fail_count()) for m in walk(root)])

    def walk(m):
        return [m, *(c for child in m.get_child_managers() for c in walk(child))]

    def live():
        return [order(e.guard_manager.root) for e in entries(f)]

    cf(Settings(2), x, y)
'''

with Editing(COST) as d:
    d.do("catch recompile")
    d.do("tbreak %d" % d.line_of("def order"))
    d.go()
    while d.reason == "recompile":
        d.go()
    d.do("break f")
    d.go()
    ids = sorted(d.entries("f"))
    serves = d.frame["entry"]
    other = [e for e in ids if e != serves][0]
    before = d.value("live()")

    def cost(entry):
        rows = d.rows("info cost " + entry)
        return rows[0], [r for r in rows if r["guard"] is not None]

    head, guards = cost(serves)
    is_((head["ends"], head["text"]), (None, "the whole check"), "where all guards hold the whole check is measured")
    head, guards = cost(other)
    is_(head["ends"], d.rows("guard why " + other)[0]["guard"], "where one fails, the answer says at which guard the check ends")
    like(head["text"], r"^the whole check; for these values it ends at guard %d, after [\d.]+ ns$" % head["ends"], "... in words, too")
    dearest = max(r["ns"] for r in guards if r["ns"] is not None)
    ok(head["ns"] >= dearest, "... and the whole check takes no less than the dearest guard in it", "%s, %s" % (head["ns"], dearest))
    whole = min(cost(serves)[0]["ns"] for _ in range(3))
    ratio = min(cost(other)[0]["ns"] for _ in range(3)) / whole
    ok(0.5 < ratio < 2, "... about what it takes where all hold", ratio)
    ok(head["until"] < head["ns"], "... and more than until it fails")
    is_(d.value("live()"), before, "measuring leaves Dynamo's own guards, and how often they failed, alone")
done()
