# SPDX-License-Identifier: BSD-3-Clause
"""Holds few of a backend's values at once while they are judged one after the other; those that come later are computed again.  Judges nothing."""
import bisect

from .torch_state import generators
from .values import copy_of, size_of


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

    def rooms(self, now):
        """room(now, until) as a function of until, for places in rising order: looks at each peak once."""
        peak, seen = 0, now

        def room(until):
            nonlocal peak, seen
            peak, seen = max(peak, max(self.peaks[seen:until + 1], default=0)), max(seen, until + 1)
            return self.most - peak
        return room

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
        self.size = 0                           # bytes of what is held
        self.places, self.next = [], 0          # see sort(); the first there that is neither held nor passed, or one before it
        self.random = [(get(), put) for _, get, put in generators()]
        self.sort(self.plan.sizes if self.plan else {})
        self.fill(0)
        self.sort(self.known)

    def sort(self, sizes):
        """Sets the list of (place in the graph, name, bytes) of all values."""
        self.places = sorted((self.order[n], n, size) for n, size in sizes.items() if n in self.order)

    def from_place(self, first):
        """Where in the list the values from this place of the graph on begin."""
        return bisect.bisect_left(self.places, (first,))

    def wanted(self, first):
        """The names of the values to hold from this place of the graph on, the place where the walk is or a later one: at least one."""
        found, size, rooms = set(), 0, self.plan.rooms(self.now) if self.plan else None
        for place, n, more in self.places[self.from_place(first):]:
            size += more
            if found and size > (min(rooms(place), self.plan.room_to_compute(self.now)) if rooms else self.most):
                break
            found.add(n)
        return found

    def fill(self, first):
        """Computes and holds the values of the nodes from this place in the graph on."""
        self.held, self.size, self.next, wanted = {}, 0, 0, self.wanted(first)
        room = [self.most]                      # for what is computed for the first time

        def look(name, v):
            if name in self.left_out:
                return
            known = name in self.known
            self.known[name] = size_of(v) or 0
            if name in self.held or (name in wanted if wanted else not known and room[0] >= self.known[name]):
                room[0] -= self.known[name]
                self.size += self.known[name] if name not in self.held else 0
                self.held[name] = copy_of(v)
        for state, put in self.random:
            put(state)
        self.run(look)

    def is_late(self):
        """Is there room now for the first value that is not held, and none when it is its turn?"""
        if not self.plan:
            return False
        first = self.from_place(self.now)
        self.next = max(self.next, first)
        while self.next < len(self.places) and self.places[self.next][1] in self.held:
            self.next += 1
        if self.next == len(self.places):
            return False
        place, _, more = self.places[self.next]
        # the nodes between two values are computed together
        turn = self.places[self.next - 1][0] + 1 if self.next > first else self.now
        return more > self.plan.room_to_compute(turn) and self.size + more <= min(
            self.plan.room(self.now, place), self.plan.room_to_compute(self.now))

    def __contains__(self, name):
        return name in self.known

    def at(self, n):
        """The walk comes to this node."""
        before, self.now = self.now, self.order[n.name]
        if self.now < before:                   # another walk
            self.next = 0

    def prepare(self, name):
        """Holds the value of this node."""
        if name in self.known and (name not in self.held or self.is_late()):
            self.fill(self.order[name])

    def take(self, name):
        """Takes the value of this node out and returns it; None if it is not held."""
        if name in self.known and name not in self.held:
            self.fill(self.order[name])
        return self.drop(name)

    def drop(self, name):
        if name in self.held:
            self.size -= self.known.get(name, 0)
        return self.held.pop(name, None)

    def shared(self):
        return ()                               # it holds copies

    def pop(self, name):
        self.left_out.add(name)
        self.drop(name)
        self.known.pop(name, None)
        self.sort(self.known)
