# SPDX-License-Identifier: BSD-3-Clause
# Objects that die with the interpreter, and one that comes back.
import gc

class Node:
    kept = []

    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)
        if self.name == "back" and not Node.kept:
            Node.kept.append(self)

def cycle():
    a, b = Node("a"), Node("b")
    a.other, b.other = b, a

cycle()
print(gc.collect() > 0)
n = Node("back")
del n
print(len(Node.kept))
Node.kept[0].name = "global"
last = Node("module")
