# SPDX-License-Identifier: BSD-3-Clause
"""Why a command on a graph is refused, and what a node of the program raised."""
import os

import torch

from .graph_nodes import place_of


def ones_for(n, known):
    """A gradient of ones with the size that was traced."""
    val = n.meta.get("val")
    if not isinstance(val, torch.Tensor):
        raise Refused("the value of input '%s' of the stage cannot be made: it is not a tensor" % n.name)

    def number(s):
        expr = getattr(getattr(s, "node", None), "expr", None)
        return int(s) if expr is None else int(expr.xreplace(known))
    return torch.ones([number(s) for s in val.shape], dtype=val.dtype, device=val.device)


class Refused(Exception):
    """An error whose text says what cannot be done, and why."""


def raised_text(e):
    """An exception as messages show it: its class and its first line."""
    return ("%s: %s" % (type(e).__name__, str(e).strip().partition("\n")[0])).removesuffix(": ")


class NodeRaised(Refused):
    """A node of a Program raised; its exception is the __cause__."""
    def __init__(self, program, i, raised):
        n, place = program.nodes[i], place_of(program.nodes[i])
        super().__init__("node '%s%s'%s raised %s%s" % (
            program.prefix, n.name, " at %s:%d" % (os.path.basename(place[0]), place[1]) if place else "",
            raised_text(raised), "; the graph writes its inputs, perhaps this index: if it has run on them, give those of before by 'with NAME=EXPR'"
            if isinstance(raised, IndexError) and not program.writes_nothing() else ""))
