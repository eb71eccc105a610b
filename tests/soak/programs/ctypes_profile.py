# SPDX-License-Identifier: BSD-3-Clause
# needs: ctypes
# C functions of the interpreter, called by ctypes: PyEval_SetProfile with a C function, exceptions set and cleared, refcounts.
import ctypes
import sys

api = ctypes.pythonapi
KIND = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
counts = {}


def on_event(arg, frame, what, value):
    arg[what] = arg.get(what, 0) + 1
    return 0


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


hook = KIND(on_event)
api.PyEval_SetProfile.argtypes = [ctypes.c_void_p, ctypes.py_object]
api.PyEval_SetProfile.restype = None
api.PyEval_SetProfile(ctypes.cast(hook, ctypes.c_void_p), counts)
r = fib(6)
api.PyEval_SetProfile(None, None)
print(r, counts.get(0, 0) >= 25)
api.PyErr_SetString.argtypes = [ctypes.py_object, ctypes.c_char_p]
try:
    api.PyErr_SetString(ValueError, b"from C")
except ValueError as e:
    print("raised", e)
api.Py_AddPendingCall.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
called = []
PENDING = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
pending = PENDING(lambda arg: called.append(1) or 0)
print(api.Py_AddPendingCall(ctypes.cast(pending, ctypes.c_void_p), None))
for i in range(300):
    fib(2)
print(called)
code = api.PyRun_SimpleString(b"x = 1\nfor i in range(3):\n    x += i\nprint('inner', x)\n")
print(code)
state = api.PyGILState_Ensure()
api.PyGILState_Release(state)
print(sys.getrecursionlimit())
