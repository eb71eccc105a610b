# SPDX-License-Identifier: BSD-3-Clause
"""What compiling made of each line of a function's source, and of the lines of what was inlined."""
from .texts import base

AROUND, MOST_INLINED, MOST_LINES = 2, 2000, 3000
COUNTED = "nodes", "breaks", "evaluated", "missed"


class Marks:
    """of: {(file, line): {what: how often}}."""
    def __init__(self, f):
        self.f, self.of = f, {}
        for row in f.get("lines", ()):
            self.at(row.get("file", ""), row.get("line", 0)).update({key: row.get(key, 0) for key in COUNTED})
        for e in f.get("entry", ()):
            for what in "guards", "effects":
                for row in e.get(what, ()):
                    self.note(row, "file", "line", what)
                    if row.get("outer_line", 0) > 0:
                        self.note(row, "outer_file", "outer_line", what)

    def at(self, file, line):
        return self.of.setdefault((file, line), dict.fromkeys(COUNTED + ("guards", "effects"), 0))

    def note(self, row, file, line, what):
        if row.get(file) and row.get(line, 0) > 0:
            self.at(row[file], row[line])[what] += 1

    def near(self, file, line):
        return any((file, at) in self.of for at in range(line - AROUND, line + AROUND + 1))

    def lines(self):
        """(line, text, mark or None) of the function, how many are left out: of a very long one, those at its end that nothing
        marks."""
        file, source = self.f.get("file", ""), self.f.get("source", ())
        kept = [(r.get("line", 0), r.get("text", "")) for i, r in enumerate(source) if i < MOST_LINES or self.near(file, r.get("line", 0))]
        return [(line, text, self.of.get((file, line))) for line, text in kept], len(source) - len(kept)

    def groups(self):
        """[[(file, line), ...]]: the marks outside the function, file by file, those with most of the graph first: the model before the
        library that calls it.  The function's own lines divide its file."""
        own, first = self.f.get("file", ""), self.f.get("line", 0)
        last, groups, before = first + len(self.f.get("source", ())) - 1, [], None
        for place in sorted(self.of):
            if place[0] == own and first <= place[1] <= last:
                before = None
                continue
            if before is None or before[0] != place[0]:
                groups.append([])
            groups[-1].append(place)
            before = place
        weight = {}
        for g in groups:
            weight[g[0][0]] = weight.get(g[0][0], 0) + sum(self.of[p]["nodes"] + self.of[p]["breaks"] for p in g)
        return sorted(groups, key=lambda g: (-weight[g[0][0]], g[0]))

    def inlined(self, sources):
        """([{"file", "name", "rows"}], places left out): rows are (line, text, mark or None), or None for a gap."""
        groups, out, count, left = self.groups(), [], 0, 0
        for g in groups:
            if count >= MOST_INLINED:
                left += len(g)
                continue
            rows, more = self.group_rows(g, sources, MOST_INLINED - count)
            count += sum(row is not None for row in rows)
            left += more
            out.append({"file": g[0][0], "name": group_name(groups, g), "rows": rows})
        return out, left

    def group_rows(self, group, sources, most):
        """The lines of a group, each with those around it, at most `most`; how many places are left."""
        rows, at, shown = [], 0, 0
        for i, (file, place) in enumerate(group):
            if shown >= most:
                return rows, len(group) - i
            for line in range(place - AROUND, place + AROUND + 1):
                text = sources.text(file, line) if line > at and line >= 1 else None
                if text is None:
                    continue
                if at and line > at + 1:
                    rows.append(None)
                rows.append((line, text, self.of.get((file, line))))
                at, shown = line, shown + 1
        return rows, 0


def group_name(groups, group):
    """ "modeling_bert.py"; with its folder where another file has that name."""
    path = group[0][0]
    name = base(path)
    if any(base(g[0][0]) == name and g[0][0] != path for g in groups) and len(path) > len(name) + 1:
        return base(path[:-len(name) - 1]) + "/" + name
    return name
