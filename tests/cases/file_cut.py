# A tensor maps a file that is cut: whoever reads an element gets SIGBUS.  The graph reads its shape only.
# needs: torch
import os
import tempfile
import torch

folder = tempfile.mkdtemp()
path = os.path.join(folder, "data")
with open(path, "wb") as out:
    out.write(b"\0" * 40000)
mapped = torch.from_file(path, shared=True, size=10000)


def f(x, m):
    return x + torch.zeros_like(m).sum()


c = torch.compile(f, backend="eager")
x = torch.ones(3)
print(c(x, mapped).tolist())
os.truncate(path, 0)
print(c(x, mapped).tolist())
os.unlink(path)
os.rmdir(folder)
