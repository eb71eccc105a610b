# A dispatch mode and a function mode are active where the program stops, over code that was compiled without them, and a default device.
# needs: torch
import torch
torch.set_num_threads(1)
counts = {"dispatched": 0, "called": 0}


class Dispatched(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        counts["dispatched"] += 1
        return func(*args, **(kwargs or {}))


class Doubled(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        return made * 2 if func is torch.tanh else made


def f(x):
    return (torch.tanh(x) + torch.zeros(3)).sum()


def here():
    counts["called"] += 1


c = torch.compile(f, backend="aot_eager")
x = torch.ones(3)
with torch.device("cpu"), Doubled():
    print("%.4f" % c(x).item())                 # the graph has what the mode does
    for i in range(2):
        here()
        print("%.4f" % c(x).item())
with Dispatched():
    here()
    x + 1
print(counts)
