# Hooks and modes of torch that count their calls: a command that runs the graph by itself calls none of them.
# needs: torch
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
counts = {"pack": 0, "unpack": 0, "gradient": 0, "accumulated": 0, "compiles": 0}
called = []


def pack(t):
    counts["pack"] += 1
    return t


def unpack(t):
    counts["unpack"] += 1
    return t


def gradient(g):
    counts["gradient"] += 1


def accumulated(p):
    counts["accumulated"] += 1


def compiling(*args):
    counts["compiles"] += 1


class Calls(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        called.append(func)
        return func(*args, **(kwargs or {}))


w = torch.nn.Parameter(torch.randn(4, 4))
w.register_hook(gradient)
w.register_post_accumulate_grad_hook(accumulated)


def f(x):
    return torch.tanh(x @ w).exp().sum()


c = torch.compile(f, backend="aot_eager")
c(torch.ones(2, 4)).backward()                  # without hooks on saved tensors: some torch compile otherwise with them
if hasattr(torch._dynamo, "callback"):
    torch._dynamo.callback.on_compile_start(compiling)
for i in range(3):
    with torch.autograd.profiler.profile() as profile:
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack), torch.autograd.set_detect_anomaly(True, check_nan=False), Calls():
            called.clear()
            c(torch.ones(2, 4)).backward()
            modes = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    names = [e.name for e in profile.function_events]
    print(counts, names.count("aten::tanh"), names.count("aten::mm"), names.count("aten::equal"), len(called), *modes)
print(round(w.grad.sum().item(), 3), sorted(torch._dynamo.utils.counters["aot_autograd"].items()))
