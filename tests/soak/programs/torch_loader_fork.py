# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# A DataLoader whose workers are forks, one that raises, and one with workers that stay.
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Squares(Dataset):
    def __init__(self, bad=None):
        self.bad = bad

    def __len__(self):
        return 8

    def __getitem__(self, i):
        if i == self.bad:
            raise ValueError("item %d" % i)
        return torch.tensor([i * i, get_worker_info().id])

def start(worker):
    torch.manual_seed(worker)

if __name__ == "__main__":
    for batch in DataLoader(Squares(), batch_size=2, num_workers=2, multiprocessing_context="fork", worker_init_fn=start):
        print(batch.tolist())
    try:
        list(DataLoader(Squares(bad=5), batch_size=4, num_workers=2, multiprocessing_context="fork"))
    except ValueError as e:
        print(str(e).strip().split("\n")[-1])
    stay = DataLoader(Squares(), batch_size=4, num_workers=1, persistent_workers=True, multiprocessing_context="fork")
    step = torch.compile(lambda b: (b * 2).sum(), backend="eager")
    for epoch in range(2):
        print([step(b).item() for b in stay])
