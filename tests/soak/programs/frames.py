# SPDX-License-Identifier: BSD-3-Clause
# The program looks at its own stack.
import inspect, sys, traceback

def names():
    f, out = sys._getframe(), []
    while f:
        out.append((f.f_code.co_name, f.f_lineno))
        f = f.f_back
    return out

def f():
    return names()

print(f())
print([(i.function, i.lineno) for i in inspect.stack()])
try:
    f(1)
except TypeError:
    print(traceback.format_exc(), end="")
traceback.print_stack(file=sys.stdout)
print(sys._getframe().f_trace, sys.gettrace(), sys.getprofile(), len(sys._current_frames()))
print(sorted(k for k in globals() if not k.startswith("__")), __name__, __spec__, __package__)
def scope():
    a = 1
    locals()["a"] = 2
    sys._getframe().f_locals["b"] = 3
    return a, sorted(locals())
print(scope())
