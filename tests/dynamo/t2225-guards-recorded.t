#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Guards are listed from the record of the calls that built them, which says the same as the tree of torch.
import collections
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
    import collections
    import enum
    import torch
    from torch._C._dynamo import guards

    class Color(enum.Enum):
        RED = 1
    class Box:
        limit = 3
    class Settings:
        __slots__ = ("a",)
    class Sub(dict):
        pass
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))
            self.drop = torch.nn.Dropout(0.0)
        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))
            return self.drop(x)

    FACTOR = 2.5
    def inner(x, by=3, *, plus=1):
        return x * by + plus

    @torch.compile(backend="eager")
    def values(x, y, box, table, names, parts, color, nothing, sub):
        z = x + y + box.limit + table["a"] + len(names) + parts[0] * FACTOR
        for k, v in sub.items():
            z = z + v
        for k in table:
            z = z + len(k)
        if color is Color.RED and nothing is None and "q" not in table and not hasattr(box, "missing"):
            z = inner(z)
        if 3 in names and isinstance(parts, tuple):
            z = z + 1
        return torch.nn.functional.relu(z)

    @torch.compile(backend="eager")
    def many(x, numbers):
        n = 0
        for k in numbers:
            n += k
        return x + n

    @torch.compile(backend="eager", dynamic=True)
    def shapes(x, y):
        if x.shape[0] > 3 and y.shape[0] == x.shape[1] and x.shape[0] + y.shape[0] < 100:
            return x @ y
        return x.sum()

    def stop():
        pass

    box = Box()
    def call():
        x = torch.ones(4)
        values(x, torch.zeros(4), box, {"a": 1, "b": 2}, {1, 2, 3}, (1.5, 2), Color.RED, None, Sub(k=1, m=2))
        values(x, x, box, collections.OrderedDict(a=1, b=2), {1, 2, 3}, (1.5, 2), Color.RED, None, Sub(k=1, m=2))
        many(x, [k % 7 for k in range(500)])
        shapes(torch.ones(5, 6), torch.ones(6, 7))
        torch.compile(Block(), backend="eager")(x)
    call()

    asked = []
    def count(cls):
        real = cls.get_leaf_guards
        cls.get_leaf_guards = lambda self: (asked.append(1), real(self))[1]
    count(guards.GuardManager)
    def root(f):
        return torch._C._dynamo.eval_frame._debug_get_cache_entry_list(f._torchdynamo_orig_callable.__code__)[0].guard_manager.root
    def add_later(node):
        try:
            node.add_lambda_guard(lambda f: True, ["added later"], None)
        except TypeError:
            node.add_lambda_guard(lambda f: True, ["added later"])
    stop()
'''


def listed(d):
    """Without addresses; torch shows the end of a file's name, and each debugger has a folder of its own."""
    return [{k: re.sub(r"\d{8,}|0x[0-9a-f]+", "ID", v) if isinstance(v, str) else v for k, v in r.items() if k not in ("guard", "file", "outer_file", "made")}
            for f in ("values", "many", "shapes", "forward")
            for r in d.rows("info guards " + f)]


with Cdbg(PROGRAM) as d, Cdbg(PROGRAM) as tree:
    tree.do("set guard-record off")
    for each in (d, tree):
        each.do("tbreak stop")
        each.go()
    rows = listed(d)
    is_(int(d.text("print len(asked)")), 5, "to list five entries, torch is asked for the guards of five roots alone")
    expected = listed(tree)
    ok(int(tree.text("print len(asked)")) > 500, "without a record it is asked for those of each node", tree.text("print len(asked)"))
    note("kinds: %s" % " ".join(sorted({r["kind"] for r in rows})))
    ok(len({r["kind"] for r in rows}) > 10 and len(rows) > 550, "many kinds of guards are listed", len(rows))
    # a guard that failed moves its value to the front of the tree: only entries that were never missed keep their order
    one, other = ([str(sorted(r.items())) for r in of if r["entry"] != "0/0"] for of in (rows, expected))
    differ = [(a, b) for a, b in zip(one, other) if a != b]
    is_(differ[:1], [], "the record says of each guard what the tree says, in the same order")
    twice = collections.Counter(one), collections.Counter(other)
    is_((list(twice[0] - twice[1]), list(twice[1] - twice[0])), ([], []), "... and no guard more or less")
    missed, of_tree = (collections.Counter(str(sorted(r.items())) for r in of if r["entry"] == "0/0") for of in (rows, expected))
    is_((list(missed - of_tree), list(of_tree - missed)), ([], []), "where a guard has failed, too, in the order of the compile")

with Cdbg(PROGRAM) as d:
    d.do("tbreak stop")
    d.go()
    d.do("python add_later(root(many))")
    is_([r["kind"] for r in d.rows("info guards many") if r["text"] == "added later"], ["LAMBDA_GUARD"],
        "a guard that was added to the root after the compile is listed")
done()
