# SPDX-License-Identifier: BSD-3-Clause
"""The entries of a function: as one story with their breaks and resume functions, and side by side."""
from .data import same_code, shown

DEEPEST, MOST_SIDES, MOST_GUARDS, MOST_DIFFERENT = 40, 8, 1000, 200
FACTS = (("state", "state"), ("tried as", "order"), ("backend", "backend"), ("compile time", "seconds"), ("guards", "guards_made"),
         ("one check of its guards", "check_ns"), ("why it was compiled", "recompiled_because"))


# ---- the story -----------------------------------------------------------------------------------------------------------

class Story:
    """An entry, what broke it, and the resume functions after it, each with all entries of its own, once."""
    def __init__(self, f):
        self.all = f.get("entry", [])
        self.named = {e.get("entry", ""): e for e in reversed(self.all)}
        self.told = set()
        self.begins = [self.part(e, 0) for e in self.all if not e.get("resume_function")]
        self.breaks = [b for b in f.get("breaks", ()) if b.get("entry", "") not in self.named]

    def part(self, e, depth):
        return {"entry": e, "resumes": [self.resume(r, depth) for r in e.get("resumes", ())] if depth < DEEPEST else []}

    def resume(self, row, depth):
        newest = self.named.get(row.get("entry", ""))   # names are shared: by both branches of an `if`
        if newest is None:
            return {"row": row, "parts": None}
        number = newest.get("resume_number", 0)
        if number in self.told:
            return {"row": row, "parts": []}
        self.told.add(number)
        return {"row": row, "parts": [self.part(e, depth + 1) for e in self.all if same_code(e, newest)]}


# ---- side by side --------------------------------------------------------------------------------------------------------

def families(f):
    """[[entry, ...]]: those of one code object, if there are several."""
    found = {}
    for e in f.get("entry", ()):
        found.setdefault(e.get("resume_number", 0), []).append(e)
    return [of[:MOST_SIDES] for of in found.values() if len(of) > 1]


class Side:
    """The guards of one of the entries that are compared."""
    def __init__(self, e):
        self.guards, self.like = e.get("guards", []), {}
        for g in self.guards:
            self.like.setdefault(subject(g), []).append(g)

    def get(self, subject, expected):
        """expected: None, or it must be the same, too."""
        return next((g for g in self.like.get(subject, ()) if expected is None or g.get("expected", "") == expected), None)


def subject(g):
    return shown(g, "source"), g.get("kind", "")


def different_guards(entries):
    """[(source, kind, [guard or None])]: those that are not the same in all entries."""
    sides, out, seen = [Side(e) for e in entries], [], set()
    for side in sides:
        for g in side.guards[:MOST_GUARDS]:
            # of several for one value, as of keys of a dict, each is a row
            expected = g.get("expected", "") if len(side.like[subject(g)]) > 1 else None
            all_like = [s.get(subject(g), expected) for s in sides]
            earlier = any(h is not None for h in all_like[:sides.index(side)])
            values = {None if h is None else h.get("expected", "") for h in all_like}
            if earlier or len(values) == 1 or (subject(g), expected) in seen:
                continue
            seen.add((subject(g), expected))
            out.append((*subject(g), all_like))
            if len(out) == MOST_DIFFERENT:
                return out
    return out
