# SPDX-License-Identifier: BSD-3-Clause
"""The Python of the graph commands as cdbg loads it: one namespace, in the order that graph_subject.c has.  For programs that tests run
without cdbg."""
import os
import re


def graph_namespace(top):
    """top: the folder of the sources.  Returns the namespace."""
    made = {"__name__": "pieces"}
    folder = os.path.join(top, "plugins", "dynamo")
    with open(os.path.join(folder, "cmd", "graph_subject.c")) as f:
        names = re.findall(r'"(\w+\.py)"', re.search(r"graph_files\[\] = \{(.*?)NULL", f.read(), re.S).group(1))
    for name in names:
        path = next(p for p in (os.path.join(folder, part, name) for part in ("edit", "graph")) if os.path.exists(p))
        with open(path) as f:
            exec(compile(f.read(), path, "exec"), made)
    return made
