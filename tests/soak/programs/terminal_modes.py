# SPDX-License-Identifier: BSD-3-Clause
# Modes, sizes and job control of a pseudo terminal of its own.
import fcntl, os, pty, struct, termios, tty

m, s = pty.openpty()
before = termios.tcgetattr(s)
tty.setraw(s)
print(termios.tcgetattr(s)[3] != before[3])
os.write(m, b"\x03\x1a\x1b[A")
print(os.read(s, 100))
termios.tcsetattr(s, termios.TCSADRAIN, before)
fcntl.ioctl(s, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
print(struct.unpack("HHHH", fcntl.ioctl(m, termios.TIOCGWINSZ, b"\0" * 8)))
pid, fd = pty.fork()
if not pid:
    os.write(1, b"in the pty %d\n" % os.isatty(0))
    os._exit(0)
print(os.read(fd, 100), os.waitpid(pid, 0)[1])
