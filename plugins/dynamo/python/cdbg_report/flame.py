# SPDX-License-Identifier: BSD-3-Clause
"""Compile time as boxes within boxes, each as wide as its share: functions or entries, phases, modules, lines.  Knows no page."""
from .data import name_of
from .texts import base, seconds, url

LEAST = 0.003                                   # of the whole: smaller boxes cannot be read
TRACED = "trace", "discarded"                   # Dynamo traces lines in both


class Box:
    def __init__(self, kind, label, took, inner=(), title=None, to=None):
        self.kind, self.label, self.seconds, self.to = kind, label, took, to
        self.inner = sorted(inner, key=lambda b: -b.seconds)
        self.title = "%s: %s" % (title or label, seconds(took))

    def fit(self, least, within):
        """Sets the shares; drops what is smaller than `least` seconds.  within: the seconds of the box around it."""
        self.share = "%.2f" % (100 * self.seconds / within)
        self.inner = [b for b in self.inner if b.seconds >= least]
        whole = max(self.seconds, sum(b.seconds for b in self.inner))
        for b in self.inner:
            b.fit(least, whole)


def line_box(row, took, sources):
    file, line = row.get("file", ""), row.get("line", 0)
    text = (sources.text(file, line) or "").strip()
    label = "%s:%d" % (base(file), line)
    return Box("line", "%s %s" % (label, text) if text else label, took, title="%s:%d %s" % (file, line, text))


def line_boxes(t, key, sources):
    """The lines of each module in a box; those of none without one.  Lines that are evaluated in several modules are in each."""
    modules = {}
    for row in t.get("lines", ()):
        if row.get(key, 0) > 0:
            modules.setdefault(row.get("module", ""), []).append(line_box(row, row[key], sources))
    out = modules.pop("", [])
    return out + [Box("module", name, sum(b.seconds for b in lines), lines) for name, lines in modules.items()]


def phase_boxes(t, sources):
    rows = {row.get("phase", ""): row for row in t.get("phases", ()) if row.get("seconds", 0) > 0}
    traced = [rows.pop(name) for name in TRACED if name in rows]
    out = []
    if traced:
        label = "trace" if len(traced) == 1 else "trace, with what restarts threw away"
        out.append(Box("trace", label, sum(row["seconds"] for row in traced), line_boxes(t, "trace", sources)))
    for name, row in rows.items():
        inner = line_boxes(t, "lowering", sources) if name == "lowering" else ()
        out.append(Box("phase", row.get("title", name), row["seconds"], inner))
    return out


def entry_boxes(f, sources):
    for t in f.get("times", ()):
        if t.get("seconds", 0) > 0:
            label = " ".join(part for part in (t.get("entry", ""), t.get("pass", "")) if part)
            yield Box("entry", label, t["seconds"], phase_boxes(t, sources))


def fitted(boxes):
    """The boxes that can be read, the widest first."""
    boxes = sorted(boxes, key=lambda b: -b.seconds)
    whole = sum(b.seconds for b in boxes)
    shown = [b for b in boxes if b.seconds >= LEAST * whole]
    for b in shown:
        b.fit(LEAST * whole, whole)
    return shown


def of_function(f, sources):
    return fitted(entry_boxes(f, sources))


def of_all(functions, sources):
    boxes = []
    for f in functions:
        inner = list(entry_boxes(f, sources))
        if inner:
            boxes.append(Box("function", name_of(f), sum(b.seconds for b in inner), inner, to=url(f.get("folder", "")) + "/index.html#times"))
    return fitted(boxes)
