# SPDX-License-Identifier: BSD-3-Clause
# dup2 onto high numbers, sockets, memfds, an inherited pipe as stdin.
import os, socket, sys

r, w = os.pipe()
for n in range(60, 130):
    os.dup2(w, n)
for n in range(60, 130):
    os.write(n, b"x")
print(len(os.read(r, 1000)))
a, b = socket.socketpair()
a.sendall(b"over a socket")
print(b.recv(100))
save = os.dup(0)
os.dup2(r, 0)
os.write(w, b"typed\n")
print(os.read(0, 100))
os.dup2(save, 0)
os.closerange(60, 130)
print(os.open("/dev/null", os.O_RDONLY))
