"""The example of PyTorch's own Dynamo deep dive: a branch on data that breaks the graph in two."""
import torch


@torch.compile(backend="eager")
def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main():
    torch.manual_seed(0)
    ones = torch.ones(10)
    for k in range(3):
        out = toy_example(torch.randn(10), ones if k % 2 == 0 else -ones)
        print("call", k, "gives", round(out.abs().sum().item(), 4))


if __name__ == "__main__":
    main()
