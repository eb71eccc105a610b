#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Correct functions whose results rounding decides: does graph compare call one of them wrong?

    CDBG_BUILD=build tests/correct.py BACKEND [NAME...]     those of these names, of tests/lib/correct_functions.py

Not part of the test suite: it compiles 17 graphs twice with inductor, some minutes.  The exit status is 1 if there is a false alarm."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import Cdbg, Trouble  # noqa: E402
from correct_functions import chosen, compare, grouped, program  # noqa: E402

AT_ONCE = 12                                    # functions in one graph


def main():
    backend, alarms = sys.argv[1] if sys.argv[1:] else "inductor", 0
    groups = grouped(chosen(sys.argv[2:]), AT_ONCE)
    with Cdbg(program(groups, backend), limit=900) as d:
        for group, answer, wrong in compare(d, groups):
            alarms += len(wrong)
            print("%s: %s" % (", ".join(name for name, _ in group), ", ".join(wrong) or "right"), flush=True)
            if wrong:
                print(answer.get("text", ""), flush=True)
    print("%d functions, %d false alarms" % (sum(map(len, groups)), alarms))
    return 1 if alarms else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as t:
        sys.exit(str(t))
