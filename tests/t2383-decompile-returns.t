#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A try statement within a with statement returns where it was written to: the value does not take a variable."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import as_written, decompiled, same_outcomes  # noqa: E402

SAMPLE = r'''
def both_ways(f):
    with Manager(f, 'm'):
        try:
            return f('a')
        except ValueError:
            return f('b')

def one_way(f):
    with Manager(f, 'm'):
        for i in (1, 2):
            try:
                return f(i)
            except KeyError:
                f('k')

def deep(f):
    with Manager(f, 'm'):
        with Manager(f, 'n'):
            try:
                return f('a')
            except ValueError:
                f('b')
                return f('c')
            except KeyError as e:
                raise f('d') from e
'''

made = decompiled(SAMPLE, "such functions go through the decompiler")
as_written(SAMPLE, made)
same_outcomes(SAMPLE, 3)
done()
