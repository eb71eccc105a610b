#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A class whose base is one of two, and which the compiler stores on two ways (CPython 3.12 and later copy short ends), has the
base of each way."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from outcomes import same_outcomes  # noqa: E402

same_outcomes(r'''
def base(f):
    class C(dict if f(1) else list):
        def method(self): return 3
    return C.__bases__, C().method()

def base_alone(f):
    class C(dict if f(1) else list):
        x = f(2)
    return C

def keyword(f):
    class C(list, metaclass=type if f(1) else f(2)):
        pass
    return C

def returned(f):
    def make():
        class C(dict if f(1) else list):
            pass
        return C
    return make().__bases__

def several(f):
    def make():
        class C(dict if f(1) else list if f(2) else set):
            def method(self): return f(3)
        return C
    return make().__bases__, make()().method()

def decorated(f):
    def make():
        @lambda c: c.__bases__
        class C(dict if f(1) else list):
            pass
        return C
    return make()
''', 6)
done()
