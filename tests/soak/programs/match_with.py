# SPDX-License-Identifier: BSD-3-Clause
# Every kind of statement that makes a handler, a jump or a cleanup.
import contextlib

class P:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

def kind(v):
    match v:
        case P(0, y):
            return "zero", y
        case P(x=int() as n) if n > 2:
            return "big", n
        case {"k": [a, *rest], **more}:
            return a, rest, more
        case [1, 2] | (3 | 4):
            return "or"
        case str():
            return "str"
        case _:
            return None

print([kind(v) for v in (P(0, 1), P(5, 1), {"k": [1, 2], "m": 3}, [1, 2], 4, "s", 1.5)])

@contextlib.contextmanager
def swallow():
    try:
        yield
    except ZeroDivisionError:
        print("swallowed")

def loops():
    for i in range(5):
        with swallow():
            try:
                if i == 1:
                    continue
                if i == 3:
                    break
                1 / i
            finally:
                print("finally", i)
    else:
        print("never")
    while (j := i) < 5:
        i += 1
    else:
        return j

print(loops())
with contextlib.ExitStack() as s:
    for i in range(3):
        s.callback(print, "callback", i)
print([a if a else b for a, b in [(0, 1), (2, 3)] if b], {**{"a": 1}, "b": 2}, f"{3!r:>5}")
