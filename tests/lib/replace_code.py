# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that replaces each code object that Dynamo generates by the one compiled from its decompiled source.

    PYTHONPATH=build/inplace:tests/lib python -m pytest -v -p replace_code TEST_FILE

At the end it prints how many of how many were replaced, and why others were not. With CDBG_REPLACE=0 it counts only, so that
the outcomes of two runs can be compared.
"""
import os

import cdbg
from torch._dynamo import convert_frame

made, replaced, refused = 0, 0, {}


def hook(_, code):
    global made, replaced
    made += 1
    if os.environ.get("CDBG_REPLACE") == "0":
        return None
    try:
        new = cdbg.recompile(code)
    except ValueError as e:
        refused[str(e)] = refused.get(str(e), 0) + 1
        return None
    replaced += 1
    return new


convert_frame.register_bytecode_hook(hook)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("%d of %d code objects replaced" % (replaced, made))
    for why, n in sorted(refused.items()):
        terminalreporter.write_line("%d times: %s" % (n, why))
