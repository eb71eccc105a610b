# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are compiled again from their decompiled source do the same, whatever the calls in them do: each of the first
calls returns something false, something true, or raises.  A manager's __exit__() swallows exceptions if its call says "swallow"."""
import os
import subprocess

from cdbgtest import environment, interpreter, is_, ok, script, PATIENCE

MANAGER = r'''
class Manager:
    def __init__(self, f, name):
        self.f, self.name = f, name
    def __enter__(self):
        return self.f("in " + self.name)
    def __exit__(self, kind, value, tb):
        return self.f("out %s %s" % (self.name, value)) == "swallow"
'''

TEXTS = r'''
import sys, types
sys.path.insert(0, %r)
import cdbg
import texts
for f in vars(texts).copy().values():
    if isinstance(f, types.FunctionType) and f.__module__ == "texts":
        cdbg.recompile(f.__code__)
        print(cdbg.decompile(f))
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
        if len(log) > 20:
            raise EOFError
        answer = answers[len(log) - 1] if len(log) <= len(answers) else ""
        if answer in ("ValueError", "KeyError"):
            raise (ValueError if answer == "ValueError" else KeyError)(what)
        return answer
    try:
        return repr((f(call), log))
    except Exception as e:
        return repr((e, e.__context__, log))

for name, f in vars(sample).items():
    if not isinstance(f, types.FunctionType):
        continue
    try:
        g = types.FunctionType(cdbg.recompile(f.__code__), vars(sample))
    except ValueError as e:
        print(name, e)
        continue
    wrong = [a for a in itertools.product(["", "yes", "swallow", "ValueError", "KeyError"], repeat=6)
             if outcome(f, a) != outcome(g, a)]
    print(name, wrong and (wrong[0], outcome(f, wrong[0]), outcome(g, wrong[0])) or "same")
'''


def _checked(source, name, check, patience=60):
    """What a check printed that imports this source under a name: it has one %r, the folder of the source."""
    folder = os.path.dirname(script(source, name + ".py"))
    return subprocess.run([interpreter(), script(check % folder, "check.py", folder)], capture_output=True, text=True,
                          timeout=patience * PATIENCE, env=environment())


def decompiled(functions, what):
    """The decompiled texts of the functions of this source; each is compiled again too. WHAT names the fact that all can be."""
    made = _checked(functions, "texts", TEXTS)
    is_((made.returncode, made.stderr), (0, ""), what)
    return made.stdout


def as_written(functions, texts):
    """Each function of this source is among the decompiled texts exactly as it is there: one fact each."""
    for want in functions[4:].split("\ndef "):
        want = "def " + want.strip() + "\n"
        ok(want in texts, "as it was written: " + want.split("(")[0][4:], (want, texts))


def compared(sample, check, count, does="does"):
    """Runs a check of this source, sample.py: it prints "NAME same" or a difference for each function, a line "----", and texts.
    One fact for each function; returns the texts."""
    made = _checked(sample, "sample", check, 1)
    results, _, text = made.stdout.partition("----\n")
    for line in results.splitlines():
        name, _, result = line.partition(" ")
        ok(result == "same", name + ": compiled again it %s the same" % does, result)
    ok(len(results.splitlines()) == count, "all were tried", made.stdout + made.stderr)
    return text


def outcomes(functions):
    """The result of each function of this source, f(call): "same", the text of a refusal, or the first difference; and what was
    written to standard error."""
    made = _checked(MANAGER + functions, "sample", CHECK)
    return dict(line.split(" ", 1) for line in made.stdout.splitlines()), made.stderr


def same_outcomes(functions, count):
    """As outcomes(): every one of these COUNT functions does the same when it is compiled again, one fact each."""
    results, errors = outcomes(functions)
    is_(errors, "", "what is compiled again can be called")
    for name in sorted(results):
        is_(results[name], "same", "compiled again it does the same: " + name)
    is_(len(results), count, "all of them are compiled again")
