# SPDX-License-Identifier: BSD-3-Clause
"""The time that functions take in a program under cdbg: the function that measures it there, and what it printed."""
TIMED = """
    def timed(*functions):
        import time
        best = [1 << 60] * len(functions)
        for k in range(300):
            for i, function in enumerate(functions):
                began = time.perf_counter_ns()
                for j in range(10):
                    function(False)
                best[i] = min(best[i], time.perf_counter_ns() - began)
        print("spent", *best)
""".strip("\n")


def spent(d):
    """The shortest time of ten calls of each function given to timed(), in nanoseconds: taken in turns, so that a slow machine slows all."""
    return [int(word) for word in next(line for line in d.out.splitlines() if line.startswith("spent")).split()[1:]]
