#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions: caught ones with catch exception, uncaught ones post mortem, those that pass a stepped frame."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

RAISES = """
    import json


    def bad(n):
        return {}[n]


    def middle(n):
        try:
            return bad(n)
        finally:
            seen.append(n)


    def top(n):
        try:
            return middle(n)
        except KeyError as e:
            return "caught %s" % e


    seen = []
    print(top(1))
    for k in iter([1, 2]):
        pass
    try:
        json.loads("{")
    except ValueError:
        print("value")
    print(seen)
"""
with Cdbg(RAISES) as d:
    d.do("catch exception")
    stop = d.go()
    is_((stop["reason"], stop["type"], stop["message"], d.frame["function"]), ("exception", "KeyError", "1", "bad"),
        "catch exception stops where it is raised, with type and message")
    stop = d.go()
    is_((stop["reason"], stop.get("type")), ("exception", "JSONDecodeError"),
        "once for each exception, not again in frames it passes; library code's are seen where they pass user code")
    d.run_out()
    is_(d.out, "caught 1\nvalue\n[1]\n", "the program catches them as ever")

with Cdbg(RAISES) as d:
    d.do("catch exception ValueError")
    stop = d.go()
    is_((stop["reason"], stop["type"]), ("exception", "JSONDecodeError"), "catch exception TYPE takes subclasses, and no others")
    d.run_out()

with Cdbg(RAISES) as d:
    d.do("break bad")
    d.go()
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("middle", d.line_of("seen.append")), "next follows an exception to the finally block")
    d.go("next")
    is_((d.frame["function"], d.frame["line"]), ("top", d.line_of("except KeyError")), "and to the handler")
    d.run_out()
    is_(d.out, "caught 1\nvalue\n[1]\n", "the result is the same")

DIES = """
    def f(n):
        local = n * 2
        raise ValueError("no %d" % local)


    def g(n):
        kept = "here"
        f(n)


    g(21)
"""
want = bare(DIES.strip("\n") and script(DIES))
with Cdbg(DIES) as d:
    stop = d.go()
    is_((stop["reason"], stop["type"], stop["message"], d.frame["function"]), ("exception", "ValueError", "no 42", "f"),
        "an exception that nobody caught stops post mortem")
    is_([r["value"] for r in d.rows("info locals") if r["name"] == "local"], ["42"], "the dead frame's locals are readable")
    d.do("up")
    is_([r["value"] for r in d.rows("info locals") if r["name"] == "kept"], ["'here'"], "and its caller's")
    like(d.error("next") or "", "the exception has ended the program's frames", "stepping there is refused with the reason")
    d.run_out()
    is_(d.exited["status"], 1, "the status is Python's")
    is_(d.err.splitlines()[-1], want[2].splitlines()[-1], "the traceback is Python's")
    is_(len(d.err.splitlines()), len(want[2].splitlines()), "without a frame of cdbg's")

with Cdbg(DIES) as d:
    d.do("set post-mortem off")
    d.go()
    ok(d.exited, "set post-mortem off lets it end")
done()
