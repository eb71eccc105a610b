# SPDX-License-Identifier: BSD-3-Clause
# throw, close, delegation, a generator that refuses to end, one that is resumed by its own finally.
def inner():
    try:
        while True:
            try:
                x = yield "inner"
                print("got", x)
            except KeyError as e:
                yield repr(e)
    finally:
        print("inner ends")

def outer():
    r = yield from inner()
    return r

g = outer()
print(next(g), g.send(5), g.throw(KeyError("k")), next(g))
g.close()

def stubborn():
    try:
        yield 1
    except GeneratorExit:
        yield 2

s = stubborn()
next(s)
try:
    s.close()
except RuntimeError as e:
    print(e)
print(sum(x for x in (y * y for y in range(5)) if x % 2), [*map(lambda v: v + 1, range(3))])

def recursive(n):
    if n:
        yield from recursive(n - 1)
    yield n

print(list(recursive(40))[-1])
