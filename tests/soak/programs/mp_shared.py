# SPDX-License-Identifier: BSD-3-Clause
# Shared memory, locks, a manager's proxy.
import multiprocessing as mp

def add(v, lock):
    for i in range(100):
        with lock:
            v.value += 1

if __name__ == "__main__":
    c = mp.get_context("fork")
    v, lock = c.Value("i", 0, lock=False), c.Lock()
    ps = [c.Process(target=add, args=(v, lock)) for _ in range(3)]
    for p in ps:
        p.start()
    for p in ps:
        p.join()
    print(v.value)
