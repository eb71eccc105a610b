#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A try statement within a with statement, whose ways out return, break or continue: each is where it was written, and no jump is
left.  The code compiled from these texts does the same, whatever is raised or swallowed."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

WRITTEN = r'''
def finally_between(cm, f):
    with cm as c:
        try:
            if f():
                return 1
            c.use()
        finally:
            c.end()
        return c.value()

def value_waits(cm, f):
    with cm:
        try:
            x = f()
            return x
        finally:
            print('fin')

def three_ways(cm, f):
    with cm:
        try:
            x = f()
        except ValueError as e:
            if e.args:
                return e.args[0]
            x = 1
        except KeyError as e:
            return str(e)
        return x

def two_values(f, cm):
    with cm:
        try:
            y = f(1)
            if y:
                return y, 1
        except ValueError as e:
            return str(e), 2
        return y, 3

def in_a_loop(cm, items, f):
    with cm:
        for i in items:
            try:
                if i == 2:
                    break
                if i == 3:
                    return i
                f(i)
            except ValueError as e:
                print(e)
                if f(e):
                    break
                return e.args
            finally:
                print('fin')
        return 1

def loop_around(f, a):
    while True:
        with a:
            try:
                y = f()
            except ValueError as e:
                print(e)
                continue
            except KeyError:
                return None
            finally:
                print('f')
            return y

def two_managers(f, items, a, b):
    for x in items:
        with a, b:
            if x == 1:
                continue
            if x == 2:
                break
            if x == 3:
                return x, 1
            f(x)
        f(2)
    else:
        f(3)
    z = f(4)
    return z, f(5)

def tries_in_tries(f, a, b):
    try:
        with a:
            try:
                with b:
                    if f(1):
                        return 1
                    x = f(2)
                    if x:
                        return x
            except ValueError:
                return 2
            except KeyError as e:
                return e
            f(3)
    except OSError as e:
        return e.errno
    finally:
        f(4)

def endless(f, a):
    with a as x:
        while True:
            try:
                return f(x)
            except ValueError as e:
                if not f(e):
                    raise
            except KeyError as e:
                last = e
                return last
    return last
'''
texts = decompiled(WRITTEN, "all of them are compiled again")
unlike(texts, r"\b_t\d", "no variable of the decompiler's own is in them")
# CPython 3.12 and later lead a break to a copy of what it leads to
as_written(WRITTEN if sys.version_info < (3, 12) else WRITTEN.replace("                break\n            finally",
                                                                     "                return None\n            finally"), texts)
same_outcomes(r'''
def returns(f):
    with Manager(f, "m"):
        try:
            if f("a"):
                return f("b")
        except ValueError as e:
            return str(e), f("c")
        finally:
            f("d")
        return f("e")

def named(f):
    with Manager(f, "m"):
        try:
            a = f("a")
        except ValueError as e:
            if f("b"):
                return e.args
            a = 2
        except KeyError as e:
            f("c")
            return 3
        return a
    return "after"

def loops(f):
    n = 0
    while f("more"):
        n += 1
        with Manager(f, "m"):
            try:
                if f("out"):
                    break
                if f("again"):
                    continue
                return n
            except KeyError as e:
                f("handled")
                continue
            finally:
                n += 10
        n += 100
    return n

def cleared(f):
    x = 0
    with Manager(f, "m"):
        try:
            x = f("a")
            if x:
                return x
        finally:
            x = 3
            f("b")
        return x
    return x, 1

def outer(f):
    for i in range(2):
        try:
            with Manager(f, "m"), Manager(f, "n"):
                try:
                    if f("a"):
                        continue
                    if f("b"):
                        break
                except KeyError as e:
                    return e.args
        except ValueError as e:
            continue
        finally:
            f("z")
    return i

def nested(f):
    with Manager(f, "m"):
        try:
            with Manager(f, "n"):
                while True:
                    try:
                        return f("a")
                    except ValueError as e:
                        if f("b"):
                            raise
                    except KeyError:
                        break
            return f("c")
        finally:
            f("d")
    return "end"
''', 6)
done()
