# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of a directed graph placed in layers, from the inputs down: layers by the longest path, their order by the mean of the
neighbours, then places that move towards them.  Knows numbers only."""

SWEEPS, HEIGHT, GAP, ROW = 6, 40, 18, 74


class Layout:
    """Places nodes of these widths; edges are (from, to) with from < to, as in a graph in order of execution."""
    def __init__(self, widths, edges):
        n = len(widths)
        self.widths, self.halves = widths, [w / 2 for w in widths]
        self.x, self.layer = [0] * n, [0] * n
        self.up, self.down = [[] for _ in widths], [[] for _ in widths]
        for a, b in edges:
            self.down[a].append(b)
            self.up[b].append(a)
        self.find_layers()
        self.want = [0.0] * n
        for row in self.rows:
            self.place_row(row)
        for i in range(SWEEPS):
            self.sweep(i % 2 == 0)
        least = min(self.x, default=0)
        self.x = [x + GAP - least for x in self.x]
        self.y = [GAP + layer * ROW for layer in self.layer]
        self.width = max((x + w + GAP for x, w in zip(self.x, widths)), default=0)
        self.height = max((y + HEIGHT + GAP for y in self.y), default=0)

    def find_layers(self):
        """The longest path from an input; a node without inputs is placed right above its first user."""
        layer = self.layer
        for i, above in enumerate(self.up):
            if above:
                layer[i] = 1 + max([layer[k] for k in above])
        for i, below in enumerate(self.down):
            if below and not self.up[i]:
                layer[i] = max(min([layer[k] for k in below]) - 1, 0)
        self.rows = [[] for _ in range(max(layer, default=-1) + 1)]
        for i, k in enumerate(layer):
            self.rows[k].append(i)

    def place_row(self, row):
        """In their order, as near to the place of its neighbours as the ones before allow; then the row towards its mean."""
        x, halves, want, right, off = self.x, self.halves, self.want, None, 0.0
        for i in row:
            at = int(want[i] - halves[i])
            if right is not None and at < right:
                at = right
            x[i] = at
            right = at + self.widths[i] + GAP
            off += at + halves[i] - want[i]
        back = int(off / len(row)) if row else 0
        for i in row:
            x[i] -= back

    def sweep(self, down):
        x, halves, want = self.x, self.halves, self.want
        near = self.up if down else self.down
        for row in self.rows if down else reversed(self.rows):
            for i in row:
                n = near[i]
                want[i] = sum([x[k] + halves[k] for k in n]) / len(n) if n else x[i] + halves[i]
            row.sort(key=lambda i: (want[i], i))
            self.place_row(row)
