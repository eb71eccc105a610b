# SPDX-License-Identifier: BSD-3-Clause
# A program with its own sys.stdout, sys.displayhook, sys.excepthook, print, open, repr, len, isinstance and __import__.
import builtins, io, sys

class Upper(io.TextIOBase):
    def __init__(self, to):
        self.to = to

    def write(self, text):
        return self.to.write(text.upper())

    def flush(self):
        self.to.flush()

real = sys.stdout
sys.stdout = Upper(real)
print("upper")
sys.stdout = None
print("nowhere")
sys.stdout = real
sys.displayhook = lambda value: real.write("shown: %r\n" % (value,))
eval(compile("6 * 7", "<shown>", "single"))

def hook(kind, value, tb):
    while tb.tb_next:
        tb = tb.tb_next
    real.write("hook: %s %s in %s\n" % (kind.__name__, value, tb.tb_frame.f_code.co_name))

sys.excepthook = hook
sys.unraisablehook = lambda u: real.write("unraisable: %r\n" % (u.exc_value,))
old_print, old_import = builtins.print, builtins.__import__
names = []

def new_import(name, *rest, **kwargs):
    names.append(name)
    return old_import(name, *rest, **kwargs)

def boom(*args, **kwargs):
    raise AssertionError("a builtin that is not there for others")

builtins.__import__ = new_import
builtins.print = lambda *args, **kwargs: old_print("printed:", *args, **kwargs)
import colorsys
print(names)

def f(n):
    total = 0
    for i in range(n):
        total += i
    return total

saved = {name: getattr(builtins, name) for name in ("open", "repr", "len", "isinstance", "str", "getattr", "type", "compile")}
for name in saved:
    setattr(builtins, name, boom)
value = f(4)
for name in saved:
    setattr(builtins, name, saved[name])
del builtins.__import__
value += f(3)
builtins.__import__ = old_import
print(value)

class Bad:
    def __del__(self):
        raise KeyError("from __del__")

Bad()
sys.stderr = Upper(sys.stderr)
f("not a number")
