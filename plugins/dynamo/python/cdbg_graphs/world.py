# SPDX-License-Identifier: BSD-3-Clause
"""What a call of a function of the program needs, as text: the definitions of what it calls, and the values that it reads, as they are now.
Runs nothing of the program's but what pickle asks of its objects; judges nothing."""
import ast
import base64
import gc
import io
import pickle
import re
import sys
import types
import zlib

import torch

from .errors import raised_text
from .nodes import is_literal, is_of_torch
from .object_state import of
from .operators import (
    Definitions, SourceFile, define_operator, files_of_operator, first_line, import_module, read_by, with_closure)
from .save import EMBEDDED, literal
from .state import foreign, is_library
from .torch_state import raw, storage_of
from .values import plain

FUNCTIONS = types.FunctionType, types.BuiltinFunctionType
SHOWN = 4


def at_import(module, path):
    """What a module has by a dotted name; None: nothing."""
    v = sys.modules.get(module)
    for name in path.split("."):
        v = getattr(v, "__dict__", {}).get(name) if isinstance(v, (types.ModuleType, type)) else None
    return v.__func__ if isinstance(v, (staticmethod, classmethod)) else v


def is_plain(v):
    return type(v) in (torch.Tensor, torch.nn.Parameter) and plain(v) and v.layout is torch.strided and v.device.type == "cpu" and (
        not v.is_conj() and not v.is_neg() and storage_of(v) is not None)


def read_early(s):
    """Names that a definition reads when it is executed, not when what it defines is called."""
    found = {n.id for d in getattr(s, "decorator_list", ()) for n in ast.walk(d) if isinstance(n, ast.Name)}
    if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parts = [*s.args.defaults, *filter(None, s.args.kw_defaults), *[a.annotation for a in ast.walk(s.args) if isinstance(a, ast.arg) and a.annotation]]
        parts += [s.returns] if s.returns else []
    elif isinstance(s, ast.ClassDef):
        parts = [*s.bases, *[k.value for k in s.keywords]]
        for inner in s.body:
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found |= read_early(inner)
            else:
                parts.append(inner)
    else:
        parts = [s]
    return found | {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}


def written_globally(s):
    """Names of variables outside of a function that it writes."""
    return {name for n in ast.walk(s) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}


class WorldFile(Definitions):
    """The definitions of one file.  A variable is not bound by its statement, but has the value that it has now: see World."""
    def __init__(self, source, world):
        super().__init__(source, {})
        self.world, self.other, self.asked = world, {}, set()       # other: {name: what it is now}, where another statement defines that

    def add_names(self, s):
        early = read_early(s)
        for name in sorted(read_by(s) | written_globally(s)):
            defines = isinstance(s, (ast.FunctionDef, ast.ClassDef)) and name == s.name
            if not defines and (name, name in early) not in self.asked:
                self.asked.add((name, name in early))
                self.ask(name, s, name in early, name in written_globally(s))

    def ask(self, name, user, early, written):
        space = self.closure if name in self.closure else self.source.values
        if name not in space:
            if not written:
                self.need(name, user)
            return
        value = space[name]
        found = self.source.binding(name, user)
        if isinstance(value, types.ModuleType) or found and isinstance(found[-1], (ast.Import, ast.ImportFrom)):
            self.need(name, user)
        elif found and isinstance(found[-1], ast.FunctionDef) and isinstance(value, types.FunctionType) and (
                value.__code__.co_filename != self.source.file and is_of_torch(value.__code__.co_filename)):
            self.add(found[-1])                 # what a decorator of torch's made of it
        elif isinstance(value, (types.FunctionType, type)) or hasattr(value, "_opoverload"):
            text = self.world.refer(value)
            if text is None:
                self.lost.add(name)
            elif text in self.world.outside:
                self.values[name] = text        # before the definitions, which may need it
            elif text != name:
                self.other[name] = text
        elif early or is_literal(value) and not written:
            self.need(name, user)
        if written or not (early or is_literal(value) or isinstance(value, (types.ModuleType, types.FunctionType, type)) or hasattr(value, "_opoverload")) and not (
                found and isinstance(found[-1], (ast.Import, ast.ImportFrom))):
            self.world.values[name] = value


class Writer(pickle.Pickler):
    """Pickles values: functions and classes by what the text calls them, tensors by their number in a table."""
    def __init__(self, out, world):
        super().__init__(out, 4)
        self.world = world

    def persistent_id(self, v):
        if is_plain(v):
            return "tensor", self.world.tensor(v)
        if not isinstance(v, (types.FunctionType, type, types.ModuleType)) and not hasattr(v, "_opoverload"):
            return None
        module = getattr(v, "__module__", None) or ""
        if isinstance(v, (types.FunctionType, type)) and (foreign(module) or is_library(module)) and at_import(module, v.__qualname__) is v:
            return None
        text = self.world.refer(v)
        if text is None:
            raise pickle.PicklingError("the text of '%s' is not known" % getattr(v, "__qualname__", v))
        return "name", text

    def reducer_override(self, v):
        if isinstance(v, torch._dynamo.eval_frame.OptimizedModule):
            return itself, (v._orig_mod,)
        return NotImplemented


def itself(v):
    return v


class World:
    """Text of all that a call needs.  refer() of what is called first; then write()."""
    def __init__(self, imports, module):
        self.imports, self.own = imports, {module, "__main__", "__mp_main__"}
        self.files, self.names, self.keep, self.values, self.attributes = {}, {}, [], {}, []
        self.patches, self.lambdas, self.taken, self.outside = [], [], {}, set()
        self.storages, self.rows, self.grads, self.numbers, self.large = {}, [], [], {}, []

    # -- names

    def refer(self, v):
        """An expression for a function, class or module; None: there is none."""
        inner = getattr(v, "_torchdynamo_orig_callable", None)
        if isinstance(v, types.FunctionType) and callable(inner):
            return self.refer(inner)
        if id(v) not in self.names:
            self.keep.append(v)
            self.names[id(v)] = None            # it refers to itself
            self.names[id(v)] = self.found(v)
        return self.names[id(v)]

    def found(self, v):
        if isinstance(v, types.ModuleType):
            return self.imported(v.__name__, "") if v.__name__ not in self.own else None
        if hasattr(v, "_opoverload"):
            return self.operator(v)
        module, path = getattr(v, "__module__", None) or "", v.__qualname__
        if module and module not in self.own and at_import(module, path) is v:
            return path if module == "builtins" else self.imported(module, path)
        return self.defined(v)

    def imported(self, module, path):
        import_module(module, getattr(sys.modules[module], "__file__", None), "import %s" % module, path or module, self.imports)
        text = module + "." * bool(path) + path
        self.outside.add(text)
        return text

    def operator(self, v):
        space, _, name = v._qualname.partition("::")
        f = v._init_fn
        if define_operator(space, name.partition(".")[0], files_of_operator(v._qualname), self.imports):
            return f.__name__
        return "torch.ops.%s.%s" % (space, name)

    def file(self, path):
        if path not in self.files:
            self.files[path] = WorldFile(SourceFile(path), self)
        return self.files[path]

    def defined(self, v):
        inner = v
        while hasattr(inner, "__wrapped__"):
            inner = inner.__wrapped__
        code = getattr(inner, "__code__", None)
        path = code.co_filename if code else getattr(sys.modules.get(v.__module__), "__file__", None)
        if not path or is_of_torch(path):
            return self.bound_name(v)
        file = self.file(path)
        s = file.source.at_line(code.co_firstlineno) if code else next(
            (s for s, a in file.source.all if isinstance(s, ast.ClassDef) and s.name == v.__name__), None)
        if code and (s is None or isinstance(s, ast.ClassDef)):
            return self.method(inner, file) or self.lambda_of(inner, file)
        if s is None or self.taken.setdefault(s.name, s) is not s:
            return None                         # another has this name
        self.names[id(v)] = s.name
        file.closure.update(with_closure([inner]))
        file.add(s)
        if isinstance(v, type):
            self.class_state(v, s, path)
        return s.name

    def bound_name(self, v):
        """The variable of what a decorator of torch's made of a function."""
        for module in sorted(self.own & sys.modules.keys()):
            space = vars(sys.modules[module])
            name = next((n for n, held in list(space.items()) if held is v), None)
            file = self.file(space["__file__"]) if name and space.get("__file__") else None
            found = file.source.binding(name, None) if file else []
            if found and isinstance(found[-1], ast.FunctionDef):
                file.add(found[-1])
                return name
        return None

    def method(self, f, file):
        """A function of a class, as CLASS.NAME."""
        where, _, name = f.__qualname__.rpartition(".")
        cls = file.source.values.get(where.rpartition(".")[2]) or next(
            (c for c in gc.get_referrers(f.__module__) if isinstance(c, type) and c.__qualname__ == where), None) if where else None
        held = of(cls, "__dict__").get(name) if isinstance(cls, type) else None
        s = next((s for s, a in file.source.all if isinstance(s, ast.ClassDef) and held is not None and s.name == cls.__name__), None)
        own = s is not None and first_line(s) <= f.__code__.co_firstlineno <= s.end_lineno and getattr(held, "__func__", held) is f
        text = self.refer(cls) if own else None
        return text and "%s.%s" % (text, name)

    def lambda_of(self, f, file):
        text = file.source.lambda_at(f.__code__) if f.__code__.co_name == "<lambda>" else None
        if text is None:
            return None
        name = "lambda_%d" % (len(self.lambdas) + 1)
        self.lambdas.append("%s = %s" % (name, text))
        file.closure.update(with_closure([f]))
        file.add_names(ast.parse("%s = %s" % (name, text)).body[0])
        return name

    def class_state(self, cls, s, path):
        """What its text does not give it: functions that were put there later, and values."""
        for name, v in list(of(cls, "__dict__").items()):
            f = getattr(v, "__func__", v)
            if isinstance(f, types.FunctionType):
                code = f.__code__
                if code.co_filename != path or not first_line(s) <= code.co_firstlineno <= s.end_lineno:
                    text = self.refer(f) if code.co_filename != "<string>" and not is_of_torch(code.co_filename) else None
                    if text and text != "%s.%s" % (s.name, name):
                        self.patches.append("%s.%s = %s" % (s.name, name, text if f is v else "%s(%s)" % (type(v).__name__, text)))
            elif not name.startswith("__") and name != "_abc_impl" and not hasattr(type(v), "__get__") and not isinstance(v, type) and (
                    not any([c.__module__ == "enum" for c in cls.__mro__])):
                self.attributes.append((cls, name, v))

    # -- values

    def tensor(self, t):
        """The number of a tensor in the table."""
        if id(t) not in self.numbers:
            self.keep.append(t)
            storage = storage_of(t)
            n = self.numbers[id(t)] = len(self.rows)
            k = self.storages.setdefault(storage._cdata, (len(self.storages), storage))[0]
            self.rows.append("(%d, %s, %r, %r, %d, %r, %r)" % (
                k, t.dtype, tuple(t.size()), t.stride(), t.storage_offset(), t.requires_grad, isinstance(t, torch.nn.Parameter)))
            if t.is_leaf and t.grad is not None and is_plain(t.grad):
                self.grads.append("(%d, %d)" % (n, self.tensor(t.grad)))
            if t._backward_hooks:
                self.leave_out("hooks of a tensor of shape %s are not written" % list(t.shape))
        return self.numbers[id(t)]

    def leave_out(self, words):
        if words not in self.imports.notes:
            self.imports.notes.append(words)

    def pickled(self, v):
        out = io.BytesIO()
        Writer(out, self).dump(v)
        return out.getvalue()

    def is_written(self, v, what):
        try:
            self.pickled(v)
            return True
        except Exception as e:
            self.leave_out("the program does not have %s: its value cannot be written (%s)" % (what, raised_text(e)))
            return False

    def state(self, given):
        """Bytes of the arguments and of all variables: what is defined for them may need more."""
        good, asked = {}, set()
        while len(asked) < len(self.values) + len(self.attributes):
            for name, v in list(self.values.items()):
                if name not in asked:
                    asked.add(name)
                    if self.is_written(v, "'%s'" % name):
                        good[name] = v
            for cls, name, v in list(self.attributes):
                if (cls, name) not in asked:
                    asked.add((cls, name))
                    if self.is_written(v, "'%s.%s'" % (cls.__name__, name)):
                        good[cls, name] = v
        names = {k: v for k, v in good.items() if type(k) is str}
        own = [(*k, v) for k, v in good.items() if type(k) is tuple]
        return self.pickled((given, names, own))

    def write_state(self, given):
        """Lines that define STATE, STORAGES, TENSORS and GRADIENTS."""
        data = self.state(given)
        text = base64.b85encode(zlib.compress(data, 9)).decode()
        if len(data) > EMBEDDED:
            self.large.append(torch.frombuffer(bytearray(data), dtype=torch.uint8))
            state = "bytes(loaded[%d].tolist())" % (len(self.large) - 1)
        else:
            state = "zlib.decompress(base64.b85decode(%r))" % text
        held = [literal(raw(s), self.large, "a storage") for _, s in self.storages.values()]
        lines = ["STORAGES = [%s]" % "".join("\n    %s," % t for t in held), "TENSORS = [%s]" % "".join("\n    %s," % t for t in self.rows),
                 "GRADIENTS = [%s]" % ", ".join(self.grads), "STATE = %s" % state]
        return (["loaded = torch.load(__file__ + '.inputs.pt')"] if self.large else []) + lines

    def write_definitions(self):
        """Adds them to the imports, in an order that works."""
        for file in self.files.values():
            file.write(self.imports)
        lines = [re.sub(r"(?m)^(\s+)nonlocal ", r"\1global ", line) for line in self.imports]
        self.imports.clear()
        self.imports.update(dict.fromkeys(lines, True))
        for line in self.lambdas:
            self.imports["\n\n%s" % line] = True
        for file in self.files.values():
            self.imports.update(("%s = %s" % pair, True) for pair in file.other.items())
        self.imports.update((line, True) for line in self.patches)
