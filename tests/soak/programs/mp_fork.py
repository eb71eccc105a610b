# SPDX-License-Identifier: BSD-3-Clause
# multiprocessing by fork: a pool, a queue, a process that dies.
import multiprocessing as mp

def square(n):
    return n * n

def dies(q):
    q.put("before")
    q.close()
    q.join_thread()
    raise SystemExit(4)

if __name__ == "__main__":
    c = mp.get_context("fork")
    with c.Pool(2) as pool:
        print(pool.map(square, range(10)))
    q = c.Queue()
    p = c.Process(target=dies, args=(q,))
    p.start()
    print(q.get())
    p.join()
    print(p.exitcode)
