#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Views of a plain Python program: code, stack, locals, frames, threads, breakpoints, displays, and how they are found."""
import json
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    import threading

    LIMIT = 3


    class Odd:
        def __repr__(self):
            print("repr ran")
            raise ValueError("no repr")


    def outer(a, b=2):
        total = a + b
        odd = Odd()

        def inner(c):
            nonlocal total
            total += c
            return [total, c]

        r = inner(total)
        return len(r)


    def middle(x):
        return outer(x, b=5)


    print(middle(1), LIMIT)
"""

FACTS = """
import dis, json, sys
co = compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')
def find(co):
    if co.co_name == sys.argv[2]:
        return co
    for c in co.co_consts:
        if hasattr(c, 'co_code'):
            f = find(c)
            if f:
                return f
line, out = None, []
for i in dis.get_instructions(find(co)):
    line = getattr(i, "line_number", i.starts_line) or line
    out.append([i.offset, i.opname, line])
print(json.dumps(out))
"""


def dis_rows(path, function):
    return json.loads(subprocess.run([interpreter(), "-c", FACTS, path, function], capture_output=True, text=True).stdout)


def named(rows, key="name"):
    return {r[key]: r for r in rows}


with Cdbg(PROG) as d:
    like(d.text("info"), r"^info stack +the value stack", "info alone lists the views")
    like(d.error("info nothing"), "unknown view 'nothing'; 'info' lists the views", "an unknown view is refused with the remedy")
    is_(d.rows("info breakpoints"), [], "no breakpoints yet: no rows")
    d.do("break inner if c > 2")
    d.do("break %d" % d.line_of("return len(r)"))
    d.do("tbreak nowhere_yet")
    d.do("break middle")
    d.do("disable 4")
    rows = d.rows("info b")
    is_([(r["number"], r["type"], r["enabled"], r["temporary"]) for r in rows],
        [(1, "breakpoint", True, False), (2, "breakpoint", True, False), (3, "breakpoint", True, True),
         (4, "breakpoint", False, False)], "info b is breakpoints, with number, type, enabled and temporary")
    is_((rows[0]["condition"], rows[0]["hits"], rows[0]["ignore"], rows[1]["condition"]), ("c > 2", 0, 0, None),
        "condition, hits and ignore count of a breakpoint")
    like(rows[1]["where"], r"prog\.py:%d" % d.line_of("return len(r)"), "where a breakpoint on a line is")
    like(rows[2]["where"], "pending", "a breakpoint on what does not exist yet is pending")
    is_(d.cmd("info break")["view"], "breakpoints", "info break is breakpoints too")
    like(d.error("info fra"), "ambiguous view 'fra': frames, frame", "an ambiguous prefix names what it may be")
    is_(d.cmd("info frame")["view"], "frame", "an exact name wins over a longer one")

    d.go()
    is_((d.reason, d.frame["function"]), ("breakpoint", "inner"), "the program stops in the closure")
    is_(d.rows("info breakpoints")[0]["hits"], 1, "a hit is counted")

    code = d.rows("info code")
    want = dis_rows(d.path, "inner")
    is_([[r["offset"], r["opname"], r["line"]] for r in code], want, "info code lists what dis lists, with its lines")
    is_([r["index"] for r in code], list(range(len(want))), "instructions are counted from 0")
    current = [r for r in code if r["current"]]
    is_([(r["offset"], r["breakpoint"]) for r in current], [(d.frame["offset"], 1)],
        "one instruction is current, and holds the breakpoint")
    is_({r["region"] for r in code}, {None}, "code of the program's own has no regions")
    is_(d.cmd("info code inner")["rows"], code, "info code FUNC gives the same code")
    is_([[r["offset"], r["opname"]] for r in d.rows("info code middle")], [w[:2] for w in dis_rows(d.path, "middle")],
        "info code of another function")
    is_([r["offset"] for r in d.rows("info code middle") if r["current"]], [], "nothing is current in code that is not selected")
    like(d.error("info code not_there"), "not_there", "info code of no function is refused by name")

    here = named(d.rows("info locals"))
    is_((here["c"]["value"], here["c"]["type"], here["c"]["kind"]), ("6", "int", "local"), "an argument: value, type, kind local")
    is_((here["total"]["value"], here["total"]["kind"]), ("6", "free"), "a variable of the enclosing function is free")
    d.do("up")
    here = named(d.rows("info locals"))
    is_((here["total"]["kind"], here["a"]["kind"], here["b"]["value"]), ("cell", "local", "5"),
        "the same variable is a cell where it lives")
    like(here["odd"]["value"], r"^<__main__\.Odd at 0x", "an object is a summary: its repr is not run")
    ok("r" not in here, "what is not bound yet is left out")
    is_(d.out, "", "no code of the program ran for it")
    is_(d.cmd("locals")["rows"], d.rows("info locals"), "locals is short for info locals")

    rows = d.rows("info frames")
    is_([r["function"] for r in rows], ["inner", "outer", "middle", "<module>"], "info frames lists every frame of the program")
    is_([r["level"] for r in rows], [0, 1, 2, 3], "levels count from the innermost")
    is_([r["current"] for r in rows], [False, True, False, False], "the selected frame is current")
    is_({r["kind"] for r in rows}, {"user"}, "all of it is user code")
    is_([r["line"] for r in rows[2:]], [d.line_of("return outer(x"), d.line_of("print(middle")], "lines of the callers")
    is_(len({r["logical"] for r in rows}), 4, "each is a function of its own")
    facts = {r["what"]: r["value"] for r in d.rows("info frame")}
    is_((facts["level"], facts["function"], facts["line"], facts["stopped"]),
        (1, "outer", d.line_of("r = inner(total)"), "in the instruction"), "info frame has the selected frame")
    d.do("frame 0")
    facts = {r["what"]: r["value"] for r in d.rows("info frame")}
    is_((facts["function"], facts["stopped"], facts["offset"]), ("outer.<locals>.inner", "before the instruction", d.frame["offset"]),
        "and of the innermost, by its qualified name")

    while d.frame["opname"] != "BINARY_OP":
        d.go("nexti")
    is_([(r["slot"], r["value"], r["type"], r["kind"]) for r in d.rows("info stack")],
        [(0, "6", "int", "object"), (1, "6", "int", "object")], "the value stack before an addition, bottom first")
    is_([r["operand"] for r in d.rows("stack")], [True, True], "both are marked as what the instruction takes")
    d.go("nexti")
    is_([(r["slot"], r["value"]) for r in d.rows("stack")], [(0, "12")], "the stack after it")

    about = {r["what"]: r["value"] for r in d.rows("info cdbg")}
    is_((about["cdbg"], about["CPython"]), (d.ready["version"], d.ready["python"]), "info cdbg: the versions of cdbg and CPython")
    like(about["control"], "sys.monitoring, " if version() >= (3, 12) else "an eval-frame hook", "and how it has control")
    threads = d.rows("info threads")
    is_([(r["thread"], r["name"], r["function"], r["current"]) for r in threads], [(1, "MainThread", "inner", True)],
        "info threads: number, name, function")

    d.do("display c * 2")
    d.do("display nothing_here")
    rows = d.rows("info display")
    is_([(r["number"], r["expression"], r["value"]) for r in rows], [(1, "c * 2", "12"), (2, "nothing_here", None)],
        "info display: number, expression, value")
    like(rows[1]["error"], "NameError", "an expression that raises says what")

    d.do("frame 3")
    here = named(d.rows("info locals"))
    is_((here["LIMIT"]["value"], "__name__" in here), ("3", True), "locals of the module are its names")
    d.do("delete")
    d.run_out()
    is_(d.out, "2 3\n", "the program prints what it always prints")
    like(d.error("info stack"), "has ended", "a view that needs a stop is refused after the end")
    is_(d.rows("info breakpoints"), [], "breakpoints can be listed after the end")

with Cdbg("""
    import threading
    ready, go = threading.Event(), threading.Event()


    def work(n):
        ready.set()
        go.wait()
        return n


    t = threading.Thread(target=work, args=(7,), name="worker")
    t.start()
    ready.wait()
    here = 1
    go.set()
    t.join()
""") as d:
    d.do("break %d" % d.line_of("here = 1"))
    d.go()
    rows = named(d.rows("info threads"), "name")
    is_((rows["MainThread"]["current"], rows["worker"]["current"]), (True, False), "the stopped thread is current")
    is_((rows["worker"]["function"], rows["worker"]["line"]), ("work", d.line_of("go.wait()")),
        "another thread's function and line are where it waits")
    like(d.text("thread %d" % rows["worker"]["thread"]), "'worker'", "thread N says the thread's name")
    is_([r["function"] for r in d.rows("info frames") if not r["hidden"]], ["work"], "frames are those of the selected thread")
    is_(named(d.rows("info threads"), "name")["worker"]["current"], True, "the selected thread is current")
    is_(named(d.rows("info locals"))["n"]["value"], "7", "its locals can be read")
    like(d.error("jump 5"), "cannot jump in thread %d: it is not the stopped thread; 'thread 1' selects that" % rows["worker"]["thread"],
         "a thread that is only looked at cannot jump")
    like(d.error("thread 99"), "no thread 99", "a thread that does not exist is refused")
    d.go("next")
    is_((d.stop["thread"], d.frame["line"]), (rows["worker"]["thread"], d.line_of("return n")),
        "a step continues in the thread that is looked at")
    d.run_out()
    is_(d.exited["status"], 0, "the program ends well after it")

with Cdbg("""
    def gen():
        try:
            for k in range(3):
                yield k
        finally:
            done = True


    g = gen()
    s = [x for x in g]
    big = list(range(10 ** 6))
    text = "tab\\there\\x1b[31m" + "x" * 500
    print(len(s))
""") as d:
    d.do("break %d" % d.line_of("print(len(s))"))
    d.go()
    here = named(d.rows("info locals"))
    ok(len(here["big"]["value"]) < 300 and "more" in here["big"]["value"], "a list of a million is a bounded summary", here["big"]["value"][:400])
    ok(len(here["text"]["value"]) < 300 and "\x1b" not in here["text"]["value"], "a long text is cut, its control characters shown")
    status, out, err = run(d.path, commands=["break %d" % d.line_of("print(len(s))"), "continue", "locals", "info threads",
                                             "info breakpoints", "info frames", "continue"])
    like(out, r"^big += \[0, 1, 2", "people read locals as name = value")
    like(out, r"names like __name__ omitted", "names like __name__ are omitted for people, with a note")
    like(out, r"^ +thread +(name +)?function +file +line$", "a table has its headings")
    like(out, r"^=> +1 +(MainThread +)?<module> ", "and an arrow at the current row")
    unlike(out, r"^ +level .* entry", "a column that has nothing in any row is left out")
    like(out, r"^1 +breakpoint +keep +y +.*prog\.py:\d+", "breakpoints are listed as gdb lists them")
    like(out, r"already hit 1 time$", "with their hits")
done()
