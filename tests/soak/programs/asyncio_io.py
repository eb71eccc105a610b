# SPDX-License-Identifier: BSD-3-Clause
# Sub-processes, streams, signals and a server in one loop.
import asyncio, os, signal, sys

async def serve(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()

async def main():
    p = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(input())", stdin=-1, stdout=-1)
    print(await p.communicate(b"hello\n"), p.returncode)
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"over tcp\n")
    print(await reader.readline())
    writer.close()
    server.close()
    got = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, got.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await got.wait()
    print("signal")

asyncio.run(main())
