# SPDX-License-Identifier: BSD-3-Clause
# Lifetimes: objects die when the program lets go of them, references are as many as it made.
import gc, sys, weakref

class Error(Exception):
    pass

class A:
    pass

def dies(x):
    w = weakref.ref(x, lambda r: print("callback"))
    del x
    return w() is None

def count(x):
    return sys.getrefcount(x)

def local():
    a = A()
    w = weakref.ref(a)
    a = None
    return w() is None

print(dies(A()), local())
x = A()
print(count(x), sys.getrefcount(x))
d = weakref.WeakValueDictionary(k=x)
del x
print(len(d))
try:
    raise Error
except Error as e:
    w = weakref.ref(e)
print(w() is None)
gc.collect()
print(len(gc.garbage), gc.get_threshold())
