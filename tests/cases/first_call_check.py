# An operator returns memory of its input: torch checks the first call of the compiled code, which is the call of the program, not of a command.
# needs: torch
import warnings

import torch

library = torch.library.Library("cases_first", "DEF")
library.define("again(Tensor x) -> Tensor")
library.impl("again", lambda x: x.view(x.shape), "CPU")
library.impl("again", lambda x: torch.empty_like(x), "Meta")


def body(x):
    return torch.ops.cases_first.again(x) * 2


def main():
    compiled = torch.compile(body, backend="aot_eager")
    for turn in range(2):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="(?s).*may not alias")
            try:
                print(turn, compiled(torch.ones(4)).sum().item())
            except UserWarning as e:
                print(turn, type(e).__name__)


main()
