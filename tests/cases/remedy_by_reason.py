# explain has the remedy of each recompile that has ended: each function is compiled twice, for another reason.
# needs: torch
import torch


def X(*sizes):
    return torch.ones(*sizes)


class Net(torch.nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value


class Thing:
    def __init__(self, value):
        self.value = value


def case(name, first, second, **how):
    scope = {}
    exec("def %s(x, k=2):\n    return x * (k if isinstance(k, (int, float)) else getattr(k, 'value', 3))\n" % name, scope)
    graphs = []

    def backend(gm, inputs):
        graphs.append(gm)
        return gm.forward

    f = torch.compile(scope[name], backend=backend, **how)
    f(*first)
    f(*second)
    print(name, len(graphs))


case("size", (X(3),), (X(4),))
case("size_later", (X(3, 5),), (X(3, 7),), dynamic=False)
case("size_one", (X(3, 4),), (X(3, 1),))
case("size_was_one", (X(1),), (X(4),))
case("size_none", (X(3, 4),), (X(0, 4),))
case("rank", (X(3),), (X(3, 3),))
case("scalar", (X(3),), (X(1).sum(),))
case("dtype", (X(3),), (X(3).double(),))
case("device", (X(3),), (X(3).to("meta"),))
case("grad", (X(3),), (X(3).requires_grad_(),))
case("no_grad", (X(3).requires_grad_(),), (X(3),))
case("stride", (X(3, 4),), (X(4, 3).t(),))
case("conjugate", (X(3).to(torch.complex64),), (X(3).to(torch.complex64).conj(),))
with torch.inference_mode():
    made = X(3)
case("inference", (X(3),), (made,))
case("parameter", (torch.nn.Parameter(X(3)),), (torch.nn.Parameter(X(4)),))
case("other_class", (X(3),), (torch.nn.Parameter(X(3), requires_grad=False),))
case("no_tensor", (X(3),), (5,))
case("whole", (X(3), 2), (X(3), 3))
case("fraction", (X(3), 2.5), (X(3), 3.5))
case("mixed", (X(3), 2), (X(3), 3.5))
case("text", (X(3), "a"), (X(3), "b"))
case("in_module", (X(3), Net(2)), (X(3), Net(3)))
case("in_object", (X(3), Thing(2)), (X(3), Thing(3)), dynamic=False)
