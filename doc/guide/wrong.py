"""A backend of the program's own whose pass changes a result."""
import torch


def lower(graph, inputs):
    for node in graph.graph.nodes:
        if node.target is torch.rsqrt:      # meant to be faster, but 1 / (x + 1) is not rsqrt(x)
            node.target = torch.reciprocal
    graph.recompile()
    return graph


@torch.compile(backend=lower)
def normalize(x, scale):
    variance = x.pow(2).mean(-1, keepdim=True)
    factor = torch.rsqrt(variance + 1e-6)
    return x * factor * scale


print(normalize(torch.arange(6.0).reshape(2, 3), 2.0).sum().item())
