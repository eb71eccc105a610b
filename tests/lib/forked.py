#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of tests forked from an interpreter that has imported torch: to import it takes longer than most of them run.

    python3 tests/lib/forked.py COMMAND...     runs a command, as prove, with a server of such programs

CDBG_TEST_FORKS names the server's socket.  A request is a line of JSON with words, env, cwd and terminal (true: descriptor 0
becomes the controlling terminal), sent with descriptors 0-2 of the program; the answers are lines: its process, and as it
ends its wait status.  A program whose test goes away is killed.
"""
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preloaded")
# Variables that Python, torch and the C library read as they start: the server has them as they are in environment().
READ_AT_START = re.compile("PYTHON|TORCH|OMP_|MKL_|KMP_|GOMP_|ATEN_|LD_|MALLOC_|GLIBC_|LC_|LANG|TZ")
READ_LATER = {"TORCHINDUCTOR_CACHE_DIR", "PYTHONPATH"}


class Forked:
    """A child of the server, used as a subprocess.Popen."""

    def __init__(self, words, env, cwd, stdin, stdout, stderr, terminal):
        self.args, self.returncode, self._said, self._lock = words, None, b"", threading.Lock()
        ours, given = [], []
        for k, fd in enumerate((stdin, stdout, stderr)):
            fd = given[1] if fd == subprocess.STDOUT else fd
            ends = (fd, None) if fd != subprocess.PIPE else os.pipe() if k == 0 else os.pipe()[::-1]
            given.append(ends[0])
            ours.append(ends[1])
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(os.environ["CDBG_TEST_FORKS"])
        request = json.dumps({"words": words, "env": env, "cwd": cwd or os.getcwd(), "terminal": terminal}).encode() + b"\n"
        socket.send_fds(self._socket, [request[:1]], given)
        self._socket.sendall(request[1:])
        for fd, end in zip(given, ours):
            if end is not None:
                os.close(fd)
        self.stdin, self.stdout, self.stderr = (end if end is None else os.fdopen(end, "rb" if k else "wb", -1 if k else 0)
                                                for k, end in enumerate(ours))
        self.pid = int(self._line(None))

    def _line(self, seconds):
        """The server's next line; None: it did not come in time."""
        end = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self._said:
            if not select.select([self._socket], [], [], None if end is None else max(0, end - time.monotonic()))[0]:
                return None
            more = self._socket.recv(100)
            if not more:
                raise RuntimeError("the server that forks programs has ended")
            self._said += more
        line, _, self._said = self._said.partition(b"\n")
        return line

    def _end(self, seconds):
        with self._lock:
            if self.returncode is None:
                line = self._line(seconds)
                if line is not None:
                    self.returncode = os.waitstatus_to_exitcode(int(line))
                    self._socket.close()
            return self.returncode

    def poll(self):
        return self._end(0)

    def wait(self, timeout=None):
        if self._end(timeout) is None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def communicate(self, data=None, timeout=None):
        """Writes data to standard input, reads the rest to its end: (stdout, stderr).  Call it again after a time-out."""
        end = None if timeout is None else time.monotonic() + timeout
        if not hasattr(self, "_read"):
            self._read = [[], []]
            self._threads = [threading.Thread(target=lambda f=f, kept=kept: kept.append(f.read() if f else None), daemon=True)
                             for f, kept in zip((self.stdout, self.stderr), self._read)]
            self._threads.append(threading.Thread(target=self._feed, args=(data,), daemon=True))
            for thread in self._threads:
                thread.start()
        for thread in self._threads:
            thread.join(None if end is None else max(0, end - time.monotonic()))
            if thread.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout)
        self.wait(None if end is None else max(0, end - time.monotonic()))
        return tuple(kept[0] for kept in self._read)

    def _feed(self, data):
        try:
            if data:
                self.stdin.write(data)
            self.stdin.close()
        except BrokenPipeError:
            pass                               # it ended without reading all


def can_be(words, env, usual):
    """The server can be this interpreter.  usual: the environment that the server was started with."""
    differ = {name for name in set(env) | set(usual) if env.get(name) != usual.get(name) and READ_AT_START.match(name)}
    return not differ - READ_LATER and (words[1] == "-m" or os.path.isabs(words[1]))


def main(command):
    """Runs a command with a server; its status."""
    from cdbgtest import environment, interpreter
    able = "import importlib.util as u, _testinternalcapi as t; t.set_config, u.find_spec('torch').name"    # not every CPython can
    if subprocess.call([interpreter(), "-c", able], env=environment(), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        return subprocess.call(command)
    folder = tempfile.mkdtemp(prefix="cdbg-forks-")
    where = os.path.join(folder, "socket")
    env = environment({"CDBG_TEST_FORKS": where})
    env["PYTHONPATH"] = SERVER + ":" + env["PYTHONPATH"]
    server = subprocess.Popen([interpreter(), "-m", "cdbg"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if server.stdout.readline() == b"ready\n":
            os.environ["CDBG_TEST_FORKS"] = where
        return subprocess.call(command)
    finally:
        server.stdin.close()
        server.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
