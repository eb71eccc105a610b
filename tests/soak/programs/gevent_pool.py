# SPDX-License-Identifier: BSD-3-Clause
# needs: gevent
# Everything patched, a pool of greenlets, a timeout, a kill.
from gevent import monkey
monkey.patch_all()
import gevent, gevent.pool, time, threading

def work(n):
    time.sleep(0.001 * (3 - n % 3))
    return n * n

print(gevent.pool.Pool(3).map(work, range(6)))
g = gevent.spawn(time.sleep, 100)
with gevent.Timeout(0.01, False):
    g.join()
g.kill()
print(g.dead)
t = threading.Thread(target=lambda: print("thread", flush=True))
t.start()
t.join()
