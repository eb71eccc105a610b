# An operator that writes into an argument, its input being a clone: inductor may reuse the memory, and the wrong node has this target.
# needs: torch
import os
import tempfile

with_cache = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = with_cache.name
import torch  # noqa: E402


@torch.library.custom_op("cases_flip::into", mutates_args=("target",))
def into(source: torch.Tensor, target: torch.Tensor) -> None:
    last = source.numel() - 1
    for k in range(source.numel()):
        target[last - k] = source[k]


def mirrored(values):
    before = values.clone()
    into(before, values)
    return values.view(-1)


print(mirrored(torch.arange(5.0)).tolist())
print(torch.compile(mirrored, backend="aot_eager")(torch.arange(5.0)).tolist())
