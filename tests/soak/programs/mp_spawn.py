# SPDX-License-Identifier: BSD-3-Clause
# multiprocessing by spawn: the children import this file as __mp_main__.
import multiprocessing as mp

def square(n):
    return n * n, __name__

if __name__ == "__main__":
    c = mp.get_context("spawn")
    with c.Pool(2) as pool:
        print(pool.map(square, range(4)))
