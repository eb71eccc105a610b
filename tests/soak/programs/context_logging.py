# SPDX-License-Identifier: BSD-3-Clause
# Context variables, logging, warnings, tracemalloc, random numbers from a seed.
import contextvars, logging, random, sys, threading, tracemalloc, warnings

v = contextvars.ContextVar("v", default=0)

def f():
    v.set(v.get() + 1)
    return v.get()

print(f(), contextvars.copy_context().run(f), v.get())
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(funcName)s %(lineno)d %(threadName)s %(message)s")

def logs():
    logging.warning("here")
    warnings.warn("at this line", stacklevel=2)

logs()
random.seed(5)
print(random.random())
tracemalloc.start()
x = [bytes(100) for _ in range(10)]
print(tracemalloc.get_object_traceback(x[0])[0].lineno)
tracemalloc.stop()
