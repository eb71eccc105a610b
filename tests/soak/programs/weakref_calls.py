# SPDX-License-Identifier: BSD-3-Clause
# Callbacks of weak references, finalizers and the garbage collector that call the debugger if there is one.
import gc, sys, weakref

def poke(name):
    cdbg = sys.modules.get("cdbg")
    seen.append(name)
    if cdbg:
        cdbg.decompile(poke)
        cdbg.breakpoint()
seen = []

class Node:
    def __init__(self, name):
        self.name = name
    def __del__(self):
        poke("del " + self.name)

a = Node("a")
w = weakref.ref(a, lambda r: poke("ref"))
f = weakref.finalize(a, poke, "finalize")
del a
print(seen, w() is None, f.alive)

seen.clear()
b, c = Node("b"), Node("c")
b.c, c.b = c, b
table = weakref.WeakKeyDictionary({b: 1, c: 2})
refs = [weakref.ref(b, lambda r: poke("ref b")), weakref.ref(c, lambda r: poke("ref c"))]
del b, c
gc.collect()
print(sorted(seen), len(table), [r() for r in refs])

seen.clear()
busy = False
def on_gc(phase, info):
    global busy
    if not busy:
        busy = True
        seen.append(phase)
        poke("gc")
        busy = False
gc.callbacks.append(on_gc)
gc.collect()
gc.callbacks.remove(on_gc)
print(seen)

def generator():
    try:
        yield 1
    finally:
        poke("generator")
seen.clear()
g = generator()
next(g)
del g
print(seen)
