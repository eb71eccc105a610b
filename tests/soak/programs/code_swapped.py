# SPDX-License-Identifier: BSD-3-Clause
# Functions get other code while they run, while generators of them are suspended, and from another thread.
import threading, types

def one(n):
    if n:
        one.__code__ = two.__code__ if n % 2 else first
        return one(n - 1) + 1
    return 100
first = one.__code__
def two(n):
    if n:
        one.__code__ = first
        return one(n - 1) + 10
    return 200
print([one(k) for k in range(5)])
one.__code__ = first

def gen():
    yield 1
    yield 2
def other():
    yield 7
    yield 8
g = gen()
print(next(g))
gen.__code__ = other.__code__
print(list(g), list(gen()))

def loop(n):
    total = 0
    for i in range(n):
        total += step(i)
    return total
def step(i):
    return 1
def step_b(i):
    return 1 + 0 * i
codes = [step.__code__, step_b.__code__]
done = False
def swap():
    k = 0
    while not done:
        step.__code__ = codes[k % 2].replace(co_name="step%d" % (k % 3))
        k += 1
t = threading.Thread(target=swap)
t.start()
print(loop(3000))
done = True
t.join()
step.__code__ = codes[0]

made = {}
exec("def f(a):\n    b = a\n    c = b + 1\n    return c", made)
for k in range(5):
    code = made["f"].__code__.replace(co_firstlineno=1000000 * k + 1, co_filename="strange\x01 %d \u202e.py" % k, co_name="na\nme")
    print(types.FunctionType(code, made)(k))
try:
    one.__code__ = (lambda: g).__code__.replace(co_freevars=("x",), co_cellvars=())
except ValueError as e:
    print("ValueError", "free vars" in str(e))
print("end")
