# SPDX-License-Identifier: BSD-3-Clause
# C code that keeps the GIL while other threads want it, and C code that calls back into Python.
import ctypes, threading

libc = ctypes.PyDLL(None)
done = []

def busy():
    for i in range(200):
        done.append(i)

t = threading.Thread(target=busy)
t.start()
for i in range(10):
    libc.usleep(2000)
t.join()
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))

@compare
def order(a, b):
    return a[0] - b[0]

array = (ctypes.c_int * 6)(5, 1, 4, 2, 3, 0)
libc.qsort(array, len(array), ctypes.sizeof(ctypes.c_int), order)
print(list(array), len(done))
