# SPDX-License-Identifier: BSD-3-Clause
# Recursion without end in the methods that Python calls by itself, and objects that answer every question.
import sys

class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")
class Eq:
    def __eq__(self, other):
        return other == self
    __hash__ = None
class Bool:
    def __bool__(self):
        return bool(self)
class Getattribute:
    def __getattribute__(self, name):
        return self.name
class Dict:
    @property
    def __dict__(self):
        return vars(self)
class Meta(type):
    def __getattribute__(cls, name):
        if name.startswith("__"):
            return type.__getattribute__(cls, name)
        return getattr(cls, name + "_")
    def __instancecheck__(cls, obj):
        return isinstance(obj, cls)
class OfMeta(metaclass=Meta):
    pass
class Yes:
    def __getattr__(self, name):
        return Yes()
    def __call__(self, *a, **k):
        return Yes()
    def __iter__(self):
        return iter([self] * 3)
    def __len__(self):
        return 3
    def __getitem__(self, k):
        return Yes()
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return True

def attempt(what, *args):
    try:
        return what(*args)
    except RecursionError:
        return "RecursionError"

def work(deep, eq, boolean, get, strange, of_meta, yes):
    out = [attempt(getattr, deep, "a"), attempt(eq.__eq__, Eq()), attempt(bool, boolean), attempt(getattr, get, "x"),
           attempt(vars, strange), attempt(getattr, OfMeta, "y"), attempt(isinstance, 1, OfMeta)]
    out += [type(yes.a.b.c()).__name__, yes == 5, len(list(yes))]
    return out

for limit in (200, 1000):
    sys.setrecursionlimit(limit)
    print(work(Deep(), Eq(), Bool(), Getattribute(), Dict(), OfMeta(), Yes()))

def depth(n=0):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
sys.setrecursionlimit(500)
print(450 < depth() < 500)
