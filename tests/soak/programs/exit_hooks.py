# SPDX-License-Identifier: BSD-3-Clause
# excepthook, unraisablehook and threading.excepthook of the program's own.
import sys, threading

sys.excepthook = lambda t, v, tb: print("hook", t.__name__, v, tb.tb_lineno)
sys.unraisablehook = lambda u: print("unraisable", u.exc_value)
threading.excepthook = lambda a: print("thread", a.exc_value)

class D:
    def __del__(self):
        raise KeyError("in del")

def f():
    raise OSError("thread")

D()
t = threading.Thread(target=f)
t.start()
t.join()
raise ValueError("at last")
