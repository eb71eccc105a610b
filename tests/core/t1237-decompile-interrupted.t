#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions at unusual places: within __exit__() while several with statements are left, and within a clause while
another exception is to be raised again.  What cannot be written truly is refused."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import outcomes

SAMPLE = r'''
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

results, errors = outcomes(SAMPLE)
for name, result in results.items():
    ok(result == "same" or ", at line " in result, name + " does the same, or is refused with its line", result)
is_(len(results), 4, "all were tried: " + errors)
is_(results.get("removed"), "same", "a clause within a finally clause is written")
done()
