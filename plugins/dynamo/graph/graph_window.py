# SPDX-License-Identifier: BSD-3-Clause
"""Holds few of a backend's values at once while they are judged one after the other; those that come later are computed again.
Runs in the same namespace as graph_judge.py.  Judges nothing."""


class Made(dict):
    """Values by node name."""
    def at(self, n):
        pass

    def prepare(self, name):
        pass

    def take(self, name):
        return self.get(name)

    def shared(self):
        """What may be read after it was taken: these values, some of them in the same memory."""
        return list(self.values())


class Plan:
    """What the walk of a graph takes, measured without memory, and the room that it leaves for a backend's values.

    peaks: [bytes at most, by the walk itself], by place in the graph.  floors: the same, before the node there is computed.
    computing: bytes that computing the backend's values takes.  most: bytes in all.  sizes: {name of a node: bytes of its value}."""
    def __init__(self, peaks, floors, computing, most, sizes):
        self.peaks, self.floors, self.computing, self.most, self.sizes = peaks, floors, computing, most, sizes

    def room(self, now, until):
        """Bytes that may be held from a place of the graph to a later one, both computed and walked."""
        return self.most - max(self.peaks[now:until + 1], default=0)

    def room_to_compute(self, now):
        return self.most - self.computing - (self.floors[now] if now < len(self.floors) else 0)


class Window:
    """Values by node name, of which few are held at once: those of the next nodes in the order of the graph, up to `most` bytes, or
    as many as the plan has room for.

    run(look): computes them all, and calls look(name, tensor) for each.  It is repeated for what is not held."""
    def __init__(self, graph, run, most, plan=None):
        self.order = {n.name: i for i, n in enumerate(graph.nodes)}
        self.run, self.most, self.held, self.known, self.plan, self.now = run, most, {}, {}, plan, 0
        self.left_out = set()                   # names of values that are not wanted
        self.random = [(get(), put) for _, get, put in generators()]
        self.fill(0)

    def later(self, first):
        """[(place, name, bytes)] of the values from this place of the graph on."""
        sizes = self.known or (self.plan.sizes if self.plan else {})
        return sorted((self.order[n], n, size) for n, size in sizes.items() if self.order.get(n, -1) >= first)

    def wanted(self, first):
        """The names of the values to hold from this place of the graph on, the place where the walk is or a later one: at least one."""
        found, size = set(), 0
        for place, n, more in self.later(first):
            size += more
            room = min(self.plan.room(self.now, place), self.plan.room_to_compute(self.now)) if self.plan else self.most
            if found and size > room:
                break
            found.add(n)
        return found

    def fill(self, first):
        """Computes and holds the values of the nodes from this place in the graph on."""
        self.held, wanted = {}, self.wanted(first)
        room = [self.most]                      # for what is computed for the first time

        def look(name, v):
            if name in self.left_out:
                return
            known = name in self.known
            self.known[name] = size_of(v) or 0
            if name in self.held or (name in wanted if wanted else not known and room[0] >= self.known[name]):
                room[0] -= self.known[name]
                self.held[name] = copy_of(v)
        for state, put in self.random:
            put(state)
        self.run(look)

    def is_late(self):
        """Is there room now for the first value that is not held, and none when it is its turn?"""
        size, turn = sum([size_of(v) for v in self.held.values()]), self.now
        for place, n, more in self.later(self.now) if self.plan else ():
            if n not in self.held:
                return more > self.plan.room_to_compute(turn) and size + more <= min(
                    self.plan.room(self.now, place), self.plan.room_to_compute(self.now))
            turn = place + 1                    # the nodes between two values are computed together
        return False

    def __contains__(self, name):
        return name in self.known

    def at(self, n):
        """The walk comes to this node."""
        self.now = self.order[n.name]

    def prepare(self, name):
        """Holds the value of this node."""
        if name in self.known and (name not in self.held or self.is_late()):
            self.fill(self.order[name])

    def take(self, name):
        """Takes the value of this node out and returns it; None if it is not held."""
        if name in self.known and name not in self.held:
            self.fill(self.order[name])
        return self.held.pop(name, None)

    def shared(self):
        return ()                               # it holds copies

    def pop(self, name):
        self.left_out.add(name)
        self.known.pop(name, None)
        self.held.pop(name, None)
