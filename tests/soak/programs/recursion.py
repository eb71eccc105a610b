# SPDX-License-Identifier: BSD-3-Clause
# Runs into the recursion limit in several ways; how deep it gets is the program's own business.
import sys

def depth(n=1):
    try:
        return depth(n + 1)
    except RecursionError:
        return n

class R:
    def __repr__(self):
        return repr(self)

    def __getattr__(self, name):
        return getattr(self, name + "x")

print(sys.getrecursionlimit(), depth())
sys.setrecursionlimit(200)
print(depth())
for f in (lambda: repr(R()), lambda: R().a):
    try:
        f()
    except RecursionError as e:
        print(type(e).__name__)
sys.setrecursionlimit(30000)
print(depth() > 10000)
