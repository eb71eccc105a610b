# SPDX-License-Identifier: BSD-3-Clause
# Where memory of this file was allocated.
import tracemalloc

tracemalloc.start(5)

def keep(n):
    return [bytearray(1000) for _ in range(n)]

kept = keep(50)
first = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)])
kept += keep(30)
second = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)])
for s in sorted(second.compare_to(first, "lineno"), key=lambda s: -s.size_diff)[:1]:
    print(s.traceback[0].lineno, s.size_diff // 10000)      # the stepped line also has a few small objects of a debugger
print([t.lineno for t in tracemalloc.get_object_traceback(kept[0])])
print(tracemalloc.is_tracing(), tracemalloc.get_traced_memory()[1] > 80000)
tracemalloc.stop()
print(tracemalloc.is_tracing(), tracemalloc.get_object_traceback(kept[0]))
