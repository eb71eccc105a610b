# SPDX-License-Identifier: BSD-3-Clause
# cProfile counts the program's calls and nothing else.
import cProfile, pstats

def f(n):
    return n if n < 2 else f(n - 1) + f(n - 2)

p = cProfile.Profile()
p.enable()
f(10)
p.disable()
stats = pstats.Stats(p)
for (file, line, name), (cc, nc, *_rest) in sorted(stats.stats.items()):
    print(name, cc, nc)
