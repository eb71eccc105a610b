# SPDX-License-Identifier: BSD-3-Clause
# Import hooks that make modules of anything: other objects in sys.modules, code without a file, loaders that raise and re-enter.
import importlib.abc, importlib.machinery, sys, types

class Lazy(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return name.upper()
    @property
    def __file__(self):
        raise RuntimeError("no file")

class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return Lazy(spec.name) if "lazy" in spec.name else None
    def exec_module(self, module):
        name = module.__name__
        if name == "made_raises":
            raise KeyError("while it loads")
        if name == "made_replaced":
            sys.modules[name] = 12345
            return
        if name == "made_again":
            importlib.import_module("made_plain")
            del sys.modules[name]
            sys.modules[name] = types.SimpleNamespace(value="another")
            return
        text = "value = %r\ndef f(a):\n    return a, value\n" % name
        exec(compile(text, "<made \x1b[1m %s>" % name if "plain" in name else "made \udc80.py", "exec"), module.__dict__)

class Finder(importlib.abc.MetaPathFinder):
    asked = []
    def find_spec(self, name, path, target=None):
        if name.startswith("made"):
            self.asked.append(name)
            return importlib.machinery.ModuleSpec(name, Loader(), origin=5)
        return None

sys.meta_path.insert(0, Finder())
import made_plain
print(made_plain.f(1))
import made_lazy
print(made_lazy.anything, type(made_lazy).__name__)
try:
    import made_raises
except KeyError as e:
    print("KeyError", e, "made_raises" in sys.modules)
import made_replaced
print(made_replaced)
import made_again
print(made_again.value)
import made_surrogate
print(made_surrogate.f(2))
sys.modules["nothing"] = None
try:
    import nothing
except ImportError as e:
    print(type(e).__name__)
class Name(str):
    def __hash__(self):
        return 7
    def __eq__(self, other):
        return False
sys.modules[Name("odd")] = object()
sys.modules["broken"] = Lazy("broken")
print(Finder.asked)
def work(n):
    m = sys.modules["broken"]
    return m.x + str(n)
print(work(3))
