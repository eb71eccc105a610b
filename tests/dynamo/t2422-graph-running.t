#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# In a graph's code, graph commands without a name take the graph that runs, also where several exist and where its entry is gone.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = """
    import sys, torch
    torch.set_num_threads(1)
    def times(x, k):
        return x.sin() * k
    def train(x, w):
        return (x @ w).tanh().sum()
    x, w = torch.ones(3), torch.ones(3, requires_grad=True)
    c = torch.compile(times, backend=sys.argv[1], dynamic=False)
    t = torch.compile(train, backend=sys.argv[1])
    def round(i):
        w.grad = None
        r = [c(x, 2).sum(), c(x, 3).sum(), t(x, w)]
        r[2].backward()
        print(["%.4f" % v.item() for v in r], w.grad.tolist())
    for i in range(4):
        round(i)
    """

for backend in "eager", "aot_eager":
    with Cdbg(PROGRAM, backend, limit=300) as d:
        d.do("break round if i > 0")
        d.go()
        d.do("break node:sin")
        results = []
        for k in 2, 3:
            d.go()
            rows = d.rows("graph run")
            results.append(rows[-2]["max"])
            like(d.text("graph code"), r"mul\(\w+, %d\)" % k, "%s: graph code writes the graph that runs, of the entry for k = %d" % (backend, k))
        ok(abs(results[1] / results[0] - 1.5) < 1e-5, "... graph run runs it, on the arguments of the call", str(results))
        is_(d.do("graph compare")["first"], None, "... graph compare compares it")
        is_(d.do("print torch._dynamo.reset()")["ok"], True, "the entries are removed while the graph runs")
        like(d.text("graph code"), r"mul\(\w+, 3\)", "... graph code still writes it")
        for command in "graph run", "graph memory", "graph compare":
            like(d.error(command), r"entry '0/1' is gone .*reset\(\) .*next call", "... %s says that it is gone, and how to get another" % command)
        d.do("delete")
        d.do("break round if i > 2")
        d.go()
        like(d.error("graph run"), r"^the function of the selected frame has no graph: name one of \w+, \w+",
             "... in a function without a graph, graph run reports that, and which there are")
        if backend == "aot_eager":
            d.do("catch backward")
            d.go()
            like(d.text("graph code"), r"tanh", "in a backward graph the graph is that one's")
        d.do("delete")
        d.run_out()
        is_((d.out, d.exited["status"]), bare(d.path, backend)[1::-1], "%s: the results are as without cdbg" % backend)
done()
