# SPDX-License-Identifier: BSD-3-Clause
# Groups of exceptions, except*, and one left over.
def run():
    try:
        raise ExceptionGroup("all", [ValueError(1), TypeError(2), ExceptionGroup("in", [KeyError(3), OSError(4)])])
    except* ValueError as g:
        print("values", g.exceptions)
    except* KeyError as g:
        print("keys", g.exceptions)

run()
