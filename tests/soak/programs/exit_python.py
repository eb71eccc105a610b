# SPDX-License-Identifier: BSD-3-Clause
# Python that runs while the interpreter ends: finalizers, callbacks of weak references, exit functions, threads' locals.
import atexit, os, sys, threading, weakref

def say(text, write=os.write):
    write(1, (text + "\n").encode())

class Thing:
    def __init__(self, name, other=None):
        self.name, self.other = name, other

    def __del__(self, say=say):
        total = 0
        for c in self.name:
            total += ord(c)
        try:
            say("del %s %d %s" % (self.name, total, sys is None or sys.is_finalizing()))
            exec("k = [i * i for i in range(3)]", {})
            raise ValueError(self.name)
        except ValueError as e:
            say("  %s" % e)

def gone(ref, say=say):
    say("callback %s" % (ref() is None))

def last():
    say("exit function " + a.name)
    kept.append(Thing("made at exit"))
    threading.local().x = Thing("thread's local")

kept = []
a = Thing("module")
b = Thing("cycle")
b.other = b
refs = [weakref.ref(a, gone), weakref.ref(b, gone)]
weakref.finalize(a, say, "finalize a")
local = threading.local()
local.x = Thing("local")
atexit.register(last)
atexit.register(say, "registered last")
sys.modules["made_up"] = Thing("in sys.modules")
say("end of the file")
