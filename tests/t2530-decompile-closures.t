#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that generated code makes of code objects and cells are read as definitions and lambdas; text that is compiled has the
very code objects."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *  # noqa: E402,F403
from generated import *  # noqa: E402,F403

need_torch()
g = Generated('''
    import torch

    def returned(x, k):
        y = x + k
        return lambda z: z * y + k

    x = torch.ones(2)
    for i in range(2):
        f = torch.compile(returned, backend="eager")(x, 3)
        print(f(x), f.__name__, f.__qualname__, [c.cell_contents for c in f.__closure__])
''')
g.holds("a lambda that is returned")
unlike(g.text("returned"), r"tmp_|__import_|__closure__", "code that only calls the globals of its compiler is read as generated code, too")
done()
