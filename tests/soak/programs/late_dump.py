# SPDX-License-Identifier: BSD-3-Clause
# faulthandler dumps from its own thread again and again, weakref callbacks and finalizers raise, a tiny switch interval,
# gc.freeze, a thread that ends while it holds a lock, and a last dump that ends the process.
import faulthandler, gc, sys, tempfile, threading, weakref

class A:
    def __del__(self):
        if self.bad:
            raise ValueError("in a finalizer")
    bad = False

def hook(unraisable):
    print("unraisable", unraisable.exc_type.__name__, unraisable.exc_value, getattr(unraisable.object, "__qualname__", None))

def callback(ref):
    raise KeyError("in a callback")

sys.unraisablehook = hook
sys.setswitchinterval(1e-6)
file = tempfile.TemporaryFile()
faulthandler.dump_traceback_later(0.01, repeat=True, file=file)
lock = threading.Lock()

def dies():
    lock.acquire()
    raise SystemExit

def count(out, n):
    total = 0
    for i in range(n):
        total += i & 3
    out.append(total)

out = []
ts = [threading.Thread(target=dies)] + [threading.Thread(target=count, args=(out, 3000)) for _ in range(3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(out, lock.locked())
for k in range(3):
    a = A()
    a.bad = k == 1
    a.me = a if k == 2 else None
    ref = weakref.ref(a, callback)
    del a
    gc.collect()
    print(k, ref())
gc.freeze()
print(gc.get_freeze_count() > 100)
gc.unfreeze()
faulthandler.cancel_dump_traceback_later()
file.seek(0)
text = file.read().decode()
print(text.count("Thread 0x") >= text.count("Timeout"))
file.seek(0)
file.truncate()
threading.Thread(target=lock.acquire, daemon=True).start()
sys.stdout.flush()
faulthandler.dump_traceback_later(0.2, exit=True, file=file)
threading.Event().wait()
