# An operator of the program's warns once, in each of three ways, and is checked by torch in its first call, after the program is compiled.
# needs: torch
import logging
import sys
import torch
import torch._logging
import warnings

torch.set_num_threads(1)
log = logging.getLogger("torch.once")
log.addHandler(logging.StreamHandler(sys.stdout))
warnings.showwarning = lambda message, *rest: print("warned:", str(message).partition("(")[0])
lib = torch.library.Library("once", "DEF")
lib.define("warns(Tensor x) -> Tensor")


def warns(x):
    warnings.warn("slow path")
    x.expand(2, 2, 3).T                         # C++ warns once of .T on three dimensions
    if hasattr(torch._logging, "warning_once"):
        torch._logging.warning_once(log, "logged once")
    return x.view(-1)                           # memory of the input, which AOTAutograd checks in the first call


lib.impl("warns", warns, "CPU")
lib.impl("warns", lambda x: x.new_empty(x.numel()), "Meta")


def f(x):
    return torch.ops.once.warns(x) + 1


c = torch.compile(f, backend="aot_eager")
for i in range(3):
    print(c(torch.ones(3)).sum().item(), flush=True)
