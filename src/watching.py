# SPDX-License-Identifier: BSD-3-Clause
"""Counts what Dynamo does in a block or a function, for programs and tests that no debugger stops.  Knows no test framework."""
import functools

from . import _begin, _cdbg

__builtins__ = _cdbg.builtins   # of the functions below: the program may replace its own


class CompileError(AssertionError):
    """Dynamo did what the program said it must not do.  events: the graph breaks or recompiles, as dicts."""

    def __init__(self, text, events):
        super().__init__(text)
        self.events = events


def _rows(line):
    return _cdbg.ask(line)[1] or []


def _first_line(text):
    return (text or "").partition("\n")[0]


def _place(event):
    return "%s:%s" % (event["file"], event["line"]) if event["file"] else "?"


def _break(row):
    hints = [line.strip()[len("Hint: "):] for line in (row["reason"] or "").splitlines() if line.strip().startswith("Hint: ")]
    return {"function": row["function"], "file": row["file"], "line": row["line"], "reason": _first_line(row["reason"]),
            "remedy": hints[0] if hints else None, "entry": row["entry"]}


def _recompile(row):
    return {"function": row["qualname"] or row["function"], "file": row["file"], "line": row["line"], "reason": row["cause"],
            "remedy": row["remedy"], "entry": row["entry"]}


def _shown(what, events):
    lines, times = ["%d %s%s:" % (len(events), what, "" if len(events) == 1 else "s")], {}
    for event in events:
        text = "%s in %s: %s" % (_place(event), event["function"], event["reason"])
        if event["remedy"]:
            text += "\n    remedy: %s" % event["remedy"]
        times[text] = times.get(text, 0) + 1
    return "\n".join(lines + ["  " + ("%d x " % n if n > 1 else "") + text for text, n in times.items()])


class watch:
    """What Dynamo does while a block runs, or while a function runs that this decorates:

        with cdbg.watch() as w:
            step(batch)
        print(w)                        # 1 recompile: ...
        w.assert_no_recompile()

        @cdbg.watch(max_recompiles=0, max_breaks=0)
        def evaluate(model, batch): ...

    `breaks` and `recompiles` are lists of dicts with function, file, line, reason, remedy (None: none is known) and entry (the compile
    id); `compiles` counts all entries made.  file and line are those of the broken line, or of the line that made the guard which
    failed (None: not known).  The lists grow until the block ends; they can be read inside it.  A limit that is passed raises
    CompileError, an AssertionError, at the end of the block, unless that ends by an exception of its own.

    Source: what cdbg records at Dynamo's own callbacks, as `info breaks` and `info entries` show it.  Nothing stops; what was compiled
    before the first watch() of a process is known, too, but has no reasons.
    """

    def __init__(self, max_breaks=None, max_recompiles=None):
        self.max_breaks, self.max_recompiles = max_breaks, max_recompiles
        self._limits = None     # rows before the block, and those after it
        _begin(later=True)
        if not _cdbg.active():
            raise RuntimeError("cdbg does not run in this process: it was detached, or belongs to another rank")

    def __call__(self, function):
        @functools.wraps(function)
        def watched(*args, **kwargs):
            with watch(self.max_breaks, self.max_recompiles):
                return function(*args, **kwargs)
        return watched

    def __enter__(self):
        self._limits = [self._counts(), None]
        return self

    def __exit__(self, kind, *rest):
        self._limits[1] = self._counts()
        if kind is None:
            if self.max_breaks is not None:
                self.assert_no_break(self.max_breaks)
            if self.max_recompiles is not None:
                self.assert_no_recompile(self.max_recompiles)

    @staticmethod
    def _counts():
        return len(_rows("info breaks")), len(_rows("info entries"))

    def _since(self, which, line):
        if self._limits is None:
            raise RuntimeError("cdbg.watch() has watched nothing yet: use it as `with cdbg.watch() as w:`")
        first, last = self._limits
        return _rows(line)[first[which]:last[which] if last else None]

    @property
    def breaks(self):
        return [_break(row) for row in self._since(0, "info breaks")]

    @property
    def recompiles(self):
        return [_recompile(row) for row in self._since(1, "info entries") if row["cause"]]

    @property
    def compiles(self):
        return len(self._since(1, "info entries"))

    def assert_no_break(self, most=0):
        """Raise CompileError where more graph breaks happened than `most`."""
        self._check("graph break", self.breaks, most)

    def assert_no_recompile(self, most=0, each=False):
        """Raise CompileError where functions were compiled again more often than `most` times, all together or each by itself."""
        events = self.recompiles
        if each:
            counts = {}
            for event in events:
                counts.setdefault(event["entry"].partition("/")[0], []).append(event)
            events = [event for group in counts.values() if len(group) > most for event in group]
        self._check("recompile", events, most)

    @staticmethod
    def _check(what, events, most):
        if len(events) > most:
            allowed = "" if not most else ", %d allowed" % most
            head, _, rest = _shown(what, events).partition(":\n")
            raise CompileError("%s%s:\n%s" % (head, allowed, rest), events)

    def __repr__(self):
        if self._limits is None:
            return "<cdbg.watch: nothing watched yet>"
        found = [_shown(what, events) for what, events in (("graph break", self.breaks), ("recompile", self.recompiles)) if events]
        return "\n".join(found) or "no graph break and no recompile"
