#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Another tool of sys.monitoring beside cdbg, that starts before it, while it works, and after it: neither loses an event."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

if version() < (3, 12):
    skip_all("CPython %d.%d has no sys.monitoring" % version())

# The command line says when the tool starts and what it asks for. Its first round has ended before the first
# breakpoint can be reached, its last begins when there is none any more.
PROGRAM = """
    import sys
    mon, when = sys.monitoring, sys.argv[1]
    events = 0
    for name in sys.argv[3].split("|"):
        events |= getattr(mon.events, name)
    seen, TOOL = [], 1


    def callback(what):
        def called(code, *args):
            if code.co_filename == __file__ and code.co_name in ("work", "leaf", "gen"):
                seen.append((what, code.co_name, *(a for a in args if type(a) is int)))
                return mon.DISABLE if "disable" in sys.argv else None
        return called


    def start():
        mon.use_tool_id(TOOL, "second")
        for name in sys.argv[3].split("|"):
            mon.register_callback(TOOL, getattr(mon.events, name), callback(name))
        if sys.argv[2] == "global":
            mon.set_events(TOOL, events)
        else:
            for f in work, leaf, gen:
                mon.set_local_events(TOOL, f.__code__, events)


    def leaf(n):
        n += 1
        return n


    def gen(n):
        for k in range(n):
            yield leaf(k)


    def work(n):
        total = 0
        for v in gen(n):
            total += v
        return total


    def armed():
        return [mon.get_tool(i) for i in range(6)]


    if when == "before":
        start()
    a = work(3)             # nothing is armed yet
    mark = 1
    if when == "during":
        start()
    b = work(3)             # stepped and stopped in
    mark = 2
    if when == "after":
        start()
    c = work(3)             # nothing is armed any more
    print(a, b, c, armed())
    print(len(seen), seen)
"""
path = script(PROGRAM)
FIRST, LAST = line_of(path, "mark = 1"), line_of(path, "mark = 2")


def debugged(args, stepping=None):
    """(what the program printed, cdbg's stops between the two marks)"""
    with Cdbg(path, *args) as d:
        d.do("break %d" % FIRST)
        d.go()
        for place in ("leaf", "gen", "%d" % LAST):
            d.do("break " + place)
        stops = []
        while True:
            d.go(stepping if stepping and stops else "continue")
            if d.exited or d.frame["line"] == LAST:
                break
            stops.append((d.reason, d.frame["function"], d.frame["offset"]))
        d.do("delete")
        d.run_out()
        return d.out, stops


TOOLS = [("global", "PY_START"), ("global", "LINE|PY_START|PY_RETURN"), ("local", "LINE"), ("local", "LINE", "disable"),
         ("global", "LINE", "disable"), ("local", "INSTRUCTION"),
         ("local", "INSTRUCTION", "disable"), ("global", "INSTRUCTION|PY_START"), ("global", "PY_START|PY_RESUME|PY_RETURN|PY_YIELD|PY_UNWIND|RAISE")]


def once(out):
    """Each event once: what a tool answered with DISABLE may come again, as when any tool restarts events."""
    first, events = out.split("\n")[:2]
    return first, sorted(set(re.findall(r"\(.*?\)", events)))


alone = debugged(["never", "global", "PY_START"])[1]
stepped = debugged(["never", "global", "PY_START"], "stepi")[1]
is_([s[1] for s in alone], ["gen", "leaf", "leaf", "leaf"], "the breakpoints stop")
ok(len(stepped) > 60 and {"gen", "leaf", "work"} == {s[1] for s in stepped} - {"<module>"}, "stepi goes through all three functions", stepped)
for args in TOOLS:
    named = "%s %s%s" % (args[0], args[1], ", answered with DISABLE" * (len(args) > 2))
    for when in ("before", "during", "after"):
        want = bare(path, when, *args)[1]
        like(want, r"second.*\n[1-9]", "%s, %s: the tool sees events without cdbg" % (named, when))
        for way, stops in ((None, alone), ("stepi", stepped)):
            out, got = debugged([when, *args], way)
            with_ = "stepped through" if way else "stopped in"
            again = once if "disable" in args else str
            is_(again(out), again(want), "%s, %s: it sees each of them with code that is %s, and the tool ids are given back"
                % (named, when, with_))
            is_(got, stops, "%s, %s: cdbg sees every instruction and breakpoint of code that is %s" % (named, when, with_))

# ---- a jump ----

for args in ("global", "PY_START"), ("local", "LINE"):
    with Cdbg(path, "before", *args) as d:
        d.do("break leaf")
        d.do("continue")
        d.wait()
        there = "jump %d" % d.line_of("return n")
        if args[1] == "LINE" and version() < (3, 14):
            like(d.error(there), "cannot jump.*: 'second' watches the lines of this code.*stop it first",
                 "a jump is refused where another tool would get wrong lines")
        else:
            d.do(there)
            d.do("delete")
            d.run_out()
            like(d.out, "^5 6 6 ", "beside a tool for %s a jump leads where it says" % args[1])

# ---- coverage ----

COVERED = """
    import sys
    import coverage
    cov = coverage.Coverage(data_file=None, config_file=False, branch="branch" in sys.argv)


    def leaf(n):
        if n > 100:
            return 0        # not run
        return n + 1


    def work(n):
        total = 0
        for k in range(n):
            total += leaf(k)
        return total


    if "before" in sys.argv:
        cov.start()
    mark = 1
    if "during" in sys.argv:
        cov.start()
    a = work(3)
    mark = 2
    if "after" in sys.argv:
        cov.start()
    b = work(3)
    cov.stop()
    tools = [sys.monitoring.get_tool(i) for i in range(6)]
    print(a, b, sorted(cov.get_data().lines(__file__) or []), sorted(cov.get_data().arcs(__file__) or []), tools)
    print([v for k, v in cov.sys_info() if k == "core"])
"""
env = {"COVERAGE_CORE": "sysmon"}
if not has("coverage"):
    skip("coverage beside cdbg", "%s has no coverage" % interpreter())
else:
    path = script(COVERED)
    FIRST, LAST = line_of(path, "mark = 1"), line_of(path, "mark = 2")
    for when in ("before", "during", "after"):
        for branch in ([], ["branch"]):
            want = bare(path, when, *branch, env=env)[1]
            named = "coverage%s, %s" % (" of branches" * len(branch), when)
            core = "CTracer" if branch and version() < (3, 14) else "SysMonitor"
            like(want, r"^6 6 \[.*(?s:.)*%s" % core, "%s: without cdbg its %s measures" % (named, core))
            for way in (None, "stepi"):
                with Cdbg(path, when, *branch, env=env) as d:
                    d.do("break %d" % FIRST)
                    d.go()
                    d.do("break leaf")
                    d.do("break %d" % LAST)
                    hits = 0
                    while not d.exited and d.frame["line"] != LAST:
                        d.go(way if way and hits else "continue")
                        hits += d.reason == "breakpoint" and d.frame["function"] == "leaf"
                    d.do("delete")
                    d.run_out()
                    with_ = "stepped through" if way else "stopped in"
                    is_(d.out, want, named + ": it finds the same lines in code that is " + with_)
                    is_(hits, 3, named + ": each breakpoint stops in code that is " + with_)

# ---- no id is left, or one ----

PROGRAM = """
    import sys, time
    mon, seen, going = sys.monitoring, 0, []


    def f(n):
        n += 1
        return n


    def wait():                     # for an interrupt, a stop that needs no tool id
        print("waits", flush=True)
        while not going and sys.argv[2] == "cdbg":
            time.sleep(0.001)
        going.clear()


    def callback(*args):
        global seen
        seen += 1


    for k in range(int(sys.argv[1])):
        mon.use_tool_id(k, "tool%d" % k)
    wait()
    f(1)
    if sys.argv[1] == "6":
        import cdbg
        cdbg.breakpoint()
        mon.free_tool_id(2)
    wait()
    f(2)
    for what in mon.events.INSTRUCTION, mon.events.PY_START:
        mon.register_callback(1, what, callback)
    mon.set_local_events(1, f.__code__, mon.events.INSTRUCTION | mon.events.PY_START)
    f(3)
    wait()
    f(4)
    print(seen, [mon.get_tool(k) for k in range(6)])
"""
ALL = "cannot stop in Python code: other tools have all tool ids of sys.monitoring \\('tool0', 'tool1', .*'tool5'\\): " \
      "end one of them, or call sys.monitoring.free_tool_id, then ask again"


def warnings(d):
    return [n["text"] for n in d.notes if n["level"] == "warning"]


def on(d):
    """To the next stop; the program is interrupted where it waits for that.  True: there."""
    if d.reason == "interrupt":
        d.do("python going.append(1)")
    d.do("continue")
    waits = False
    while True:
        seen = d.next()
        if seen.get("event") in ("stopped", "exited"):
            return waits
        if seen.get("event") == "output" and "waits" in seen["text"]:
            waits = True
            d.send("interrupt")


def hits(d):
    """Arguments of f in the stops that are left."""
    found = []
    while not d.exited:
        if not on(d) and d.frame:
            found.append(d.text("print n"))
        if found[-1:] == ["4"] and not d.exited:
            d.do("delete")
    return found


with Cdbg(PROGRAM, "6", "cdbg") as d:
    is_((on(d), warnings(d)), (True, []), "as long as nothing is armed it does not matter that other tools have all ids")
    d.do("break f")
    is_(len(warnings(d)), 1, "a breakpoint that cannot be armed is warned of")
    like("".join(warnings(d)), "^" + ALL, "in words that name the tools, and the remedy")
    for line in ("step", "nexti", "finish", "until"):
        like(d.error(line), ALL, line + " is refused for the same reason")
    like(d.error("watch going"), ALL, "so is a watchpoint")
    is_((on(d), len(warnings(d))), (True, 2), "a stop that the program asks for is warned of too")
    about = [(r["what"], r["value"]) for r in d.rows("info cdbg") if r["what"] in ("control", "tool")]
    is_(about, [("control", "sys.monitoring, no tool id taken now")] +
        [("tool", "'tool%d' of sys.monitoring, tool id %d" % (k, k)) for k in (0, 1, 3, 4, 5)], "info cdbg names them too")
    is_(hits(d), ["2", "3", "4"], "once an id is free, the stop that comes next arms what waits")
    like(d.out, r"(?m)^[1-9]\d+ \['tool0', 'tool1', None, 'tool3', 'tool4', 'tool5'\]", "and the id is given back")

want = bare(PROGRAM, "5", "alone")[1]
with Cdbg(PROGRAM, "5", "cdbg") as d:
    on(d)
    d.do("break f")
    is_(hits(d), ["1", "2", "3", "4"], "with one id left, none of its events is lost when another tool begins")
    is_(d.out, want, "and the other loses none")
    is_(warnings(d), [], "nothing needs a warning there")
done()
