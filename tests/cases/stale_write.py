# An operator is declared as writing nothing, then as writing an argument; code from the cache may be the old one.
# needs: torch
import os
import tempfile

with_cache = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = with_cache.name
import torch  # noqa: E402


def declare(mutates):
    @torch.library.custom_op("cases_write::put", mutates_args=mutates)
    def put(place: torch.Tensor, value: torch.Tensor) -> None:
        place.copy_(value)

    @put.register_fake
    def _(place, value):
        return None


def body(place, value):
    torch.ops.cases_write.put(place, value)
    return value.view(-1)


for mutates in (), ("place",):
    declare(mutates)
    place = torch.zeros(2)
    out = torch.compile(body, backend="aot_eager")(place, torch.ones(2))
    print(mutates, place.tolist(), out.tolist())
    torch._dynamo.reset()
