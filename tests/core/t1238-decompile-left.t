#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that leave with and try statements in several ways are compiled again and do the same, also where __exit__()
raises an exception on the way and another with statement swallows it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import outcomes

SAMPLE = r'''
def nested(f):
    with Manager(f, "a"):
        with Manager(f, "b"):
            while True:
                if f("line"):
                    f("use")
                else:
                    break
            if f("unwrap"):
                f("unwrapped")
    return f("end")

def copied(f):
    if f("follow"):
        with Manager(f, "a"):
            try:
                with Manager(f, "b"):
                    if f("fast"):
                        try:
                            f("first")
                            return 1
                        except ValueError:
                            pass
                    elif f("second"):
                        f("copy")
                        return 2
                    f("third")
            except ValueError:
                f("handled")
                raise KeyError
    return 3

def waits(f):
    with Manager(f, "a"):
        if f("block"):
            if f("timeout"):
                while not f("size"):
                    if f("late"):
                        raise KeyError
                    f("wait")
            else:
                while not f("size"):
                    f("wait")
                    if f("closed"):
                        raise ValueError
        elif f("size"):
            raise KeyError
        f("taken")
        return f("item")

def looped(f):
    while f("more"):
        with Manager(f, "a"):
            with Manager(f, "b"):
                if f("on"):
                    continue
                if f("out"):
                    break
            f("within")
        f("after")
    return f("end")

def again(f):
    for i in 1, 2:
        while f("more"):
            if f("out"):
                break
            try:
                return f("value")
            except ValueError:
                f("handled")
            if f("on"):
                f("n")
    if f("x") or (f("y") if f("z") else f("w")):
        f("p")
    else:
        try:
            f("q")
        finally:
            f("r")
    return f("end")

def default(f):
    if f("test"):
        return (lambda q=((f("a") and f("b")) or f("c")): q)()

def assigned(f):
    b = f("first")
    return f((b, [(b := c) for c in (1, 2) if f("test")], b)) or (b, f([(b := c) for c in (3, 4)]))

def ended(f):
    try:
        while f("more"):
            if f("out"):
                break
            try:
                f("try")
            finally:
                f("inner")
    except ValueError:
        f("handled")
    finally:
        f("outer")
    return f("end")
'''

results, errors = outcomes(SAMPLE)
for name, result in results.items():
    is_(result, "same", name + " does the same")
is_(len(results), 8, "all were tried: " + errors)
done()
