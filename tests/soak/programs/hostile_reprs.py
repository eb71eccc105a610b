# SPDX-License-Identifier: BSD-3-Clause
# Reprs that raise, print, fork, exit, start threads, change what they show, or never come back: nobody asked for them.
import os, sys, threading

class Raises:
    def __repr__(self):
        raise MemoryError("repr")

class Prints:
    def __repr__(self):
        print("REPR WAS CALLED")
        sys.stdout.flush()
        return "x"

class Forks:
    def __repr__(self):
        if not os.fork():
            os._exit(0)
        os.wait()
        print("REPR WAS CALLED")
        return "f"

class Exits:
    def __repr__(self):
        os._exit(99)

class Hangs:
    def __repr__(self):
        while True:
            pass

class Changes(list):
    def __repr__(self):
        self.clear()
        return "changed"

def f(a, b, c, d, e, g):
    t = (a, b)
    x = [c, d, {"e": e}]
    g.append(len(x) + len(t))
    return g

r = f(Raises(), Prints(), Forks(), Exits(), Hangs(), Changes([1]))
print(list(r), len(r))
