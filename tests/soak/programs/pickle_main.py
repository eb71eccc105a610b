# SPDX-License-Identifier: BSD-3-Clause
# What lives in __main__ is found there by pickle, inspect and typing.
import copy, dataclasses, inspect, pickle, typing

@dataclasses.dataclass
class D:
    a: int
    b: "typing.List[D]" = dataclasses.field(default_factory=list)

def f(x):
    return x + 1

print(pickle.loads(pickle.dumps(D(1, [D(2)]))), pickle.loads(pickle.dumps(f)) is f)
print(copy.deepcopy(D(3)), typing.get_type_hints(D)["a"])
print(inspect.getsource(f), inspect.signature(D), inspect.getmodule(f).__name__)
