# SPDX-License-Identifier: BSD-3-Clause
# Context variables in functions, generators, tasks, threads and copies of contexts.
import asyncio, contextvars, decimal, threading

var = contextvars.ContextVar("var", default="none")

def show(what):
    print(what, var.get(), var in contextvars.copy_context())

def change(to):
    token = var.set(to)
    show("inside")
    return token

def numbers():
    var.set("generator")
    yield var.get()
    with decimal.localcontext() as c:
        c.prec = 5
        yield decimal.Decimal(1) / 7

async def task(name):
    var.set(name)
    await asyncio.sleep(0)
    return var.get()

async def main():
    var.set("main")
    print(await asyncio.gather(*[task("task %d" % i) for i in range(3)]), var.get())
    asyncio.get_running_loop().call_soon(show, "call_soon")
    await asyncio.sleep(0)
    print(await asyncio.to_thread(var.get))

show("first")
copy = contextvars.copy_context()
copy.run(change, "copy")
show("after copy")
print(copy[var], len(list(copy.items())) > 0)
token = change("here")
var.reset(token)
show("reset")
print(list(numbers()), decimal.Decimal(1) / 7)
asyncio.run(main())
t = threading.Thread(target=show, args=("thread",))
t.start()
t.join()
try:
    copy.run(copy.run, print)
except RuntimeError as e:
    print("RuntimeError", type(e).__name__)
try:
    var.reset(token)
except RuntimeError:
    print("used once")
