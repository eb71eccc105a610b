# SPDX-License-Identifier: BSD-3-Clause
# Sub-interpreters one after another and in threads: exceptions, threads, deep recursion and tracers of their own.
import sys, threading

try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

PARTS = ["x = [i * i for i in range(10)]\nassert sum(x) == 285",
         "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    ok = True\nassert ok",
         "import sys\nseen = []\nsys.settrace(lambda *a: seen.append(a[1]))\ndef f():\n    return 1\nf()\nsys.settrace(None)\nassert seen == ['call']",
         "def g():\n    try:\n        yield 1\n    finally:\n        yield 2\ng = g()\nnext(g)\nassert g.throw(ValueError) == 2",
         "class A:\n    def __del__(self):\n        1 / 1\na = A()\na.me = a\ndel a\nimport gc\ngc.collect()"]

def run(out):
    for part in PARTS:
        i = interpreters.create()
        try:
            interpreters.run_string(i, part)
            out.append("ran")
        except Exception as e:
            out.append(type(e).__name__ + str(e))
        interpreters.destroy(i)

def work(n):
    return n + 1

out = []
run(out)
print(out)
lists = [[] for _ in range(3)]
for one in lists:
    t = threading.Thread(target=run, args=(one,))
    t.start()
    t.join()
print(lists)
i = interpreters.create()
try:
    interpreters.run_string(i, "raise KeyError('of the other')")
except Exception as e:
    print("KeyError" in str(e))
interpreters.destroy(i)
print([work(k) for k in range(3)])
