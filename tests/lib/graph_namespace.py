# SPDX-License-Identifier: BSD-3-Clause
"""The package of the graph commands, for programs that tests run without cdbg."""
import importlib
import os
import sys


class Names(dict):
    """All that the modules define, by name: no two define the same.  What is set is set in each module that has the name."""
    def __init__(self, modules):
        super().__init__()
        self.modules = modules
        for m in modules:
            self.update(vars(m))

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        for m in self.modules:
            if name in vars(m):
                setattr(m, name, value)


def graph_namespace(top):
    """top: the folder of the sources."""
    folder = os.path.join(top, "plugins", "dynamo", "python")
    sys.path.insert(0, folder)
    files = sorted(os.listdir(os.path.join(folder, "cdbg_graphs")))
    return Names([importlib.import_module("cdbg_graphs." + f[:-3]) for f in files if f.endswith(".py") and not f.startswith("_")])
