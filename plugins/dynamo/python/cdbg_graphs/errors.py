# SPDX-License-Identifier: BSD-3-Clause
"""What the package raises for others to recognise: C holds Refused as an object.  Imports nothing, so that it is there first."""
class Refused(Exception):
    """A command cannot be carried out.  Its text is the whole message: what cannot be done, and why."""


class NodeRaised(Refused):
    """A node of the program's graph raised; its exception is the __cause__."""


class NoMemory(RuntimeError):
    """An operation needs elements that have no memory."""


class Enough(BaseException):
    """Ends a run, also from inside a sub-graph: all that was asked for is known."""


def raised_text(e):
    """An exception as messages show it: its class and its first line."""
    return ("%s: %s" % (type(e).__name__, str(e).strip().partition("\n")[0])).removesuffix(": ")
