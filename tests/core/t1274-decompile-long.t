#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decompiled source has no line that is too long to read: statements continue on lines aligned with a bracket, docstrings have lines of
their own."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled  # noqa: E402

SAMPLE = r'''
def called(f, a):
    f(a)
    first = f('a first argument', a.bit_length(), f(a, 'of (another, call', [a + 1, a + 2]),
              key='and, a word', other={'x, y': a, 'z': f"{a!r}, {f(a, 1)}"})
    return first, a

def far_to_the_right(f, a):
    a.some_attribute.another_attribute.and_a_very_long_name_of_an_attribute.method_of_it(a.first_argument,
            a.second_argument, a.third)

def alone(f, a):
    if f(a):
        raise ValueError('a text that has no place to be continued at, however long it is, since it is in quotes alone' + a)
    return [{key: value for key, value in f(a, 'a long text that does not fit into this line')
             if key != value and key and value}]

async def generated(f, a):
    return [(key, value) async for key, value in f(a, 'a text that does not fit into this line')
            if key != value and value]

def many(first_argument=None, second_argument=None, third_argument=(1, 2, 3),
         fourth_argument='four', *rest, keyword=None, **more):
    """Some text, of (several lines, that are long enough to be continued if they were code, which they are not
    or so.

    The end.
    """
    return rest

def short_doc():
    """of one line"""

def inner_doc():
    def f():
        """Of
        two lines"""
    class C:
        """Of
        two lines"""
    return f, C

def odd_quotes():
    'ends with a "quote"\nand a "quote"'

def odd_slash():
    'has a\n\\ in it'
'''

text = decompiled(SAMPLE, "all are decompiled")
as_written(SAMPLE.replace("async def", "def"), text.replace("async def", "def"))

PROGRAM = """
    def f(first_long_name, second_long_name):
        before = 1
        after = dict(first=first_long_name, second=second_long_name, third=first_long_name + 1, fourth=before + 2, fifth=5)
        return after
    f(1, 2)
    print("end")
"""
with Cdbg(PROGRAM) as d:
    d.do("break f")
    d.go()
    rows = d.rows("decompile f")
    texts = [r["text"] for r in rows]
    is_(texts[2:5], ["    after = dict(first=first_long_name, second=second_long_name, third=first_long_name + 1,",
                     "                 fourth=before + 2, fifth=5)", "    return after"], "a long statement has two lines")
    is_([r["index"] is None for r in rows[2:5]], [False, True, False], "the instructions belong to the first")
    is_(d.do("break f@python:4")["text"].split(" (f) ")[1], d.do("break f@python:3")["text"].split(" (f) ")[1],
        "a breakpoint on the second is on the first")
    d.do("delete")
    d.do("tbreak f@python:3")
    d.go()
    is_([i + 1 for i, line in enumerate(d.text("decompile f").splitlines()) if line.startswith("=>")], [3],
        "... which is marked where it is next")
done()
