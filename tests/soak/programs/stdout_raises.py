# SPDX-License-Identifier: BSD-3-Clause
# Standard streams are replaced by objects that raise, call back, have no methods; the hooks for exceptions print to them.
import io, os, sys

def say(text):
    os.write(1, text.encode() + b"\n")

class Raises(io.TextIOBase):
    def write(self, text):
        raise RuntimeError("write %r" % text)

    def flush(self):
        raise OSError("flush")

    def fileno(self):
        raise LookupError("fileno")

    def isatty(self):
        1 / 0

class Calls:
    def __init__(self):
        self.n = 0

    def __getattribute__(self, name):
        if name in ("n", "__class__", "__dict__"):
            return object.__getattribute__(self, name)
        self.n += 1
        raise AttributeError(name)

class Deep:
    def write(self, text):
        print(text)

for stream in (Raises(), Calls(), Deep(), None, 5):
    for name in ("stdout", "stderr", "stdin"):
        old = getattr(sys, name)
        setattr(sys, name, stream)
        try:
            if name == "stdin":
                input()
            else:
                print("text", file=getattr(sys, name), flush=True)
            say("%s fine" % name)
        except BaseException as e:
            said = type(e).__name__
        else:
            said = "nothing"
        finally:
            setattr(sys, name, old)
        say("%s %s %s" % (type(stream).__name__, name, said))
del sys.stdin

def hook(kind, value, tb):
    say("hook %s %s" % (kind.__name__, value))

sys.excepthook = hook
sys.stdout = Raises()
sys.stderr = Raises()
raise KeyError("last")
