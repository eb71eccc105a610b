# SPDX-License-Identifier: BSD-3-Clause
"""The links of a compiled call, each of which runs it once on the program's own objects and restores these: eager, the captured graphs run as
they are, the code that the program runs.  Names no culprit: blame.py does."""
import contextlib
import time
import types

import torch
import torch.utils._pytree as pytree

from .ends import incoming
from .errors import NodeRaised
from .exact import exact_program
from .inputs import as_traced, without_class
from .modes import in_modes, modes_now, without_autocast
from .nodes import placeholders
from .outcome import Outcome, compared
from .run import perform
from .torch_state import version_of
from .values import copies_of

frames = torch._C._dynamo.eval_frame
MOST_NOTED = 4                                  # calls of one graph whose inputs are kept


@contextlib.contextmanager
def frames_by(callback):
    """In the block Dynamo handles new frames by this callback: False uses entries that fit and compiles nothing, None does nothing."""
    was = frames.set_eval_frame(callback)
    try:
        yield
    finally:
        frames.set_eval_frame(was)


def call_parts(code, values):
    """(arguments, those by name) of a call of this code with these values."""
    names, n, k = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    args, rest = [values[name] for name in names[:n]], list(names[n + k:])
    kwargs = {name: values[name] for name in names[n:n + k]}
    if code.co_flags & 0x04:
        args += values[rest.pop(0)]
    if code.co_flags & 0x08:
        kwargs.update(values[rest[0]])
    return args, kwargs


def call_code(code, namespace, values, cells):
    """Calls this code, of a function or made of it, with these values by name."""
    args, kwargs = call_parts(code, values)
    closure = tuple([cells.get(name) or types.CellType() for name in code.co_freevars])
    return types.FunctionType(code, namespace, code.co_name, None, closure or None)(*args, **kwargs)


def tensors_of(v):
    return [t for t in pytree.tree_leaves(v) if isinstance(t, torch.Tensor)]


def backward_of(result):
    """As a training loop does, outside of autocast; each result gets a gradient of its own."""
    ends = [t for t in {id(t): t for t in tensors_of(result)}.values() if t.requires_grad]
    if ends:
        with in_modes(without_autocast(modes_now())):
            torch.autograd.backward(ends, [incoming(t) for t in ends])


class CompiledGraph:
    """A graph that the program's generated code calls.  place: the namespace and the name that it has there; function: what is there.  asked: returns
    a dict about it when it is called, see blame()."""
    def __init__(self, name, namespace, ask):
        self.name, self.namespace, self.ask, self.known = name, namespace, ask, None
        self.function, self.noted = namespace.get(name), []

    def about(self):
        if self.known is None:
            self.known = self.ask(self.name)
        return self.known

    @property
    def kept(self):
        return self.about()["kept"]

    def without_classes(self):
        """Does the program run it without the functions of tensor subclasses, which the graph has as nodes?"""
        v = self.function
        while v is not None:
            if getattr(v, "__name__", "") == "_tf_disabled_wrapper":
                return True
            v = getattr(v, "_torchdynamo_orig_callable", None) or getattr(v, "__wrapped__", None)
        return False

    def given(self, args):
        """What the kept graph takes for what the program's code is given."""
        return [*args, *self.kept.given]


class Instead:
    """Called in place of a compiled graph.  by(graph, args) calculates its results."""
    def __init__(self, graph, by):
        self.graph, self.by = graph, by

    def __call__(self, *args):
        with frames_by(None):
            return self.by(self.graph, args)


class Outside:
    """Counts the calls of the graphs of a run, in order of the first."""
    def __init__(self):
        self.used = []

    def __call__(self, graph, args):
        if graph not in self.used:
            self.used.append(graph)
        return graph.function(*args)


def run_captured(graph, args, look=None, program=None):
    """The results of a captured graph, node by node."""
    program = program or graph.kept.program()
    plainly = torch._C.DisableTorchFunctionSubclass() if graph.without_classes() else contextlib.nullcontext()
    with plainly:
        try:
            return perform(program, graph.given(args), look, modes=False)
        except NodeRaised as e:
            cause = e.__cause__ or e
            while isinstance(cause, NodeRaised) and cause.__cause__:
                cause = cause.__cause__
            raise cause


class NotedInputs:
    """Runs captured graphs, and keeps their inputs to compare them by themselves."""
    def __init__(self, saved):
        self.saved = saved

    def __call__(self, graph, args):
        if len(graph.noted) < MOST_NOTED:
            graph.noted.append(self.copied(graph, args))
        return run_captured(graph, args)

    def is_as_saved(self, v):
        held = self.saved.known.get(id(v))
        return type(v) is torch.nn.Parameter and held is not None and held.was[3] == version_of(v)

    def copied(self, graph, args):
        given = [as_traced(n, without_class(v)) for n, v in zip(placeholders(graph.kept), graph.given(args))]
        with torch.no_grad():
            copies = copies_of([None if self.is_as_saved(v) else v for v in given], False)
        made = []
        for v, c in zip(given, copies):
            if self.is_as_saved(v):
                c = v                           # it is what it was again when the run has ended
            elif isinstance(v, torch.Tensor) and v.requires_grad and not c.requires_grad:
                with torch.enable_grad():
                    c = c.requires_grad_() if v.is_leaf else c.requires_grad_().view_as(c)
            made.append(c)
        return made


def run_exact(graph, args):
    """A captured graph in float64; what it writes into its inputs is written back."""
    given = graph.given(args)
    program, wide = exact_program(graph.kept, given)
    try:
        made = perform(program, list(wide))
    except NodeRaised as e:
        raise e.__cause__ or e
    with torch.no_grad():
        for v, w in zip(given, wide):
            if isinstance(v, torch.Tensor) and w is not v and v.dtype != w.dtype and not torch.equal(w.to(v.dtype), v):
                v.copy_(w)
    return made


class Link:
    """One run.  differs: [(path, words)] from eager, without noise; within: {path: (tensor, eager's)} of what tolerances allow; beyond: those of the
    differences that are in numbers only."""
    def __init__(self, label, what):
        self.label, self.what, self.outcome, self.seconds = label, what, None, 0.0
        self.differs, self.within, self.beyond, self.skipped, self.worst = [], {}, [], [], None

    def row(self):
        words = "%s: %s" % self.differs[0] if self.differs and self.differs[0][0] else self.differs[0][1] if self.differs else None
        return {"link": self.label, "what": self.what, "equal": not self.differs, "difference": words, "seconds": self.seconds}


class Chain:
    """A call that is run again and again.  code: the function's; made: the generated code that serves the call."""
    def __init__(self, saved, code, made, namespace, graphs, backward):
        self.saved, self.code, self.made, self.namespace, self.graphs, self.backward = saved, code, made, namespace, graphs, backward
        self.links, self.failed, self.base, self.noise = [], [], None, set()

    def run(self, label, what, code, stance, callback=None, by=None, block=None, backward=None):
        """by: see Instead; None: the program's own code.  block: a context around the call."""
        link, saved, put, result, raised = Link(label, what), self.saved, [], None, None
        began = time.perf_counter()
        try:
            values = saved.enter(stance, True)
            try:
                for g in self.graphs if by else ():
                    put.append(g)
                    g.namespace[g.name] = Instead(g, by)
                with block or contextlib.nullcontext():
                    with frames_by(callback):
                        result = call_code(code, self.namespace, values, saved.cells)
                    if self.backward if backward is None else backward:
                        backward_of(result)
            except Exception as e:
                raised = e
            finally:
                for g in put:
                    g.namespace[g.name] = g.function
            link.outcome = Outcome(saved, result, raised)
        finally:
            result = None
            self.failed += [text for text in restored(saved) if text not in self.failed]
        link.seconds = time.perf_counter() - began
        self.links.append(link)
        return link

    def eager(self, label="a", what="eager", block=None, backward=None):
        return self.run(label, what, self.code, "force_eager", block=block, backward=backward)

    def compiled(self, label, what, by=None, block=None, backward=None):
        return self.run(label, what, self.made, "eager_on_recompile", False, by, block, backward)

    def is_like(self, link, other):
        """Do these two links give the same?"""
        c = compared(link.outcome, other.outcome)
        return not [d for d in c.differs if noise_of(d) not in self.noise and not self.is_loose(link, c, *d)]

    def judge(self, link, numbers_drawn=False):
        """Compares a link with eager.  numbers_drawn: also which random numbers it took."""
        c = compared(link.outcome, self.base.outcome)
        loose = {(path, words) for path, words in c.differs if self.is_loose(link, c, path, words)}
        link.differs = [d for d in c.differs if d not in loose and noise_of(d) not in self.noise]
        link.beyond = [d for d in c.beyond if d in link.differs]
        beyond = {path for path, _ in c.beyond}
        link.within = {p: pair for p, pair in c.numbers.items() if p not in beyond and p not in self.noise}
        link.worst = c.worst
        link.skipped = ["%s (%s)" % (path, cls.__name__) for path, cls in c.skipped.items()]
        if numbers_drawn:
            link.differs += self.unlike_draws(link)
        return link

    def is_loose(self, link, c, path, words):
        """Is it a difference that a program cannot see, or that is torch's to choose?  Strides are, where a view of the same sizes is possible; so is what an
        exception of the same class says."""
        if words.startswith("raises "):
            return self.same_class(link)
        if not words.startswith("strides "):
            return False
        for p, name, made, eager, value in c.facts:
            if p == path and name == "strides":
                return not (eager == plain_strides(value.shape) and made != eager)
        return False

    def same_class(self, link):
        a, b = link.outcome.raised, self.base.outcome.raised
        return bool(a and b and (issubclass(a[0], b[0]) or issubclass(b[0], a[0])))

    def unlike_draws(self, link):
        held, a, b = self.saved.held, link.outcome.drawn, self.base.outcome.drawn
        return [(held[i].path, "%s random numbers in eager" % ("it draws fewer or other" if i in b else "it draws, and draws no"))
                for i in a.keys() | b.keys() if i not in a or i not in b or not held[i].alike_states(a[i], b[i])]


def noise_of(difference):
    """What of two runs of eager differs, and may differ elsewhere, too: a path, or output.  That one run raises is never that of output."""
    path, words = difference
    return path or words.startswith("raises ")


def plain_strides(shape):
    strides, size = [], 1
    for n in reversed(shape):
        strides, size = [size, *strides] if n > 1 else strides, size * n
    return strides


def restored(saved):
    """Restores all, also if an interrupt comes meanwhile, which is raised afterwards."""
    interrupt = None
    for _ in range(3):
        try:
            failed = saved.restore()
        except KeyboardInterrupt as e:
            interrupt = e
            continue
        break
    if interrupt:
        raise interrupt
    return failed
