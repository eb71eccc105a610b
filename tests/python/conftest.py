# SPDX-License-Identifier: BSD-3-Clause
"""Unit tests of the package of the graph commands: they need torch, not the debugger.  python -m pytest tests/python"""
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plugins", "dynamo", "python"))
torch = pytest.importorskip("torch")


@pytest.fixture
def kept():
    """kept(function, *inputs): the graph that Dynamo captures of a function, as the package keeps it."""
    from cdbg_graphs.run import Kept

    def capture(function, *inputs):
        found = []

        def keep(module, given):
            found.append(Kept.of(module))
            return module.forward
        torch._dynamo.reset()
        torch.compile(function, backend=keep, dynamic=False)(*inputs)
        assert len(found) == 1
        return found[0]
    return capture
