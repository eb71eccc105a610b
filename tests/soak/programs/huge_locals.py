# SPDX-License-Identifier: BSD-3-Clause
# A function with 3000 locals, one of 20000 instructions, names of every kind, deep expressions.
lines = ["def big(n):"]
lines += ["    v%d = n + %d" % (i, i) for i in range(3000)]
lines += ["    def inner(): return v0 + v2999", "    return inner() + %s" % " + ".join("v%d" % i for i in range(0, 3000, 7))]
space = {}
exec("\n".join(lines), space)
print(space["big"](1))
loop = ["def loop(n):", "    t = 0", "    while n:"] + ["        t = t + %d if n %% 2 else t - 1" % (i % 9) for i in range(1500)]
loop += ["        n -= 1", "    return t"]
exec("\n".join(loop), space)
print(space["loop"](3))
data = [list(range(100000)), {i: str(i) for i in range(10000)}, "x" * 5000000, b"\xff" * 1000, 10**4000]

def holds(a, b, c, d, e):
    return len(a) + len(b) + len(c) + len(d) + e.bit_length()

print(holds(*data))
