# Two threads compile and call compiled functions, and draw random numbers, while the program stops in a third one.
# needs: torch
import threading
import torch

torch.set_num_threads(1)
config = torch._dynamo.config
config.automatic_dynamic_shapes = False
for name in ("recompile_limit", "accumulated_recompile_limit", "cache_size_limit", "accumulated_cache_size_limit"):
    if hasattr(config, name):
        setattr(config, name, 10**5)
going, failed, odd = True, [], []


def f(x, k):
    return torch.tanh(x) * k


c = torch.compile(f, backend="aot_eager")


def work(n):
    i = 0
    try:
        while going:
            i += 1
            made = c(torch.ones(2 + n, i % 40 + 1), 1.0)
            if torch.get_default_dtype() is not torch.float32 or not torch.is_grad_enabled() or made.shape != (2 + n, i % 40 + 1):
                odd.append(i)
    except BaseException as e:
        failed.append(repr(e))


def here():
    pass


c(torch.ones(3), 1.0)
threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
for t in threads:
    t.start()
for i in range(4):
    c(torch.ones(3), 1.0)
    here()
going = False
for t in threads:
    t.join()
print(failed, odd, "all threads ended")
