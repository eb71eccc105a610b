# Inputs of one graph that share memory and have different types or signs, also with a parameter; some of them are written.
# needs: torch
import torch

torch.manual_seed(8)


def both(a, b):
    return a.abs().sum() + b.float().sum() * 2


def write(a, b):
    b.mul_(2)
    return a.abs().sum() + b.sum()


signal = torch.randn(6, dtype=torch.complex64)
mask = torch.tensor([True, False, True])
numbers = torch.randn(8)
parameter = torch.nn.Parameter(torch.randn(4))
pairs = [(signal, signal.real), (signal, torch.view_as_real(signal)), (signal.conj(), signal.conj().imag), (signal, signal.conj().imag),
         (mask.view(torch.uint8).float() + 1, mask), (mask.view(torch.uint8).int(), mask), (mask.view(torch.int8), mask),
         (numbers, numbers.view(torch.int32) >> 24), (numbers, numbers.view(torch.int16)[::2]), (numbers[2:6], numbers.view(torch.int32)[3:]),
         (parameter, parameter.detach()), (parameter, torch.view_as_complex(parameter.detach().view(2, 2)).real)]
compiled = torch.compile(both, backend="eager")
writing = torch.compile(write, backend="eager")
for a, b in pairs:
    torch._dynamo.reset()
    with torch.no_grad():
        print("%.3f" % compiled(a, b).item())
for make in (lambda t: t.real, torch.view_as_real, lambda t: torch.view_as_real(t)[1:], lambda t: t.conj().imag):
    torch._dynamo.reset()
    own = signal.clone()
    print("%.3f %.3f" % (writing(own, make(own)).item(), own.abs().sum().item()))
