# SPDX-License-Identifier: BSD-3-Clause
# Callbacks of weak references, finalizers and the collector raise; what is printed of it stays the same.
import gc
import sys
import weakref

seen = []
sys.unraisablehook = lambda u: seen.append((type(u.exc_value).__name__, str(u.exc_value)))


class Thing:
    pass


class Loud:
    def __del__(self):
        raise ValueError("del")


def callback(ref):
    raise KeyError("callback")


def lose():
    t = Thing()
    refs = [weakref.ref(t, callback) for _ in range(3)]
    del t
    return len(refs)


def cycle():
    a, b = Loud(), Loud()
    a.other, b.other = b, a
    del a, b
    return gc.collect()


def from_gc(phase, info):
    if phase == "stop":
        raise OSError("gc callback")


print(lose())
print(cycle())
gc.callbacks.append(from_gc)
gc.collect()
gc.callbacks.remove(from_gc)
gc.freeze()
gc.disable()
Loud()
print(gc.get_freeze_count() > 0, gc.isenabled())
gc.set_threshold(1, 1, 1)
gc.enable()
x = [[i] for i in range(50)]
gc.unfreeze()
gc.set_debug(gc.DEBUG_SAVEALL)
cycle()
print(sorted(type(o).__name__ for o in gc.garbage if isinstance(o, Loud)))
gc.garbage.clear()
gc.set_debug(0)
print(seen)
