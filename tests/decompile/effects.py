# SPDX-License-Identifier: BSD-3-Clause
# Side effects on attributes, lists, dictionaries and globals.
import torch


class Box:
    def __init__(self):
        self.value, self.seen = 1, []


box, table, count = Box(), {}, 0


def f(x):
    global count
    count += 1
    box.value += 2
    box.seen.append(count)
    table["x"] = x
    y = x * box.value
    print("middle", count, box.value)
    table.setdefault("n", []).append(box.value)
    del table["x"]
    return y


c = torch.compile(f, backend="eager")
for _ in range(3):
    print(c(torch.ones(2)), box.value, box.seen, table, count)
