# SPDX-License-Identifier: BSD-3-Clause
# Exceptions whose text, traceback or class do odd things.
class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no text")

class Deep(Exception):
    pass

def f(n):
    if n:
        f(n - 1)
    raise Deep("deep" * 100 + "\0 \ud800 \x1b[31m")

try:
    f(50)
except Deep as e:
    print(ascii(str(e)[-20:]), len(list(iter(lambda: None, None))))
try:
    raise Odd
except Odd as e:
    print(type(e).__name__)
raise Odd
