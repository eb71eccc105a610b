# SPDX-License-Identifier: BSD-3-Clause
"""Values that a backend made, judged beside eager and float64 on the same inputs.  Runs in the same namespace as graph_run.py.
Knows no backend."""
import re

EAGER_ERRORS, EPSILONS = 8.0, 32.0              # what a right value may differ from float64 by, see judge()
ELEMENT_ERRORS, ELEMENT_EPSILONS = 16.0, 256.0  # the same for each element of an element-wise operation


# ---- judging a value --------------------------------------------------------------------------------------------------

class Verdict:
    """difference: of the value and float64; reference: of eager and float64; allowed: the most that is right."""
    def __init__(self, wrong, difference, reference, allowed, what=None):
        self.wrong, self.difference, self.reference, self.allowed, self.what = wrong, difference, reference, allowed, what


def judge(value, eager, exact, pointwise=False):
    """A tensor that a backend made, beside what eager and float64 make of the same inputs."""
    if value.shape != eager.shape or not plain(value) or not plain(eager) or not value.numel():
        return None
    value, eager, exact = value.detach().cpu(), eager.detach().cpu(), exact.detach().cpu()
    if value.is_complex():
        return judge(torch.view_as_real(value.resolve_conj()), torch.view_as_real(eager.resolve_conj()),
                     torch.view_as_real(exact.resolve_conj()), pointwise)
    if not value.is_floating_point():
        wrong = int(((value != eager) & (value != exact.to(value.dtype))).sum())
        return Verdict(wrong > 0, float(wrong), 0.0, 0.0, "%d of %d elements differ" % (wrong, value.numel()) if wrong else None)
    kind = value.dtype
    value, eager, exact = value.double(), eager.double(), exact.double()
    finite = torch.isfinite(value)
    odd = (finite != torch.isfinite(eager)) & (finite != torch.isfinite(exact))
    if odd.any():
        nan, inf = int((odd & value.isnan()).sum()), int((odd & value.isinf()).sum())
        return Verdict(True, float("nan"), 0.0, 0.0, "NaN in %d, Inf in %d of %d elements" % (nan, inf, value.numel()))
    finite &= torch.isfinite(eager) & torch.isfinite(exact)
    if not finite.any():
        return Verdict(False, 0.0, 0.0, 0.0)
    value, eager, exact = value[finite], eager[finite], exact[finite]
    epsilon = torch.finfo(kind).eps
    off, reference = (value - exact).abs(), (eager - exact).abs()
    allowed = EAGER_ERRORS * reference.max().item() + EPSILONS * epsilon * exact.abs().max().item() + 1e-30
    wrong = off.max().item() > allowed
    if pointwise and not wrong:
        each = ELEMENT_ERRORS * reference + ELEMENT_EPSILONS * epsilon * exact.abs()
        small = exact.abs() > 1e-3 * exact.abs().max()          # cancellation leaves nothing of the smallest
        wrong = bool(((off > each) & small & (eager != value)).sum() * 4 > small.sum())
    ulps = off.max().item() / (epsilon * max(exact.abs().max().item(), 1e-300))
    return Verdict(wrong, off.max().item(), reference.max().item(), allowed, "%.3g units of the last place" % ulps if wrong else None)


# ---- a graph in eager and in float64, fed with the values of a backend --------------------------------------------------

def is_random(n):
    if n.op != "call_function":
        return False
    name = str(n.target)
    if "inductor_random" in name or "inductor_seed" in name or "inductor_randint" in name:
        return True
    if not isinstance(n.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in n.target.tags:
        return False
    if "attention" not in name:
        return True
    odds = [v for a, v in zip(n.target._schema.arguments, n.args) if a.name == "dropout_p"] + [n.kwargs.get("dropout_p", 0.0)]
    return any(isinstance(v, float) and v > 0 for v in odds)


def is_pointwise(n):
    return isinstance(n.target, torch._ops.OpOverload) and torch.Tag.pointwise in n.target.tags


def is_unset(n):
    return "empty" in str(n.target) and n.op == "call_function"


class Walk:
    """eager, exact: {node: value} by eager and in float64.  judged: [(node, Verdict)]."""
    def __init__(self, kept, inputs, made, random=None, stop=True):
        self.kept, self.eager, self.exact, self.judged, self.made = kept, {}, {}, [], made
        self.random, self.first = random, None
        given = iter(inputs)
        for n in kept.graph.nodes:
            if n.op == "output":
                break
            if n.op == "placeholder":
                v = next(given)
                self.put(n, copy_of(v))
            else:
                self.compute(n)
            if self.look(n) and stop:
                break

    def put(self, n, v):
        self.eager[n], self.exact[n] = v, pytree.tree_map(wide, v)

    def arguments(self, n, values):
        return torch.fx.map_arg(n.args, lambda a: values[a]), torch.fx.map_arg(n.kwargs, lambda a: values[a])

    def compute(self, n):
        called = self.kept.named_object(n.target) if n.op in ("get_attr", "call_module") else n.target
        if is_random(n) and n.name not in self.made and self.random:
            v = self.random(self, n)
            if v is not None:
                self.put(n, v)
                return
        self.eager[n] = step(n.op, called, *self.arguments(n, self.eager))
        try:
            self.exact[n] = step(n.op, called, *pytree.tree_map(wide, self.arguments(n, self.exact)))
        except Exception:                       # an operation without float64
            self.exact[n] = pytree.tree_map(wide, self.eager[n])

    def look(self, n):
        """Judge what was made of a node and go on with it; True: it is wrong."""
        v = self.made.get(n.name)
        if v is None or not isinstance(self.eager[n], torch.Tensor) or v.shape != self.eager[n].shape:
            return False
        if not is_random(n) and not is_unset(n) and n.op != "placeholder":
            verdict = judge(v, self.eager[n], self.exact[n], is_pointwise(n))
            if verdict:
                self.judged.append((n, verdict))
                if verdict.wrong and self.first is None:
                    self.first = n
                    return True
        self.put(n, v)
        return False


# ---- where nodes come from ------------------------------------------------------------------------------------------------

def origins_of(n):
    """Names in earlier graphs that a node comes from, nearest first."""
    found, todo = [], list(n.meta.get("from_node") or ())
    while todo:
        s = todo.pop(0)
        found.append(s.name)
        todo += list(getattr(s, "from_node", None) or ())
    return found


def place_of(n):
    """(file, line, function) of the program's line, or None."""
    found = re.findall(r'File "(.*)", line (\d+), in (.*)', n.meta.get("stack_trace") or "")
    torch_root = torch.__file__.rpartition("/")[0]
    for file, line, function in reversed(found):
        if not file.startswith(torch_root):
            return file, int(line), function
    return (found[-1][0], int(found[-1][1]), found[-1][2]) if found else None


class Captured:
    """Names and lines of captured nodes, for nodes of later stages."""
    def __init__(self, kept, forward=None):
        self.nodes = {n.name: n for n in kept.graph.nodes}
        self.by_number = {}
        for n in forward.graph.nodes if forward else ():
            number = n.meta.get("seq_nr")
            if number is not None and self.name_by_origin(n):
                self.by_number.setdefault(number, self.name_by_origin(n))

    def name_by_origin(self, n):
        return next((name for name in origins_of(n) if name in self.nodes and self.nodes[name].op != "placeholder"), None)

    def name(self, n):
        return self.name_by_origin(n) or self.by_number.get(n.meta.get("seq_nr"))

    def place(self, n):
        name = self.name(n)
        return place_of(n) or (place_of(self.nodes[name]) if name else None)
