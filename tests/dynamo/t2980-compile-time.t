#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# info compile-time: phases add up to the time of a compile, forward and backward; what restarts, stops, other threads and failures are in it.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()
PHASES = ("trace discarded guards backend aot joint lowering scheduling code compile autotune load cache import gc other").split()
# Walls are measured by the program itself, around what Dynamo calls to compile and around what the backend calls for the gradient.
HEAD = """
    import threading
    import time
    import torch
    import torch._dynamo.convert_frame as CF
    from torch._dynamo.backends.common import aot_autograd
    from torch._dynamo.utils import dynamo_timed

    walls = {}
    compile_now = CF._compile


    def measured(*args, **kw):
        began = time.perf_counter()
        try:
            return compile_now(*args, **kw)
        finally:
            walls[str(kw["compile_id"])] = time.perf_counter() - began


    CF._compile = measured


    def slowly(gm, inputs):
        time.sleep(0.3)
        return gm


    def help_it():
        with dynamo_timed("compile_file"):
            time.sleep(0.25)


    def with_threads(gm, inputs):
        helpers = [threading.Thread(target=help_it) for _ in range(2)]
        for t in helpers:
            t.start()
        for t in helpers:
            t.join()
        return gm


    def raises(gm, inputs):
        time.sleep(0.1)
        raise ValueError("no")


    def end():
        pass


    """


# What cdbg reads when a compile has ended, and other processes, are in the program's measure, too.
SLACK = 0.03 * float(os.environ.get("CDBG_PATIENCE") or 1)


def is_wall(seconds, wall):
    """The seconds are the wall time within 1 %, as far as the machine lets a program measure it."""
    return 0 <= wall - seconds <= 0.01 * wall + SLACK


def rows(d, line="info compile-time"):
    return {(r["entry"], r["pass"]): r for r in d.rows(line) if r["kind"] == "phases"}


def shown(program, *commands):
    """What people read at its end()."""
    return run(script(program), commands=["break end", "continue"] + list(commands))[1]


def total(row):
    return sum(row[p] for p in PHASES)


FIRST = HEAD + """
    @torch.compile(backend=aot_autograd(fw_compiler=slowly, bw_compiler=slowly))
    def train(x):
        y = x.sin() * 2
        print("break")
        return (y * x).sum()


    @torch.compile(backend=with_threads)
    def threads(x):
        return x + 1


    @torch.compile(backend=raises)
    def fails(x):
        return x + 2


    loss = train(torch.ones(3, requires_grad=True))
    loss.backward()
    threads(torch.ones(3))
    try:
        fails(torch.ones(3))
    except Exception as e:
        pass
    end()
    """
with Cdbg(FIRST) as d:
    d.do("catch graph-break")
    d.go()
    d.do("print __import__('time').sleep(1.5)")
    d.do("delete")
    d.do("break end")
    d.go()
    got = rows(d)
    walls = eval(d.text("print walls"))
    seconds = {r["entry"]: r["seconds"] for r in d.rows("info entries")}
    ok(got and all(abs(total(r) - r["seconds"]) < 1e-4 for r in got.values()), "phases add up to the seconds of each compile",
       [(k, total(r), r["seconds"]) for k, r in got.items()])
    first, resumed = got["0/0", "forward"], got["1/0", "forward"]
    ok(is_wall(resumed["seconds"], walls["1/0"]), "they are the wall time of a compile", (resumed["seconds"], walls))
    ok(walls["0/0"] - first["seconds"] > 1.5, "less the time in a stop", (first["seconds"], walls))
    ok(all(abs(seconds[e] - got[e, "forward"]["seconds"]) < 1e-4 for e in ("0/0", "1/0")), "and what info entries has", seconds)
    ok(all(got["1/0", p]["seconds"] >= 0.3 for p in ("forward", "backward")), "the backward graph has a row of its own", got.keys())
    is_(got["1/0", "backward"]["function"], got["1/0", "forward"]["function"], "of the same function")
    ok(first["discarded"] > 0 and resumed["discarded"] == 0, "an attempt before a restart is discarded", (first, resumed))
    like(first["restarts"], "print|builtin|Failed|call", "with torch's reason")
    ok(first["aot"] + first["joint"] + first["backend"] >= 0.3, "the compiler of AOTAutograd's graphs is in AOT's part", first)
    helped = next(r for r in got.values() if r["function"] == "threads")
    ok(0.5 <= helped["beside"] and helped["threads"] == 2, "work of other threads is beside", helped)
    ok(0.25 <= helped["backend"] and helped["compile"] == 0 and abs(total(helped) - helped["seconds"]) < 1e-4, "and in no total", helped)
    failed = next(r for r in got.values() if r["function"] == "fails")
    ok(not failed["made"] and failed["backend"] >= 0.1 and not failed["running"], "a compile that raises has its phases", failed)
    ok(all(r["made"] for r in got.values() if r is not failed), "and alone gave no entry")
    d.do("print threads(torch.ones(4, 4).double())")
    after = rows(d)
    ok({k: after[k]["seconds"] for k in got} == {k: r["seconds"] for k, r in got.items()}, "a compile at the prompt changes no other's")
    ok(any(r["seconds"] >= 0.25 for k, r in after.items() if k not in got), "and has its own", after.keys())
    d.error("info compile-time nothing_of_this_name")
    d.run_out()

text = shown(FIRST, "info compile-time", "info compile-time 0/0")
like(text, r"(?m)^0/0 +train +forward +\d+\.\d{3} ", "people read a row for each")
like(text, r"0/0 forward: 1 restart: ", "why there was a restart")
like(text, r"in 2 other threads meanwhile: \d+\.\d{3} s, in no total", "what other threads did")
like(text, "this compile gave no entry", "and what gave no entry")
like(text, r"(?m)^0/0 train, forward: .*\n(  .*\n)*  discarded +0\.\d{3} +\d+% ", "of an entry: a row for each phase")
like(text, r"seconds +self +calls  torch's event\n(  .*\n)* +0\.\d{3} +0\.\d{3} +1 +compile_attempt_0\n", "and torch's events")

# torch that has no events of tracing and guards, as 2.6: what it lacks is told, and cdbg times it itself
OLD = HEAD + """
    import contextlib
    import torch._dynamo.output_graph as OG
    OLD = "compile_attempt_", "bytecode_tracing", "build_guards"


    def without(timed):
        return lambda key, *a, **kw: contextlib.nullcontext() if key.startswith(OLD) else timed(key, *a, **kw)


    CF.dynamo_timed, OG.dynamo_timed = without(CF.dynamo_timed), without(OG.dynamo_timed)


    @torch.compile(backend=slowly)
    def f(x):
        y = x.sin() * 2
        print("break")
        return (y * x).sum()


    f(torch.ones(3))
    end()
    """
with Cdbg(OLD) as d:
    d.do("break end")
    d.go()
    got = rows(d)
    f = got["0/0", "forward"]
    ok(all(is_wall(r["seconds"], w) for (e, _), r in got.items() for w in [eval(d.text("print walls"))[e]]),
       "torch without events of tracing: the totals hold")
    ok(f["trace"] > 0 and f["discarded"] > 0 and f["guards"] > 0 and f["backend"] >= 0.3, "and the phases", f)
like(shown(OLD, "info compile-time"), "not on this torch: events of trace and guards, which cdbg times itself", "which the table says")

# lines, modules, operators
LINES = HEAD + """
    @torch.library.custom_op("lab::slow", mutates_args=())
    def slow(x: torch.Tensor) -> torch.Tensor:
        return x.clone()


    @slow.register_fake
    def _(x):
        time.sleep(0.6)
        return torch.empty_like(x)


    class Part(torch.nn.Module):
        def forward(self, x):
            return slow(x)


    class Many(torch.nn.Module):
        def forward(self, x):
            for i in range(12):
                x = x + i
            return x


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.part, self.many = Part(), Many()

        def forward(self, x):
            return self.many(self.part(x))


    @torch.compile(backend="eager")
    def other(x):
        return x - 1


    torch.compile(Net(), backend="eager")(torch.ones(3))
    other(torch.ones(3))
    end()
    """
with Cdbg(LINES) as d:
    d.do("break end")
    d.go()
    got = d.rows("info compile-time -lines")
    lines = [r for r in got if r["kind"] == "line"]
    at = {r["line"]: r for r in lines}
    slow, many = d.line_of("return slow(x)"), d.line_of("x = x + i")
    is_(lines[0]["line"], slow, "the slowest line comes first")
    ok(lines[0]["trace"] >= 0.6 and lines[0]["nodes"] == 1, "with its seconds and nodes", lines[0])
    ok(at[many]["nodes"] == 12 and at[many]["starts"] == 12, "another has the nodes of each time it ran", at[many])
    ok(all(r["file"].endswith("prog.py") for r in lines), "lines of torch count for the line that called it", lines)
    modules = {r["name"]: r for r in got if r["kind"] == "module"}
    ok(modules["part (Part)"]["trace"] >= 0.6 and modules["many (Many)"]["nodes"] == 12, "modules by path and class", modules)
    operators = [r for r in got if r["kind"] == "operator"]
    like(operators[0]["name"], "lab.slow", "the slowest operator")
    ok(operators[0]["trace"] >= 0.6, "with the seconds of its fake kernel", operators[0])
    ok(d.line_of("return x - 1") not in {r["line"] for r in d.rows("info compile-time -lines 0/0")}, "an entry's lines only")
    whole = {r["entry"]: r for r in d.rows("info compile-time") if r["kind"] == "phases"}["0/0"]
    traced = sum(r["trace"] for r in d.rows("info compile-time -lines -a 0/0") if r["kind"] == "line")
    ok(0.6 <= traced <= whole["trace"] + whole["discarded"] + 1e-4, "lines take no more than tracing did", (traced, whole))
like(shown(LINES, "info compile-time -lines"), r"(?m)^ +0\.\d{3} +0\.\d{3} +0\.000 +1 +0  prog\.py:%d$" % slow, "people read the line")
done()
