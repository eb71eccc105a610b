# SPDX-License-Identifier: BSD-3-Clause
"""What cdbg costs: ratios of 10th percentiles over batches that the processes of one run do in turn.

    make bench                 all rows, a table and bench.json
    make bench BENCH="--batches 20 fib"     rows whose text has this word, fewer batches

Each row names what is compared; figures of torch's own bytecode debugger, measured in the same run, stand beside.
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "tests", "lib"), HERE]
import bench_dynamo  # noqa: E402
import bench_edit  # noqa: E402
import bench_graph  # noqa: E402
import bench_pairs  # noqa: E402
import bench_record  # noqa: E402
import bench_screen  # noqa: E402
from cdbgtest import Cdbg, Trouble, argv, environment, has, line_of, script, version  # noqa: E402

WORKER = os.path.join(HERE, "worker.py")
COPIES = 3                  # processes of a kind: memory layout alone moves a process by a per cent or two
STEPS = 100                 # steps in a batch
TORCH = has("torch")        # without it rows of compiled code are left out
PEER = TORCH and has("torch._dynamo.bytecode_debugger")     # not in torch 2.6: nothing to compare with there

LIMITS = """This is CPython %d.%d.  Limits that depend on the version (3.11; 3.12 and later):
    a breakpoint in toy_example that is not reached       1.05; 1.02
    a compiled call, cdbg loaded and nothing armed        1.02; 1.01
    own code armed, ten operations and toy_example        none; 1.1 and 1.2
"""

DECOMPILE = r'''
import time, cdbg
pieces = ("for i in a:\n    b.append(i)", "while a < 1:\n    a = a + 1", "if a == 1 and b or a.x:\n    b = b + 1\nelse:\n    a = 2",
          "try:\n    a = f(a)\nexcept ValueError as e:\n    b = e", "try:\n    b(a)\nfinally:\n    b()", "with a as b:\n    b(a)")
made = {}
exec("def f(a, b):\n" + "".join("    " + l + "\n" for p in pieces * 1080 for l in p.split("\n")), made)
begun = time.process_time()
cdbg.decompile(made["f"])
print(time.process_time() - begun)
'''


class Line:
    """One end of a worker's socket."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="cdbg-bench-")
        self.path = os.path.join(self.dir, "socket")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(1)
        self.listener.settimeout(120)
        self.env = {"BENCH_SOCKET": self.path, "PYTHONHASHSEED": "0"}

    def accept(self):
        self.wire = self.listener.accept()[0]
        self.wire.settimeout(120)
        self.file = self.wire.makefile("r")

    def read(self):
        try:
            text = self.file.readline().strip()
        except TimeoutError:
            raise Trouble("a worker does not answer") from None
        if not text:
            raise Trouble("a worker ended")
        return text

    def send(self, request):
        self.wire.sendall((request + "\n").encode())

    def ask(self, request):
        self.send(request)
        return int(self.read())

    def release(self):
        self.wire.close()
        self.listener.close()
        os.unlink(self.path)
        os.rmdir(self.dir)


class Plain:
    """A worker without cdbg."""

    def __init__(self, role="serve", *words):
        self.line = Line()
        self.proc = subprocess.Popen(argv(WORKER, role, *words), env=environment(self.line.env), stdin=subprocess.DEVNULL)
        self.line.accept()
        if role in ("serve", "attached"):
            self.line.read()

    def close(self):
        self.line.release()
        self.proc.kill()
        self.proc.wait()


class Debugged:
    """A worker under cdbg, told some commands once everything is compiled; one may be a function that makes them."""

    def __init__(self, *commands):
        self.line = Line()
        self.cdbg = Cdbg(WORKER, "serve", env=self.line.env)
        self.cdbg.do("tbreak serve")
        self.cdbg.do("continue")
        self.line.accept()
        if self.cdbg.wait().get("reason") != "breakpoint":
            self.cdbg.trouble("the worker does not come to its loop")
        for c in commands:
            self.cdbg.do(c(self.cdbg) if callable(c) else c)
        self.cdbg.do("continue")
        self.line.read()

    def rows(self, view):
        self.cdbg.do("interrupt")
        self.cdbg.wait()
        rows = self.cdbg.rows(view)
        self.cdbg.do("continue")
        return rows

    def close(self):
        self.line.release()
        self.cdbg.proc.kill()
        self.cdbg.proc.wait()


class Finished(Debugged):
    """A worker under cdbg that stops in each batch, and then finishes its function: a step plan sees every instruction."""

    def __init__(self, *commands):
        super().__init__(*commands)
        self.wire, self.line = self.line, self

    def ask(self, request):
        self.wire.send(request)
        if self.cdbg.wait().get("reason") != "breakpoint" or self.cdbg.go("finish").get("reason") != "return":
            self.cdbg.trouble("the loop is not finished")
        self.cdbg.do("continue")
        return int(self.wire.read())

    def release(self):
        self.wire.release()


class Stepped:
    """A worker stepped by a script of the plain front end: each stop shows the instruction and the stack."""

    def __init__(self, batches):
        self.line = Line()
        lines = ["set confirm off", "break toy_example", "continue", "delete"]
        for _ in range(batches + 1):
            lines += ["print sync()"] + ["stepi"] * STEPS
        commands = script("\n".join(lines + ["print sync()", "kill", ""]), "steps")
        self.proc = subprocess.Popen(argv("-m", "cdbg", "--plain", "-q", "-x", commands, WORKER, "stepped"),
                                     env=environment(self.line.env), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL)
        self.line.accept()

    close = Plain.close


def tenth(values):
    return sorted(values)[len(values) // 10]


def in_turn(batches, workers):
    """Each worker's (key, process, request) once a batch, in an order that turns; key -> 10th percentiles by process."""
    spent = {}
    for _, worker, request in workers:
        worker.line.ask(request)
    for k in range(batches):
        turn = k % len(workers)
        for key, worker, request in workers[turn:] + workers[:turn]:
            spent.setdefault(key, {}).setdefault(worker, []).append(worker.line.ask(request))
    return {key: [tenth(v) for v in by.values()] for key, by in spent.items()}


def middle(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def beside_peer(plain, batches, what):
    """What torch's own debugger makes of the time, as a ratio; None: this torch has none."""
    if not PEER:
        return None
    spent = in_turn(batches, [("plain", plain[0], "run " + what), ("peer", plain[1], "peer " + what)])
    return spent["peer"][0] / spent["plain"][0]


class Bench:
    def __init__(self, batches, words):
        self.batches, self.words, self.rows, self.began = batches, words, [], time.time()

    def wanted(self, *texts):
        return not self.words or any(w in t for w in self.words for t in texts)

    def row(self, what, value, unit, reach=None, peer=None, least=False, digits=2, between=None):
        """between: where the true value is, as far as this run shows; a limit in between decides nothing."""
        holds = None if reach is None else value >= reach if least else value <= reach
        if between and reach is not None and between[0] <= reach < between[1]:
            holds, verdict = None, "cannot tell: %.3f to %.3f" % between
        else:
            verdict = {True: "holds", False: "FALLS SHORT", None: ""}[holds]
        self.rows.append({"what": what, "value": round(value, 4), "unit": unit, "peer": peer and round(peer, 4),
                          "reach": reach, "holds": holds, "between": between})
        sign = "" if reach is None else ">= %g" % reach if least else "<= %g" % reach
        print("%-74s %10.*f %-9s %-8s %10s  %s" % (what, digits, value, unit, sign, "%.1f" % peer if peer else "", verdict),
              flush=True)

    def ratio(self, what, spent, over, key, reach, peer=None):
        between = (min(spent[key]) / max(spent[over]), max(spent[key]) / min(spent[over]))
        self.row(what, middle(spent[key]) / middle(spent[over]), "ratio", reach, peer, digits=3, between=between)

    def loaded(self):
        """Nothing armed, and a breakpoint in some other compiled function."""
        if not self.wanted("loaded call", "loaded fib", "breakpoint"):
            return
        plain = [Plain() for _ in range(COPIES)]
        idle = [Debugged() for _ in range(COPIES)]
        other = [Debugged("break other") for _ in range(COPIES if TORCH else 0)]
        kinds = (("plain", plain), ("idle", idle), ("other", other))
        try:
            fibs = in_turn(self.batches, [(k, w, "run fib 1") for k, ws in kinds for w in ws])
            if not TORCH:
                self.row("(noise: slowest over fastest of %d plain processes, fib)" % COPIES,
                         max(fibs["plain"]) / min(fibs["plain"]), "ratio", digits=3)
                self.ratio("fib(24), nothing armed / without", fibs, "plain", "idle", 1.01)
                return
            calls = in_turn(self.batches, [(k, w, "run ten 80") for k, ws in kinds for w in ws])
            call_peer, fib_peer = (beside_peer(plain, n, what) for n, what in ((max(5, self.batches // 7), "ten 20"), (3, "fib 1")))
        finally:
            for w in plain + idle + other:
                w.close()
        self.row("(noise: slowest over fastest of %d plain processes, compiled call)" % COPIES,
                 max(calls["plain"]) / min(calls["plain"]), "ratio", digits=3)
        self.row("(noise: the same, fib)", max(fibs["plain"]) / min(fibs["plain"]), "ratio", digits=3)
        self.ratio("compiled call, cdbg loaded, nothing armed / without", calls, "plain", "idle",
                   1.01 if version() >= (3, 12) else 1.02, call_peer)
        self.ratio("fib(24), nothing armed / without", fibs, "plain", "idle", 1.01, fib_peer)
        self.ratio("compiled call, breakpoint in another compiled function / without", calls, "plain", "other", 1.05, call_peer)
        self.ratio("fib(24), breakpoint in a compiled function / without", fibs, "plain", "other", 1.02, fib_peer)

    def own(self):
        """Compiled code that has a breakpoint itself: passed in each call, or on the branch that is not taken."""
        if not TORCH or not self.wanted("own code", "breakpoint"):
            return

        begun = []

        def copies(kind, *commands):
            begun.extend((kind, Debugged(*commands) if commands else Plain()) for _ in range(COPIES))

        try:
            copies("plain")
            copies("armed", "break ten", "ignore $bpnum 1000000000", "break toy_example", "ignore $bpnum 1000000000")
            copies("not reached", bench_pairs.not_taken)
            spent = {name: in_turn(self.batches, [(kind, w, "run %s 40" % name) for kind, w in begun])
                     for name in ("ten", "toy")}
            hits = [r["ignore"] for kind, w in begun if kind == "armed" for r in w.rows("info breakpoints")]
            if not all(h and h < 10**9 for h in hits):
                raise Trouble("a breakpoint was not passed: %s" % hits)
        finally:
            for _, w in begun:
                w.close()
        new = version() >= (3, 12)          # events there are the code's own; 3.11 traces what is armed
        self.ratio("own code armed, no stop: compiled call of 10 operations / without", spent["ten"], "plain", "armed",
                   1.1 if new else None)
        self.ratio("own code armed, no stop: toy_example / without", spent["toy"], "plain", "armed", 1.2 if new else None)
        self.ratio("a breakpoint in toy_example that is not reached / without", spent["toy"], "plain", "not reached",
                   1.02 if new else 1.05)

    def armed(self):
        """Code that is armed, breakpoints that are passed."""
        if not self.wanted("instruction", "ignore", "condition"):
            return
        n = 10000
        plain = Plain()
        armed = Debugged("break %s:%d" % (WORKER, line_of(WORKER, "# never reached")),
                         "break %s:%d" % (WORKER, line_of(WORKER, "# passed, its ignore")), "ignore $bpnum 1000000000",
                         "break %s:%d if k > 10**9" % (WORKER, line_of(WORKER, "# passed, its condition")))
        try:
            names = ("loop", "ignored", "condition")
            spent = in_turn(self.batches, [((kind, name), w, "run %s %d" % (name, n))
                                           for name in names for kind, w in (("plain", plain), ("armed", armed))])
            ran = plain.line.ask("count loop %d" % n)
            passed = [r["ignore"] for r in armed.rows("info breakpoints") if r["ignore"]]
            if not passed or passed[0] > 10**9 - n * self.batches:
                raise Trouble("the ignored breakpoint was not passed: %s" % passed)
        finally:
            plain.close()
            armed.close()
        extra = {name: spent["armed", name][0] - spent["plain", name][0] for name in names}
        self.row("extra time of an instruction in armed code, no stop", extra["loop"] / ran, "ns", 30)
        self.row("a breakpoint whose ignore count is not reached, a pass", extra["ignored"] / n / 1000, "us", 1)
        self.row("a breakpoint with a condition on a local, a pass", extra["condition"] / n / 1000, "us", 3)

    def looping(self):
        """A loop in code that Dynamo made, which sys.monitoring can leave alone until a step plan wants to see it."""
        if not TORCH or not self.wanted("instruction", "loop"):
            return
        n = 20000
        workers = {"plain": Plain(), "not reached": Debugged("break %s:%d" % (WORKER, line_of(WORKER, "# not come to"))),
                   "seen": Finished("break %s:%d" % (WORKER, line_of(WORKER, "# the loop begins")))}
        turns = [(key, w, "spent looped %d" % n) for key, w in workers.items()]
        if version() >= (3, 12):
            turns.append(("told", workers["plain"], "told looped %d" % n))
        try:
            spent = in_turn(self.batches, turns)
            ran = workers["plain"].line.ask("count looped %d" % n)
        finally:
            for w in workers.values():
                w.close()
        extra = {key: (spent[key][0] - spent["plain"][0]) / ran for key in spent}       # told: by CPython, at the least
        self.row("extra time of an instruction, loop in generated code, a breakpoint not reached", extra["not reached"], "ns", 30)
        self.row("the same loop, every instruction seen (finish runs through it)", extra["seen"], "ns",
                 None if "told" in extra else 30, extra.get("told"))

    def stepping(self):
        if not TORCH or not self.wanted("stepi", "stepping"):
            return
        workers = {"ours": Stepped(self.batches)}
        if PEER:
            workers["peer"] = Plain("stepped-by-peer", str(STEPS))
        spent = {key: [] for key in workers}
        try:
            for w in workers.values():
                w.line.read()
            for _ in range(self.batches):
                for key, w in workers.items():
                    spent[key].append(w.line.ask("go"))
        finally:
            for w in workers.values():
                w.close()
        rate = {k: STEPS / tenth(v) * 1e9 for k, v in spent.items()}
        self.row("scripted stepi with the instruction and the stack shown", rate["ours"], "steps/s", None, rate.get("peer"), digits=0)
        if PEER:
            self.row("the same over the peer's", rate["ours"] / rate["peer"], "ratio", 10, least=True, digits=1)

    def starting(self):
        if not self.wanted("start-up"):
            return
        empty = script("pass\n# no torch\n")
        kinds = {"plain": argv(empty), "cdbg": argv("-m", "cdbg", "--plain", "-q", "-batch", "-ex", "continue", empty)}
        spent = {}
        for _ in range(self.batches + 1):
            for key, words in kinds.items():
                began = time.perf_counter()
                subprocess.run(words, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
                spent.setdefault(key, []).append(time.perf_counter() - began)
        self.row("start-up of a script without torch, over plain python",
                 1000 * (tenth(spent["cdbg"][1:]) - tenth(spent["plain"][1:])), "ms", 60)

    def decompiling(self):
        what = "decompile a function of 100,000 instructions: loops, conditions, try and with"
        if not self.wanted(what):
            return
        spent = [float(subprocess.run(argv("-c", DECOMPILE), env=environment(), stdout=subprocess.PIPE, check=True).stdout)
                 for _ in range(min(self.batches, 5))]
        self.row(what, min(spent), "s CPU", 2)

    def pairs(self):
        bench_pairs.rows(self, Plain, Debugged)

    def dynamo(self):
        if TORCH:
            bench_dynamo.rows(self)
            bench_graph.rows(self)

    def edits(self):
        if TORCH:
            bench_edit.rows(self, Debugged, in_turn)

    def screen(self):
        bench_screen.rows(self)

    def recorded(self):
        bench_record.rows(self, Debugged)


def main():
    p = argparse.ArgumentParser(description="what cdbg costs")
    p.add_argument("--batches", type=int, default=70)
    p.add_argument("--json", default="bench.json", help="where the figures go (default: %(default)s)")
    p.add_argument("words", nargs="*", help="only groups that have one of these words")
    args = p.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})        # all take turns on one core
    b = Bench(args.batches, args.words)
    print(LIMITS % version()[:2])
    print("%-74s %10s %-9s %-8s %10s" % ("what", "value", "unit", "reach", "peer"))
    for part in (b.pairs, b.loaded, b.own, b.armed, b.looping, b.stepping, b.starting, b.decompiling, b.dynamo, b.edits, b.screen,
                 b.recorded):
        try:
            part()
        except Trouble as t:
            print("%s: %s" % (part.__name__, t), file=sys.stderr)
            b.rows.append({"what": part.__name__, "value": None, "unit": None, "peer": None, "reach": None, "holds": False})
    with open(args.json, "w") as f:
        json.dump(b.rows, f, indent=1)
        f.write("\n")
    held = [r["holds"] for r in b.rows if r["holds"] is not None]
    print("%d of %d hold; %d s, load %.1f" % (sum(held), len(held), time.time() - b.began, os.getloadavg()[0]))


main()
