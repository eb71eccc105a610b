#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""blame says before it runs anything what it cannot run: an entry that the call would not use, what cannot be copied or undone; -f runs that all the
same.  It judges no call that both ways end by the same exception."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
PROGRAM = '''
    import socket, tempfile, torch

    calls = []
    def plain(x, n):
        return x * n
    def begun(x, it):
        torch._dynamo.graph_break()
        return x + next(it)
    def files(x, path):
        with open(path, "a") as f:
            f.write("a line\\n")
        return x + 1
    def yields(x):
        yield x + 1
    def raises(x, log):
        log.append(1)
        torch._dynamo.graph_break()
        raise KeyError("in both")
    def recursive(x, n):
        return x if n == 0 else again(x, n - 1) + 1
    def many(x):
        for i in range(3):
            x = x + 1
        return x
    def skipped(x):
        return x
    def spins(x):
        torch._dynamo.graph_break()
        while go_on:
            pass
        return x

    go_on = False
    x, path, items = torch.ones(3), tempfile.mktemp(), iter([1.0])
    numbers = (float(i) for i in range(9))
    again = torch.compile(recursive, backend="eager", dynamic=False)
    again(x, 2)
    for f, args in ((plain, (x, 2)), (begun, (x, (float(i) for i in (1, 2)))), (files, (x, path)), (raises, (x, [])), (many, (x,)), (spins, (x,)), (skipped, (x,))):
        try:
            torch.compile(f, backend="eager", dynamic=False)(*args)
        except KeyError:
            pass

    def stop():
        pass

    stop()
    print("end", next(numbers), len(open(path).readlines()), calls)
    go_on = True
    stop()
    print("never")
'''

with Cdbg(PROGRAM) as d:
    d.do("break stop")
    d.go()
    d.do("up")
    ids = {r["function"]: r["entry"] for r in reversed(d.rows("info entries"))}
    like(d.error("blame plain with x=x n=3"), r"^nothing was run: no entry of 'plain' fits this call(.*\n)*.*n == 2", "a call that would compile")
    like(d.error("blame %s with x=x n=3" % ids["plain"]), r"^nothing was run: this call does not use entry(.*\n)*.*n == 2(.*\n)*'blame -f",
         "an entry that the call would not use: with the guard")
    like(d.text("blame -f %s with x=x n=3" % ids["plain"]), "^Dynamo's capture is wrong", "... -f runs it")
    like(d.text("blame %s with x=x n=2" % ids["plain"]), "^no fault: the call is equal to eager", "an entry that it uses")
    like(d.error("blame plain"), "no value for 'x'", "values that are missing")
    like(d.error("blame nosuch"), "nosuch", "a function that is not there")
    like(d.error("blame -x plain"), "unknown flag '-x'", "an unknown flag")
    like(d.error("blame skipped with x=x"), "^nothing was run: Dynamo skipped 'skipped', whose calls run in eager: .*\n'explain skipped'", "a function that Dynamo skipped")
    like(d.error("blame"), "the selected frame runs no function that Dynamo compiled", "no function")
    like(d.error("blame begun with x=x it=numbers"), r"^nothing was run: what it may change cannot be restored: the state of a generator \(it\)",
         "a generator that has begun")
    like(d.error("blame files with x=x path=path"), "'files' names 'open': what it does to files cannot be undone", "a function that writes files")
    like(d.text("blame -f files with x=x path=path"), "^no fault", "... -f runs it")
    like(d.text("blame raises with x=x log=calls"), "^no fault: the call is equal to eager", "both raise the same")
    like(d.text("blame recursive with x=x n=2"), "^no fault: the call is equal to eager", "a function that calls itself")
    d.do("break many")
    d.do("python torch.compile(many, backend='eager')(x)")
    d.do("delete 2")
    d.go()
    lines = d.out
    like(lines, r"end 0\.0 \d+ \[\]", "the generator and the list are as they were")
    d.do("up")
    d.send("blame spins with x=x")
    d.send("interrupt")
    reply = d.answer("blame spins with x=x")
    d.answer("interrupt")
    like(str(reply.get("error")), "interrupt|KeyboardInterrupt", "a call that never ends is interrupted")
    is_(d.text("print go_on, x.tolist()"), "(True, [1.0, 1.0, 1.0])", "... and the state is as it was")
    d.run_out()
done()
