# Generated code has instructions without a line: a stop there shows the line of the function, and the graph of its entry.
#
# needs: torch
import torch

torch._dynamo.config.allow_empty_graphs = True

@torch.compile(backend="eager")
def before(rows):
    return rows.cos() - 1


@torch.compile(
    backend="eager", dynamic=False)
def halved(rows, times):
    total = rows * times
    if total.sum() > 0:
        return total / 2
    return total


@torch.compile(backend="eager")
def noted(rows, notes):
    notes.append(len(notes))
    return len(notes)


for turn in range(2):
    rows = torch.ones(3)
    print(turn, before(rows).sum().item() > 0, halved(rows, 2).sum().item(), halved(rows, 4).sum().item(), noted(rows, []))
