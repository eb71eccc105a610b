# SPDX-License-Identifier: BSD-3-Clause
# The program lowers its limits of descriptors, memory and recursion, and lives at them.
import resource
import sys
import tempfile


def files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    held = []
    try:
        while True:
            held.append(tempfile.TemporaryFile())
    except OSError as e:
        said = e.errno
    held[0].write(b"text")
    held[0].seek(0)
    text = held[0].read()
    for f in held:
        f.close()
    return said, text


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def recursion():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(60)
    try:
        try:
            deep(1000)
        except RecursionError as e:
            said = type(e).__name__
        sys.setrecursionlimit(50)
        return said, deep(5)
    finally:
        sys.setrecursionlimit(limit)


def memory():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, resource.RLIM_INFINITY))
    try:
        b"x" * (4 << 30)
    except MemoryError:
        return "MemoryError"


print(files())
print(recursion())
print(memory())
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
print(len(sys.version) > 3)
