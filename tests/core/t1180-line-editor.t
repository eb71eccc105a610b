#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Lines typed at the plain prompt: keys that come in pieces, a search that is dropped, and prompts in several threads.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import _folder

PROMPT = r"\(cdbg\) "
PROGRAM = """
    import threading

    def work(n):
        return n * 2

    for i in 1, 2:
        thread = threading.Thread(target=work, args=(i,))
        thread.start()
        thread.join()
    work(3)
"""


def answer(t, keys):
    """What is printed for a line; the prompt is there again."""
    t.send(keys)
    found = t.expect(r"\n(\S+)\n\(cdbg\) ")
    return found.group(1)


with Terminal(PROGRAM, options=("--plain", "-q"), env={"HOME": _folder()}) as t:
    t.expect(PROMPT)
    t.send("print 12")
    t.expect("print 12")
    for part in "\x1b", "[", "D", "\x1b[":
        t.send(part)
    is_(answer(t, "D5\r"), "512", "keys that come in pieces move the cursor")
    is_(answer(t, "print 7 * 11\r"), "77", "a line is run")
    t.send("\x12int 7")
    t.expect("bck:")
    t.send("\x03")
    t.expect(r"\^C\n\(cdbg\) ")
    is_(answer(t, "\x12 *\r"), "77", "Ctrl-C drops a search of the history, and the next one runs what it finds")
    t.line("break work")
    t.expect(PROMPT)
    for n in "123":
        t.line("continue")
        t.expect(r"breakpoint[^\n]*\n(?:[^\n]*\n)*\(cdbg\) ")
        t.send("print ")
        t.expect("print ")
        is_(answer(t, "100 * n\r"), n + "00", "the prompt of thread %s edits lines" % n)
    t.send("info breakp\t")
    t.expect("oints")
    t.send("\x15\x04")
    t.expect(r"End it\? \(y or n\) ")
    t.line("y")
    is_(t.ended(), 0, "Tab completes, and Ctrl-D on an empty line leaves")
done()
