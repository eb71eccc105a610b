# SPDX-License-Identifier: BSD-3-Clause
# MemoryError, caught and recovered from, also with little address space.
import resource

for make in (lambda: bytearray(1 << 62), lambda: [0] * (1 << 60), lambda: "x" * (1 << 61), lambda: 1 << (1 << 62)):
    try:
        make()
    except (MemoryError, OverflowError) as e:
        print(type(e).__name__)
_, hard = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), hard))
kept = []
try:
    while True:
        kept.append(bytearray(4 << 20))
except MemoryError:
    kept.clear()
    print("out of memory")
print(sum(range(1000)))
