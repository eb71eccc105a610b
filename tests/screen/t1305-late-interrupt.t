#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# In a stop of a worker thread, an `interrupt` or Ctrl-C that comes too late for its command does nothing: it does not
# end the next command, and it does not stop the main thread.
import array
import fcntl
import os
import queue
import select
import sys
import termios
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from screen import PATIENCE, Screen

# The replies to 'info asm large' and 'disassemble large' are larger than a pipe, and nothing ends these commands.
path = script('''
import threading
names = {}
exec("def large(a):\\n" + "".join("    a = a + %d\\n" % i for i in range(5000)) + "    return a\\n", names)
large = names["large"]
def work():
    done = 1                            # here
    return done
if __name__ == "__main__":
    t = threading.Thread(target=work)
    t.start()
    t.join()
    print("end")
''')
here = line_of(path, "# here")


class Client(Cdbg):
    """Reads an object only when it is asked for the next one."""

    def __init__(self, *args, **options):
        self.wanted = queue.Queue()
        super().__init__(*args, **options)

    def _read(self):
        while self.wanted.get():
            self.lines.put(self.proc.stdout.readline() or None)

    def next(self):
        self.wanted.put(True)
        return super().next()


def readable(f):
    n = array.array("i", [0])
    fcntl.ioctl(f, termios.FIONREAD, n)
    return n[0]


def waits(pid):
    """How often the threads of the process but its main one have waited for something."""
    n = 0
    for tid in set(os.listdir("/proc/%d/task" % pid)) - {str(pid)}:
        with open("/proc/%d/task/%s/status" % (pid, tid)) as f:
            n += sum(int(line.split()[1]) for line in f if line.startswith("voluntary_ctxt_switches"))
    return n


def until(holds):
    end = time.monotonic() + 60 * PATIENCE
    while not holds() and time.monotonic() < end:
        select.select([], [], [], 0.05)


def stopped():
    d = Client(path, limit=120)
    d.do("break %d" % here)
    d.go()
    ok(d.stop["thread"] != 1, "a stop in a worker thread", d.stop)
    return d


def ended(d, name):
    is_(d.do("print 40 + 2")["text"], "42", "%s: the next command is not ended" % name)
    d.run_out()
    is_((d.out, [s.get("reason") for s in d.stops]), ("end\n", ["start", "breakpoint", None]), "%s: and no interrupt stops the program" % name)


with stopped() as d:
    d.send("info asm large")
    d.send("interrupt")
    ok(len(d.answer("info asm large")["rows"]) > 10000, "a command that nothing ends is followed by an interrupt")
    d.answer("interrupt")
    ended(d, "after that command")

# The client does not read, so that 'info breakpoints' waits until the reply before it has been written.
with stopped() as d:
    full = fcntl.fcntl(d.proc.stdout, fcntl.F_GETPIPE_SZ)
    d.send("info asm large")
    until(lambda: readable(d.proc.stdout) >= full)
    ok(readable(d.proc.stdout) >= full, "a reply fills the pipe")
    d.send("info breakpoints")
    d.send("interrupt")
    before = waits(d.proc.pid)
    until(lambda: waits(d.proc.pid) >= before + 20)
    ok(waits(d.proc.pid) >= before + 20, "the next command and an interrupt wait")
    d.answer("info asm large")
    is_(len(d.answer("info breakpoints")["rows"]), 1, "the command is not ended by an interrupt that came before it began")
    d.answer("interrupt")
    ended(d, "after that interrupt")

# Most of the output still waits for the terminal when Ctrl-C comes.
with Terminal(path) as t:
    t.expect(r"\(cdbg\)")
    t.line("break %d" % here)
    t.line("continue")
    t.expect("stopped: breakpoint 1")
    t.line("disassemble large")
    t.expect("STORE_FAST")
    t.send("\x03")
    t.expect(r"\(cdbg\)")
    t.line("print 40 + 2")
    is_(t.expect(r"^(\d\d|.*Interrupt.*)$").group(), "42", "plain: Ctrl-C as a command writes does not end the next command")
    t.line("continue")
    is_(t.expect("^end|stopped: .*").group(), "end", "plain: and it does not stop the program")



def ticks(pid):
    with open("/proc/%d/stat" % pid) as f:
        return int(f.read().rsplit(")", 1)[1].split()[11])


with open(path) as f:
    larger = script(f.read().replace("range(5000)", "range(60000)"))
with Screen(larger) as s:
    s.line("break %d" % here)
    s.stopped("continue", "breakpoint 1")
    before = ticks(s.pid)
    s.line("disassemble large", wait=False)
    s.until(lambda: ticks(s.pid) >= before + 5 or "lines of answer" in s.text, "the command computes")
    s.keys("\x03", wait=False)
    s.until(lambda: "lines of answer" in s.text, "the answer")
    s.line("print 40 + 2")
    like(s.text, r"(?m)^.?42\b", "full screen: Ctrl-C as a command computes does not end the next command")
    s.line("continue", wait=False)
    s.until(lambda: "the program ended" in s.text or "stopped: interrupt" in s.text, "the end")
    unlike(s.text, "stopped: interrupt", "full screen: and it does not stop the program")
done()
