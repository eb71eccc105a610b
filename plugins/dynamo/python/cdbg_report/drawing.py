# SPDX-License-Identifier: BSD-3-Clause
"""A graph as boxes and lines for SVG: layers from the inputs down, each node with its operation and its line."""
from .layout import HEIGHT, Layout
from .texts import base, cut, cut_name, width

LETTER, PADDING, LONGEST, LONGEST_TITLE = 7, 10, 34, 400
CLASSES = {"placeholder": "input", "output": "output", "get_attr": "attr"}


class Drawing:
    def __init__(self, nodes):
        self.height, self.padding = HEIGHT, PADDING
        says = [labels(n) for n in nodes]
        self.layout = Layout([LETTER * max(width(a), width(b)) + 2 * PADDING for a, b in says], edges_of(nodes))
        at = self.layout
        self.boxes = [{"node": n.get("node", ""), "class": CLASSES.get(n.get("op"), "call"), "title": title(n), "label": a, "value": b,
                       "x": at.x[i], "y": at.y[i], "width": at.widths[i]} for i, (n, (a, b)) in enumerate(zip(nodes, says))]
        self.edges = [self.edge(a, b) for b, above in enumerate(at.up) for a in above]

    def edge(self, a, b):
        """(does it pass a layer, path)."""
        at = self.layout
        x1, x2 = at.x[a] + at.widths[a] // 2, at.x[b] + at.widths[b] // 2
        y1, y2 = at.y[a] + HEIGHT, at.y[b] - 2
        bend = min((y2 - y1) // 2, 60)
        return at.layer[b] > at.layer[a] + 1, "M%d %dC%d %d %d %d %d %d" % (x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2)


def edges_of(nodes):
    number = {}
    for n in nodes:
        number.setdefault(n.get("node", ""), len(number))
    return [(i, number[user]) for i, n in enumerate(nodes) for user in n.get("users", ()) if i < number.get(user, 0)]


def labels(n):
    """What the box of a node says: two lines."""
    op, what, name = n.get("op"), n.get("target", ""), n.get("node", "")
    full = name if op in CLASSES or what in ("", name) else "%s = %s" % (name, what)
    return cut_name(full, LONGEST), cut(("input " if op == "placeholder" else "") + n.get("value", ""), LONGEST)


def title(n):
    text = "%s: %s %s(%s)" % (n.get("node", ""), n.get("op", ""), n.get("target", ""), n.get("args", ""))
    if len(text) > LONGEST_TITLE:
        text = text[:LONGEST_TITLE] + "\u2026)"
    if n.get("value"):
        text += " -> " + n["value"]
    return text + ("\n%s:%d" % (base(n.get("file", "")), n["line"]) if n.get("line") else "")
