# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are compiled again from their decompiled source do the same, whatever the calls in them do: each of the first
calls returns something false, something true, or raises.  A manager's __exit__() swallows exceptions if its call says "swallow"."""
import os
import subprocess

from cdbgtest import environment, interpreter, script, PATIENCE

MANAGER = r'''
class Manager:
    def __init__(self, f, name):
        self.f, self.name = f, name
    def __enter__(self):
        return self.f("in " + self.name)
    def __exit__(self, kind, value, tb):
        return self.f("out %s %s" % (self.name, value)) == "swallow"
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


def outcomes(functions):
    """The result of each function of this source, f(call): "same", the text of a refusal, or the first difference; and what was
    written to standard error."""
    folder = os.path.dirname(script(MANAGER + functions, "sample.py"))
    made = subprocess.run([interpreter(), script(CHECK % folder, "check.py", folder)], capture_output=True, text=True,
                          timeout=60 * PATIENCE, env=environment())
    return dict(line.split(" ", 1) for line in made.stdout.splitlines()), made.stderr
