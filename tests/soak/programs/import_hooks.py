# SPDX-License-Identifier: BSD-3-Clause
# Import hooks, reloads, a module that replaces itself, an import that fails half-way.
import importlib, importlib.abc, importlib.util, os, sys, tempfile

d = tempfile.mkdtemp()
sys.path.insert(0, d)
sys.dont_write_bytecode = True
for name, text in (("one", "import sys\nvalue = 1\ndef f(): return value\n"), ("two", "import sys\nclass M: value = 2\nsys.modules[__name__] = M\n"),
                   ("three", "import one\nraise ValueError('half-way')\n")):
    with open(os.path.join(d, name + ".py"), "w") as f:
        f.write(text)
import one, two
print(one.f(), two.value)
try:
    import three
except ValueError as e:
    print(e, "three" in sys.modules)

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "made" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.answer = 42

sys.meta_path.insert(0, Finder())
import made
print(made.answer, importlib.reload(one).value)
