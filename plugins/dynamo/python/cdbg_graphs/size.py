# SPDX-License-Identifier: BSD-3-Clause
"""The memory that a comparison will take, and that the graph itself needs: both are run on tensors without memory, and the bytes
that would be alive are counted.  Computes no value."""
import math
import weakref

import torch
import torch.fx
import torch.utils._pytree as pytree

from .apart import apart
from .ends import eager_gradients, gradients_of, written_of
from .errors import Refused
from .exact import exact_gradients, results_of
from .inputs import copied_inputs
from .judge import Walk, allocates
from .modes import like
from .nodes import (
    CALLS, LARGE, LEAST_HELD, has_size, is_harmless, is_random, number_of, placeholders, symbols_of, traced)
from .recompile import backend_inputs
from .run import Kept, Program, perform, step
from .torch_state import storage_of
from .values import WIDENED, copy_of, is_holder, plain, size_of, tensors
from .window import Plan, Window

PRODUCTS = ("aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm", "aten::mv", "aten::addmv", "aten::dot")


def copied_inside(func, args):
    """Bytes of the copies that an operation makes of arguments that are expanded."""
    if func._schema.name not in PRODUCTS:
        return 0
    return sum(size_of(t) for t in args if isinstance(t, torch.Tensor) and 0 in t.stride())


def bytes_in(v):
    return sum([size_of(t) or 0 for t in tensors(v)])


class Alive(torch.utils._python_dispatch.TorchDispatchMode):
    """Counts the bytes of what operations make: now, the most at once, and of all."""
    supports_higher_order_operators = True

    def __init__(self):
        super().__init__()
        self.now, self.most, self.made, self.known, self.left_out = 0, 0, 0, {}, []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if isinstance(func, torch._ops.HigherOrderOperator):
            return self.of_higher_order(func, args, kwargs or {})
        made = func(*args, **(kwargs or {}))
        for t in pytree.tree_leaves(made):
            if isinstance(t, torch.Tensor) and t.layout is torch.strided and t.device.type != "meta":
                self.note(t.untyped_storage())
        self.most = max(self.most, self.now + copied_inside(func, args))
        return made

    def of_higher_order(self, operator, args, kwargs):
        """What the operator makes; what its sub-graphs make counts like the rest.  There are no values to choose a branch by: cond
        takes the one with the larger result, and while_loop runs its body once."""
        def counted(v):
            def call(*args, **kwargs):
                with self:
                    return v(*args, **kwargs)
            return call
        args = [counted(v) if isinstance(v, torch.nn.Module) else v for v in args]
        if operator.__name__ == "cond" and not kwargs:
            taken = args[1](*args[3])
            size = bytes_in(taken)
            taken = None
            other = args[2](*args[3])
            return other if bytes_in(other) >= size else args[1](*args[3])
        if operator.__name__ == "while_loop" and not kwargs:
            args[0](*args[2], *args[3])
            return args[1](*args[2], *args[3])
        return operator(*args, **kwargs)

    def leave_out(self, tensors):
        """The program's own memory does not count."""
        stores = [t.untyped_storage() for t in tensors if isinstance(t, torch.Tensor)]
        self.left_out += stores                 # an address is not used again
        self.known.update((store._cdata, store) for store in stores)

    def note(self, store):
        key, size = store._cdata, store.nbytes()
        if key in self.known:
            return

        def gone(_):
            self.known.pop(key, None)
            self.now -= size
        self.known[key] = weakref.ref(store, gone)
        self.now, self.made = self.now + size, self.made + size
        self.most = max(self.most, self.now)


def number(n):
    """A size as it was traced; that of a symbol is the one it had then."""
    return n if type(n) is int else int(n.node.hint)


class Shadows:
    """Tensors without memory in place of the inputs, and the bytes of what is made of them."""
    def __init__(self, inputs):
        from torch._subclasses import fake_tensor
        self.mode = fake_tensor.FakeTensorMode(allow_non_fake_inputs=True)
        self.inputs = pytree.tree_map_only(torch.Tensor, self.of, list(inputs))
        self.alive = Alive()
        self.alive.leave_out(self.inputs)

    def of(self, v):
        shadow = self.mode.from_tensor(v.detach(), static_shapes=True)
        shadow._is_param = isinstance(v, torch.nn.Parameter)
        return shadow.requires_grad_(True) if v.requires_grad else shadow

    def like(self, traced):
        """A new tensor as a node's value was traced; anything else as it is."""
        if not isinstance(traced, torch.Tensor):
            return traced
        return torch.empty_strided([number(n) for n in traced.shape], [number(n) for n in traced.stride()], dtype=traced.dtype,
                                   device=traced.device)

    def most(self, run, *args):
        """The most bytes that are alive at once while run(*args) runs; None: it cannot run without values."""
        self.alive.most = self.alive.now
        try:
            with self.mode, self.alive:
                run(*args)
        except Exception:
            return None
        return self.alive.most


# ---- graphs that are surely small ------------------------------------------------------------------------------------------

KINDS = 5                                       # a value by the backend, by eager and in float64, which takes four times a half's bytes


PLAIN_ARGUMENTS = (int, float, complex, bool, str, type(None), type(...), torch.dtype, torch.device, torch.layout, torch.memory_format)


def kind_of(v):
    """What the bytes that a function makes may depend on, of an argument; None: it is not known."""
    if not isinstance(v, torch.Tensor):
        return (type(v), repr(v)) if type(v) in PLAIN_ARGUMENTS else None
    if v.layout is not torch.strided or v.is_nested or is_holder(v) or not all([type(s) is int for s in (*v.shape, *v.stride())]):
        return None
    return v.shape, v.stride(), v.dtype, v.device


class Calls:
    """The bytes that a node makes, found by calling its function once for arguments of each kind, without memory."""
    def __init__(self):
        self.shadows, self.known = Shadows(()), {}

    def made_by(self, n, called):
        """Bytes; None: the function cannot run without values, or its arguments are not tensors of known sizes."""
        values, spec = pytree.tree_flatten(tuple(torch.fx.map_arg(v, traced) for v in (n.args, n.kwargs)))
        kinds = [kind_of(v) for v in values]
        if None in kinds:
            return None
        key = (n.op, n.target, str(spec), *kinds)
        if key not in self.known:
            self.known[key] = self.measured(n.op, called, values, spec)
        return self.known[key]

    def measured(self, op, called, values, spec):
        def run():
            args, kwargs = pytree.tree_unflatten([self.shadows.like(v) for v in values], spec)
            before = self.shadows.alive.made
            step(op, called, args, kwargs)
            made.append(self.shadows.alive.made - before)
        made = []
        return made[0] if self.shadows.most(run) is not None else None


def bound_of(kept, inputs, backward):
    """More bytes than comparing this graph takes, if these are few; None: it has to be measured.  It counts each view as memory of its
    own.  inputs: None for those that were traced."""
    program, calls, made, alive, most = kept.program(), Calls(), [], 0, 0
    if not program.flat or inputs is not None and not all(map(fits, placeholders(kept), inputs)):
        return None
    for n, (i, op, called, args, kwargs, dead) in zip(program.nodes, program.steps):
        more = 0
        if op not in ("placeholder", "output"):
            if op == "get_attr" or not is_sized(n):
                return None
            more = calls.made_by(n, called)
            if more is None:
                return None
        made.append(max(more, bytes_of(n)) if op != "output" else 0)
        alive += made[i]
        most = max(most, alive)
        if KINDS * most > LEAST_HELD:
            return None
        if not backward:                        # else autograd may keep it
            alive -= sum([made[d] for d in dead if program.nodes[d].op != "placeholder"])
    return KINDS * most * (2 if backward else 1)


def fits(n, v):
    """Is this the kind of input that was traced?"""
    val = traced(n)
    if not isinstance(val, torch.Tensor) or not isinstance(v, torch.Tensor):
        return type(v) in (int, float, bool, str, type(None)) and not isinstance(val, torch.Tensor)
    return plain(v) and all([type(s) is int for s in val.shape]) and has_size(val, v) and val.dtype == v.dtype


def bytes_of_inputs(inputs):
    stores = {storage_of(v)._cdata: storage_of(v).nbytes() for v in inputs if plain(v) and storage_of(v) is not None}
    return sum(stores.values())


def size_of_run(kept, inputs, backward):
    """(bytes that the graph itself needs, bytes that comparing its results takes); None each where that cannot be known.  The
    graph needs its inputs, which lie in the program's memory, and what it makes of them."""
    try:
        shadows, (written, _) = Shadows(inputs), written_of(kept, inputs)
    except Exception:                           # a class of tensors that has no such form
        return None, None

    def itself():
        with torch.set_grad_enabled(backward):
            result = perform(Program(kept), [v for v in shadows.inputs])
            if backward:
                gradients_of(result, shadows.inputs)

    def compared():
        held = [exact_gradients(kept, shadows.inputs)] if backward else []
        held.append(results_of(kept, shadows.inputs, True, written))
        given = backend_inputs(kept, shadows.inputs, backward)
        with torch.set_grad_enabled(backward):
            result = perform(Program(kept), list(given))
            held.append(gradients_of(result, given) if backward else None)
        held.append([t.detach() for t in tensors(result)] + [given[i] for i in written])
        result = given = None
        results_of(kept, shadows.inputs, False, written)
        held[1] = held[-1] = None
        if backward:
            eager_gradients(kept, shadows.inputs)
    with torch.no_grad():
        own, taken = shadows.most(itself), shadows.most(compared)
    return own and own + bytes_of_inputs(inputs), taken


def size_to_run(kept, inputs):
    """The bytes that a run on copies of the inputs takes; None where that cannot be known."""
    try:
        shadows = Shadows(inputs)
    except Exception:                           # a class of tensors that has no such form
        return None
    with apart():
        return shadows.most(lambda: perform(Program(kept), copied_inputs(kept, shadows.inputs)))


class LoweredShadow:
    """A graph of inductor with inputs that have no memory, in place of a Lowered with values."""
    def __init__(self, g, shadows):
        self.made, self.shadows, self.may_share = g.stored(), shadows, g.may_share
        self.inputs = [shadows.like(n.meta.get("val")) for n in g.kept.graph.nodes if n.op == "placeholder"]
        self.walks(g.kept)

    def walks(self, kept):
        """The graph, or one with its nodes in another order."""
        self.kept, self.dies = kept, {}
        last, index = {}, {}                    # an input, or a node whose value is stored: the last one that is computed from it
        for n in kept.graph.nodes:
            stored = n.name in self.made or n.op == "placeholder"
            index[n] = {n} if stored else {a for x in n.all_input_nodes for a in index[x]}
            last.update((a, n) for x in n.all_input_nodes for a in index[x])
        for a, n in last.items():
            self.dies.setdefault(n, []).append(a)

    def call(self, look):
        """As Lowered.call(): the buffers live until they are read for the last time."""
        starts = [n for n in self.kept.graph.nodes if n.op == "placeholder"]
        values = {n: v if self.may_share(i) else copy_of(v) for i, (n, v) in enumerate(zip(starts, self.inputs))}
        for n in self.kept.graph.nodes:
            if n.name in self.made and isinstance(n.meta.get("val"), torch.Tensor):
                values[n] = self.shadows.like(n.meta["val"])
                look(n.name, values[n])
            for a in self.dies.get(n, ()):
                values.pop(a, None)


class Profile:
    """In place of the backend's values while a graph without memory is walked: notes what the walk takes at each node."""
    def __init__(self, shadow, alive):
        self.alive, self.before, self.values = alive, alive.now, {
            n.name: n.meta["val"] for n in shadow.kept.graph.nodes
            if n.name in shadow.made and isinstance(n.meta.get("val"), torch.Tensor)}
        self.like, self.peaks, self.floors, self.sizes = shadow.shadows.like, [], [], {}
        alive.most = alive.now

    def at(self, n):
        self.end()
        self.floors.append(self.alive.now - self.before)

    def end(self):
        """The node before is walked."""
        if self.floors:
            self.peaks.append(self.alive.most - self.before)
        self.alive.most = self.alive.now

    def prepare(self, name):
        pass

    def __contains__(self, name):
        return name in self.values

    def take(self, name):
        if name not in self.values:
            return None
        v = self.like(self.values[name])
        self.sizes[name] = size_of(v) or 0
        return v

    def shared(self):
        return ()


class LoweredSizes:
    """Graphs of inductor as LoweredShadows, one after the other; those of backward have inputs of their own, which are held from
    the beginning: what forward keeps is a copy."""
    def __init__(self, lowered):
        self.shadows, self.lowered, self.held = Shadows(()), lowered, []

    def begin(self):
        """False: it cannot be known."""
        def hold(g):
            self.held.append(LoweredShadow(g, self.shadows))
        with torch.no_grad():
            return all([self.shadows.most(hold, g) is not None for g in self.lowered if g.backward])

    def each(self, measure):
        """[(graph, measure(its LoweredShadow, bytes held before))]."""
        found, held = [], self.held[::-1]
        self.held = []
        with torch.no_grad():
            for g in self.lowered:
                if g.backward:
                    shadow = held.pop()
                else:
                    with self.shadows.mode:
                        shadow = LoweredShadow(g, self.shadows)
                    self.shadows.alive.leave_out(shadow.inputs)
                found.append((g, measure(shadow, self.shadows.alive.now)))
                shadow = None
        return found


def needed_by_lowered(lowered):
    """The bytes that the largest of these graphs itself needs; None where that cannot be known."""
    sizes = LoweredSizes(lowered)

    def measure(shadow, before):
        most = sizes.shadows.most(lambda: perform(Program(shadow.kept), [v for v in shadow.inputs]))
        return None if most is None else most - before + sum(size_of(v) or 0 for v in shadow.inputs)
    found = [size for _, size in sizes.each(measure)] if sizes.begin() else [None]
    return None if None in found else max(found)


class Late:
    """The nodes of a graph in an order in which less is alive: each as late as a stored node needs it, and of what that is computed
    from first what takes most memory beside its result.  Only pure nodes of torch's own move, and none past one that may write, that
    draws random numbers or that is not torch's: all values are the same, and those that are stored come in the same order."""
    def __init__(self, kept, stored, symbols=None):
        self.kept, self.order, self.waiting, self.extra, self.symbols, known = kept, {}, {}, {}, symbols, {}
        for n in kept.graph.nodes:
            pure = n.op == "call_function" and allocates(n) and is_harmless(n, known) and not is_random(n)
            if pure:
                self.extra[n] = self.extra_of(n)
            if pure and n.name not in stored:
                self.waiting[n] = None
                continue
            for a in [n] if pure else [*self.waiting, n] if n.op not in ("placeholder", "get_attr") else ():
                self.put(a)
            self.order[n] = None

    def extra_of(self, n):
        """The bytes that computing a node takes beside its result, as if what it is computed from had no other reader."""
        held = most = 0
        for a in self.inputs(n):
            size = self.size(a)
            most, held = max(most, held + size + self.extra[a]), held + size
        return max(most - self.size(n), held)

    def inputs(self, n):
        """What a node is computed from that is not yet in the order, in the order in which to compute it."""
        return sorted([a for a in n.all_input_nodes if a in self.waiting], key=lambda a: -self.extra[a])

    def size(self, n):
        return wide_size(n.meta.get("val"), self.symbols)

    def put(self, n):
        todo = [(n, iter(self.inputs(n)))]
        while todo:
            first = next((a for a in todo[-1][1] if a in self.waiting), None)
            if first:
                todo.append((first, iter(self.inputs(first))))
            else:
                n, _ = todo.pop()
                self.waiting.pop(n, None)
                self.order[n] = None

    def reordered(self):
        """The graph with its nodes, copied, in this order."""
        graph, copies = torch.fx.Graph(), {}
        for n in self.order:
            copies[n] = graph.node_copy(n, copies.get)
        return like(self.kept, Kept(graph, self.kept.named))


def plan_of(shadow, before, most):
    """What the walk of this graph leaves room for; None: it cannot be known."""
    alive, made = shadow.shadows.alive, []

    def walked():
        made.append(Profile(shadow, alive))
        Walk(shadow.kept, shadow.inputs, made[0])
        made[0].end()
    if shadow.shadows.most(walked) is None:
        return None
    computing = shadow.shadows.most(shadow.call, lambda name, v: None)
    if computing is None:
        return None
    return Plan(made[0].peaks, made[0].floors, computing - before, max(most - before, LEAST_HELD), made[0].sizes)


def size_of_lowered(lowered, most, room):
    """The bytes that comparing these graphs takes; None where that cannot be known.  Plans each so that it takes at most `most`
    where that is possible.  room: for a graph without a plan, see Window."""
    sizes = LoweredSizes(lowered)

    def planned(shadow, before):
        """(bytes, graph, its plan)."""
        plan, kept = plan_of(shadow, before, most), shadow.kept
        return sizes.shadows.most(lambda: Walk(kept, shadow.inputs, Window(kept.graph, shadow.call, room, plan))), kept, plan

    def measure(shadow, before):
        """planned() of the graph, or of one with its nodes in another order where this one takes much and that one less."""
        first = planned(shadow, before)
        if first[0] is not None and first[0] > max(most * 3 // 4, LEAST_HELD):
            shadow.walks(Late(first[1], shadow.made, symbols_of(placeholders(first[1]), shadow.inputs)).reordered())
            other = planned(shadow, before)
            if other[0] is not None and other[0] < first[0]:
                return other
            shadow.walks(first[1])
        return first
    found = sizes.each(measure) if sizes.begin() else ()
    for g, (_, kept, plan) in found:
        g.plan, g.kept = plan, kept
    taken = [size for _, (size, _, _) in found]
    return None if None in taken or not taken else max(taken)


def wide_size(v, known=None):
    """Bytes of a tensor in float64, 0 where its size is not known.  known: the values of symbols."""
    if not isinstance(v, torch.Tensor):
        return 0
    return bytes_as_traced(v, known) * WIDENED.get(v.dtype, v.dtype).itemsize // v.dtype.itemsize


def bytes_as_traced(t, known=None):
    """Bytes of a tensor; 0 where its size is not known.  known: the values of symbols."""
    sizes = [number_of(s, known) for s in t.shape] if isinstance(t, torch.Tensor) and t.layout is torch.strided else [None]
    return 0 if None in sizes else math.prod(sizes) * t.element_size()


def bytes_of(n, known=None):
    """Bytes of a node's value, as it was traced."""
    value = traced(n)
    return sum([bytes_as_traced(t, known) for t in ((value,) if isinstance(value, torch.Tensor) else pytree.tree_leaves(value))])


def most_made(program, known):
    """The most bytes that are alive at once of what a graph makes.  known: the values of symbols."""
    made = [0 if n.op in ("placeholder", "get_attr", "output") else bytes_of(n, known) for n in program.nodes]
    alive = most = 0
    for i, taken in enumerate(program.steps):
        parts = [program.inner[a.target] for a in program.nodes[i].all_input_nodes if a.op == "get_attr" and a.target in program.inner]
        inside = max([most_made(part.program(), known) for part in parts], default=0)
        most = max(most, alive + max(inside, made[i]))
        alive += made[i] - sum([made[d] for d in taken[5]])
    return most


def estimate(program, inputs):
    """The most bytes that are alive at once in a run, copies of the inputs included, by the sizes that were traced."""
    known = symbols_of([n for n in program.nodes if n.op == "placeholder"], inputs)
    return most_made(program, known) + sum([size_of(v) or 0 for v in inputs])


def is_surely_small(program, inputs):
    """By the sizes that were traced, without looking closer: would the run fit if no value were freed?"""
    if not program.flat or not all(map(fits, (n for n in program.nodes if n.op == "placeholder"), inputs)):
        return False
    if program.total is None:
        program.total = sum([bytes_of(n) for n in program.nodes]) if all(map(is_sized, program.nodes)) else LARGE
    return program.total + sum([size_of(v) or 0 for v in inputs]) < LARGE // 4


def is_sized(n):
    """Was the size of the node's value traced as numbers, and does the value hold its elements itself?"""
    found = tensors(n.meta.get("example_value", n.meta.get("val")))
    return n.op not in CALLS or bool(found) and all(
        [t.layout is torch.strided and all([type(s) is int for s in t.shape]) and not is_holder(t) for t in found])


def has_unknown_sizes(program, known):
    """Are there values whose sizes depend on values, or whose elements cannot be counted?  known: the values of symbols."""
    return any([t.layout is not torch.strided or None in [number_of(s, known) for s in t.shape]
                for n in program.nodes if n.op in CALLS for t in tensors(traced(n))]) or any(
        [has_unknown_sizes(part.program(), known) for part in program.inner.values()])


def how_exact(program, inputs):
    """The words before an estimate by the sizes that were traced."""
    known = symbols_of([n for n in program.nodes if n.op == "placeholder"], inputs)
    return "at least" if has_unknown_sizes(program, known) else "about"


def check_size(kept, inputs, large):
    """A run that needs much memory has to be asked for."""
    program = kept.program()
    if large or is_surely_small(program, inputs):
        return
    needs, word = size_to_run(kept, inputs), "about"
    if needs is None:
        needs, word = estimate(program, inputs), how_exact(program, inputs)
    if needs > LARGE:
        raise Refused("the run needs %s %.1f GB of memory; '-f' runs it all the same" % (word, needs / 1e9))
