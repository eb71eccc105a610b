# SPDX-License-Identifier: BSD-3-Clause
"""The pages of a report, by the templates of this package."""
import bisect
import json

from .data import Sources, name_of, remedies, seconds_of, shown
from .drawing import Drawing
from .engine import environment
from .entries import FACTS, Story, different_guards, families
from .flame import of_all, of_function
from .marks import Marks
from .reasons import condition, explanation, hints, reasons
from .texts import anchor, base, counted, cut, first_line, percent, python, seconds, url

PLACES = ("file", "line"), ("outer_file", "outer_line"), ("own_file", "own_line")
MOST_REASONS, MOST_REMEDIES = {True: 10, False: 3}, 4   # the first page has less: what n entries show of each other grows with n * n
MOST_GUARDS, MOST_CODE = 2000, 3000             # rows of a table
MOST_AT_ONCE, MOST_DRAWN = 300, 20000           # nodes that are drawn before they are asked for, and at all


class Items:
    """What can be selected on a page, and what belongs together.  Items have the keys of the views ("guard 12", "node
    __compiled_fn_1:add"); a page has a number for each."""
    def __init__(self):
        self.number, self.shown, self.pairs = {}, set(), []

    def show(self, key):
        """The number of an item that an element shows."""
        n = self.of(key)
        self.shown.add(n)
        return n

    def of(self, key):
        return self.number.setdefault(key, len(self.number))

    def join(self, a, b):
        self.pairs.append((self.of(a), self.of(b)))

    def links(self):
        """A list with the related numbers of each number; only of shown items."""
        related = {}
        for a, b in self.pairs:
            if a != b and a in self.shown and b in self.shown:
                related.setdefault(a, set()).add(b)
                related.setdefault(b, set()).add(a)
        return json.dumps([sorted(related.get(i, ())) for i in range(max(related, default=-1) + 1)], separators=(",", ":"))


class Page:
    """What the templates of a function's page ask."""
    def __init__(self, root, f, sources):
        self.root, self.f, self.items = root, f, Items()
        self.entries, self.marks, self.story, self.families = f.get("entry", []), Marks(f), Story(f), families(f)
        self.inlined, self.places_left = self.marks.inlined(sources)
        self.lines, self.lines_left = self.marks.lines()
        self.times = of_function(f, sources)
        self.show = self.items.show
        self.overrides = [o for o in root.get("overrides", ()) if o.get("function", "") == f.get("function", "")]
        for e in self.entries:
            for first, *others in filter(None, e.get("links", ())):
                for other in others:
                    self.items.join(first, other)

    def item(self, key, row=None, *others):
        """The number of an item, which belongs to the lines of its row and to other items."""
        for file, line in PLACES if row else ():
            if row.get(file) and row.get(line, 0) > 0:
                self.items.join(key, self.line(row[file], row[line]))
        for other in others:
            self.items.join(key, other)
        return self.show(key)

    def line(self, file, line):
        return "line %s:%d" % (file, line)

    def node(self, graph, stage, name):
        return "node %s:%s" % (graph, name) if stage == "captured" else "node %s %s:%s" % (graph, stage, name)

    def nodes(self, e, graph, stage, nodes):
        """(key, row) of each.  Nodes of later stages are related by their lines; views know those of the captured graph."""
        out = []
        for n in nodes:
            key = self.node(graph, stage, n.get("node", ""))
            self.item(key, n, "entry " + e.get("entry", ""))
            out.append((key, n))
        return out

    def guard(self, e, g):
        key = "guard %d" % g["guard"] if "guard" in g else "condition %s:%s" % (e.get("entry", ""), g.get("text", ""))
        return self.item(key, g, "entry " + e.get("entry", ""))

    def region(self, e, r):
        key, line = "region " + r.get("id", ""), r.get("line", 0)
        last = min(r.get("last_line", line), line + len(self.f.get("source", ())))
        return self.item(key, None, "entry " + e.get("entry", ""), *(self.line(self.f.get("file", ""), n) for n in
                                                                    (range(line, last + 1) if line else ())))

    def region_of(self, e, index):
        """The key of the region of an instruction, in a list; empty: there is none."""
        return next((["region " + r.get("id", "")] for r in e.get("regions", ()) if r.get("start", 0) <= index < r.get("end", 0)), [])

    def python(self, e):
        """(number, row) of lines of the generated code."""
        offsets = [row.get("offset", 0) for row in e.get("code", ())]
        for i, row in enumerate(e["python"][:MOST_CODE]):
            others = self.region_of(e, bisect.bisect_left(offsets, row["offset"])) if "offset" in row else []
            if row.get("user_line"):
                others = others + [self.line(self.f.get("file", ""), row["user_line"])]
            yield self.item("python %s:%d" % (e.get("entry", ""), i), None, *others), row

    def code(self, e):
        for i, row in enumerate(e["code"][:MOST_CODE]):
            yield self.item("instruction %s:%d" % (e.get("entry", ""), i), None, *self.region_of(e, i)), row

    def kernel(self, graph, stage, k, i):
        key = "kernel %s %s:%s:%d" % (graph, stage, k.get("kernel", ""), i)
        return self.item(key, None, *(self.node(graph, "captured", n) for n in k.get("nodes", ())))


class Summary:
    """What the template of the first page asks."""
    def __init__(self, root, sources):
        self.root, self.sum, self.sources = root, root.get("summary", {}), sources
        self.functions = root.get("functions", [])
        compiled = [f for f in self.functions if f.get("entry") or f.get("breaks")]
        self.compiled = sorted(compiled, key=lambda f: -seconds_of(f))      # what took most time comes first
        self.times = of_all(self.functions, sources)
        self.uncompiled = [f for f in self.functions if not f.get("entry") and not f.get("breaks")]
        self.most = {key: max([self.of(f, key) for f in self.functions], default=0) for key in ("seconds", "check_ns")}
        self.slowest = max([e.get("seconds", 0) for f in self.functions for e in f.get("entry", ())], default=0)
        self.recompiles = [(f, e) for f in self.functions for e in f.get("entry", ()) if e.get("recompiled_because")]
        judged = [(f, e, e["verdict"]) for f in self.functions for e in f.get("entry", ()) if e.get("verdict")]
        self.verdicts = sorted(judged, key=lambda row: verdict_order(row[2]))       # faults come first
        self.wrong = sum(verdict_order(v) == 0 for _, _, v in judged)
        self.judged = sum(v.get("calls", 0) > 0 for _, _, v in judged)
        self.breaks = [(f, b, n) for f in self.functions for b, n in different_breaks(f)]
        states = [b.get("state") for f in self.functions for b in f.get("breaks", ())]
        self.resumed, self.failed, self.skipped = [states.count(state) for state in ("resumed", "failed", "skipped")]
        self.eager = len(states) - self.resumed - self.failed - self.skipped

    def of(self, f, key):
        return sum(e.get(key, 0) for e in f.get("entry", ()))

    def any_remedy(self):
        return any(remedies(e, 1) for _, e in self.recompiles)

    def source(self, b):
        """The line of a break, or None."""
        text = self.sources.text(b.get("own_file") or b.get("file", ""), b.get("own_line", b.get("line", 0)))
        return text if text is None else text.lstrip(" \t")


def verdict_order(v):
    return {"none": 2, "eager": 1, "not judged": 1}.get(v.get("fault"), 0)


def different_breaks(f):
    """(break, how often)."""
    found = {}
    for b in f.get("breaks", ()):
        found.setdefault((b.get("line", 0), b.get("file", ""), b.get("reason", "")), []).append(b)
    return [(of[0], len(of)) for of in found.values()]


def reasons_of(page, e):
    return reasons(e, MOST_REASONS[page is not None])


def fact(e, key):
    """A fact of an entry in the table of entries, as text."""
    v = e[key]
    return seconds(v if key == "seconds" else v * 1e-9) if type(v) is float else v


class Pages:
    """Makes the pages of a report.  ImportError: without jinja2."""
    def __init__(self, root):
        self.root, self.sources = root, Sources(root)
        self.env = environment(root=root, anchor=anchor, base=base, counted=counted, cut=cut, condition=condition, drawing=Drawing,
                               explanation=explanation, fact=fact, FACTS=FACTS, first_line=first_line, hints=hints, name_of=name_of, percent=percent,
                               python=python, reasons=reasons_of, remedies=lambda e: remedies(e, MOST_REMEDIES), seconds=seconds,
                               shown=shown, url=url, different_guards=different_guards, MOST_GUARDS=MOST_GUARDS, MOST_CODE=MOST_CODE,
                               MOST_AT_ONCE=MOST_AT_ONCE, MOST_DRAWN=MOST_DRAWN)

    def index(self):
        return self.env.get_template("index.html").render(s=Summary(self.root, self.sources), up="", title=self.root.get("program") or "torch.compile")

    def function(self, f):
        return self.env.get_template("function.html").render(page=Page(self.root, f, self.sources), f=f, up="../", title=name_of(f))
