# SPDX-License-Identifier: BSD-3-Clause
"""What is measured: does batches of work when it is asked to over a socket.  The same program with and without cdbg."""
import contextlib
import gc
import importlib.util
import io
import operator
import os
import socket
import sys
import time

wire = socket.socket(socket.AF_UNIX)
wire.connect(os.environ["BENCH_SOCKET"])
requests = wire.makefile("r")


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def loop(n, never=False):
    x = 0
    for k in range(n):
        x = x + k
        if never:
            x = -x  # never reached
    return x


def ignored(n):
    for k in range(n):
        x = k  # passed, its ignore count never used up
    return n


def condition(n):
    for k in range(n):
        x = k  # passed, its condition never true
    return n


def looped(x, n, never=False):
    y = x + 1
    torch._dynamo.graph_break()
    for _ in range(1):
        torch._dynamo.graph_break()     # so the resume function runs as it was made, with all that follows
    total = 0  # the loop begins
    began = time.perf_counter_ns()
    for k in range(n):
        total = total + k
        if never:
            total = -total  # not come to
    return time.perf_counter_ns() - began


def times(f, *args):
    def batch(count):
        for _ in range(count):
            f(*args)
    return batch


CODES = {}                  # where what is counted runs, if not in the batch itself
BATCHES = {"fib": times(fib, 24), "loop": loop, "ignored": ignored, "condition": condition}


def with_torch():
    global torch                # where looped, with no free variable, finds it
    import torch

    torch.set_num_threads(1)

    @torch.compile(backend="eager")
    def ten(x):
        x = x + 1
        x = x * 2
        x = x - 3
        x = x.abs()
        x = x.neg()
        x = x + 4
        x = x * 5
        x = x.relu()
        x = x - 6
        return x * 7

    @torch.compile(backend="eager")
    def other(x):
        return x + 1

    @torch.compile(backend="eager")
    def toy_example(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    ones = torch.ones(10)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    @torch.compile(backend="aot_eager")
    def loss(x, y):
        return ((model(x) - y) ** 2).mean()

    def step(x, y):
        optimizer.zero_grad()
        loss(x, y).backward()
        optimizer.step()

    loops = torch.compile(looped, backend="eager")
    inputs, wanted = torch.ones(4, 8), torch.ones(4, 1)
    for _ in range(10):
        ten(ones), other(ones), toy_example(ones, ones), loops(ones, 10), step(inputs, wanted)
    BATCHES["ten"] = times(ten, ones)
    BATCHES["toy"] = times(toy_example, ones, ones)
    BATCHES["train"] = times(step, inputs, wanted)
    BATCHES["looped"] = lambda n: loops(ones, n)
    made = [f.__code__ for name, f in globals().items() if name.startswith("__resume_at")]
    CODES["looped"] = [code for code in made if "looped" in code.co_name][0]
    return toy_example, ones


def peer_batch(name, count, typed):
    """A batch under torch's own debugger, which gets these lines at its first prompts."""
    import builtins

    from torch._dynamo.bytecode_debugger import debug

    kept = builtins.input
    builtins.input = lambda *prompt: typed
    try:
        with contextlib.redirect_stdout(io.StringIO()), debug():
            BATCHES[name](1)
            began = time.perf_counter_ns()
            BATCHES[name](count)
            return time.perf_counter_ns() - began
    finally:
        builtins.input = kept


def told(name, count):
    """A batch whose every instruction calls a function in C that does nothing: the least that any tool costs."""
    mon, code = sys.monitoring, CODES[name]
    mon.use_tool_id(mon.DEBUGGER_ID, "bench")
    mon.register_callback(mon.DEBUGGER_ID, mon.events.INSTRUCTION, operator.is_)
    mon.set_local_events(mon.DEBUGGER_ID, code, mon.events.INSTRUCTION)
    spent = BATCHES[name](count)
    mon.set_local_events(mon.DEBUGGER_ID, code, 0)
    mon.free_tool_id(mon.DEBUGGER_ID)
    return spent


def executed(name, count):
    """How many instructions the code of a batch runs."""
    code = CODES.get(name) or BATCHES[name].__code__
    seen = 0
    if sys.version_info >= (3, 12):          # where asking a frame for opcodes may come too late
        mon = sys.monitoring

        def instruction(code, offset):
            nonlocal seen
            seen += 1

        mon.use_tool_id(mon.DEBUGGER_ID, "bench")
        mon.register_callback(mon.DEBUGGER_ID, mon.events.INSTRUCTION, instruction)
        mon.set_local_events(mon.DEBUGGER_ID, code, mon.events.INSTRUCTION)
        BATCHES[name](count)
        mon.set_local_events(mon.DEBUGGER_ID, code, 0)
        mon.free_tool_id(mon.DEBUGGER_ID)
        return seen

    def trace(frame, event, arg):
        nonlocal seen
        if frame.f_code is not code:
            return None
        frame.f_trace_opcodes = True
        seen += event == "opcode"
        return trace

    sys.settrace(trace)
    BATCHES[name](count)
    sys.settrace(None)
    return seen


def attach(on):
    """Starts cdbg again in this process, and detaches it again if it is to be off: both ways do the same before a batch."""
    import cdbg

    with contextlib.redirect_stdout(io.StringIO()):
        for start in (False, True, on):
            if start and not cdbg._cdbg.active():
                cdbg._start()
            elif not start and cdbg._cdbg.active():
                cdbg._cdbg.detach()
    return 0


def serve():
    gc.collect()
    gc.disable()
    wire.sendall(b"ready\n")
    for line in requests:
        what, name, count = line.split()
        count = int(count)
        if what == "count":
            spent = executed(name, count)
        elif what == "peer":
            spent = peer_batch(name, count, "c")
        elif what == "told":
            spent = told(name, count)
        elif what == "spent":
            spent = BATCHES[name](count)     # it says itself
        elif what in ("attach", "detach"):
            spent = attach(what == "attach")
        else:
            clock = time.thread_time_ns if what == "cpu" else time.perf_counter_ns
            BATCHES[name](count // 8 or what == "cpu")      # another process, or a stop, had the caches
            began = clock()
            BATCHES[name](count)
            spent = clock() - began
        wire.sendall(b"%d\n" % spent)


# Stepping: a script drives the debugger; it calls this between batches.
last = None


def sync():
    global last
    now = time.perf_counter_ns()
    wire.sendall(b"%d\n" % (now - last if last else 0))
    requests.readline()
    last = time.perf_counter_ns()
    return "went on"


def stepped(toy_example, ones, before=lambda: None):
    while True:
        before()
        toy_example(ones, ones)


def stepped_by_peer(toy_example, ones, steps):
    """`s` and `stack` in turn at every prompt, sync() after each batch of steps."""
    import builtins

    from torch._dynamo.bytecode_debugger import debug

    typed = 0

    def answer(*prompt):
        nonlocal typed
        typed += 1
        if typed % (2 * steps) == 1:
            sync()
        return "s" if typed % 2 else "stack"

    builtins.input = answer
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null), debug():
        again = sys.version_info >= (3, 12)  # there it stops in the first call only
        stepped(toy_example, ones, *[sys.monitoring.restart_events] if again else [])


if __name__ == "__main__":
    role = sys.argv[1]
    torch_things = with_torch() if importlib.util.find_spec("torch") else None
    if role == "stepped":
        stepped(*torch_things)
    elif role == "stepped-by-peer":
        stepped_by_peer(*torch_things, int(sys.argv[2]))
    else:
        serve()
