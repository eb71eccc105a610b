# SPDX-License-Identifier: BSD-3-Clause
"""Whose fault is a wrong result: the program's, Dynamo's capture, AOTAutograd's, the backend's, a cache's, or an operator's that says other than it does.

The call runs in eager twice, by the program's own code, and by the captured graphs as they are (blame_chain.py).  Where only what is made of the
graphs differs, each graph is judged by itself as graph compare does.  Knows no command."""
import os
import time
import types

import torch

from .blame_chain import Chain, CompiledGraph, NotedInputs, Outside, noise_of, run_exact
from .blame_save import blame_save
from .blame_where import PlainResumes, asked_if_compiled, called_and_not_traced, first_operation, lost_changes
from .claims import Claims
from .compare import graph_compare
from .errors import Refused, raised_text
from .inputs import calls_foreign
from .nodes import LARGE
from .recompile import no_caches
from .rows import graph_kept
from .state import Saved, is_library, names_in
from .symbols import compiled_by
from .unseen import Counters, unhooked

RATIO, SMALLEST = 8.0, 1e-7                     # how many times eager's error a result may be off, and beside its largest element
WRITES = {"open": "files", "socket": "sockets", "subprocess": "processes"}
PARTITION = "inductor's decompositions and partition"
GENERATOR = 0x20 | 0x80 | 0x100 | 0x200         # flags of a code: of generators and coroutines


class Culprit:
    """fault: "none", "eager", "source", "capture", "operator", "aot", "partition", "backend", "cache" or "unknown".  sentence: the answer.  more: lines below it.
    place: (file, line, function) or None.  graph: (CompiledGraph, inputs, backend) that is wrong by itself, or None.  on_disk: of a cache, may
    files have what is stale?"""
    def __init__(self, fault, sentence, more=(), place=None, node=None, kernel=None, graph=None, on_disk=False):
        self.fault, self.sentence, self.more = fault, sentence, list(more)
        self.place, self.node, self.kernel, self.graph, self.on_disk = place, node, kernel, graph, on_disk


def at(place):
    return "%s:%d" % (os.path.basename(place[0]), place[1])


# ---- what cannot be judged -----------------------------------------------------------------------------------------------------

def refusal(code, namespace, forced=False):
    """Why a call of this code cannot be run twice, as known before anything runs; None: it can."""
    if code.co_flags & GENERATOR:
        return "'%s' is a generator or coroutine: its call runs nothing, and one that has begun cannot be run again" % code.co_name
    group = getattr(torch, "distributed", None)
    if not forced and group and group.is_available() and group.is_initialized() and group.get_world_size() > 1:
        return ("the process is one of %d that communicate: a call of it alone would wait for the others; '-f' runs it all the same"
                % group.get_world_size())
    if forced or is_library(namespace.get("__name__")):
        return None
    used = [words for name, words in WRITES.items() if name in names_in(code) and (
        name not in namespace if name == "open" else isinstance(namespace.get(name), types.ModuleType))]
    return used and "'%s' names '%s': what it does to %s cannot be undone, and blame calls it several times; '-f' does it all the same" % (
        code.co_name, [n for n, w in WRITES.items() if w == used[0]][0], used[0]) or None


def saved_for(values, code, made, namespace, graphs, forced):
    try:
        saved = Saved(values, code, code, namespace, [(g.function, "a compiled graph") for g in graphs], None if forced else LARGE)
    except (Refused, MemoryError) as e:
        raise Refused("nothing was run: %s" % e) from e
    if saved.unsafe and not forced:
        raise Refused("nothing was run: what it may change cannot be restored: %s; '-f' runs it all the same" % "; ".join(saved.announce()[:4]))
    return saved


# ---- one graph by itself --------------------------------------------------------------------------------------------------------

class Judged:
    """What graph compare says of one graph, compiled by one backend."""
    def __init__(self, answer):
        self.wrong = [row for row in answer["rows"] if row["ok"] is False]
        self.first, self.notes, self.largest = answer["first"], answer["notes"], answer["largest"]
        self.claims = [note for note in self.notes if note.startswith("operator ")]
        self.random = any(["random numbers" in note for note in self.notes])

    def only_own(self):
        """Is only the code wrong that the program runs, and the graph compiled again right?"""
        return bool(self.wrong) and all([row["stage"] == "program" for row in self.wrong])


def compare_graph(graph, inputs, backend, backward, own):
    def compare():
        return graph_compare(graph.kept, backend, inputs, backward, True, None, own)
    return Judged(unhooked(compare, ()))


def stages_before(backend, name):
    """[(fault, words, backend)] of what the graph goes through before this backend's own work."""
    from torch._dynamo.backends import debugging
    if name in ("eager", "aot_eager"):
        return []
    found = [("aot", "AOTAutograd", debugging.aot_eager)]
    if name == "inductor" and hasattr(debugging, "aot_eager_decomp_partition"):
        found.append(("partition", PARTITION, debugging.aot_eager_decomp_partition))
    return found


def name_of(backend):
    """The name of a backend, below what torch puts around it."""
    v, seen = backend, 0
    while seen < 8:
        inner = next((vars(v)[n] for n in ("_torchdynamo_orig_backend", "_torchdynamo_orig_callable", "compiler_fn") if n in getattr(v, "__dict__", ())),
                     None)
        if inner is None:
            break
        v, seen = inner, seen + 1
    name = getattr(v, "compiler_name", None) or getattr(v, "__name__", type(v).__name__)
    return "inductor" if name == "compile_fx" else name


class Blame:
    def __init__(self, chain, hits, inlined, resumed):
        self.resumed = resumed
        self.chain, self.hits, self.inlined, self.notes, self.rows, self.used = chain, hits, inlined, [], [], []

    # -- the links

    def run(self):
        chain, outside = self.chain, Outside()
        chain.base = chain.eager()
        if chain.backward is None:              # where results have them
            chain.backward = self.has_gradients()
            if chain.backward:
                chain.links.pop()
                chain.base = chain.eager()
        chain.noise = {noise_of(d) for d in chain.judge(chain.eager("a", "eager again")).differs}
        noise, chain.links[-1].outcome = list(chain.links[-1].differs), None        # its copies are not needed any more
        program = chain.judge(chain.compiled("e", "the program's code", outside))
        self.used = outside.used
        self.unserved()
        if noise and not program.differs:
            return Culprit("eager", "eager itself gives two results: %s; all else %s" % (
                in_short(noise[0]), "that could be compared is equal" if self.notes else "is equal"))
        if not program.differs and not program.within:
            return self.right("the call is equal to eager")
        for g in self.used:
            g.about()                           # raises where one is not kept
        captured, noted = None, NotedInputs(chain.saved)
        if self.used:
            captured = chain.judge(chain.compiled("b", "the captured graphs as they are", noted), True)
            captured.within = {}
        if not self.used:
            return self.capture(program) if program.differs else self.right(within_words(program))
        if captured.differs and self.is_shared(captured, program):
            return self.capture(captured)
        verdict = self.graphs(program)
        if verdict:
            return verdict
        return self.whole(program) if program.differs else self.right(within_words(program))

    def unserved(self):
        """Notes where code after a graph break ran in eager here, as none of its entries fits."""
        if not any([name.startswith("__resume_at") for name in self.chain.made.co_names]):
            return
        plain = PlainResumes(self.resumed)
        self.chain.compiled("-", "what no entry serves", Outside(), block=plain)
        del self.chain.links[-1]
        self.notes += ["not judged: '%s', where no entry fits and a call compiles a new one, ran in eager" % name for name in plain.found]

    def is_shared(self, captured, program):
        """Is what differs in the captured graphs wrong in the program, too?  Else only their run here is at fault."""
        if captured.outcome.raised and not self.chain.base.outcome.raised:
            return bool(program.outcome.raised)
        paths = {path for path, _ in captured.differs}
        return any([path in paths for path, _ in program.differs])

    def has_gradients(self):
        """Is there a tensor in what eager returns or writes that requires a gradient?"""
        return any([n.kind == "tensor" and ("requires_grad", True) in n.parts for n in self.chain.base.outcome.nodes.values()])

    def right(self, words):
        if not self.chain.backward and self.has_gradients():
            self.notes.append("gradients were not compared: '-backward' does")
        part = any([note.startswith("not judged") for note in self.notes])
        return Culprit("none", "no fault: " + words + (", as far as it could be judged" if part else ""))

    # -- a fault of the capture

    def broken_claim(self):
        """An operator of the program's that does other than Dynamo was told, as a Culprit; or None."""
        if not any([calls_foreign(g.kept) for g in self.used]):
            return None
        claims = Claims()
        self.chain.eager("-", "operators", block=claims)
        self.chain.links.pop()
        return operator_verdict("operator %s %s" % claims.broken[0]) if claims.broken else None

    def capture(self, link):
        claim = self.broken_claim()
        if claim:
            return claim
        asked = asked_if_compiled(self.chain, link)
        if asked:
            own = [place for place, who in asked if who is None]
            place, who = (own[0], None) if own else asked[0]
            more = ["it asks at %s, too" % at(p) for p in own[1:]][:4]
            asks = "torch itself: %s, which %s calls," % (at(who), at(place)) if who else "the program itself: %s" % at(place)
            return Culprit("source", "%s asks whether it is compiled, and does otherwise where it is: %s" % (asks, in_short(link.differs[0])), more, place)
        changes = lost_changes(self.chain, link)
        found = next((c for c in changes if c.sure), None)
        if found is None or any([path.startswith("result") for path, _ in link.differs]):
            found = first_operation(self.chain) or found
        if found is None and changes:
            found = changes[0]
        hints = called_and_not_traced(self.chain, self.inlined)
        more = ["line: %s: %s" % (at((c.file, c.line)), c.words) for c in changes if c is not found][:4] + hints
        if found is None:
            return Culprit("capture", "Dynamo's capture is wrong: %s; no single line explains it" % in_short(link.differs[0]), more)
        place = found.file, found.line, found.function
        return Culprit("capture", "Dynamo's capture is wrong: %s %s" % (at(place), found.words), more, place)

    # -- a fault of what is made of a graph

    def graphs(self, program):
        for g in self.used:
            verdict = self.graph(g, program)
            if verdict:
                return verdict
        return None

    def graph(self, g, program):
        about = g.about()
        name = name_of(about["backend"])
        if name == "eager":
            return None
        for inputs in g.noted:
            judged = self.compare(g, inputs, about["backend"], name, g.function)
            if judged and (judged.wrong or judged.claims and program.differs):
                return self.culprit(g, inputs, judged, name)
            if judged and judged.random:
                self.notes.append("graph %s draws random numbers, of which inductor draws others than eager" % about["graph"])
        return None

    def compare(self, g, inputs, backend, name, own=None):
        """None: it cannot be compared, which a row says."""
        saved = Saved({"backend": backend}, self.chain.code, self.chain.code, self.chain.namespace)
        judged = problem = None
        saved.enter("default", True)
        try:
            judged = compare_graph(g, inputs, backend, self.chain.backward, own)
        except Exception as e:
            problem = raised_text(e)
        finally:
            saved.restore()
        label = {"aot_eager": "c", "aot_eager_decomp_partition": "p"}.get(name, "d")
        words = problem or (judged.wrong and "%s is wrong" % judged.wrong[0]["node"]) or None
        self.rows.append({"link": label, "what": "graph %s by %s" % (g.about()["graph"], name), "equal": None if problem else not words,
                          "difference": words, "seconds": None})
        return judged

    def culprit(self, g, inputs, judged, name):
        if judged.claims:
            return operator_verdict(judged.claims[0], judged.notes, place_in(judged.first), judged.first and judged.first["node"])
        if judged.only_own():
            return self.cache(g, ", ".join([row["node"] for row in judged.wrong]), name, judged.notes)
        for fault, words, backend in stages_before(g.about()["backend"], name):
            earlier = self.compare(g, inputs, backend, backend.__name__)
            if earlier and earlier.wrong and not earlier.only_own():
                return self.named(fault, words, earlier, (g, inputs, backend))
        graph = g, inputs, g.about()["backend"]
        if name == "aot_eager":
            return self.named("aot", "AOTAutograd", judged, graph)
        if name == "aot_eager_decomp_partition":
            return self.named("partition", PARTITION, judged, graph)
        return self.named("backend", name if name == "inductor" else "backend %s" % name, judged, graph)

    def named(self, fault, words, judged, graph):
        first, place = judged.first, place_in(judged.first)
        if first is None:
            row = judged.wrong[0]
            off = "" if row["max_diff"] != row["max_diff"] else ", by %.3g" % row["max_diff"]
            return Culprit(fault, "%s: %s is wrong%s; no single node explains it" % (words, row["node"], off), judged.notes,
                           (row["file"], row["line"], None) if row["file"] else None, graph=graph)
        kernel = "kernel %s, " % first["kernel"] if first["kernel"] else ""
        line = ", %s" % at(place) if place else ""
        said = ": " if first["difference"] != first["difference"] else " is off by %.3g, eager by %.3g; " % (first["difference"], first["reference"])
        said = said + first["words"] if first["words"] else said.rstrip("; ")
        return Culprit(fault, "%s: %snode %s (%s, stage %s)%s%s" % (words, kernel, first["node"], first["target"], first["stage"], line, said),
                       judged.notes, place, first["node"], first["kernel"], graph)

    def cache(self, g, ends, name, more=()):
        hits = self.hits(g.about()["entry"])
        known = "; its compile took %s code from a cache" % hits if hits else ""
        return Culprit("cache", "a cache: the program's code of graph %s is wrong in %s; compiled afresh it is right%s; 'torch.compiler.reset()' and an "
                       "empty cache folder help, or the backend %s depends on more than the graph" % (g.about()["graph"], ends, known, name),
                       [note for note in more if "look for a cache" not in note], on_disk=bool(hits) or name == "inductor")

    # -- where no graph is wrong alone

    def whole(self, program):
        """The chain as a whole: compiled afresh, and in float64."""
        random = any(["draws random numbers" in note for note in self.notes])
        if random and len(program.beyond) == len(program.differs):
            return self.right("what differs is computed from other random numbers than eager's (%s)" % program.differs[0][0])
        if len(program.beyond) == len(program.differs) and self.is_rounding(program):
            return self.right(within_words(program))
        fresh = self.fresh()                    # compiles once more: what rounding explains needs none
        if fresh and not fresh.differs:
            return self.cache(self.used[0], program.differs[0][0] or "what it does", name_of(self.used[0].about()["backend"]))
        names = ", ".join(dict.fromkeys([name_of(g.about()["backend"]) for g in self.used]))
        if names == "eager":
            return Culprit("capture", "Dynamo's generated code is wrong: %s" % in_short(program.differs[0]))
        return Culprit("backend", "backend %s: %s; no graph is wrong by itself" % (names, in_short(program.differs[0])))

    def fresh(self):
        """The call by graphs that the backend compiles afresh; None: it raises."""
        made, chain = {}, self.chain

        def run(g, args):
            if g not in made:
                with Counters(), no_caches(True):
                    made[g] = compiled_by(g.about()["backend"], g.kept, g.given(args))
            return made[g](*g.given(args))
        for _ in range(2):                      # the first compiles, which changes libraries' state
            link = chain.judge(chain.compiled("d", "compiled afresh without caches", run))
        del chain.links[-2]
        return None if link.outcome.raised and not chain.base.outcome.raised else link

    def is_rounding(self, program):
        """Is no number further off than eager's own rounding allows, beside the captured graphs in float64?"""
        exact = self.chain.compiled("x", "the captured graphs in float64", run_exact)
        self.chain.links.pop()
        found = exact.outcome.floats()
        made, eager = program.outcome.floats(), self.chain.base.outcome.floats()
        for path, _ in program.beyond:
            p, e, x = made.get(path), eager.get(path), found.get(path)
            if p is None or e is None or x is None or x.shape != p.shape:
                return False
            off, allowed = error(p, x), RATIO * error(e, x) + SMALLEST * (x.double().abs().max().item() if x.numel() else 0.0)
            if not off <= allowed:
                return False
        return True


def operator_verdict(claim, *more):
    """claim: a line of told_claims()."""
    claim = claim.removeprefix("operator ")
    return Culprit("operator", "your operator's %s: %s" % ("fake kernel" if "fake kernel" in claim else "schema", claim), *more)


def error(t, exact):
    return (t.double() - exact.double()).abs().max().item() if t.numel() else 0.0


def in_short(difference):
    path, words = difference
    return "%s: %s" % (path, words) if path else words


def within_words(link):
    paths = list(link.within) or [path for path, _ in link.beyond]
    return "the largest difference is %.3g (%s), which rounding allows" % (link.worst or 0.0, paths[0] if paths else "result")


def place_in(first):
    return (first["file"], first["line"], first["function"]) if first and first["file"] else None


def cache_hits(entry):
    """How a compile's caches were hit, in words, as torch noted it; ""."""
    from torch._dynamo import utils
    found = {}
    for m in utils.get_compilation_metrics() if hasattr(utils, "get_compilation_metrics") else ():
        if str(getattr(m, "compile_id", "")) == entry:
            for name, words in (("inductor_fx_local_cache_hit_count", "inductor's"), ("aotautograd_local_cache_hit_count", "AOTAutograd's")):
                if getattr(m, name, None):
                    found[words] = True
    return " and ".join(found)


def blame(values, code, made, namespace, names, ask, inlined, resumed, backward, forced, save=None):
    """code, made: of the function, and of the entry that serves the call.  names: [(name, namespace)] of the compiled graphs that code of entries calls.
    ask(name): {"kept", "modes", "backend", "graph", "entry"} of one.  inlined(code): did Dynamo trace this function for the entry?  resumed(code): the name of a
    resume function that Dynamo compiled, or None.  backward: gradients,
    too; None: where a result has them.  save: None, or (path, text_of, write_beside) of blame_save().  Returns what blame.c reads."""
    began = time.perf_counter()
    refused = refusal(code, namespace, forced)
    if refused:
        raise Refused(refused)
    graphs = [CompiledGraph(name, space, lambda name: prepared(ask(name))) for name, space in names if name in space]
    saved = saved_for(values, code, made, namespace, graphs, forced)
    try:
        return judged(saved, code, made, namespace, graphs, (inlined, resumed), backward, save, began)
    finally:
        saved.forget()


def judged(saved, code, made, namespace, graphs, traced, backward, save, began):
    """What blame() returns."""
    chain = Chain(saved, code, made, namespace, graphs, backward)
    judge = Blame(chain, cache_hits, *traced)
    verdict = judge.run()
    notes = list(dict.fromkeys(verdict.more + judge.notes))
    skipped = chain.links[-1].skipped if chain.links else []
    notes += ["not compared: " + words for words in skipped[:4]] + ["not restored after a run: " + words for words in chain.failed[:4]]
    place = verdict.place or (None, None, None)
    saved, unsaved = saved_as_program(chain, verdict, judge.used, save) if save else (None, None)
    return {"saved": saved, "unsaved": unsaved, "seconds": time.perf_counter() - began, "backward": bool(chain.backward),
            "fault": verdict.fault, "sentence": verdict.sentence, "notes": notes, "file": place[0], "line": place[1], "function": place[2],
            "node": verdict.node, "kernel": verdict.kernel, "rows": [link.row() for link in chain.links] + judge.rows}


def saved_as_program(chain, verdict, used, save):
    """(what graph_save() returns, None), or (None, why nothing was saved).  Runs as a link does: what it does to the program's objects is undone."""
    chain.saved.enter("default", True)
    try:
        return blame_save(chain, verdict, used, *save), None
    except Refused as e:
        return None, str(e)
    finally:
        chain.saved.restore()


def prepared(about):
    """The graph as a Kept, in the modes that it was captured in."""
    if about is None:
        raise Refused("a graph of the call cannot be run: it was compiled before cdbg was loaded, or while 'keep-graphs' was off")
    about["kept"] = graph_kept(about["kept"])
    about["kept"].modes = about["modes"]
    return about
