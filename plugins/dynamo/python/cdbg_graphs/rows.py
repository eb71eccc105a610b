# SPDX-License-Identifier: BSD-3-Clause
"""What graph run and graph memory show of each node of a graph.  Knows no backend."""
import contextlib

import torch
import torch.fx

from . import values
from .apart import apart
from .errors import Enough, NodeRaised, Refused
from .inputs import copied_inputs
from .made import First
from .memory import storage_in_words
from .modes import in_modes, like
from .run import Kept, Program, perform
from .size import check_size
from .torch_state import has_memory, storage_of
from .values import bytes_stored, dense, figures, stored


# ---- graph run, graph memory ------------------------------------------------------------------------------------------

DTYPES: dict = {}                               # their names


def items_of(v):
    """What is in a list or tuple, or of a class of these: "list of 2 tensors, 1 None"."""
    kinds = ["tensor" if isinstance(t, torch.Tensor) else "None" if t is None else type(t).__name__ for t in v]
    counts = sorted([(kind != "tensor", kind == "None", kind, kinds.count(kind)) for kind in set(kinds)])
    items = ["%d %s%s" % (n, kind, "s" * (n > 1 and kind == "tensor")) for _, _, kind, n in counts]
    return "%s of %s" % ("tuple" if isinstance(v, tuple) else "list", ", ".join(items))


def about(v):
    """(shape, dtype, bytes) of a value, None each where it has none."""
    if isinstance(v, (list, tuple)) and any([isinstance(t, torch.Tensor) for t in v]):
        return None, items_of(v), bytes_stored(v)
    if not isinstance(v, torch.Tensor):
        return None, type(v).__name__.removeprefix("immutable_"), None      # torch.fx has lists of its own
    known = DTYPES.get(v.dtype)
    if known is None:
        known = DTYPES[v.dtype] = str(v.dtype).partition(".")[2]
    if dense(v) and not has_memory(v):
        known += ", storage " + ("freed" if not storage_of(v).nbytes() else storage_in_words(v).removeprefix("has "))
    if type(v) is torch.Tensor and v.layout is torch.strided and not v.is_nested:
        return list(v.shape), known, bytes_stored(v)
    return [int(n) for n in v.shape] if v.layout is torch.strided and not v.is_nested else None, known, bytes_stored(v)


def graph_kept(kept):
    """What graph_keep.c kept, (graph, {name: object or such a pair}), as a Kept; a Kept as it is."""
    if type(kept) is Kept:
        return kept
    kept = Kept(*kept)
    return kept if kept.program().writes_nothing() else with_tensors_given(kept)


def with_tensors_given(kept):
    """The graph with the tensors that it names, an optimizer's for example, as inputs behind the others: those are copied for each
    run, and this graph may write them."""
    given = {name: v for name, v in kept.named.items() if isinstance(v, torch.Tensor)}
    if not given:
        return kept
    graph, copies, made = torch.fx.Graph(), {}, {}
    for n in kept.graph.nodes:
        if n.op == "placeholder":
            copies[n] = graph.node_copy(n, copies.get)
    for n in kept.graph.nodes:
        if n.op == "get_attr" and n.target in given:
            if n.target not in made:
                made[n.target] = graph.placeholder(n.name)
                made[n.target].meta = dict(n.meta)
            copies[n] = made[n.target]
    for n in kept.graph.nodes:
        if n.op == "output":
            graph.output(torch.fx.map_arg(n.args[0], copies.get))
        elif n not in copies:
            copies[n] = graph.node_copy(n, copies.get)
    whole = like(kept, Kept(graph, {name: v for name, v in kept.named.items() if name not in given}))
    whole.given = [given[name] for name in made]
    return whole


MOST_INNER = 10000                              # rows of sub-graphs: a loop may run its body often


NO_FIGURES = (None,) * 5


def no_row(name, op, v, seconds, statistics):
    """The figures in Python, for use without cdbg's C function."""
    return None


NODE, OP, SHAPE, DTYPE, MIN, MAX, MEAN, NAN, INF, BYTES, SECONDS = range(11)


class Rows:
    """What graph_run() notes of each node.  A row is a tuple, whose places are named below and in graph_run.c: a dict for each node would slow
    down the run.  until_nan: no rows
    after the first node that makes a NaN or an Inf, and no run after the first that makes a NaN."""
    def __init__(self, until_nan, statistics):
        self.until_nan, self.statistics = until_nan, statistics
        self.rows, self.found, self.first, self.inner, self.omitted = [], First(), None, 0, 0

    def before(self, program):
        return self.found.before(program) if self.statistics else None

    def of(self, program):
        """The function that perform() calls for each node of a program."""
        labels, statistics, row_of = program.labels, self.statistics, values.row_in_place or no_row
        writers = program.writers() if statistics else ()

        def look(i, v, seconds):
            name, op = labels[i]
            row = row_of(name, op, v, seconds, statistics)
            if row is None:
                shape, dtype, size = about(v)
                row = (name, op, shape, dtype, *(figures(v) if statistics else NO_FIGURES), size, seconds)
            self.add(program, row)
            return self.odd(program, i, v, row) if row[NAN] or row[INF] or i in writers else False
        return look

    def look(self, program, i, v, seconds):
        return self.of(program)(i, v, seconds)

    def add(self, program, row):
        if self.until_nan and self.first is not None:
            return
        if program.prefix:                      # of a sub-graph
            self.omitted += self.inner >= MOST_INNER
            self.inner += 1
        if not program.prefix or self.inner <= MOST_INNER:
            self.rows.append(row)

    def odd(self, program, i, v, row):
        """The node's result has a NaN or Inf, or it writes its arguments; True: the run ends."""
        if self.found.complete() or not self.found.after(program, i, row[NODE], v):
            return False
        self.first = self.first or row[NODE]
        return self.until_nan and self.found.nan is not None


class Times:
    """The seconds of each node, in the order of running; the order is the same in each run, or else it is not used."""
    def __init__(self):
        self.taken = []

    def of(self, program):
        return lambda i, v, seconds: self.taken.append(seconds)

    def before(self, program):
        return None

    def look(self, program, i, v, seconds):
        self.taken.append(seconds)


def with_leaves(kept, given):
    """The copies for a stage, some of which require a gradient."""
    return [v.detach().requires_grad_(True) if i in kept.leaves and isinstance(v, torch.Tensor) else v for i, v in enumerate(given)]


def graph_run(kept, inputs, until_nan, times, statistics, large):
    """large: also if it takes much memory.  rows: see Rows; omitted: how many of sub-graphs are left out; first: the first node that computes a NaN or Inf which its inputs had not, or None.  made: of the first NaN and of the first Inf, in their
    order, as about_made().  times > 1: the seconds are medians."""
    plain_program = kept.program()

    def run(notes):
        program = plain_program if plain_program.flat else Program(kept, look=notes.look, before=notes.before)
        with contextlib.suppress(Enough):
            perform(program, with_leaves(kept, copied_inputs(kept, inputs)), notes.of(program), notes.before(program))
        return notes
    check_size(kept, inputs, large)
    with apart(), in_modes(kept.modes):
        found = Rows(until_nan, statistics)
        try:
            run(found)
        except NodeRaised:
            if not until_nan or found.first is None:    # else what was asked for is known
                raise
        rows = found.rows
        taken = [run(Times()).taken for _ in range(times)] if times > 1 else ()
        for k, row in enumerate(rows if taken else ()):
            of = sorted(t[k] for t in taken if len(t) > k and t[k] is not None)
            rows[k] = row[:SECONDS] + (of[len(of) // 2],) if of else row
    return {"rows": rows, "first": found.first, "omitted": found.omitted, "made": found.found.made}


def graph_memory(kept, inputs, until_nan, large):
    """rows: the columns of the view graph-memory (graph_run.c), by name; peak: the most bytes alive; peak_node: the node there.
    Inputs stay alive: the program holds its own."""
    if until_nan:
        raise Refused("'until nan' is an argument of 'graph run'; 'graph memory' looks for no NaN")
    program = kept.program()
    check_size(kept, inputs, large)
    nodes, rows, holders, sizes, held = program.nodes, [], {}, {}, {}       # holders: of memory; held: memory of a node
    last = {a: n for n in nodes for a in n.all_input_nodes}
    alive = [0]

    def look(i, v, seconds):
        made = 0
        for t in stored(v) if nodes[i].op != "output" else ():
            store = storage_of(t)
            if store is None:
                continue
            key = store._cdata
            if not holders.get(key):
                made += store.nbytes()
                sizes[key] = store.nbytes()
            holders.setdefault(key, set()).add(i)
            held.setdefault(i, set()).add(key)
        alive[0] += made
        rows.append({"node": nodes[i].name, "made": made, "alive": alive[0], "until": last[nodes[i]].name if nodes[i] in last else None})
        for d in program.steps[i][5]:
            if nodes[d].op in ("placeholder", "get_attr"):
                continue
            for key in held.pop(d, ()):
                holders[key].discard(d)
                if not holders[key]:
                    alive[0] -= sizes[key]
    with apart(), in_modes(kept.modes):
        given = copied_inputs(kept, inputs)
        perform(program, given, look)
    peak = max(rows, key=lambda row: row["alive"], default={"alive": 0, "node": None})
    return {"rows": rows, "peak": peak["alive"], "peak_node": peak["node"]}
