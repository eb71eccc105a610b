#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""try and with statements in a clause of except*: they are written as the program has them, and compiled again."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403

FUNCTIONS = r'''
def lock(k):
    try:
        k('work')
    except* ValueError as g:
        with k:
            k('in')
def bare(k):
    try:
        k('work')
    except* ValueError:
        with k as n:
            k('in')
    k('end')
def handled(k):
    try:
        k('work')
    except* ValueError as g:
        try:
            k('in')
        except KeyError:
            k('none')
        k(len(g.exceptions))
def cleaned(k):
    try:
        k('work')
    except* ValueError:
        try:
            k('in')
        finally:
            k('clean')
def named(k):
    try:
        k('work')
    except* ValueError as g:
        try:
            k('in')
        except (KeyError, OSError) as e:
            raise OSError(1) from e
        k('after')
    k('end')
def two(k):
    try:
        k('work')
    except* ValueError as g:
        with k:
            if k('has'):
                k('in')
    except* KeyError:
        try:
            k('other')
        except* KeyError as h:
            with k:
                raise
    else:
        k('else')
    k('end')
def star(k):
    try:
        k('work')
    except* ValueError as g:
        try:
            k('in')
        except* KeyError as h:
            try:
                k('deep')
            except OSError:
                k('none')
            k('after')
def loop(k):
    for i in 'ab':
        try:
            k(i)
        except* ValueError as g:
            while k('has'):
                with k:
                    k('in')
        yield i
def around(k):
    with k:
        try:
            k('work')
        except* ValueError:
            try:
                k('in')
            except KeyError:
                raise
            except OSError:
                with k:
                    k('deep')
        finally:
            k('clean')
def again(k):
    try:
        k('work')
    except* ValueError:
        with k:
            raise
def other(k):
    try:
        k('work')
    except* ValueError as g:
        if k('has'):
            k('in')
    else:
        try:
            k('other')
        except KeyError:
            k('none')
        return k('else')
def others(k):
    for i in 'ab':
        try:
            k(i)
        except* ValueError:
            k('in')
            with k:
                k('deep')
        else:
            k('else')
def raises(k):
    try:
        k('work')
    finally:
        with k:
            try:
                raise OSError(k('in'))
            except* KeyError:
                raise
def leaves(k):
    while k('more'):
        try:
            while k('has'):
                continue
            k('work')
        except* ValueError:
            k('in')
        k('after')
'''

p = python(script(r'''
    import cdbg, itertools, sys, types
    class K:
        """Each call is answered by the next answer."""
        def __init__(self, answers):
            self.answers, self.calls = list(answers), []
        def __call__(self, name):
            self.calls.append((name, repr(sys.exc_info()[1])))
            answer = self.answers.pop(0) if self.answers else 0
            if isinstance(answer, type):
                raise answer(name)
            if answer == 'group':
                raise ExceptionGroup(name, [KeyError(1), ValueError(2)])
            return answer
        def __enter__(self):
            self('enter')
        def __exit__(self, *what):
            self.calls.append([what[0], chain(what[1])])
            return self('exit')
    def chain(e):
        if e is None:
            return None
        inner = [chain(x) for x in e.exceptions] if isinstance(e, BaseExceptionGroup) else []
        lines, t = [], e.__traceback__
        while t:
            lines.append(t.tb_frame.f_code.co_name)
            t = t.tb_next
        return repr(e), inner, chain(e.__context__), chain(e.__cause__), lines
    def does(code, answers):
        k, end = K(answers), None
        try:
            end = types.FunctionType(code, globals())(k)
            end = list(end) if end is not None else None
        except Exception as e:
            end = chain(e)
        return k.calls, end
    text = TEXT
    exec(text)
    functions = [globals()[part.split('(')[0]] for part in text.split('def ')[1:]]
    for f, source in zip(functions, text.split('def ')[1:]):
        try:
            new = cdbg.recompile(f.__code__)
        except Exception as e:
            print(f.__name__, 'refused')
            continue
        runs = itertools.product([0, 1, 'group', KeyError, ValueError, OSError], repeat=5)
        same = all(does(f.__code__, a) == does(new, a) for a in runs)
        # from 3.12 on CPython ends a with statement in a clause, or a clause in a clause, by a jump: the text has a variable for it
        other = sys.version_info >= (3, 12) and f.__name__ in ('lock', 'two', 'star')
        print(f.__name__, same, other or cdbg.decompile(f).rstrip() == 'def ' + source.rstrip())
'''.replace("TEXT", repr(FUNCTIONS))), limit=200)
for name, what in ("lock", "with"), ("bare", "with that binds a name, in a clause without one"), \
        ("handled", "try with a clause, and a statement after it"), ("cleaned", "finally"), \
        ("named", "a clause that raises another exception"), ("two", "several clauses, and else"), \
        ("star", "except* in except*"), ("loop", "a loop, in a generator"), ("around", "statements around it"), \
        ("again", "raise without a value"), ("other", "else at the end of a function"), \
        ("others", "else at the end of a loop"), \
        ("raises", "a statement that always raises, in a with statement in a finally clause"):
    is_([line for line in p.stdout.splitlines() if line.startswith(name + " ")], [name + " True True"],
        "%s: the text is the program's and does the same" % what)
like(p.stdout, r"^leaves (refused|True \w+)$",
     "a loop in the body that continues, and a clause that leaves it: nothing else is done")
is_(p.stderr, "", "nothing else is printed")
done()
