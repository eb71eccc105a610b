"""A program that dies in C code, in the middle of a compiled function."""
import ctypes
import torch

text = ctypes.create_string_buffer(b"text")


@torch.compile(backend="eager")
def look(x, address):
    y = x + 1
    value = ctypes.string_at(address)
    return y, value


for address in ctypes.addressof(text), 8:
    print(look(torch.ones(2), address), flush=True)
