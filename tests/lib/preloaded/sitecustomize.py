# SPDX-License-Identifier: BSD-3-Clause
"""The server of forked.py: an interpreter that has imported torch and forks itself for each program of a test.

Python imports this module before it looks for the program of its command line.  A child changes that command line, the
environment and descriptors 0-2 to those of the request and returns: the interpreter continues as if started so, without a
frame below.  Requests and answers are those that forked.py describes.
"""
import os
import sys


def become(request, descriptors):
    """In the child: the interpreter is what the request asks for."""
    import _testinternalcapi
    for k, fd in enumerate(descriptors):
        os.dup2(fd, k)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if request["terminal"]:
        import fcntl
        import termios
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))
    os.chdir(request["cwd"])
    words = request["words"]
    ours = os.environ["PYTHONPATH"].split(os.pathsep)
    paths = [p for p in request["env"].get("PYTHONPATH", "").split(os.pathsep) if p] + [p for p in sys.path if p not in ours]
    os.environ.clear()
    os.environ.update(request["env"])
    config = _testinternalcapi.get_config()
    if words[1] == "-m":
        config.update(run_module=words[2], run_filename=None, argv=["-m", *words[3:]])
    else:
        config.update(run_module=None, run_filename=words[1], argv=words[1:])
    config["orig_argv"] = words
    _testinternalcapi.set_config(config)
    sys.path[:] = paths                        # set_config() makes it anew, without site-packages
    sys.argv[:], sys.orig_argv[:] = config["argv"], words
    del sys.modules["_testinternalcapi"]


def answer(client, number):
    try:
        client.sendall(b"%d\n" % number)
    except OSError:
        pass                                   # the test has ended


def serve(where):
    """Answers requests until its standard input ends; returns in each child."""
    import gc
    import json
    import select
    import socket
    import torch
    import torch._dynamo
    import torch._inductor.compile_fx  # noqa: F401
    gc.collect()
    gc.freeze()                                # else each child looks through all of torch as it ends, for more than a second
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(where)
    listener.listen(64)
    poll = select.poll()
    poll.register(0, select.POLLIN | select.POLLHUP)
    poll.register(listener, select.POLLIN)
    children, clients = {}, {}                 # pidfd -> (pid, client), client's descriptor -> pid
    print("ready", flush=True)
    while True:
        for fd, _ in poll.poll():
            if fd == 0:
                os._exit(0)
            elif fd == listener.fileno():
                client = listener.accept()[0]
                text, descriptors, _, _ = socket.recv_fds(client, 1 << 16, 3)
                more = text
                while more and not text.endswith(b"\n"):
                    more = client.recv(1 << 16)
                    text += more
                pid = os.fork() if more else None       # None: the test ended meanwhile
                if pid == 0:
                    become(json.loads(text), descriptors)
                    return
                for given in descriptors:
                    os.close(given)
                if pid is None:
                    client.close()
                    continue
                answer(client, pid)
                watch = os.pidfd_open(pid)
                children[watch], clients[client.fileno()] = (pid, client), pid
                poll.register(watch, select.POLLIN)
                poll.register(client, select.POLLIN)
            elif fd in children:
                pid, client = children.pop(fd)
                poll.unregister(fd)
                os.close(fd)
                status = os.waitpid(pid, 0)[1]
                if clients.pop(client.fileno(), None):
                    poll.unregister(client)
                answer(client, status)
                client.close()
            elif fd in clients:                # the test has ended, its program has not
                os.kill(clients.pop(fd), 9)
                poll.unregister(fd)


if "CDBG_TEST_FORKS" in os.environ:
    serve(os.environ["CDBG_TEST_FORKS"])
