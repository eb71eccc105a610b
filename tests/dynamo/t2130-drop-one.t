#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# One guard of many is dropped by making its node again: all others stay, and its own call is let in.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

with Cdbg("""
    import torch
    from torch._dynamo.utils import counters

    class Part(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.sizes = [3, 4]
            self.names = {"a": 1, "b": [5, 6]}

        def forward(self, x, numbers, extra):
            n = self.sizes[0] + self.sizes[1] + self.names["a"] + self.names["b"][0] + self.names["b"][1]
            for k in numbers:
                n += k
            return x + n + extra["p"] + extra["q"]

    part = Part()
    compiled = torch.compile(part, backend="eager")
    x, numbers, extra = torch.ones(2), list(range(40)), {"p": 1, "q": 2}
    compiled(x, numbers, extra)

    def misses(change, back):
        "Does no entry serve a call after this change?  Nothing is compiled for it."
        change()
        try:
            with torch.compiler.set_stance("fail_on_recompile"):
                compiled(x, numbers, extra)
        except RuntimeError:
            return True
        finally:
            back()
        return False

    def put(of, key, value):
        return lambda: of.__setitem__(key, value)

    places = {"numbers[7]": (numbers, 7), "numbers[8]": (numbers, 8), "numbers[39]": (numbers, 39),
              "sizes[0]": (part.sizes, 0), "sizes[1]": (part.sizes, 1), "a": (part.names, "a"),
              "b[0]": (part.names["b"], 0), "b[1]": (part.names["b"], 1), "p": (extra, "p"), "q": (extra, "q")}

    def missed():
        return " ".join(sorted(k for k, (of, key) in places.items()
                               if misses(put(of, key, 77), put(of, key, of[key]))))

    def stop():
        print(missed(), flush=True)
    stop()
    stop()
    stop()
    stop()
    stop()
    stop()
""") as d:
    everything = sorted(["numbers[7]", "numbers[8]", "numbers[39]", "sizes[0]", "sizes[1]", "a", "b[0]", "b[1]", "p", "q"])

    d.do("break stop")
    d.go()
    guards = d.rows("info guards 0/0")

    def number(end):
        return [r["guard"] for r in guards if r["kind"] == "EQUALS_MATCH" and r["source"].endswith(end)][0]

    def go():
        """What misses now, as the program tells."""
        d.go()
        return d.out.strip().split("\n")[-1].split()

    def without(*names):
        return sorted(set(everything) - set(names))

    is_(go(), everything, "each change of a value misses the entry")
    d.do("guard drop %d" % number("numbers'][7]"))
    is_(go(), without("numbers[7]"), "with one guard of a list dropped only its own change is let in")
    d.do("guard drop %d" % number("names['b'][1]"))
    is_(go(), without("numbers[7]", "b[1]"), "so with one more, deep in a dictionary")
    d.do("guard drop %d" % number("extra']['q']"))
    is_(go(), without("numbers[7]", "b[1]", "q"), "and one of an argument's dictionary")
    d.do("undo")
    d.do("undo")
    is_(go(), without("numbers[7]"), "what is undone is checked again")
done()
