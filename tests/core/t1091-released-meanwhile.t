#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What commands release while another thread, or an evaluation below them, still uses it; finalizers that come back to
# cdbg in the middle of its own work.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

FREED = {"PYTHONMALLOC": "debug", "MALLOC_PERTURB_": "165"}     # what is freed is overwritten at once

# The worker's condition waits in the middle of its evaluation until the prompt of the main thread lets it continue.
WAITS = """
    import threading

    inside, over = threading.Event(), threading.Event()
    results = []

    def held(n):
        inside.set()
        over.wait()
        return n

    def work():
        x = 1
        for i in range(3):
            x = one(i)
        results.append(x)

    def one(i):
        return i

    def here():
        return 1

    t = threading.Thread(target=work)
    t.start()
    inside.wait()
    here()
    over.set()
    t.join()
    print(results)
"""
CHANGES = (
    ("condition 1 False", "condition N EXPR"),
    ("condition 1", "condition N without an expression"),
    ("delete 1", "delete"),
    ("delete", "delete of all"),
    ("clear one", "clear"),
    ("tbreak one", "tbreak at the same place"),
    ("commands 1\nsilent\ninfo locals\nend", "commands"),
)
for condition in "held(i) < 0", "held(i) / 0":
    for line, name in CHANGES:
        with Cdbg(WAITS, env=FREED) as d:
            d.do("break one if " + condition)
            d.do("break here")
            d.go()
            while d.frame["function"] != "here":
                d.go()
            for part in line.split("\n"):
                d.do(part)
            for i in range(3):
                d.do("break here if %d == %d" % (i, i + 1))     # takes the memory that was freed
            d.do("p [str(i) * 40 for i in range(50)][:1]")
            d.do("p over.set()")
            d.run_out()
            is_((d.out, d.exited["status"]), ("[2]\n", 0),
                "%s while another thread evaluates the condition '%s'" % (name, condition))
            failed = [n["text"] for n in d.notes if "failed" in n["text"]]
            if "/" in condition:
                ok(all("condition 'held(i) / 0' of breakpoint 1 failed" in text for text in failed),
                   "%s: a note about the old condition quotes the old condition" % name, failed)

# A name is bound to another function: the old code dies with what was armed in it.  What its constants hold is
# finalized, and the finalizer binds the next name and runs a module body, which arms again.
FINALIZER = """
    import os, types

    def f(x):
        return x + 1

    def fresh():
        code = f.__code__.replace(co_consts=f.__code__.co_consts + (Dies(),))
        return types.FunctionType(code, globals())

    class Dies:
        def __del__(self):
            died.append(len(died))
            again(len(died))

    def body(n):
        exec(compile("def g%d():\\n    return %d\\n" % (n % 6, n), __file__, "exec"), {})

    def again(n):
        if n <= 30:
            globals()["g%d" % (n % 6)] = fresh()
            body(n)

    def here():
        return 1

    died = []
    for i in range(6):
        globals()["g%d" % i] = fresh()
    here()
    again(0)
    here()
    for i in range(6):
        globals()["g%d" % i] = None
    again(31)
    body(0)
    here()
    print(f(1))
"""
for lines, name in ((["delete 2-4"], "delete"), (["delete"], "delete of all"), (["disable 2-4"], "disable"),
                    (["info breakpoints", "enable", "break f", "clear f"], "enable and break")):
    with Cdbg(FINALIZER, env=FREED) as d:
        d.do("break here")
        d.go()
        for i in range(6):
            d.do("break g%d" % i)
        d.do("tbreak f")
        while not d.exited:
            d.go()
            for line in lines if not d.exited else ():
                d.cmd(line)
        is_((d.out, d.exited["status"]), ("2\n", 0), "%s where armed code dies and its finalizer runs module bodies" % name)
done()
