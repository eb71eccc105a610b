# SPDX-License-Identifier: BSD-3-Clause
# Code in another interpreter of this process.
try:
    import _interpreters as si
except ImportError:
    import _xxsubinterpreters as si

def here(n):
    return n + 1

i = si.create()
si.run_string(i, "def f(n):\n    return [k * k for k in range(n)]\nprint(f(4), flush=True)\nimport threading, json\nprint(json.dumps(f(2)), flush=True)")
print(here(1))
try:
    si.run_string(i, "1/0")
except Exception as e:
    print("raised")
si.destroy(i)
print(here(2))
