# SPDX-License-Identifier: BSD-3-Clause
"""Compares the output pane's terminal of one line with tmux on random bytes: `pane_tmux.py [STREAMS [SEED]]`.

Each stream is one line of text with controls, sequences and strings, whole, cut and cancelled.  What moves to other lines is
left out: the pane has no lines above the one being written.  So are characters that are two columns wide or none."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cdbgtest  # noqa: E402

COLUMNS = 300           # no stream is longer, since tmux breaks lines
TOOL = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/output/console.h"
#include "ui/output/lineterm.h"

int main(int argc, char **argv)
{
	static char part[1 << 16];
	unsigned long i;
	const char *s;
	size_t n;

	lineterm_columns(argc > 1 ? atoi(argv[1]) : 80);
	while ((n = fread(part, 1, sizeof(part), stdin)) > 0)
		console_bytes(part, n);
	for (i = 0; i <= console_lines(); i++) {
		for (s = console_line(i); *s; s++)
			if (*s == '\033')
				s += strcspn(s, "m");
			else
				putchar(*s);
		putchar('\n');
	}
	return 0;
}
"""
SOURCES = ["ui/output/lineterm.c", "ui/output/console.c", "ui/term/grid.c", "ui/term/theme.c", "src/base/buf.c", "src/base/text.c",
           "src/base/visible.c", "src/base/ownfd.c", "src/base/err.c", "src/base/file.c"]


def tool(folder):
    """The path of a program that prints what the pane shows of its input; None: there is no compiler."""
    cc = shutil.which("cc") or shutil.which("gcc")
    if not cc:
        return None
    source, path = os.path.join(folder, "panetext.c"), os.path.join(folder, "panetext")
    with open(source, "w") as f:
        f.write(TOOL)
    top = cdbgtest.top
    subprocess.run([cc, "-std=c11", "-O1", "-D_GNU_SOURCE", "-I", os.path.join(top, "src"), "-I", top, "-I", cdbgtest.build, source,
                    *(os.path.join(top, name) for name in SOURCES), "-o", path, "-lutf8proc"], check=True)
    return path


def shown(path, data, columns=COLUMNS):
    """The lines that the pane shows of these bytes."""
    out = subprocess.run([path, str(columns)], input=data, stdout=subprocess.PIPE, check=True).stdout
    return [line.rstrip() for line in out.decode("utf-8", "replace").split("\n")]


class Streams:
    """Random streams."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def text(self):
        # after a cut sequence these do not move to another line, nor change the character set
        return "".join(self.random.choice("ijoqvwy XKCG0123456789;[]{}\u00e9\u20ac") for _ in range(self.random.randrange(1, 7))).encode()

    def number(self):
        return str(self.random.choice([0, 1, 2, 3, 5, 8, 40, 200, 9999, 123456])).encode()

    def sequence(self):
        r = self.random
        kind = r.randrange(12)
        if kind < 5:        # what acts in a line
            final = r.choice([b"C", b"D", b"G", b"K", b"P", b"@", b"X", b"`"])
            number = self.number() if r.randrange(3) else b""
            if final in b"CG`@" and len(number) > 1:    # text at the edge would be broken
                return b"\x1b[" + number + final + b"\r" if final != b"@" else b"\x1b[@"
            return b"\x1b[" + number + final
        if kind < 7:
            return b"\x1b[" + b";".join(self.number() for _ in range(r.randrange(4))) + b"m"
        if kind == 7:       # private, with intermediate bytes, unknown
            return b"\x1b[" + r.choice([b"?25l", b"?25h", b">4;1m", b"=c", b"1 q", b"!p", b"?1;2$y", b"2;3t", b"<u", b"?2004h"])
        if kind == 8:
            return b"\x1b" + r.choice([b"(B", b")B", b"=", b">", b"%G"])
        if kind == 9:       # controls within a sequence
            return b"\x1b[" + self.number() + r.choice([b"\b", b"\r", b"\t"]) + r.choice([b"K", b"D", b"m"])
        if kind == 10:      # too long
            return b"\x1b[" + b";".join([b"1"] * r.randrange(2, 12)) + b"m"
        return b"\x1b7" + self.text() + b"\x1b8"

    def string(self):
        r = self.random
        begin = r.choice([b"\x1b]2;", b"\x1b]7777;", b"\x1b^", b"\x1bX", b"\x1b_"])
        end = r.choice([b"\x1b\\", b"\x18", b"\x1a", self.sequence()])
        if begin.startswith(b"\x1b]") and r.randrange(2):
            end = b"\x07"
        return begin + self.text() + end

    def piece(self):
        r = self.random
        kind = r.randrange(12)
        if kind < 4:
            return self.text()
        if kind < 8:
            return self.sequence()
        if kind == 8:
            return self.string()
        if kind == 9:       # cut by CAN, SUB, ESC
            whole = re.sub(rb"\d{3,}", b"5", self.sequence()).rstrip(b"\r")
            # the pane shows a sign for a character that is cut, tmux nothing
            return whole[:r.randrange(1, len(whole))].decode("utf-8", "ignore").encode() + r.choice([b"\x18", b"\x1a", b"", b"\x1b\\"])
        return r.choice([b"\r", b"\b", b"\t", b"\0", b"\x7f", b"\x07", b"\b\b\b"])

    def stream(self):
        data = b"".join(self.piece() for _ in range(self.random.randrange(1, 14)))
        for bad in b"\n", b"\v", b"\f":
            data = data.replace(bad, b"")
        for moves in re.finditer(rb"\x1b\[([^@-~]*)[CG`@](?!\r)", data):     # to the edge, where tmux breaks the line
            if int(re.sub(rb"[^0-9]", b"", moves.group(1).partition(b";")[0]) or b"0") > 100:
                return b""
        return data


def tmux_shows(folder, data, lines):
    """The lines that tmux shows of these bytes."""
    path, done, socket = (os.path.join(folder, name) for name in ("streams", "done", "socket"))
    with open(path, "wb") as f:
        f.write(data)
    env = dict(os.environ, TMUX="", LC_ALL="C.UTF-8", TERM="xterm")
    tmux = ["tmux", "-u", "-f", "/dev/null", "-S", socket]
    subprocess.run([*tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", "50", "sleep 1000"], env=env, check=True)
    try:
        subprocess.run([*tmux, "set-option", "-g", "history-limit", str(lines + 100)], env=env, check=True)
        subprocess.run([*tmux, "new-window", "cat '%s'; printf '\\n'; tmux -S '%s' wait-for -S done; sleep 1000" % (path, socket)], env=env, check=True)
        subprocess.run([*tmux, "wait-for", "done"], env=env, check=True, timeout=500 * cdbgtest.PATIENCE)
        end = time.monotonic() + 60 * cdbgtest.PATIENCE
        while True:         # what cat wrote may still be read
            out = subprocess.run([*tmux, "capture-pane", "-p", "-S", "-"], env=env, stdout=subprocess.PIPE, check=True).stdout
            if b"end of streams" in out or time.monotonic() > end:
                break
    finally:
        subprocess.run([*tmux, "kill-server"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [line.rstrip() for line in out.decode("utf-8", "replace").split("\n")]


def compare(count, seed):
    """[(stream, what the pane shows, what tmux shows)]: those that differ."""
    streams = Streams(seed)
    all = [streams.stream() for _ in range(count)]
    reset = b"\x18\x1b\\\x1b[0m\x1b(B\x0f\r\n\x1b7"

    def joined():
        return b"\x1b7" + b"".join(s + reset for s in all) + b"end of streams\r\n"

    with tempfile.TemporaryDirectory() as folder:
        path = tool(folder)
        if not path:
            return None
        # tmux breaks a line at its edge
        all = [s for s, line in zip(all, shown(path, joined())) if len(line) < COLUMNS - 20]
        ours, theirs = shown(path, joined()), tmux_shows(folder, joined(), len(all))
    differ = [(s, a, b) for s, a, b in zip(all, ours, theirs) if a != b]
    if len(theirs) < len(all):
        differ.append((b"", "%d lines" % len(ours), "%d lines" % len(theirs)))
    return differ


if __name__ == "__main__":
    count, seed = (int(word) for word in (sys.argv[1:] + ["100000", "1"][len(sys.argv) - 1:])[:2])
    found = compare(count, seed)
    for stream, ours, theirs in found[:4]:
        print("%r\n  pane %r\n  tmux %r" % (stream, ours, theirs))
    print("%d streams, seed %d: %d differ" % (count, seed, len(found)))
    sys.exit(bool(found))
