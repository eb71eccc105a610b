#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A try statement within a with statement returns where it was written to: the value does not take a variable.  A return that
the compiler repeats after the clauses is written once, and what comes between is what no exception leads to."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
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

def otherwise(f):
    try:
        v = f('a')
    except ValueError:
        v = 'b'
    else:
        v += f('c')
    return v

def several_ways(f):
    v = None
    for i in (1, 2):
        try:
            v = f(i)
        except ValueError:
            f('b')
            v = i
        except KeyError as e:
            raise f('d') from e
        else:
            if v:
                f('c')
            v = f('e')
        return v
'''

made = decompiled(SAMPLE, "such functions go through the decompiler")
as_written(SAMPLE, made)
same_outcomes(SAMPLE, 5)
done()
