# SPDX-License-Identifier: BSD-3-Clause
# needs: greenlet
# Greenlets that switch in the middle of calls, raise into each other and die unfinished.
import greenlet

out = []

def ping(n):
    for i in range(n):
        out.append(("ping", i))
        out.append(b.switch(i))
    return "ping is done"

def pong(i):
    while True:
        try:
            i = a.switch(("pong", i)) or i
        except KeyError as e:
            out.append(repr(e))

def deep(n):
    if n:
        return deep(n - 1)
    return greenlet.getcurrent().parent.switch("deep")

a, b = greenlet.greenlet(ping), greenlet.greenlet(pong)
print(a.switch(3))
c = greenlet.greenlet(deep)
print(c.switch(20), c.dead, len(out))
try:
    c.throw(ValueError("thrown"))
except ValueError as e:
    print(e, c.dead)
print(out)
