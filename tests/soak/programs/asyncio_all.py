# SPDX-License-Identifier: BSD-3-Clause
# Tasks, cancellation, timeouts, groups, asynchronous generators and context managers, exceptions nobody fetched.
import asyncio, contextlib

async def numbers(n):
    try:
        for i in range(n):
            yield i
            await asyncio.sleep(0)
    finally:
        print("closed")

@contextlib.asynccontextmanager
async def manager():
    print("enter")
    try:
        yield 5
    finally:
        print("exit")

async def forever():
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("cancelled")
        raise

async def fails():
    raise ValueError("in a task")

async def main():
    print([i async for i in numbers(3)])
    async with manager() as m:
        print(m)
    t = asyncio.create_task(forever())
    await asyncio.sleep(0)
    t.cancel()
    print(await asyncio.gather(t, fails(), return_exceptions=True))
    try:
        async with asyncio.timeout(0.01):
            await forever()
    except TimeoutError:
        print("timeout")
    try:
        async with asyncio.TaskGroup() as g:
            g.create_task(fails())
            g.create_task(forever())
    except* ValueError as e:
        print(e.exceptions)
    async for i in numbers(5):
        if i == 1:
            break
    return await asyncio.to_thread(sum, [1, 2, 3])

print(asyncio.run(main(), debug=False))
