# A complex tensor and a real view of it are both inputs of one graph: the graph runs again with copies that share memory as they did.
# needs: torch
import torch

torch.manual_seed(1)
signal = torch.randn(6, dtype=torch.complex64)


def power(whole, part):
    return whole.abs().pow(2).sum() - part.sum()


compiled = torch.compile(power, backend="aot_eager")
pairs = [(signal, signal.real), (signal, torch.view_as_real(signal)), (signal.conj(), signal.conj().imag), (torch.view_as_real(signal), signal)]
for whole, part in pairs:
    if part.is_complex():
        whole, part = whole, torch.view_as_real(part)
    print("%.4f" % compiled(whole, part).item())
