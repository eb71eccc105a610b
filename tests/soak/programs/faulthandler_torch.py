# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# Stacks of all threads while a compiled function waits, and a dump after a time.
import faulthandler, re, sys, tempfile, threading, torch

entered, leave = threading.Event(), threading.Event()

@torch.compiler.disable
def wait():
    entered.set()
    leave.wait()

@torch.compile(backend="eager")
def f(x):
    y = x + 1
    wait()
    return y * 2

out = []
t = threading.Thread(target=lambda: out.append(f(torch.ones(2))))
t.start()
entered.wait()
with tempfile.TemporaryFile() as to:
    faulthandler.dump_traceback(to.fileno(), all_threads=True)
    faulthandler.dump_traceback_later(0.2, file=to.fileno())
    leave.wait(0.5)
    faulthandler.cancel_dump_traceback_later()
    to.seek(0)
    text = to.read().decode()
leave.set()
t.join()
mine = re.escape(__file__)
print(len(re.findall(r"(?m)^(?:Thread|Current thread)", text)), text.count("Timeout"))
print(re.findall(r'File "%s", line (\d+) in (\w+)' % mine, text))
print(out[0].tolist())
