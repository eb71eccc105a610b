#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What a tensor's guard expects and finds of dispatch keys and grad modes is in words, and the keys are those that the guard
# compares: with what the thread includes and without what it excludes.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

PROGRAM = '''
import torch

class Mode(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

def case(name, first, second):
    """Compiles a function that is named as the case, and calls it in two ways."""
    scope = {}
    exec("def %s(x):\\n    return x + 1\\n" % name, scope)
    compiled = torch.compile(scope[name], backend="eager")
    for way in first, second:
        way(compiled)

normal = torch.ones(2)
with torch.inference_mode():
    made = torch.ones(2)
wants = torch.ones(2, requires_grad=True)
lazy = torch.ones(2, dtype=torch.complex64)

def plain(x):
    return lambda f: f(x)
def under(manager, x):
    def call(f):
        with manager():
            f(x)
    return call
autocast = lambda: torch.autocast("cpu", dtype=torch.bfloat16)

case("in_inference_mode", plain(normal), under(torch.inference_mode, normal))
case("inference_tensor", plain(normal), plain(made))
case("both", plain(normal), under(torch.inference_mode, made))
case("out_of_both", under(torch.inference_mode, made), plain(normal))
case("out_of_mode", under(torch.inference_mode, normal), plain(normal))
case("no_grad", plain(wants), under(torch.no_grad, wants))
case("with_grad", under(torch.no_grad, wants), plain(wants))
case("autocast", plain(normal), under(autocast, normal))
case("conjugate", plain(lazy), plain(lazy.conj()))
case("negative", plain(lazy.imag), plain(lazy.conj().imag))
case("batched", plain(normal), lambda f: torch.vmap(f)(normal.reshape(1, 2)))
case("gradient", plain(normal), lambda f: torch.func.vjp(f, normal))
case("dispatched", plain(normal), under(Mode, normal))
case("size_under_no_grad", under(torch.no_grad, wants), under(torch.no_grad, torch.ones(3, requires_grad=True)))
case("stride", plain(torch.ones(2, 2)), plain(torch.ones(4, 4)[::2, ::2]))
'''

MODE = "f32[2] cpu, a normal tensor outside of inference_mode"
# case: expected, found, what the remedy is about
SAYS = {
    "in_inference_mode": (MODE, "f32[2] cpu, a normal tensor under inference_mode", "inference_mode"),
    "inference_tensor": (MODE, "f32[2] cpu, an inference tensor (made under inference_mode)", "clone"),
    "both": (MODE, "f32[2] cpu, an inference tensor under inference_mode", "inference_mode"),
    "out_of_both": ("f32[2] cpu, an inference tensor under inference_mode", MODE, "inference_mode"),
    "out_of_mode": ("f32[2] cpu, an inference tensor, or a call under inference_mode", MODE, "inference_mode"),
    "no_grad": ("the state at compile time", "changed: grad_mode (now under no_grad)", "grad mode"),
    "with_grad": ("the state at compile time", "changed: grad_mode (now gradients are recorded)", "grad mode"),
    "autocast": ("f32[2] cpu, outside of autocast", "f32[2] cpu, under autocast", "autocast"),
    "conjugate": ("c64[2] cpu, no lazy conjugate", "c64[2] cpu, a lazy conjugate (conj())", "resolve_conj"),
    "negative": ("f32[2] cpu, no lazy negative", "f32[2] cpu, a lazy negative (imag of conj())", "resolve_neg"),
    "size_under_no_grad": ("f32[2] cpu grad", "f32[3] cpu grad", "mark_dynamic"),
}

found = {}
with Cdbg(PROGRAM) as d:
    d.do("catch recompile")
    d.go()
    while d.stop and d.reason == "recompile":
        name = d.frame["function"]
        for row in d.rows("guard why"):
            if row.get("kind") == ("GLOBAL_STATE" if name in ("no_grad", "with_grad") else "TENSOR_MATCH"):
                found[name] = (row["expected"], row["live"], row["remedy"])
        d.go()
for name, (expected, live, remedy) in SAYS.items():
    got = found.get(name, ("", "", ""))
    is_(got[:2], (expected, live), name + ": what the guard expects and finds, in words")
    like(got[2], remedy, name + ": the remedy is about that")
raw = [(name, text) for name, texts in found.items() for text in texts[:2] if "Autograd" in text or "ADInplace" in text or " keys " in text]
is_(raw, [], "no dispatch key of autograd is shown raw")
done()
