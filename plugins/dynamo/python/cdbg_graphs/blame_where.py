# SPDX-License-Identifier: BSD-3-Clause
"""Where Dynamo's capture goes wrong: the first operation of eager that the captured graphs do not have, and the lines of eager that change
objects which the compiled call leaves as they are; and where the program itself asks whether it is compiled.  Each search is a run of the call
more.  Judges nothing."""
import os
import sys
import sysconfig
import types
import weakref

import torch
import torch.utils._pytree as pytree

from .blame_chain import run_captured
from .nodes import CALLS, is_of_torch, place_of
from .run import Program
from .torch_state import quiet
from .values import plain

STANDARD = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
MOST_ELEMENTS, SHOWN = 4096, 4
NOT_OPERATIONS = frozenset(("__get__", "__set__", "__delete__", "__repr__", "__format__", "size", "dim", "stride", "data_ptr", "is_floating_point"))


def is_of_program(file):
    """Is it a file of the program, or of a library that is not Python's, torch's or cdbg's?"""
    site = "site-packages" in file
    return not (file.startswith(("<", OWN)) or is_of_torch(file) or file.startswith(STANDARD) and not site)


def place_now():
    """(file, line, function) of the innermost line of the program."""
    return place_from(sys._getframe(2))


def place_from(frame):
    """... from this frame outwards; None: there is none."""
    while frame:
        if is_of_program(frame.f_code.co_filename):
            return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back
    return None


class Value:
    """What is kept of a tensor: its type, and elements, of a large one some."""
    def __init__(self, t):
        self.kind, self.elements = type(t).__name__.replace("Parameter", "Tensor"), None
        with quiet():
            t = t.detach().as_subclass(torch.Tensor)
            self.dtype, self.shape = t.dtype, tuple(t.shape)
            if plain(t) and not t.is_sparse:
                flat = t.resolve_conj().resolve_neg().reshape(-1)
                every = max(1, flat.numel() // MOST_ELEMENTS)
                flat = flat[::every].cpu()
                self.elements = flat.to(torch.complex128 if flat.is_complex() else torch.float64, copy=True)

    def like(self, other):
        if (self.kind, self.dtype, self.shape) != (other.kind, other.dtype, other.shape):
            return False
        if self.elements is None or other.elements is None:
            return self.elements is other.elements
        coarse = self.dtype in (torch.float16, torch.bfloat16)
        return torch.allclose(self.elements, other.elements, 2e-2 if coarse else 1e-4, 1e-5, equal_nan=True)

    def words(self):
        if self.elements is None:
            return self.kind
        shown = ", ".join(["%.6g" % v if isinstance(v, float) else str(v) for v in self.elements[:SHOWN].tolist()])
        return "%s[%s%s]" % ("" if self.kind == "Tensor" else self.kind + " ", shown, ", ..." if len(self.elements) > SHOWN else "")


def values_in(v):
    return [Value(t) for t in pytree.tree_leaves(v) if isinstance(t, torch.Tensor)]


def all_like(a, b):
    return len(a) == len(b) and all([p.like(q) for p, q in zip(a, b)])


def in_figures(values):
    return ", ".join([v.words() for v in values[:2]])


class Operation:
    def __init__(self, place, name, values):
        self.place, self.name, self.values, self.read = place, name, values, False


class EagerOperations(torch.overrides.TorchFunctionMode):
    """Notes the operations on tensors in the block, with the program's line of each, and whether something reads its result."""
    def __init__(self):
        super().__init__()
        self.found, self.alive = [], {}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        name = getattr(function, "__name__", str(function))
        with torch._C.DisableTorchFunction():
            for t in pytree.tree_leaves((args, kwargs or {})):
                self.read(t)
            tensors = [t for t in pytree.tree_leaves(made) if isinstance(t, torch.Tensor)]
            if tensors and name not in NOT_OPERATIONS:
                one = Operation(place_now(), name, values_in(tensors))
                self.found.append(one)
                for t in tensors:
                    self.alive[id(t)] = weakref.ref(t), one
        return made

    def read(self, t):
        ref, one = self.alive.get(id(t), (None, None)) if isinstance(t, torch.Tensor) else (None, None)
        if ref is not None and ref() is t:
            one.read = True

    def __exit__(self, *raised):
        super().__exit__(*raised)
        for ref, one in self.alive.values():
            one.read = one.read or ref() is not None    # returned, or held by an object
        self.alive.clear()


class GraphNodes:
    """Runs captured graphs; found: [(place, name of a node, values)]."""
    def __init__(self):
        self.found = []

    def __call__(self, graph, args):
        program = Program(graph.kept, look=lambda inner, i, v, seconds: self.look(inner, i, v))
        return run_captured(graph, args, lambda i, v, seconds: self.look(program, i, v), program)

    def look(self, program, i, v):
        n = program.nodes[i]
        values = values_in(v) if n.op in CALLS and n.op != "get_attr" else ()
        if values:
            place = place_of(n)
            self.found.append((place and place[:2], program.prefix + n.name, values))


class Finding:
    """A line, and words about it.  function: its name.  sure: it is where the fault is, not only where it shows."""
    def __init__(self, place, words, sure=True):
        self.file, self.line, self.function = place
        self.words, self.sure = words, sure


def first_unlike_operation(eager, nodes):
    """The first operation of eager whose values no node of its line has: a Finding, or None."""
    lines = {}
    for place, name, values in nodes:
        lines.setdefault(place, []).append((name, values))
    left = {place: list(found) for place, found in lines.items()}
    for one in eager:
        if one.place is None:
            continue
        here, mine = one.place[:2], left.get(one.place[:2], [])
        hit = next((i for i, (_, values) in enumerate(mine) if all_like(one.values, values)), None)
        if hit is not None:
            del mine[hit]
            continue
        if any([all_like(one.values, values) for place, found in lines.items() if place != here for _, values in found
                if not mine or place is None or place[0] != here[0]]):
            continue                            # made inside of a library, or by a line that Dynamo joined with it
        if not one.read or one.name in ("detach", "clone", "view_as", "as_subclass") and not mine:
            continue
        gives = "'%s' gives %s in eager" % (one.name.strip("_"), in_figures(one.values))
        if not lines.get(here):
            return Finding(one.place, "%s; the graph has no node of this line" % gives)
        if not mine:
            name, values = lines[here][-1]
            return Finding(one.place, "%s; the graph does it less often: node %s is %s" % (gives, name, in_figures(values)))
        name, values = mine[0]
        shared = ", in a sub-graph that several calls share" if "." in name else ""
        return Finding(one.place, "%s and %s in the graph (node %s%s)" % (gives, in_figures(values), name, shared))
    return None


def first_operation(chain):
    """By the operations of each line."""
    record, nodes = EagerOperations(), GraphNodes()
    chain.eager("-", "operations of eager", block=record)
    chain.compiled("-", "nodes of the graphs", nodes, backward=False)
    del chain.links[-2:]
    return first_unlike_operation(record.found, nodes.found)


class ChangingLines:
    """In the block, notes after which line each of these objects is another: found is {index: place}."""
    def __init__(self, held, known):
        self.held, self.differs, self.found, self.at = held, known, {}, None

    def check(self):
        for i, h in self.held.items():
            if i not in self.found and self.differs(h, {}):
                self.found[i] = self.at

    def trace(self, frame, event, arg):
        if not is_of_program(frame.f_code.co_filename):
            return None
        self.check()
        frame = frame.f_back if event == "return" else frame
        if frame and is_of_program(frame.f_code.co_filename):
            self.at = frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        return self.trace

    def __enter__(self):
        self.was = sys.gettrace()
        sys.settrace(self.trace)

    def __exit__(self, *raised):
        sys.settrace(self.was)
        self.check()


def lost_changes(chain, link):
    """The lines of eager that change objects which this link leaves alone, or changes otherwise: [Finding]."""
    saved, eager = chain.saved, chain.base.outcome
    paths = {path for path, _ in link.differs}
    lost = {i: saved.compared[i] for i in eager.changes if i not in link.outcome.changes or any(
        [path.startswith(saved.compared[i].path) for path in paths])}
    if not lost:
        return []
    lines = ChangingLines(lost, saved.differs)
    chain.eager("-", "changes of eager", block=lines)
    del chain.links[-1]
    return [Finding(place, "changes %s in eager%s" % (
        lost[i].path or "a global", "" if i in link.outcome.changes else ", the compiled call does not"), i not in link.outcome.changes)
            for i, place in lines.found.items() if place]


class HearsCalls:
    """In the block, note(frame) hears of each call of a Python function; found has as keys what it notes, each once."""
    def __init__(self):
        self.found = {}

    def heard(self, frame, event, arg):
        if event == "call":
            self.note(frame)

    def __enter__(self):
        self.was = sys.getprofile()
        sys.setprofile(self.heard)

    def __exit__(self, *raised):
        sys.setprofile(self.was)


class CalledFunctions(HearsCalls):
    """The program's functions that are called: their code."""
    def note(self, frame):
        if is_of_program(frame.f_code.co_filename):
            self.found[frame.f_code] = True


class PlainResumes(HearsCalls):
    """Resume functions that run as they are, by no generated code: their names.  resumed(code): the name, or None."""
    def __init__(self, resumed):
        super().__init__()
        self.resumed = resumed

    def note(self, frame):
        name = self.resumed(frame.f_code)
        if name:
            self.found[name] = True


def called_and_not_traced(chain, inlined):
    """Functions that eager calls and Dynamo did not trace, as words.  inlined: tells of a code whether Dynamo went into it; a hint only, as resume functions
    and functions that break have code of their own."""
    calls = CalledFunctions()
    chain.eager("-", "calls of eager", block=calls)
    del chain.links[-1]
    return ["eager calls '%s' (%s:%d), which Dynamo did not trace for this entry" % (c.co_name, os.path.basename(c.co_filename), c.co_firstlineno)
            for c in calls.found if c is not chain.code and not inlined(c)][:SHOWN]


def always() -> bool:
    return True


class ToldCompiled(HearsCalls):
    """The program hears that it is compiled wherever it asks, as Dynamo says while it traces: (place, who), who the place in torch that asks there,
    or None.  The functions are changed in place, as a program may hold them by other names."""
    def __init__(self):
        super().__init__()
        functions = [getattr(torch.compiler, name, None) for name in ("is_compiling", "is_dynamo_compiling")]
        self.own = {f: f.__code__ for f in functions if isinstance(f, types.FunctionType) and not f.__code__.co_freevars}

    def note(self, frame):
        if frame.f_code is always.__code__:
            place, by = place_from(frame.f_back), frame.f_back.f_code
            who = (by.co_filename, frame.f_back.f_lineno, by.co_name) if is_of_torch(by.co_filename) else None
            if place:
                self.found[place, who] = True

    def __enter__(self):
        for f in self.own:
            f.__code__ = always.__code__
        super().__enter__()

    def __exit__(self, *raised):
        super().__exit__(*raised)
        for f, code in self.own.items():
            f.__code__ = code


def asked_if_compiled(chain, link):
    """The lines where the program asks whether it is compiled, if eager does what this link does once it hears that it is: [(place, who)]."""
    told = ToldCompiled()
    run = chain.eager("-", "eager, told that it is compiled", block=told)
    del chain.links[-1]
    return list(told.found) if told.found and chain.is_like(link, run) else []
