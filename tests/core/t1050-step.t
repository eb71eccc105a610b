#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stepping plain Python: instructions, lines, over and into calls, out of them, through loops, recursion, generators."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

CALLS = """
    def inner(n):
        m = n * 2
        return m + 1


    def outer(n):
        a = inner(n)
        b = inner(a)
        return a + b


    x = outer(3)
    y = sorted([3, 1, 2], key=lambda k: -k)
    print(x, y)
"""

with Cdbg(CALLS) as d:
    is_((d.reason, d.frame["function"], d.frame["line"], d.frame["kind"]), ("start", "<module>", 1, "user"),
        "the program stops before its first line")
    d.do("break outer")
    stop = d.go()
    is_((stop["reason"], d.frame["function"], d.frame["line"]), ("breakpoint", "outer", 7), "break FUNC stops at its first line")
    d.go("step")
    is_((d.frame["function"], d.frame["line"]), ("inner", 2), "step goes into a call")
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("inner", 3), "next continues to the next line")
    stop = d.go("next")
    is_((stop["reason"], stop.get("value"), d.frame["function"]), ("return", "7", "inner"),
        "next stops at the return with the value, the frame still there")
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("outer", 8), "from there it continues in the caller, at its next line")
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("outer", 9), "next goes over a call")
    stop = d.go("finish")
    is_((stop["reason"], stop.get("value"), d.frame["function"]), ("return", "22", "outer"), "finish stops at the return")
    d.go("finish")
    is_((d.reason, d.frame["function"]), ("step", "<module>"), "finish at the return goes out to the caller")
    d.go("next")
    is_(d.frame["line"], d.line_of("sorted"), "next in the module's frame, which ran before it was stepped")
    d.go("step")
    is_((d.frame["function"], d.frame["line"]), ("<lambda>", d.line_of("sorted")), "step goes into a function called back from C")
    d.run_out()
    is_(d.out, "22 [3, 2, 1]\n", "the result is the same after it")

with Cdbg(CALLS) as d:
    d.do("break inner")
    d.go()
    d.do("delete")
    seen = []
    while d.frame["function"] == "inner":
        seen.append(d.frame["opname"])
        d.go("stepi")
    seen = [{"LOAD_FAST_BORROW": "LOAD_FAST", "LOAD_SMALL_INT": "LOAD_CONST"}.get(name, name) for name in seen]     # 3.14
    is_(seen, ["LOAD_FAST", "LOAD_CONST", "BINARY_OP", "STORE_FAST", "LOAD_FAST", "LOAD_CONST", "BINARY_OP", "RETURN_VALUE"],
        "stepi stops at each instruction")
    is_((d.frame["function"], d.frame["opname"]), ("outer", "STORE_FAST"), "and then in the caller, after the call")
    d.go("stepi 3")
    halves = ["PRECALL", "CALL"] if d.ready["python"].startswith("3.11.") else ["CALL"]
    is_(d.frame["opname"], halves[0], "stepi N makes N steps")
    for _ in halves:
        d.go("nexti")
    is_((d.frame["function"], d.frame["opname"]), ("outer", "STORE_FAST"), "nexti goes over the call")
    d.run_out()
    is_(d.out, "22 [3, 2, 1]\n", "the result is the same after that too")

LOOP = """
    def walk(n):
        total = 0
        for k in range(n):
            if k == 2:
                total += 100
            total += k
        return total


    def fact(n):
        if n < 2:
            return 1
        return n * fact(n - 1)


    def gen(n):
        for k in range(n):
            yield k
        yield -1


    def use():
        one, two = gen(2), gen(2)
        a = next(one)
        b = next(two)
        c = next(one)
        return a, b, c


    print(walk(4), fact(4), use())
"""

with Cdbg(LOOP) as d:
    d.do("tbreak walk")
    d.go()
    lines = []
    while d.reason != "return":
        lines.append(d.frame["line"])
        d.go("next")
    is_(lines, [2, 3, 4, 6, 3, 4, 6, 3, 4, 5, 6, 3, 4, 6, 3, 7], "next follows a loop line by line")
    d.do("tbreak fact if n == 2")
    d.go()
    is_((d.frame["function"], d.rows("info locals")[0]["value"]), ("fact", "2"), "a condition chooses the activation")
    d.go("next")
    is_((d.frame["line"], d.rows("info locals")[0]["value"]), (13, "2"), "next stays in its activation")
    stop = d.go("next")
    is_((stop["reason"], stop["value"], d.rows("info locals")[0]["value"]), ("return", "2", "2"),
        "next over the recursive call stops at its own return, not at the inner one's")
    d.go("finish")
    stop = d.go("finish")
    is_((stop["reason"], stop["value"]), ("return", "6"), "finish from there is the next activation's return")
    d.do("tbreak use")
    d.go()
    d.go("next")
    d.go("step")
    is_((d.frame["function"], d.frame["line"]), ("gen", 17), "step goes into a generator that is started")
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("gen", 18), "and steps in it")
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("use", 25), "a yield goes back to who asked")
    d.run_out()
    is_(d.out, "106 24 (0, 0, 1)\n", "the result is the same")

with Cdbg(LOOP) as d:
    d.do("break walk")
    d.go()
    d.do("next")
    d.wait()
    d.go("until 7")
    is_((d.frame["function"], d.frame["line"]), ("walk", 7), "until LINE runs to that line")
    d.go("advance fact")
    is_((d.reason, d.frame["function"]), ("return", "walk"), "advance stops at the frame's return if that comes first")
    d.go("finish")
    d.go("advance fact")
    is_(d.frame["function"], "fact", "advance FUNC runs to it")
    d.run_out()

with Cdbg("""
    import asyncio


    async def inner(n):
        await asyncio.sleep(0)
        return n * 2


    async def outer():
        a = await inner(1)
        b = await inner(2)
        return a + b


    async def main():
        return await asyncio.gather(outer(), outer())


    print(asyncio.run(main()))
""") as d:
    d.do("tbreak outer")
    d.go()
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("outer", d.line_of("inner(2)")), "next over an await stays in its coroutine")
    d.go("step")
    is_(d.frame["function"], "inner", "step goes into what is awaited")
    d.run_out()
    is_(d.out, "[6, 6]\n", "the result is the same")
done()
