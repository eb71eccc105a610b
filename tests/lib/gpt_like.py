# SPDX-License-Identifier: BSD-3-Clause
# A decoder of twelve layers like GPT-2, small; one method of a class is replaced after the compile.
import math, os, sys
import torch
from torch import nn

torch.manual_seed(0)


class Config:
    vocab, positions, width, heads, layers, dropout = 99, 64, 32, 4, int(os.environ.get("GPT_LAYERS", "12")), 0.0
    activation = "gelu_new"


class GELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


ACTIVATIONS = {"gelu_new": GELU, "relu": nn.ReLU}


class Projection(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.outputs = outputs
        self.weight = nn.Parameter(torch.randn(inputs, outputs) * 0.02)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        size = x.size()[:-1] + (self.outputs,)
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(size)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.head_width = config.heads, config.width // config.heads
        self.c_attn = Projection(config.width, 3 * config.width)
        self.c_proj = Projection(config.width, config.width)
        self.attn_dropout, self.resid_dropout = nn.Dropout(config.dropout), nn.Dropout(config.dropout)
        self.register_buffer("mask", torch.tril(torch.ones(config.positions, config.positions, dtype=torch.bool)))

    def split(self, x):
        return x.view(*x.shape[:-1], self.heads, self.head_width).transpose(1, 2)

    def weights(self, q, k):
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_width)
        n = q.size(-2)
        return self.attn_dropout(scores.masked_fill(~self.mask[:n, :n], float("-inf")).softmax(-1))

    def forward(self, x):
        q, k, v = map(self.split, self.c_attn(x).chunk(3, -1))
        y = self.weights(q, k) @ v
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).contiguous().view(x.shape)))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc, self.c_proj = Projection(config.width, 4 * config.width), Projection(4 * config.width, config.width)
        self.act, self.dropout = ACTIVATIONS[config.activation](), nn.Dropout(config.dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(self.act(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(config.width), nn.LayerNorm(config.width)
        self.attn, self.mlp = Attention(config), MLP(config)

    def residual(self, x, part):
        return x + part

    def forward(self, x):
        x = self.residual(x, self.attn(self.ln_1(x)))
        return self.residual(x, self.mlp(self.ln_2(x)))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte, self.wpe = nn.Embedding(config.vocab, config.width), nn.Embedding(config.positions, config.width)
        self.h = nn.ModuleList([Block(config) for _ in range(config.layers)])
        self.ln_f, self.head = nn.LayerNorm(config.width), nn.Linear(config.width, config.vocab, bias=False)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.size(1)))
        for block in self.h:
            x = block(x)
        return self.head(self.ln_f(x))


def compiled():
    pass


def patched():
    pass


model = GPT(Config()).eval()
step = torch.compile(model, backend="eager")
ids = torch.randint(3, 99, (1, 5))
with torch.no_grad():
    step(ids)
    compiled()
    Block.residual = lambda self, x, part: x - part
    patched()
    step(ids)
print("done")
