# SPDX-License-Identifier: BSD-3-Clause
"""The program with torch whose stops t2832 and others walk."""
from cdbgtest import *
from named_commands import Table
from walk import *

__all__ = ["walk_stops"]

PROGRAM = '''
    import sys

    def plain(n):
        m = n + 1
        return m

    plain(3)

    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Linear(3, 3)
        def forward(self, x, n):
            y = self.w(x) * n
            return y.sum()

    def f(x, n):
        y = x * n
        return y + 1

    def split(x):
        y = x * 2
        print("in", end="")
        return y + 1

    def bad(x):
        y = x - 1
        z = torch.log(y)
        return z * 2

    def raises(x):
        return x.reshape(7)

    g = torch.compile(f, backend="eager", dynamic=False)
    plain(4)
    g(torch.ones(3), 2)
    g(torch.ones(3), 3)
    g(torch.ones(3), 2)
    torch.compile(split, backend="eager")(torch.ones(3))
    net = torch.compile(Net(), backend="aot_eager")
    net(torch.ones(3), 2).backward()
    torch.compile(bad, backend="eager")(torch.zeros(3))
    try:
        torch.compile(raises, backend="eager")(torch.ones(3))
    except Exception as e:
        pass
    plain(5)
    raise ValueError("the end")
'''


def walk_stops(stops):
    """stops: (name, the commands that lead there, what the stop says)."""
    program = script(PROGRAM)
    with Cdbg("x = 1\n") as d:
        table = Table(d)
    lines = LINES + probes(table, skip=WRITES)
    for name, setup, says in stops:
        wrong, tried, first = walk(program, table, setup, lines)
        like(first, says, "%s: the program is there" % name)
        is_(shown(wrong), [], "%s: what %d lines name works" % (name, len(lines)))
        ok(len(tried) > 15, "%s: they name commands" % name, sorted(tried))
