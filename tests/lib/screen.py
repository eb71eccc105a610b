# SPDX-License-Identifier: BSD-3-Clause
"""The full screen driven as a person does, on a terminal that is a pty, read by a terminal emulator (pyte).

    from screen import *

    with Screen("print('hello')\n", rows=24, cols=80) as s:
        s.keys("si\r")
        like(s.text, "stopped: step", "an instruction is stepped")
        s.same("start-80x24", "the screen is as drawn in tests/screens")

Nothing sleeps: cdbg, told so by CDBG_READY, writes a mark behind each complete screen that it waits with; the mark says
how many bytes of what was typed it has taken, and the size.  While the program runs, and asks for no input, a screen counts
as complete after the milliseconds that CDBG_READY says: what is typed next is for the stop that comes.  same() compares with tests/screens/NAME.txt; with
CDBG_SCREENS=write in the environment it writes that file instead.
"""
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cdbgtest import *
from cdbgtest import PATIENCE, argv, environment, kill, start, version, _folder, _program

try:
    import pyte
except ImportError:
    # the interpreter that cdbg is built for may have it
    if os.environ.get("CDBG_REEXEC") != "1" and os.path.exists(interpreter()):
        os.environ["CDBG_REEXEC"] = "1"
        os.execv(interpreter(), [interpreter()] + sys.argv)
    skip_all("no pyte: pip install pyte")

__all__ = ["Screen", "screens"] + __import__("cdbgtest").__all__
screens = os.path.join(top, "tests", "screens")
DRAWN = (3, 11)             # the CPython whose instructions they show
MARK = re.compile(rb"\x1b\]7777;ready;(\d+);(\d+);(\d+)\x1b\\")


class Emulator(pyte.Screen):
    """What pyte lacks and curses uses on xterm: repeat a character, scroll a region up and down."""
    last = " "

    def draw(self, data):
        super().draw(data)
        self.last = data[-1:] or self.last

    def repeat(self, n=1, **_):
        super().draw(self.last * (n or 1))

    def scroll_up(self, n=1, **_):
        y, self.cursor.y = self.cursor.y, self.margins.bottom if self.margins else self.lines - 1
        for _ in range(n or 1):
            self.index()
        self.cursor.y = y

    def scroll_down(self, n=1, **_):
        y, self.cursor.y = self.cursor.y, self.margins.top if self.margins else 0
        for _ in range(n or 1):
            self.reverse_index()
        self.cursor.y = y


class Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "b": "repeat", "S": "scroll_up", "T": "scroll_down"}
    events = pyte.ByteStream.events | {"repeat", "scroll_up", "scroll_down"}


class Screen:
    emulate = True                          # False: only bytes and marks are looked at

    def __init__(self, program, *args, rows=24, cols=80, options=(), env=None, limit=60, wait=True, command=None, cwd=None):
        self.path = _program(program) if program else None
        self.rows, self.cols, self.limit = rows, cols, limit * PATIENCE
        self.raw = self._tail = b""
        self.sent = self.marks = 0
        self.mark = (0, 0, 0)
        self.eof = False
        self.status = None
        self.screen = Emulator(cols, rows)
        self.stream = Stream(self.screen)
        self.fd, self.slave = os.openpty()      # the slave stays open: a dead program leaves its screen readable
        self._size()
        words = command or argv("-m", "cdbg", *options, self.path, *args)
        # a home of its own: what one screen remembers is not the next one's
        env = environment(dict({"TERM": "xterm-256color", "CDBG_READY": "%d" % (3000 * PATIENCE), "HOME": _folder()}, **(env or {})))
        env.pop("LINES"), env.pop("COLUMNS")
        self.proc = start(words, env, cwd, self.slave, self.slave, self.slave, terminal=True)
        self.pid = self.proc.pid
        if wait:
            self.ready()

    def _size(self):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.cols, 0, 0))

    def pump(self, seconds):
        """Read what is there; False: nothing came in time."""
        if not select.select([self.fd], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            self.eof = True
            return False
        self.raw += data
        self._tail += data
        for m in MARK.finditer(self._tail):
            self.mark = tuple(map(int, m.groups()))
            self.marks += 1
        self._tail = self._tail[self._tail.rfind(b"\\") + 1:][-64:]
        if self.emulate:
            self.stream.feed(re.sub(rb"\x1b\[[\d;:]*:[\d;:]*m", lambda m: m.group().replace(b":", b";"), data))    # pyte reads no colons
        return True

    def until(self, holds, what):
        end = time.monotonic() + self.limit
        while not holds():
            left = end - time.monotonic()
            if self.eof or left <= 0:
                raise Trouble("%s: not in time; mark %s of %d bytes; the screen:\n%s" %
                              (what, self.mark, self.sent, self.text))
            self.pump(min(left, 1))
        return self

    def ready(self):
        """Until all that was typed is taken, and the screen of it is whole."""
        return self.until(lambda: self.mark[0] >= self.sent and self.mark[1:] == (self.rows, self.cols), "ready")

    def settled(self):
        """Like ready() at a stop: a mark from the time that the program ran does not count, the last bytes must be one."""
        return self.ready().until(lambda: re.search(rb"\x1b\]7777;[^\x1b]*\x1b\\$", self.raw[-64:]), "the whole screen")

    def stopped(self, line, word):
        """Types a line that lets the program run; until a stop whose status line matches, and the screen of it is whole."""
        marks = self.marks
        self.line(line)
        self.until(lambda: self.marks > marks and re.search(word, self.row(r"^ stopped: ")), "%s: %s" % (line, word))
        return self.settled()

    def see(self, *words):
        """Until all of these are on the screen, and that is whole."""
        self.until(lambda: all(w in self.text for w in words), "see %s" % (words,))
        return self

    def keys(self, data, wait=True):
        data = data.encode() if isinstance(data, str) else data
        self.sent += len(data)
        while data:
            if select.select([], [self.fd], [], 0)[1]:
                data = data[os.write(self.fd, data[:2048]):]
            self.pump(0)
        return self.ready() if wait else self

    def line(self, text, wait=True):
        return self.keys(text + "\r", wait)

    def resize(self, rows, cols, wait=True):
        self.rows, self.cols = rows, cols
        self.screen.resize(rows, cols)
        self._size()
        return self.ready() if wait else self

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def prompt(self):
        """The row of the prompt."""
        return next((line for line in reversed(self.text.split("\n")) if re.match(r"\(cdbg\)|> |/|-- keys go", line)), "")

    @property
    def at(self):
        """The row of the cursor."""
        return self.text.split("\n")[self.screen.cursor.y]

    def row(self, pattern):
        """The first row of the screen that matches."""
        return next((line for line in self.text.split("\n") if re.search(pattern, line)), "")

    def pane(self, name):
        """The rows of a pane, its title first: the text below a title of this name, in its columns."""
        lines = self.text.split("\n")
        for y, line in enumerate(lines):
            m = re.search(r"[\[ ](\d )?%s[\] ]" % re.escape(name), line)
            if m and re.search("─", line[m.end() - 1:]) and not line.startswith("(cdbg)"):
                x = m.start()
                right = next((i for i in range(x, len(line)) if line[i] in "┤┼├┬"), len(line) + 200)
                out = [line[x:right]]
                for below in lines[y + 1:]:
                    part = below[x:right]
                    if part[:1] == "─" or re.match(r"[\[ ](\d )?[\w-]+[\] ].*─", part) or re.match(r"^ (stopped|running|working|the program|a question)", below):
                        break
                    out.append(part.rstrip("│ "))
                return out
        return []

    def same(self, name, what, hide=()):
        """The screen is that of tests/screens/NAME.txt; hide: (pattern, text of the same length) pairs."""
        if version() != DRAWN:
            return skip(what, "drawn with the instructions of CPython %d.%d" % DRAWN)
        got = self.text
        for pattern, instead in [(r"1 of \d+, \] next ─*", "1 of N, ] next ──")] + list(hide):
            got = re.sub(pattern, lambda m: (instead + " " * len(m.group()))[:len(m.group())], got)
        got = "\n".join(line.rstrip() for line in got.split("\n")) + "\n"
        path = os.path.join(screens, name + ".txt")
        if os.environ.get("CDBG_SCREENS") == "write":
            with open(path, "w") as f:
                f.write(got)
        try:
            with open(path) as f:
                want = f.read()
        except OSError:
            want = ""
        return ok(got == want, what, lambda: "the screen:\n%s\nexpected (%s):\n%s" % (got, path, want))

    # ---- the end ----

    def ended(self):
        """Wait for the end; the exit status (negative: the signal)."""
        end = time.monotonic() + self.limit
        while self.status is None:
            select.select([] if self.eof else [self.fd], [], [], 0.01)
            self.pump(0)
            self.status = self.proc.poll()
            if self.status is None and time.monotonic() > end:
                raise Trouble("not ended; the screen:\n%s" % self.text)
        while self.pump(0):
            pass
        return self.status

    @property
    def sane(self):
        """The terminal is in line mode with echo and signals, and the alternate screen has been left."""
        mode = termios.tcgetattr(self.slave)[3]
        cooked = mode & termios.ICANON and mode & termios.ECHO and mode & termios.ISIG
        return bool(cooked) and self.raw.rfind(b"\x1b[?1049l") > self.raw.rfind(b"\x1b[?1049h")

    @property
    def after(self):
        """The output after the screen was left last."""
        return self.raw[self.raw.rfind(b"\x1b[?1049l"):].decode(errors="replace").replace("\r\n", "\n")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self.status is None:
            kill(self.proc)
        os.close(self.fd)
        os.close(self.slave)
