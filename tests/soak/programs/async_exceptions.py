# SPDX-License-Identifier: BSD-3-Clause
# Exceptions that another thread, a pending call or a signal raises between two instructions.
import ctypes, signal, threading, time

api = ctypes.pythonapi

class Stop(Exception):
    pass

ready = threading.Event()
out = []

def spin():
    n = 0
    try:
        ready.set()
        while True:
            n += 1
    except Stop:
        out.append("stopped")
        try:
            while True:
                n += 1
        except Stop:
            out.append("again")
    finally:
        out.append("finally")

t = threading.Thread(target=spin)
t.start()
ready.wait()
for want in (1, 3):
    print(api.PyThreadState_SetAsyncExc(ctypes.c_ulong(t.ident), ctypes.py_object(Stop)))
    while len(out) < want:
        time.sleep(0.001)
t.join()
print(out)
print(api.PyThreadState_SetAsyncExc(ctypes.c_ulong(t.ident), ctypes.py_object(Stop)))

CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
called = []
@CALL
def pending(arg):
    called.append(arg)
    return 0
for i in range(1, 4):
    api.Py_AddPendingCall(pending, ctypes.c_void_p(i))
end = time.monotonic() + 20
while len(called) < 3 and time.monotonic() < end:
    sum(range(100))
print(called)

def handler(number, frame):
    raise Stop(number == signal.SIGUSR1)
signal.signal(signal.SIGUSR1, handler)
for i in range(3):
    try:
        signal.raise_signal(signal.SIGUSR1)
        time.sleep(0)
        print("never")
    except Stop as e:
        print("raised", e, e.__traceback__.tb_next is not None)
