# SPDX-License-Identifier: BSD-3-Clause
"""Records of processes that are gone."""
import os

from cdbgtest import is_, line_of, run, script


def killed(text, words="all", *commands):
    """A program that kills itself, and its record: both files. It records `words` after its line "# warm", or all of it
    where there is none; `commands` come before `record`."""
    path = script(text)
    record = os.path.join(os.path.dirname(path), "record")
    warm = ["break %d" % line_of(path, "# warm"), "continue"] if "# warm" in text else []
    died = run(path, options=["-nx", "--plain"], commands=[*warm, *commands, "record -o %s %s" % (record, words), "continue"])
    is_(died[0], -9, "the program is killed")
    return path, record
