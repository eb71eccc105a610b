#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a record says of each instruction, against the program: every variable and slot of every frame, with a large ring and the smallest."""
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

TEXT = """\
import asyncio, contextlib, json, re, textwrap, threading

def handlers(n):
    t = 0
    for i in range(n):
        try:
            if i % 3 == 0:
                raise ValueError(i)
            [].pop() if i % 3 == 1 else None
        except ValueError as e:
            try:
                raise KeyError from e
            except KeyError:
                t += 1
        except IndexError:
            continue
        finally:
            t += i
    return t

def gen(n):
    for i in range(n):
        x = yield i
        if x:
            yield from gen(x)

@contextlib.contextmanager
def manager():
    try:
        yield 1
    except ValueError:
        pass

async def items(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

async def collect():
    return [x async for x in items(5)]

def spread(*a, k=1, **kw):
    if (n := len(a)) > 1:
        return {**kw, "n": n, **{"z": k}}
    return [*a, *range(3)], {*a, 1}, f"{k!r:>5}{n}"

def shapes(v):
    match v:
        case [a, {"k": b}, (c, *rest)]:
            return a, b, c, rest
        case {"x": x, **more}:
            return x, more
        case _:
            return None

def cells(n):
    made = [lambda: i + n for i in range(3)]
    def count():
        nonlocal n
        n += 1
        del_me = n
        del del_me
        return n
    return [m() for m in made], count(), count(), {k: v for k, v in zip("abc", range(n))}

class A:
    def __repr__(self):
        return super().__repr__()[:3]
    def __del__(self):
        handlers(2)

def deep(n):
    return A() and n and deep(n - 1)

def loop(n):
    first, *middle, last = range(n)
    for i in range(n):
        a = A()
        while i > 3:
            i -= 1
            if i == 5:
                break
        else:
            i = 0
    return first, middle, last

for round in range(3):
    handlers(30)
    g = gen(3); next(g); g.send(2); list(g)
    with manager() as m, contextlib.suppress(KeyError):
        raise ValueError
    asyncio.run(collect())
    spread(1, 2, q=3), spread(1)
    shapes([1, {"k": 2}, (3, 4, 5)]), shapes({"x": 1, "y": 2}), shapes(1)
    cells(2); deep(40); loop(9)
    json.loads(json.dumps({"a": [1, 2.5, None, True], "b": "x" * 9}, indent=1))
    textwrap.fill("some words " * 40, 30)
    re.compile(r"(a|b)*c{2,3}[^x-z]\\\\d+(?P<n>foo)?%d" % round)
t = [threading.Thread(target=handlers, args=(50,)) for _ in range(3)]
[x.start() for x in t], [x.join() for x in t]
"""
program = script(TEXT)
for size in ("1", "small"):
    status, out, err = run(program, options=("--plain", "-q"), env={"CDBG_SELFCHECK": size})
    found = re.search(r"recorded: (\d+) values, (\d+) wrong, (\d+) changed since, (\d+) states unknown", out + err)
    ok(found and int(found[1]) > 500000, "%s values of a record were compared, ring '%s'" % (found and found[1], size), err[-3000:])
    is_(found and found[2], "0", "none is wrong, ring '%s'" % size)
    ok(found and int(found[4]) * 50 < int(found[1]), "few states are unknown, ring '%s'" % size, found and found[0])
    is_(status, 0, "the program ends as without it")
done()
