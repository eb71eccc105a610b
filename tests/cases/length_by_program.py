# The program, not the compiled function, adds to a dict that the function writes to: each call recompiles, and the program is the cause.
# needs: torch
import torch

store = {"last": None}


def keep(t):
    store["last"] = t * 2
    return t.mean()


compiled = torch.compile(keep, backend="eager")
for name in ("one", "two", "three"):
    print(len(store), compiled(torch.ones(4)).item())
    store[name] = 0
