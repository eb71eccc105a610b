# SPDX-License-Identifier: BSD-3-Clause
"""What changed among the nodes of a stage, from one report's entry to that of another, in words; and what kernels tell about fusion."""
import collections
import re

from .data import stages
from .stable import same, stable

NAMED = 4


def nodes_of(e, stage):
    """Those of a stage, one after the other, over all graphs of an entry."""
    return [n for s in stages(e, stage) for n in s.get("nodes", ())]


def is_input(n):
    return n.get("op") == "placeholder"


def words(n):
    if is_input(n):
        return "the input " + n.get("value", "")
    return "%s(%s) %s" % (n.get("target", ""), n.get("args", ""), n.get("value", ""))


def differ(x, y, fact):
    a, b = x.get(fact, ""), y.get(fact, "")
    known = fact != "value" or a and b          # a graph that came from inductor's cache lacks the values of some nodes
    return known and not same(a, b)


def changed_node(a, b, stage):
    """Where two graphs of as many nodes differ first: what it is, and what it was; None: nowhere."""
    for x, y in zip(nodes_of(a, stage), nodes_of(b, stage)):
        if any(differ(x, y, fact) for fact in ("target", "args", "value")):
            if is_input(x) and is_input(y):
                return "the input %s %s instead of %s" % (y.get("node", ""), y.get("value", ""), x.get("value", ""))
            return "%s %s instead of %s" % (y.get("node", ""), words(y), words(x))
    return None


def operators(e, stage):
    """({what nodes do, as text that two processes share: how many}, {the same: how to say it}).  An input is like another."""
    count, say = collections.Counter(), {}
    for n in nodes_of(e, stage):
        key = "\1input" if is_input(n) else stable(n.get("target", ""))
        count[key] += 1
        say.setdefault(key, "input" if is_input(n) else n.get("target", ""))
    return count, say


def more_of(a, b, word):
    """What b has more of than a, in the order of b's nodes."""
    more = [(say, b[0][key] - a[0][key]) for key, say in b[1].items() if b[0][key] > a[0][key]]
    text = ", ".join(say + (" (%d)" % n if n > 1 else "") for say, n in more[:NAMED])
    return [word + text + (", ..." if len(more) > NAMED else "")] if more else []


def changed_operators(a, b, stage):
    """Operators that there are more of, and fewer of; empty: as many of each."""
    a, b = operators(a, stage), operators(b, stage)
    return "; ".join(more_of(a, b, "added ") + more_of(b, a, "gone "))


# ---- kernels -------------------------------------------------------------------------------------------------------------

def loops(kernel):
    """The loops of a kernel in C++ that are in no other loop; 0 for other languages.  Inductor puts several of them into one kernel:
    nodes that are fused share one.  It writes no loop without braces."""
    if kernel.get("language") != "c++":
        return 0
    n, depth, outer = 0, 0, None                # outer: the braces around the outermost loop
    for m in re.finditer(r"[{}]|(?<![A-Za-z0-9_])for *\(", kernel.get("source", "")):
        if m[0] == "{":
            depth += 1
        elif m[0] == "}":
            depth -= 1
            outer = None if depth == outer else outer
        elif outer is None:
            outer = depth
            n += 1
    return n
