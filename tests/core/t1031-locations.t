#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Locations: each form, what it leads to, and the error when it leads nowhere."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = '''
    import functools
    import json

    def f(n):

        # nothing here
        total = [a          # f.first
                 for a in range(n)]
        big = max(          # f.call
            n,
            3,
        )
        return big

    class C:
        def method(self):
            return 1        # C.method

        def outer(self):
            def inner():
                return 2    # inner
            return inner()  # outer.return

        @staticmethod
        def static():
            return 3        # static

    def deco(g):
        @functools.wraps(g)
        def wrapper(*args):
            return g(*args) # wrapper
        return wrapper

    @deco
    def wrapped():
        return 4            # wrapped

    def gen():
        x = 1               # gen
        yield x

    def cleanup(fail):
        try:
            1 / fail
        finally:
            fail = None     # finally
        return fail

    one_line = lambda v: v + 1

    def loops(n):
        for k in range(n):  # loops
            pass

    def main():
        none = None; return none    # main

    main()
    f(2)
    import other
    other.late(1)
    C().method()
    C().outer()
    C.static()
    wrapped()
    list(gen())
    cleanup(1)
    try:
        cleanup(0)
    except ZeroDivisionError:
        pass
    one_line(1)
    loops(3)
    print(json.dumps([1]))
'''
OTHER = '''
    def late(n):
        return n            # late
'''


def at(location, *more, program=PROGRAM):
    """(function, line) of each stop that a breakpoint at this location makes; its answer as the first."""
    with Cdbg(program) as d:
        script(OTHER, "other.py", os.path.dirname(d.path))
        text = d.do("break " + location)["text"]
        found = []
        while not d.exited:
            d.go()
            if not d.exited:
                found.append((d.frame["function"], d.frame["line"]))
        return [text] + found


path = script(PROGRAM)


def line(text):
    return line_of(path, text)


is_(at("main")[1:], [("main", line("# main"))], "FUNC: its first line")
is_(at("method")[1:], [("method", line("# C.method"))], "a bare name finds methods")
is_(at("C.method")[1:], [("method", line("# C.method"))], "Class.method")
is_(at("inner")[1:], [("inner", line("# inner"))], "a bare name finds nested functions")
is_(at("C.outer.inner")[1:], [("inner", line("# inner"))], "a qualified name without <locals> finds them too")
is_(at("static")[1:], [("static", line("# static"))], "static methods")
is_(at("wrapped")[1:], [("wrapped", line("# wrapped"))], "a decorated function is what the user wrote")
is_([s[0] for s in at("C")[1:]], ["method", "outer", "static"], "a class is its methods")
is_(at("gen")[1:], [("gen", line("# gen"))], "a generator stops when it starts to run, not when it is made")
is_(at("prog.py:main")[1:], [("main", line("# main"))], "FILE:FUNC")
got = at("json.dumps")
is_(got[1:2] and got[1][0], "dumps", "module.FUNC for code that is not the program's")
is_(len(got), 2, "once")

got = at("%d" % line("# C.method"))
is_(got[1:], [("method", line("# C.method"))], "LINE: in the file of the selected frame")
is_(at("prog.py:%d" % line("# inner"))[1:], [("inner", line("# inner"))], "FILE:LINE")
with Cdbg(PROGRAM) as d:
    script(OTHER, "other.py", os.path.dirname(d.path))
    tail = os.path.join(os.path.basename(os.path.dirname(d.path)), "prog.py")
    like(d.do("break %s:%d" % (tail, line("# main")))["text"], "^breakpoint 1 at", "a file may be given by a tail of its path")
    like(d.do("break %s:%d" % (d.path, line("# main")))["text"], "^breakpoint 2 at", "or by the whole of it")
    like(d.do("break xprog.py:3")["text"], "pending", "but not by another name's end")
    like(d.error("break 9999"), "no code at or after line 9999.*last line with code is \\d+", "a line after the end is refused")
    d.do("delete")
    d.do("break main")
    d.go()
    here = d.frame["line"]
    like(d.do("break +1")["text"], "prog.py:%d|prog.py:%d" % (here + 1, here + 2), "+N counts from the selected frame's line")
    like(d.do("break")["text"], "prog.py:%d" % here, "no location is the selected frame's")
    like(d.do("break .")["text"], "prog.py:%d" % here, "and so is a dot")
    like(d.do("break if 1 < 2")["text"], "prog.py:%d" % here, "a condition is valid without a location")
    d.do("delete")
    like(d.do("break C().method")["text"], "\\(method\\)", "an expression that gives a method")
    like(d.do("break (lambda v: v)")["text"], "\\(<lambda>\\)", "an expression that gives a function")
    like(d.do("break functools.partial(f, 1)")["text"], "\\(f\\)", "a partial leads to its function")
    like(d.error("break len"), "'len' has no Python code", "a function in C is refused")
    like(d.error("break main()"), "no Python code", "an expression that gives none is refused")
    like(d.error("break 1 +"), "SyntaxError", "a syntax error is refused")
    like(d.do("break nosuch")["text"], "breakpoint \\d+ is pending: no function 'nosuch' yet", "an unknown name is waited for")
    like(d.error("break main@frob"), "unknown region 'frob'.*graph call", "an unknown region is refused, with those there are")
    like(d.error("break opcode:FROB"), "unknown opcode 'FROB'", "an unknown opcode is refused")
    like(d.error("break *"), "invalid location", "a mark with nothing after it is refused")
    d.run_out()

got = at("%d" % line("# nothing here"))
is_(got[1:], [("f", line("# f.first"))], "a line without code stops at the next one that has some")
like(got[0], "line %d has no code: using line %d instead" % (line("# nothing here"), line("# f.first")), "and reports it")
is_(at("%d" % line("# f.first"))[1:], [("f", line("# f.first"))],
    "a comprehension on the line makes no second stop, nor does its second half")
is_(at("%d" % line("# f.call"))[1:], [("f", line("# f.call"))], "a call over several lines stops once")
is_(at("%d" % (line("# f.first") + 1))[1:][:1], [("f", line("# f.first") + 1)], "its second line is a place of its own")
is_(at("%d" % line("# finally"))[1:], [("cleanup", line("# finally"))] * 2,
    "a finally stops both on the way out and on an exception")
is_(at("%d" % line("# loops"))[1:], [("loops", line("# loops"))] * 4, "a loop's own line stops before each round, and the end")
is_(at("%d" % line("one_line ="))[1:], [("<module>", line("one_line =")), ("<lambda>", line("one_line ="))],
    "a lambda on the line is code of its own")
is_(at("%d" % line("class C:"))[1:], [("<module>", line("class C:"))], "a class stops once, where it is made")

got = at("late")
is_(got[1:], [("late", line_of(script(OTHER, "other.py"), "# late"))], "what is imported later is stopped then")
like(got[0], "pending: no function 'late' yet", "after it was pending")
is_(at("other.py:2")[1:], [("late", 2)], "so is a line of a file that is imported later")
is_(at("other.late")[1:], [("late", 2)], "and module.FUNC")
is_(at("json.encoder.JSONEncoder.encode")[0:1] and at("json.encoder.JSONEncoder.encode")[1][0], "encode",
    "also of a module that is not the program's, before it is imported")
is_(at("shutil.which", program="""
    import shutil
    shutil.which("nothing-of-this-name")
    """)[1][0], "which", "one that is loaded already too")

# So many that it never ends when each of them has all that came before looked through for each breakpoint.
with Cdbg("""
    body = compile("\\n".join("def f%d(): pass" % k for k in range(300)), __file__, "exec")
    def mine():
        return 1
    for k in range(3000):
        exec(body.replace(co_filename="%s/module%d.py" % (__file__, k)), {})
    exec(compile("def late(): return mine()", __file__ + "/last.py", "exec"))
    print(late())
    """) as d:
    for place in ["mine"] * 5 + ["late", "no.such.name", "nosuch.py:3", "nosuch.py:f", "*2"]:
        d.do("break " + place)
    d.go()
    is_(d.frame["function"], "late", "a program of thousands of modules is not slow to load where breakpoints are set")
    is_(d.go() and d.frame["function"], "mine", "nor to be stopped later")
    d.do("delete")
    d.run_out()

with Cdbg(PROGRAM) as d:
    script(OTHER, "other.py", os.path.dirname(d.path))
    d.do("break main")
    d.go()
    code = d.rows("info code")
    ends = [r for r in code if r["opname"].startswith("RETURN_")][-1]       # 3.12 has handlers behind it
    offset, index = ends["offset"], ends["index"]
    d.do("delete")
    like(d.do("break *%d" % offset)["text"], "\\(main\\) at %d$" % offset, "*OFFSET is in the selected frame's code")
    d.do("break #%d" % index)
    second = 2 if version() < (3, 15) else 4
    d.do("break f*%d" % second)
    like(d.do("break f#0")["text"], "RESUME at 0 gives no event: the breakpoint stops at %d" % second, "where no event comes, the answer says where it stops")
    like(d.error("break *5000"), "no offset 5000: the last instruction of 'main' is at %d" % code[-1]["offset"], "an offset after the end is refused")
    like(d.error("break #500"), "no instruction 500: the last one of 'main' is %d" % code[-1]["index"], "an index after the end is refused")
    stop = d.go()
    is_((stop["frame"]["offset"], stop["number"]), (offset, 2), "it stops there")
    is_([r["hits"] for r in d.rows("info breakpoints")][:2], [1, 1], "both are one place, and both are hit")
    d.go()
    is_((d.frame["function"], d.frame["offset"]), ("f", second), "FUNC*OFFSET and FUNC#INDEX")
    notes = [r["notes"] for r in d.rows("info breakpoints") if r["notes"]]
    like("\n".join(notes), "RESUME at 0 gives no event", "the table says it too")
    d.run_out()

with Cdbg(PROGRAM) as d:
    script(OTHER, "other.py", os.path.dirname(d.path))
    d.do("break opcode:YIELD_VALUE")
    d.go()
    is_((d.frame["function"], d.frame["opname"]), ("gen", "YIELD_VALUE"), "opcode:NAME stops before each of them in the program's code")
    like(d.do("break opcode:yield_v")["text"], "breakpoint 2", "names may be short and in lower case")
    d.run_out()

# A line that heads a loop is reached once before the loop and once after each round, as pdb has it.
LOOPS = '''
    import asyncio

    def counts(n):
        for k in range(n):      # for
            if k == 1:
                continue
            k += 1

    def tests(n):
        while n > 0:            # while
            n -= 1

    def spans(a, b):
        while (a and            # spans
               b):
            b -= 1

    def one_line(n):
        for k in range(n): pass # one line

    def nested(n):
        for a in range(n):
            for b in range(n):  # inner
                pass

    def calls(n):
        for a in range(n):
            max(a,              # call
                n)

    def cleans(n):
        for k in range(n):
            with open("/dev/null"):     # with
                pass

    def recurses(n):
        for k in range(n):      # recursive
            recurses(n - 1)

    async def ticks(n):
        for k in range(n):
            yield k

    async def waits(n):
        async for k in ticks(n):        # async
            pass

    counts(3), tests(3), spans(1, 3), one_line(3), nested(2), calls(3), cleans(2), recurses(2), asyncio.run(waits(3))
'''
loops_path = script(LOOPS)
for mark, times, what in (("# for", 4, "a for loop, left by continue too"),
                          ("# while", 4, "a while loop"),
                          ("# spans", 4, "a while loop whose test spans lines"),
                          ("# one line", 4, "a loop on one line"),
                          ("# inner", 6, "an inner loop"),
                          ("# call", 3, "a call over several lines: not at its second half"),
                          ("# with", 2, "a with statement: not at its end"),
                          ("# recursive", 3 + 2 * (2 + 1), "a recursive loop"),
                          ("# async", 4, "an async for")):
    is_(len(at(str(line_of(loops_path, mark)), program=LOOPS)) - 1, times, "%s stops each time its line is reached" % what)
done()
