# SPDX-License-Identifier: BSD-3-Clause
# sys.exit with a text, from deep inside, finally blocks on the way.
import sys

def f(n):
    try:
        if n:
            f(n - 1)
        sys.exit("that is it")
    finally:
        print("finally", n)

f(3)
