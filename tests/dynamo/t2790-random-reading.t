#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# At random stops of generated programs with torch, random commands that read change nothing and do not contradict each other.  A few
# seeds; `make soak` tries more, and files.
import os
import sys

here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(here, "lib"), os.path.join(here, "soak")]
from cdbgtest import *
import agreement
import random_reading
import reading

need_torch()
TRIES = int(os.environ.get("CDBG_RANDOM_STOPS") or 2)
FIRST = int(os.environ.get("CDBG_RANDOM_SEED") or 1)
for seed in range(FIRST, FIRST + TRIES):
    wrong, attempt, lines = random_reading.check(seed, files=False)
    what = attempt.where.replace(attempt.path, "line")
    ok(wrong is not None, "seed %d has a stop" % seed)
    ok(not wrong, "%d commands at '%s' change nothing and agree" % (len(lines), what), lambda: "\n".join(wrong or []) + "\nseed %d: %s" % (seed, "; ".join(lines)))

PLANTED = """
    import torch, warnings
    torch.manual_seed(0)
    net = torch.nn.Linear(2, 2)
    x = torch.ones(2)
    x.requires_grad_()
    def f(x):
        return net(x).sum()
    compiled = torch.compile(f, backend="eager")
    compiled(x).backward()
    compiled(x)
    print("end")
"""
# An expression, and the part of the state that it changes.
CHANGES = [("net.weight.data.zero_()", "tensor: .*memory"), ("net.weight.grad.zero_()", "tensor: .*grad"), ("setattr(x, 'grad', None)", "tensor: .*grad"),
           ("net.register_forward_hook(print)", "module: .*_forward_hooks"), ("x.register_hook(print)", "tensor: .*_backward_hooks"),
           ("net.eval()", "module: .*training"), ("torch.rand(1)", "random: torch"), ("torch.set_grad_enabled(False)", "mode: torch.is_grad_enabled"),
           ("torch.set_default_dtype(torch.float64)", "mode: torch.get_default_dtype"), ("torch.autograd.set_detect_anomaly(True)", "mode: torch.is_anomaly_enabled"),
           ("torch.use_deterministic_algorithms(True)", "mode: torch.are_deterministic"), ("torch.set_num_threads(3)", "mode: torch.get_num_threads"),
           ("torch.nn.modules.module.register_module_forward_hook(print)", "_global_forward_hooks"),
           ("torch._C._autograd._push_saved_tensors_default_hooks(print, print)", "mode: saved tensor hooks"),
           ("torch._C._set_grad_enabled(True)", "mode: torch.is_grad_enabled"),
           ("torch._dynamo.utils.counters['mine'].update(a=1)", "torch: counters"), ("torch._dynamo.reset()", "torch: entries of"),
           ("setattr(torch._dynamo.config, 'recompile_limit', 3)", "torch: torch._dynamo.config"), ("warnings.warn('once')", "warnings: ")]
with Cdbg(PLANTED, env={"PYTHONWARNINGS": "ignore"}) as d:
    reader = reading.Reader(d.cmd)
    reader.start()
    d.do("break %d" % d.line_of("print("))
    d.go()
    reader.begin()
    is_(reader.changed(), [], "to read the state of a process with torch changes nothing")
    is_(agreement.disagreements(reader, costly=False), [], "views and commands agree")
    for expression, part in CHANGES:
        if "recompile_limit" in expression and not torch_has("torch._dynamo.config.recompile_limit"):
            expression = expression.replace("recompile_limit", "cache_size_limit")
        wrong, replies = reader.run(["print " + expression])
        like("\n".join(w for what in wrong.values() for w in what), part, "'%s' is reported" % expression)
done()
