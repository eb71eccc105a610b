# SPDX-License-Identifier: BSD-3-Clause
"""Describes the changes from one report to another, a line each."""
import os

from .data import Refused, read, remedies, seconds_of, shown, stages
from .nodes import changed_node, changed_operators, loops, nodes_of
from .pairs import Pairs, entry_places, line_at
from .stable import same, stable
from .texts import base, counted, first_line

STAGES = ("captured", "backend", "joint", "forward", "backward", "inference", "post-grad", "post-grad-backward", "kernel",
          "kernel-backward")


def compare(before, after):
    """Two directories: the text that says what changed."""
    return "".join(line + "\n" for line in changes(read(before), read(after)) or ["nothing changed"])


def changes(a, b, times=True):
    """The lines about two reports; times: also where compiling took much longer."""
    pairs, out = Pairs(a, b), list(versions(a, b))
    for f, g, renamed in pairs.all:
        out += functions(pairs, f, g, renamed, times)
    return out


def answer(before, after):
    """(did it work, text), of directories as bytes."""
    try:
        return True, compare(os.fsdecode(before), os.fsdecode(after))
    except Refused as e:
        return False, str(e)


def versions(a, b):
    """What the programs ran on: much of what follows may come from there."""
    for key, name in ("torch", "torch"), ("python", "CPython"), ("cdbg", "cdbg"):
        x, y = a.get(key) or "", b.get(key) or ""
        if bool(x) != bool(y):
            yield "%s is loaded in the %s run only" % (name, "first" if x else "second")
        elif x != y:
            yield "%s is version %s instead of %s" % (name, y, x)


def functions(pairs, f, g, renamed, times):
    if g is None:
        yield "function gone: %s" % f.get("qualname", "")
        return
    name = g.get("qualname", "")
    if f is None:
        yield "new function: %s, %s" % (name, g.get("status", ""))
        return
    if renamed:
        yield "function renamed from %s to %s: %s" % (f.get("qualname", ""), name, renamed)
    yield from more_breaks(g, f, "new")
    yield from more_breaks(f, g, "no more")
    yield from entries(pairs, f, g, name)
    x, y = (sum("recompiled_because" in e and e["recompiled_because"] != "" for e in h.get("entry", ())) for h in (f, g))
    if x != y:
        yield "%s: %s instead of %d" % (name, counted(y, "recompile"), x)
    x, y = seconds_of(f), seconds_of(g)
    # times of two runs always differ, by half on a machine with other work
    if times and abs(x - y) > 0.25 and (x > 2 * y or y > 2 * x):
        yield "%s: compile time %.2f s instead of %.2f s" % (name, y, x)


# ---- breaks --------------------------------------------------------------------------------------------------------------

def breaks_by_kind(f):
    """Line numbers change: a break is identified by its kind, and by the text of its line if that is the function's own."""
    found = {}
    for b in f.get("breaks", ()):
        file = base(b.get("file", ""))
        own = file == base(f.get("file", ""))
        found.setdefault((b.get("kind", ""), file, line_at(f, b.get("line", 0)) if own else None), []).append(b)
    return found


def more_breaks(f, other, what):
    """Breaks that f has more of than the other."""
    fewer = breaks_by_kind(other)
    for key, of in breaks_by_kind(f).items():
        if len(of) > len(fewer.get(key, ())):
            yield "%s: %s graph break at %s:%d: %s" % (f.get("qualname", ""), what, base(of[0].get("file", "")), of[0].get("line", 0),
                                                       first_line(of[0].get("reason", "")))


# ---- entries -------------------------------------------------------------------------------------------------------------

def entries(pairs, f, g, name):
    before, after = entry_places(f), entry_places(g)
    for place, e in before.items():
        if place not in after:
            yield "%s: entry gone: %s" % (name, e.get("entry", ""))
    for place, e in after.items():
        if place not in before:
            yield "%s: new entry: %s" % (name, new_entry(e))
            continue
        was, lead = before[place], "%s, entry %s: " % (name, e.get("entry", ""))
        if was.get("state", "") != e.get("state", ""):
            yield "%swas %s, is %s" % (lead, was.get("state", ""), e.get("state", ""))
        for line in verdicts(was.get("verdict"), e.get("verdict")):
            yield lead + line
        for line in guards(pairs, was, e):
            yield lead + line
        for line in graphs(was, e):
            yield lead + line


def new_entry(e):
    """ "0/1, compiled because this guard did not hold: 0/0: type(n) is float; remedy for n: ...": an earlier entry needs what did not
    hold."""
    why, where = first_line(stable(shown(e, "recompiled_because"))), ""
    if e.get("resume_line"):
        where = " of its resume function at line %d" % e["resume_line"]
    text = e.get("entry", "") + where + (", compiled because this guard did not hold: " + why if why else "")
    for row in remedies(e, 3):
        source = stable(shown(row, "source"))
        text += "; remedy%s: %s" % (" for " + source if source else "", row["remedy"])
    return text


def verdicts(was, now):
    """Of an entry that was judged in both runs."""
    x, y = ((v["fault"], v.get("node", "")) if v else None for v in (was, now))
    if x and y and x != y:
        yield "the verdict on its calls is now %s: %s; was %s: %s" % (y[0], stable(now["sentence"]), x[0], stable(was["sentence"]))


class Guards:
    """The guards of an entry, found by what they are about."""
    def __init__(self, e):
        self.all = e.get("guards", [])
        self.exact, self.kinds = {}, {}
        for g in self.all:
            self.exact.setdefault((stable(g.get("source", "")), g.get("kind", "")), []).append(g)
            if g.get("source", "").startswith("G['"):
                self.kinds.setdefault(g.get("kind", ""), []).append(g)

    def like(self, g, same_source):
        """Those on the same value, of the same kind.  Guards on no single value are the same if they expect the same."""
        source, kind = g.get("source", ""), g.get("kind", "")
        found = self.exact.get((stable(source), kind), [])
        if not found and source.startswith("G['"):
            found = [h for h in self.kinds.get(kind, ()) if same_source(h.get("source", ""), source)]
        return found if source else [h for h in found if same(h.get("expected", ""), g.get("expected", ""))]


def guards(pairs, was, e):
    before, after = Guards(was), Guards(e)
    for g in after.all:
        found = before.like(g, pairs.same_source)
        if not found:
            yield "guard added: " + say_guard(g)
        elif not any(same(h.get("expected", ""), g.get("expected", "")) for h in found):
            yield "guard changed: " + say_guard(g, found[0])
    for g in before.all:
        if not after.like(g, lambda x, y: pairs.same_source(y, x)):
            yield "guard gone: " + say_guard(g)


def say_guard(g, was=None):
    """ "KIND of VALUE: EXPECTED", "KIND of VALUE is now EXPECTED, was EXPECTED"."""
    source, expected = stable(shown(g, "source")), stable(shown(g, "expected"))
    text = g.get("kind", "") + (" of " + source if source else "")
    return "%s is now %s, was %s" % (text, expected, stable(shown(was, "expected"))) if was else "%s: %s" % (text, expected)


# ---- graphs --------------------------------------------------------------------------------------------------------------

def graphs(was, e):
    changed = False                             # later stages are made from the first that differs
    for stage in STAGES:
        x, y = stages(was, stage), stages(e, stage)
        lines = list(stage_lines(was, e, stage, x, y, changed))
        changed = changed or bool(lines)
        yield from lines


def stage_lines(was, e, stage, x, y, changed):
    if bool(x) != bool(y):
        yield "the stage '%s' of its graph is gone" % stage if x else "its graph has the stage '%s' now" % stage
    if not x or not y:
        return
    yield from fusion(stage, *([k for s in of for k in s.get("kernels", ())] for of in (x, y)))
    n, m = len(nodes_of(was, stage)), len(nodes_of(e, stage))
    if n != m:
        operators = "" if changed else changed_operators(was, e, stage)
        yield "graph %s: %s has %d nodes instead of %d%s" % ("grown" if m > n else "smaller", stage, m, n, operators and ": " + operators)
    elif not changed:
        text = changed_node(was, e, stage)
        if text:
            yield "graph changed: %s has %s" % (stage, text)


def fusion(stage, x, y):
    """Kernels, or loops of as many kernels."""
    alike = len(x) == len(y)
    n, m = (sum(map(loops, x)), sum(map(loops, y))) if alike else (len(x), len(y))
    if n != m:
        yield "%s%s: %s%s instead of %d" % ("fusion lost" if m > n else "more is fused", " in the backward graph" if stage == "kernel-backward" else "",
                                            "its kernels have " if alike else "", counted(m, "outermost loop" if alike else "kernel"), n)
