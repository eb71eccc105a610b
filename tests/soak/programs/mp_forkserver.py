# SPDX-License-Identifier: BSD-3-Clause
# multiprocessing by a fork server.
import multiprocessing as mp

def square(n):
    return n * n

if __name__ == "__main__":
    c = mp.get_context("forkserver")
    with c.Pool(2) as pool:
        print(pool.map(square, range(4)))
