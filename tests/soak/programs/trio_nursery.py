# SPDX-License-Identifier: BSD-3-Clause
# needs: trio
# A nursery, cancellation, a deadline, channels.
import trio

async def producer(send):
    async with send:
        for i in range(3):
            await send.send(i)

async def main():
    send, receive = trio.open_memory_channel(0)
    async with trio.open_nursery() as n:
        n.start_soon(producer, send)
        print([i async for i in receive])
    with trio.move_on_after(0.01) as scope:
        await trio.sleep_forever()
    print(scope.cancelled_caught)
    try:
        async with trio.open_nursery() as n:
            n.start_soon(trio.sleep_forever)
            raise ValueError("out of the nursery")
    except* ValueError as e:
        print(e.exceptions)

trio.run(main)
