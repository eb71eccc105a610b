# flex_attention with a score_mod that reads a parameter: its backward is an operator with sub-graphs.
# needs: torch
import torch
from torch.nn.attention.flex_attention import flex_attention

torch.manual_seed(7)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.randn(2))

    def forward(self, q, k, v):
        def add_bias(score, batch, head, i, j):
            return score + self.bias[head] * (i - j)
        return flex_attention(q, k, v, score_mod=add_bias)


attention = Attention()
compiled = torch.compile(attention, backend="aot_eager")
q, k, v = torch.randn(3, 1, 2, 16, 8).unbind(0)
for turn in range(2):
    compiled(q, k, v).square().sum().backward()
print(["%.2f" % g for g in attention.bias.grad.tolist()])
