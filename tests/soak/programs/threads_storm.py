# SPDX-License-Identifier: BSD-3-Clause
# Many short threads, locks, thread locals, a barrier, queues.
import queue, threading

local = threading.local()
q = queue.Queue()
barrier = threading.Barrier(4)

def work(n):
    local.n = n
    q.put(local.n * 2)

def meet(n):
    barrier.wait()
    q.put(n)

for i in range(100):
    t = threading.Thread(target=work, args=(i,))
    t.start()
    if i % 10 == 0:
        t.join()
threads = [threading.Thread(target=meet, args=(i,)) for i in range(4)]
for t in threads:
    t.start()
print(sum(q.get() for _ in range(104)))
