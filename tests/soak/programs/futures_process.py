# SPDX-License-Identifier: BSD-3-Clause
# concurrent.futures with processes and threads, results and exceptions.
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

def work(n):
    if n == 3:
        raise ValueError("three")
    return n + 1

if __name__ == "__main__":
    for kind in (ThreadPoolExecutor, ProcessPoolExecutor):
        with kind(2) as e:
            for f in [e.submit(work, i) for i in range(5)]:
                print(kind.__name__, f.exception() or f.result())
