#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions at unusual places: within __exit__() while several with statements are left, and within a clause while
another exception is to be raised again.  What cannot be written truly is refused."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import environment, PATIENCE

SAMPLE = r'''
class Manager:
    def __init__(self, f, name):
        self.f, self.name = f, name
    def __enter__(self):
        return self.f("in " + self.name)
    def __exit__(self, kind, value, tb):
        return self.f("out %s %s" % (self.name, value)) == "swallow"

def left(f):
    try:
        f("begin")
    finally:
        with Manager(f, "a"), Manager(f, "b"):
            f("within")
        try:
            return f("end")
        finally:
            f("last")

def removed(f):
    try:
        f("try")
    finally:
        f("finally")
        if f("test"):
            try:
                f("remove")
            except ValueError:
                pass

def looped(f):
    try:
        f("try")
    finally:
        while f("test"):
            try:
                f("remove")
            except ValueError:
                break

def outer(f):
    try:
        with Manager(f, "a"):
            while f("more"):
                if f("out"):
                    break
                f("on")
            else:
                return "else"
            f("after")
    except ValueError:
        f("handled")
    return f("end")
'''

CHECK = r'''
import itertools, sys, types
sys.path.insert(0, %r)
import cdbg
import sample

def outcome(f, answers):
    log = []
    def call(what):
        log.append(what)
        answer = answers[len(log) - 1] if len(log) <= len(answers) else ""
        if answer in ("ValueError", "KeyError"):
            raise (ValueError if answer == "ValueError" else KeyError)(what)
        return answer
    try:
        return repr((f(call), log))
    except Exception as e:
        return repr((e, e.__context__, log))

for name in "left", "removed", "looped", "outer":
    f = getattr(sample, name)
    try:
        g = types.FunctionType(cdbg.recompile(f.__code__), vars(sample))
    except ValueError as e:
        print(name, "refused" if ", at line " in str(e) else str(e))
        continue
    wrong = [a for a in itertools.product(["", "yes", "swallow", "ValueError", "KeyError"], repeat=6)
             if outcome(f, a) != outcome(g, a)]
    print(name, wrong and (wrong[0], outcome(f, wrong[0]), outcome(g, wrong[0])) or "same")
'''
folder = os.path.dirname(script(SAMPLE, "sample.py"))
made = subprocess.run([interpreter(), script(CHECK % folder, "check.py", folder)], capture_output=True, text=True,
                      timeout=PATIENCE, env=environment())
lines = made.stdout.splitlines()
for line in lines:
    name, _, result = line.partition(" ")
    ok(result in ("same", "refused"), name + " does the same, or is refused with its line", result)
ok(len(lines) == 4, "all were tried", made.stdout + made.stderr)
ok("removed same" in lines, "a clause within a finally clause is written", made.stdout)
done()
