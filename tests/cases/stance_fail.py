# A call that needs another entry, while recompiles are forbidden: torch raises, and the guard that failed is known.
# needs: torch
import torch


def scale(t, n):
    return t / n


compiled = torch.compile(scale, backend="eager", dynamic=False)
print(compiled(torch.ones(2), 2).tolist())
with torch.compiler.set_stance("fail_on_recompile"):
    print(compiled(torch.ones(2), 2).tolist())
    try:
        compiled(torch.ones(2), 4)
    except RuntimeError:
        print("refused")
print(compiled(torch.ones(2), 4).tolist())
