# SPDX-License-Identifier: BSD-3-Clause
"""How long it takes to change a guard of a live entry, and what a call costs under the change."""
import time

from bench_dynamo import GUARDS
from cdbgtest import Cdbg, Trouble

COPIES = 3                  # processes of a kind: memory layout moves one by a per cent or two


def one_guard(b, count, reach):
    spent = {"guard drop": [], "undo": []}
    with Cdbg(GUARDS % count) as d:
        d.do("break stop")
        d.go()
        before = d.text("print compiles")
        guard = [r["guard"] for r in d.rows("info guards") if r["source"] == "L['numbers'][7]"][0]
        for k in range(11):
            words = "undo" if k % 2 else "guard drop %d" % guard
            began = time.perf_counter()
            d.do(words)
            spent[words.rstrip(" 0123456789")].append(1000 * (time.perf_counter() - began))
        d.go()
        if d.text("print compiles") != before:
            raise Trouble("an edit made Dynamo compile, or the guard is not dropped")
    for words, values in spent.items():
        b.row("%s, one of %s guards, through JSON" % (words, format(count, ",")), min(values), "ms", reach, digits=1)


def all_guards(b, count, reach):
    """The process's own time: the commands, not the JSON between."""
    spent = {"guard drop": [], "undo": []}
    with Cdbg(GUARDS % count, limit=600) as d:
        d.do("break stop")
        d.go()
        d.rows("info guards")
        for k in range(6):
            words = "undo" if k % 2 else "guard drop -r L['numbers']"
            began = float(d.text("print __import__('time').process_time()"))
            d.do(words)
            spent["undo" if k % 2 else "guard drop"].append(float(d.text("print __import__('time').process_time()")) - began)
    for words, values in spent.items():
        b.row("%s, all of %s guards in one command" % (words, format(count, ",")), 1000 * min(values), "ms", reach, digits=1)


def entry_of_ten(d):
    return [r["entry"] for r in d.rows("info entries") if r["function"] == "ten"][0]


def drop(d):
    entry = entry_of_ten(d)
    return "guard drop %d" % [r["guard"] for r in d.rows("info guards " + entry) if r["kind"] == "TENSOR_MATCH"][0]


def add(d):
    return "guard add %s x.shape[0] == 10" % entry_of_ten(d)


# Calls timed between stops: the guard is dropped at one and back at the next.
CALLS = """
import time
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

def stop(spent):
    return spent

def timed():
    began = time.thread_time_ns()
    for _ in range(20):
        ten(ones)
    return (time.thread_time_ns() - began) / 20

ones = torch.ones(10)
while True:
    stop(min(timed() for _ in range(100)))
"""


def dropped(b):
    """In one process: between two of them memory alone makes several per cent."""
    ratios = []
    with Cdbg(CALLS) as d:
        d.do("break stop")
        d.go()
        command = drop(d)
        d.go()
        for _ in range(max(8, b.batches // 4)):
            spent = []
            for words in (command, "undo"):
                spent.append(float(d.text("print spent")))
                d.do(words)
                d.go()
                if words == command and [r["action"] for r in d.rows("info overrides") if r["state"] == "on"] != ["drop"]:
                    raise Trouble("the guard is not dropped")
            ratios.append(spent[1] / spent[0])
    ratios.sort()
    b.row("compiled call with a guard dropped / before, in one process, median of pairs", ratios[len(ratios) // 2], "ratio", 1.02,
          digits=3)


def rows(b, debugged, in_turn):
    """debugged: starts a worker under cdbg; in_turn: lets several work, batch by batch."""
    if not b.wanted("guard drop", "guards", "edit"):
        return
    one_guard(b, 1000, 25)
    one_guard(b, 10000, 50)
    all_guards(b, 10000, 2000)
    dropped(b)
    workers = [(kind, debugged(*how)) for kind, how in (("before", ()), ("drop", (drop,)), ("add", (add,))) * COPIES]
    try:
        spent = in_turn(b.batches, [(kind, w, "run ten 80") for kind, w in workers])
        for kind, w in workers[1:3]:
            if [r["action"] for r in w.rows("info overrides") if r["state"] == "on"] != [kind]:
                raise Trouble("a guard is not in force as it was edited: " + kind)
    finally:
        for _, w in workers:
            w.close()
    b.ratio("compiled call with a guard dropped / before", spent, "before", "drop", None)
    b.ratio("compiled call with a guard added in Python / before", spent, "before", "add", None)
