# SPDX-License-Identifier: BSD-3-Clause
# needs: torch
# Compiled functions that call themselves deeply, inlined and not, to the limit of recursion and back.
import sys, torch

@torch.compile(backend="eager")
def down(x, n):
    if n == 0:
        return x
    return down(x + 1, n - 1) * 1

@torch.compile(backend="eager")
def broken(x, n):
    y = x + 1
    torch._dynamo.graph_break()
    if n == 0:
        return y
    return broken(y, n - 1)

@torch.compiler.disable
def eager(x, n):
    return call(x, n)

@torch.compile(backend="eager")
def call(x, n):
    return eager(x + 1, n - 1) if n else x

def endless(x, n):
    return middle(x + 1, n + 1)

@torch.compiler.disable
def middle(x, n):
    return compiled_endless(x, n)

compiled_endless = torch.compile(endless, backend="eager")
x = torch.zeros(1)
print(down(x, 5).item())
print(broken(x, 6).item())
print(call(x, 12).item())
try:
    compiled_endless(x, torch.zeros(1))
except RecursionError as e:
    print("RecursionError", e.__traceback__ is not None)
print(call(x, 3).item(), sys.getrecursionlimit())
