# SPDX-License-Identifier: BSD-3-Clause
# The program replaces what debuggers rely on: sys.settrace, sys.stdout, print, the hooks, threading.settrace, signal.signal.
import builtins, io, os, signal, sys, threading

class Out(io.TextIOBase):
    def __init__(self):
        self.all = []
    def write(self, text):
        self.all.append(text)
        return len(text)
    def fileno(self):
        raise OSError("no descriptor")
    def flush(self):
        raise ValueError("flush fails")
    def isatty(self):
        raise RuntimeError("isatty fails")

def say(text):
    os.write(1, (text + "\n").encode())

real = sys.stdout
out = Out()
sys.stdout = out
print("to the object")
sys.stdout = None
print("to nobody")
sys.stderr = Out()
sys.stdin = None
sys.stdout = out
say(repr(out.all))

settrace, called = sys.settrace, []
sys.settrace = lambda f: called.append(f)
threading.settrace = None
sys.settrace(5)
say(repr(called))
del sys.settrace
sys.setprofile = sys._getframe = None
sys.breakpointhook = lambda *a: called.append("breakpoint")
breakpoint()
say(repr(called))
sys.displayhook = sys.excepthook = None
sys.unraisablehook = lambda u: say("unraisable %s" % u.exc_type.__name__)
class D:
    def __del__(self):
        raise ValueError
D()
builtins.print = lambda *a: say("my print %r" % (a,))
print(1, 2)
for name in ("compile", "exec", "eval", "repr", "len", "isinstance", "getattr", "__import__"):
    setattr(builtins, name, None)
def work(n):
    x = n + 1
    return x * 2
say(str(work(4)))
signal.signal = signal.getsignal = None
sys.modules["signal"] = sys.modules["threading"] = sys.modules["linecache"] = sys.modules["traceback"] = None
sys.path[:] = []
sys.meta_path[:] = []
say(str(work(5)))
sys.stdout = real
settrace(None)
say("end")
