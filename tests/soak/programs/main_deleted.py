# SPDX-License-Identifier: BSD-3-Clause
# The program deletes __main__, replaces print and open, and goes on.
import builtins
import sys

said = []


def quiet(*args, **named):
    said.append(args)


def work(n):
    total = 0
    for i in range(n):
        total += i
    print("work", total)
    return total


real = builtins.print
builtins.print = quiet
del sys.modules["__main__"]
work(5)
sys.modules["__main__"] = 17
work(6)
builtins.open = None
builtins.repr = lambda x: 1 / 0
work(7)
builtins.print = real
del builtins.repr
print(said)
del builtins.len
sys.modules.pop("__main__")
try:
    print(len(said))
except NameError as e:
    print(e)
