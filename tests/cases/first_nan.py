# The first NaN of graphs: of one in-place operation, of Inf - Inf, in a branch, in a list that is written, from an input.
# needs: torch
import torch

torch.manual_seed(0)


def in_place(rows):
    kept = rows.clone()
    kept.sub_(2)
    kept.log_()
    return kept + 1


def difference(rows):
    large = rows / (rows - rows)
    none = large - large
    return none * 2


def branch(rows):
    return torch.cond(rows.sum() > 0, lambda r: (r - 4).sqrt(), lambda r: r.cos(), (rows,)) * 2


def in_list(rows):
    lower = rows - 3
    torch._foreach_log_([lower])
    return lower + 1


def given(rows):
    return rows.relu() * 2


rows = torch.arange(1.0, 5.0).view(2, 2)
for function in in_place, difference, branch, in_list:
    made = torch.compile(function, backend="eager")(rows)
    print(function.__name__, made.isnan().sum().item(), made.isinf().sum().item())
print("given", torch.compile(given, backend="eager")(torch.tensor([1.0, float("nan")])).isnan().sum().item())
