# SPDX-License-Identifier: BSD-3-Clause
"""Why a graph broke and why a function was compiled again: texts of torch, divided into the parts that a person reads.  Knows the
layout of torch's messages, but no page."""
import re

from .data import shown

ENTRY = re.compile(r"([0-9]+/[0-9][0-9#]*): ")
NEXT = re.compile(r"; (?=[0-9]+/[0-9][0-9#]*: )")
MOST_VALUES = 6


def reasons(e, most):
    """([(entry, text, its failing guards, how many more)], how many more entries); None: the text names no entry."""
    why = shown(e, "recompiled_because")
    if not ENTRY.match(why):
        return None
    parts, out = NEXT.split(why), []
    for part in parts[:most]:
        entry = ENTRY.match(part)[1]
        rows = [row for row in e.get("why", ()) if is_called(row, entry) and row.get("expected")]
        more = rows[-1].get("failed", 0) - MOST_VALUES if rows else 0
        out.append((entry, part[len(entry) + 2:], rows[:MOST_VALUES], max(more, 0)))
    return out, max(len(parts) - most, 0)


def is_called(row, entry):
    """Is the row of this entry, as Dynamo calls it?  cdbg's name has "#2" where Dynamo began to count again."""
    name = row.get("entry", "")
    return name == entry or name.startswith(entry + "#")


def condition(row):
    """A failing guard that is about no value."""
    kind = row.get("kind", "")
    return "a condition" if kind in ("", "LAMBDA_GUARD") else kind


def line_after(text, word):
    """The rest of the first line that has the word."""
    before, found, rest = text.partition(word)
    return rest.partition("\n")[0] if found else None


def explanation(reason):
    return line_after(reason, "\n  Explanation: ")


def hints(reason):
    found = [part.partition("\n")[0] for part in reason.split("\n  Hint: ")[1:]]
    return [h for h in found if not h.startswith("Please report an issue")]
