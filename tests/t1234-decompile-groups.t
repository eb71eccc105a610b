#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""except* is decompiled as such, and what is compiled again takes the same exceptions and raises the same."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import environment, PATIENCE

SAMPLE = r'''
def plain(f, log):
    try:
        f()
    except* ValueError as e:
        log.append(e.exceptions)
    except* (TypeError, KeyError):
        log.append('t')
    return 1

def all_of_it(f, log):
    try:
        f()
    except* OSError as e:
        log.append(str(e))
        raise
    except* ValueError:
        pass
    else:
        log.append('else')
    finally:
        log.append('finally')
    return log
'''

MORE = r'''
def nested(f, log):
    try:
        try:
            f()
        except* ValueError as e:
            log.append(("inner", e))
            raise KeyError(1) from e
        log.append("after")
    except* KeyError as e:
        log.append(("outer", e))
    log.append("end")

def in_loop(f, log):
    for i in range(3):
        try:
            f()
        except* ValueError as e:
            if i: log.append(len(e.exceptions))
        except* TypeError:
            for k in range(3):
                if k == 2: break
                log.append(k)
    return i

def within(f, log):
    with open("/dev/null") as null:
        try:
            f()
        except* ValueError as e:
            log.append(null.closed)
    return null.closed

def in_clause(f, log):
    try:
        raise RuntimeError("first")
    except RuntimeError:
        try:
            f()
        except* ValueError as e:
            log.append(e.__context__)
        except* KeyError:
            raise
    return log

def choice(f, log):
    try:
        f()
    except* ValueError as e:
        if log:
            log.append(1)
        elif e:
            log.append(2)
        else:
            raise OSError
    except* Exception:
        x = [i for i in log if i]
        log.append(x)

def cell(f, log):
    try:
        return f()
    except* ValueError as e:
        log.append(lambda: e)
    return "after"

def generator(f, log):
    try:
        yield 1
        f()
    except* ValueError as e:
        yield e.exceptions
    except* KeyError:
        yield "key"
    yield 3

def passes(f, log):
    try:
        f()
    except* ValueError:
        pass

def deletes(f, log):
    try:
        f()
    except* ValueError as e:
        del e
        log.append(1)
    return "e" in locals()

FUNCTIONS = [f for f in list(globals().values()) if callable(f)]

def uncovered(f, log):
    try:
        f()
    except* (ValueError if log else TypeError) as e:
        log.append(e)
'''

CHECK = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import sample
import more
print(cdbg.decompile(sample.plain), cdbg.decompile(sample.all_of_it), sep="\n", end="----\n")

V, T, K, O = ValueError("v"), TypeError("t"), KeyError("k"), OSError(2, "o")
G = ExceptionGroup
RAISED = [None, V, K, ZeroDivisionError(), KeyboardInterrupt(), G("g", [V]), G("g", [V, T, O]), G("g", [K, G("h", [V, T]), V]),
          G("g", [ZeroDivisionError(), V]), G("g", [O, O, T])]

def describe(e, depth=0):
    if e is None or depth > 4:
        return "."
    inner = [describe(x, depth + 1) for x in getattr(e, "exceptions", ())]
    return (repr(e), inner, describe(e.__cause__, depth + 1), describe(e.__context__, depth + 1))

def outcome(f, raised):
    log = []
    def g():
        if raised is not None:
            raise raised
        return "value"
    try:
        v = f(g, log)
        if isinstance(v, types.GeneratorType):
            v = list(v)
        v = repr(v)
    except BaseException as e:
        v = describe(e)
    for x in RAISED:
        if x is not None:
            x.__context__ = x.__cause__ = x.__traceback__ = None
    return v, repr([x if not callable(x) else "cell" for x in log])

refused, wrong = [], []
for f in [sample.plain, sample.all_of_it] + more.FUNCTIONS:
    try:
        g = types.FunctionType(cdbg.recompile(f.__code__), f.__globals__, f.__name__)
    except ValueError as e:
        refused.append(str(e))
        continue
    for raised in RAISED:
        if outcome(f, raised) != outcome(g, raised):
            wrong.append("%%s: %%s, %%s" %% (f.__name__, outcome(f, raised), outcome(g, raised)))
print(repr(refused), repr(wrong), sep="\n")
try:
    cdbg.recompile(more.uncovered)
except ValueError as e:
    print(e, more.uncovered.__code__.co_firstlineno)
print(cdbg.decompile(more.uncovered))
'''
if version() < (3, 11):
    skip_all("needs except*")
folder = os.path.dirname(script(SAMPLE, "sample.py"))
script(MORE, "more.py", folder)
made = subprocess.run([interpreter(), script(CHECK % folder, "check.py", folder)], capture_output=True, text=True,
                      env=environment(), timeout=120 * PATIENCE)
is_((made.returncode, made.stderr), (0, ""), "functions with except* go through the decompiler")
text, _, rest = made.stdout.partition("----\n")
is_(text, SAMPLE[1:], "they are written as a person writes them")
refused, wrong = (rest.splitlines() + ["", ""])[:2]
uncovered = "\n".join(rest.splitlines()[2:])
is_(wrong, "[]", "compiled again they take the same exceptions and raise the same")
is_(refused, "[]", "all of them are compiled again")
line = re.match(r"cannot recompile 'uncovered': CHECK_EG_MATCH, at line (\d+) (\d+)\n", uncovered)
ok(line and int(line[1]) == int(line[2]) + 3, "what is not covered is refused with its line", uncovered)
like(uncovered, r"(?m)^ +# +\d+ CHECK_EG_MATCH", "and shown as bytecode")
done()
