#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A branch in a with statement in a finally clause, as clean-up under a lock: it is written as the program has it, and compiled again."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

p = python(script(r'''
    import cdbg, inspect, itertools, textwrap, types
    def once(k):
        try:
            k("work")
        finally:
            with k:
                if k("has"):
                    k("clean")
    def both(k):
        try:
            k("work")
        except KeyError:
            pass
        finally:
            with k:
                if k("has"):
                    k("clean")
                else:
                    k("none")
    def loop(k):
        try:
            yield 1
        finally:
            with k:
                while k("has"):
                    k("clean")
    def inner(k):
        try:
            yield 1
        finally:
            with k:
                try:
                    k("clean")
                except ValueError:
                    k("none")
    class K:
        """Each call is answered by the next answer."""
        def __init__(self, answers):
            self.answers, self.calls = list(answers), []
        def __call__(self, name):
            self.calls.append(name)
            answer = self.answers.pop(0) if self.answers else 0
            if isinstance(answer, type):
                raise answer(name)
            return answer
        def __enter__(self):
            self("enter")
        def __exit__(self, *what):
            self.calls.append([what[0], type(what[1].__context__) if what[1] else None])
            return self("exit")
    def does(code, answers):
        k, end = K(answers), None
        try:
            end = types.FunctionType(code, {})(k)
            end = list(end) if end is not None else None
        except Exception as e:
            end = repr(e), repr(e.__context__)
        return k.calls, end
    for f in once, both, loop, inner:
        new, runs = cdbg.recompile(f.__code__), list(itertools.product([0, 1, KeyError, ValueError], repeat=5))
        same = sum(does(f.__code__, a) == does(new, a) for a in runs)
        text = cdbg.decompile(f).rstrip()
        print(f.__name__, same == len(runs), text == textwrap.dedent(inspect.getsource(f)).replace('"', "'").rstrip())
'''), limit=100)
for name, what in ("once", "an if statement"), ("both", "one with else, where an exception is handled before"), \
        ("loop", "a while loop, in a generator"), ("inner", "a try statement"):
    is_([line for line in p.stdout.splitlines() if line.startswith(name)], [name + " True True"],
        "%s: the text is the program's and does the same" % what)
is_(p.stderr, "", "nothing is refused")
done()
