# Hooks on all modules, and a message in place of hooks on saved tensors: a graph that cdbg runs is a module whose hooks are not called.
# needs: torch
import torch
torch.set_num_threads(1)
counts = {}


def count(name):
    def called(*args, **kwargs):
        counts[name] = counts.get(name, 0) + 1
    return called


M = torch.nn.modules.module
M.register_module_forward_pre_hook(count("before forward"))
M.register_module_forward_hook(count("forward"))
M.register_module_full_backward_hook(count("backward"))
M.register_module_parameter_registration_hook(count("parameter"))
M.register_module_module_registration_hook(count("module"))
M.register_module_buffer_registration_hook(count("buffer"))
w = torch.ones(4, 4, requires_grad=True)


def f(x):
    return torch.tanh(x @ w).sum()


c = torch.compile(f, backend="aot_eager")
with torch.autograd.graph.disable_saved_tensors_hooks("none here"), torch.autograd.forward_ad.dual_level():
    for i in range(3):
        c(torch.ones(2, 4)).backward()
        print(sorted(counts.items()))
try:
    with torch.autograd.graph.disable_saved_tensors_hooks("none here"):
        with torch.autograd.graph.saved_tensors_hooks(abs, abs):
            pass
except RuntimeError as e:
    print(e)
