#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A graph that DDPOptimizer splits under DistributedDataParallel: its parts are graphs, with stages of their own; graph commands take a part,
and what is asked of the whole is done for each part, or refused with their names."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()
if not torch_has("torch.distributed.ProcessGroupGloo"):
    skip_all("torch has no gloo")
PROGRAM = """
    import sys, torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    backend, sizes, cap = sys.argv[1], eval(sys.argv[2]), float(sys.argv[3])
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    dist._DEFAULT_FIRST_BUCKET_BYTES = int(cap * 2**20)
    torch.manual_seed(0)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
            self.register_buffer("seen", torch.zeros(()))
        def forward(self, x):
            self.seen.add_(1)
            for layer in self.layers:
                x = torch.relu(layer(x)) + self.seen     # here
            return x
    if backend == "wrong":
        from torch._dynamo.backends.common import aot_autograd
        from functorch.compile import make_boxed_func
        def compiler(gm, inputs):
            def run(*args):
                out = list(gm.forward(*args))
                wide = [i for i, v in enumerate(out) if isinstance(v, torch.Tensor) and v.shape == (2, 5)]
                for i in wide[:1]:              # the result
                    out[i] = out[i] + 0.5
                return out
            return make_boxed_func(run)
        backend = aot_autograd(fw_compiler=compiler, bw_compiler=lambda gm, inputs: make_boxed_func(gm.forward))
    net = Net()
    ddp = torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=cap)
    step = torch.compile(ddp, backend=backend)
    x = torch.ones(2, sizes[0])
    for _ in range(2):
        step(x).sum().backward()
    print("%.3f %g" % (sum(p.grad.abs().sum() for p in net.parameters()), net.seen))
    dist.destroy_process_group()
"""
SMALL = "1e-5"                                  # MiB: each layer fills a bucket


def at_forward(d):
    d.do("break Net.forward")
    d.go()
    return d.go()


def parts_of(d):
    rows = d.rows("info graphs")
    return [row["graph"].partition(".")[2] for row in rows if row["stage"] == "captured"], rows


with Cdbg(PROGRAM, "aot_eager", "[4, 3, 5, 2]", SMALL) as d:
    at_forward(d)
    parts, rows = parts_of(d)
    is_(parts, ["", "submod_0", "submod_1", "submod_2"], "the whole graph is listed, and the parts that it is compiled in")
    is_([row["stage"] for row in rows if not row["part"]], ["captured"], "... no stage of a part is shown as one of the whole")
    for name in parts[1:]:
        is_([row["stage"] for row in rows if row["graph"].endswith(name)], ["captured", "joint", "forward", "backward"], "... %s has its stages" % name)
    is_([(row["parameters"], row["bytes"]) for row in rows if row["part"] and row["stage"] == "captured"],
        [(2, 4 * (4 * 3 + 3)), (2, 4 * (3 * 5 + 5)), (2, 4 * (5 * 2 + 2))], "... and the parameters that it trains, with their size")
    whole = rows[0]["graph"]
    like(whole, r"^__compiled_fn_\d+$", "... the whole has the name of before")
    shapes = [row["shape"] for row in d.rows("graph run submod_1") if row["op"] != "placeholder"]
    is_(shapes[0], [2, 5], "a part is run on what the parts before it give it")
    is_([row["max"] for row in d.rows("graph run submod_2") if row["shape"] == []], [2],
        "... also on what they write")
    is_(d.do("print self.seen.item()")["text"].strip(), "1.0", "... and the program's buffer is as before")
    r = d.do("graph compare -backward")
    is_((r["first"], all([row["ok"] for row in r["rows"]])), (None, True), "right parts are right, with gradients")
    is_(sorted({row["part"] for row in r["rows"]}), parts[1:], "... each is compared")
    like(r["text"], r"DDPOptimizer splits this graph, and each part was compared as it is compiled: submod_0, submod_1, submod_2\n",
         "... and the text says that it is split")
    is_({row["part"] for row in d.rows("graph compare %s.submod_1" % whole)}, {None}, "a part is compared alone")
    like(d.error("graph run forward"), r"no stage 'forward' of '%s'; it is compiled in parts, which have the stages: submod_0, .*'%s.submod_0 forward'"
         % (whole, whole), "a stage of the whole is refused, with the parts")
    like(d.error("graph show forward"), r"compiled in parts, which have the stages", "... to be shown, too")
    is_(d.rows("graph run submod_1 forward")[-1]["op"], "output", "a part's stage runs")
    like(d.text("graph code submod_1 forward"), r"def __compiled_fn_\d+_submod_1_forward\(", "... and is shown as code")
    like(d.text("graph recompile -backward"), r"(stages of __compiled_fn_\d+.submod_\d made again: joint, forward, backward \([\d.]+ s\)\n?){3}$",
         "the stages of all parts are made again")
    saved = os.path.join(os.path.dirname(d.path), "saved.py")
    like(d.text("graph save %s" % saved), r"compiles the graph whole; DDPOptimizer splits it into submod_0, submod_1, submod_2",
         "a program of the whole graph comes with a note")
    unlike(d.text("graph save %s submod_1" % saved), r"DDPOptimizer", "... and that of a part does not")
    is_(python(saved).returncode, 0, "... which runs, and finds no difference")
    d.do("delete")
    d.run_out()
    is_(d.out, bare(d.path, "aot_eager", "[4, 3, 5, 2]", SMALL)[1], "the program's output is as without cdbg")

with Cdbg(PROGRAM, "wrong", "[4, 3, 5, 2]", SMALL) as d:
    at_forward(d)
    r = d.do("graph compare")
    is_((r["part"], {row["part"] for row in r["rows"] if row["ok"] is False}), ("submod_1", {"submod_1"}), "a wrong part is named, and no other")
    like(r["text"], r"note: submod_1: results 0 differ from eager", "... in the text, too")

with Cdbg(PROGRAM, "aot_eager", "[3, 3, 3, 3]", SMALL) as d:
    at_forward(d)
    parts, rows = parts_of(d)
    is_([[row["stage"] for row in rows if row["graph"].endswith(name)] for name in parts[1:]], [["captured", "joint", "forward", "backward"]] * 3,
        "equal parts have their stages each")
    is_([row["source"] for row in d.rows("info graph submod_2") if "weight" in row["node"]], ["L['self']._modules['layers']._modules['2']._parameters['weight']"],
        "... and their own parameters")

with Cdbg(PROGRAM, "aot_eager", "[4, 3, 5, 2]", "25") as d:
    at_forward(d)
    is_([row["stage"] for row in d.rows("info graphs")], ["captured", "joint", "forward", "backward"], "a graph in one bucket has no parts")
    unlike(d.do("graph compare")["text"], r"DDPOptimizer", "... and is compared without a word of them")

with Cdbg(PROGRAM, "eager", "[4, 3, 5, 2]", SMALL) as d:
    at_forward(d)
    is_([row["graph"].partition(".")[2] + " " + row["stage"] for row in d.rows("info graphs")],
        [" captured", "submod_0 captured", "submod_1 captured", "submod_2 captured"], "backend eager: parts without other stages")
    is_(sorted({row["part"] for row in d.rows("graph compare")}), ["submod_0", "submod_1", "submod_2"], "... are compared")
done()
