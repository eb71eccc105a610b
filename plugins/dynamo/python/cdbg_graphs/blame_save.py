# SPDX-License-Identifier: BSD-3-Clause
"""The fault that blame found, as a program of its own.  Where one graph shows it, that graph, reduced (reduce.py); else the function, with what it calls
and reads, in eager, compiled afresh, and by the code that Dynamo made of it (world.py)."""
import gc
import os
import platform
import types

import torch

from .blame_chain import call_parts
from .errors import Refused
from .operators import Imports, given_as_it_is, import_operator
from .reduce import graph_reduce
from .save import backend_of, class_of, graph_save, literal, settings_of, write_whole
from .world import World

PROGRAM = '''\
# SPDX-License-Identifier: CC0-1.0
"""%(title)s

%(sentence)s

Run it: python %(name)s
It calls the function in eager, which gives what is expected, and %(sides)s.
All that the call returns, raises, prints and changes is compared.  The exit status is 1 if something differs.%(told)s
Written by cdbg with torch %(torch)s on Python %(python)s.
"""
import base64
import contextlib
import io
import os
import pickle
import random
import sys
import zlib

%(cache)simport torch
import torch._dynamo
%(imports)s

def tensor(data, dtype, size, stride):
    """A tensor of these bytes."""
    whole = torch.empty(size, dtype=dtype)
    if whole.numel():
        whole.copy_(torch.frombuffer(bytearray(zlib.decompress(base64.b85decode(data))), dtype=dtype))
    return whole


# ---- values at the call: memory, (memory, type, size, strides, offset, requires a gradient, is a parameter), (tensor, its gradient), all else

%(state)s


def itself(v):
    return v


class Values(pickle.Unpickler):
    def __init__(self):
        super().__init__(io.BytesIO(STATE))
        memory, self.tensors = [t.clone().untyped_storage() for t in STORAGES], []
        for k, dtype, size, strides, offset, wants, parameter in TENSORS:
            t = torch.empty(0, dtype=dtype).set_(memory[k], offset, size, strides)
            self.tensors.append(torch.nn.Parameter(t, wants) if parameter else t.requires_grad_(wants))
        for i, grad in GRADIENTS:
            self.tensors[i].grad = self.tensors[grad]

    def find_class(self, module, name):
        return itself if name == "itself" else super().find_class(module, name)

    def persistent_load(self, what):
        return self.tensors[what[1]] if what[0] == "tensor" else eval(what[1])


def begin():
    """Gives all variables the values that they have at the call; its arguments."""
    torch.manual_seed(0)
    random.seed(0)
    (args, kwargs), names, attributes = Values().load()
    globals().update(names)
    for cls, name, v in attributes:
        setattr(cls, name, v)
    return args, kwargs, list(names), [(cls, name) for cls, name, v in attributes]

%(captured)s
# ---- what can be seen of a call

def look(v, path, found, seen):
    """Notes a value, and what it holds, by their paths."""
    if type(v) in (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.Size):
        found[path] = v
    elif id(v) not in seen:
        seen[id(v)] = v
        if isinstance(v, torch.Tensor):
            found[path + " (type)"] = "%%s%%s" %% (type(v).__name__, ", requires a gradient" * v.requires_grad)
            found[path] = v.detach().clone() if type(v) in (torch.Tensor, torch.nn.Parameter) else torch.Tensor.detach(v).as_subclass(torch.Tensor).clone()
            if v.is_leaf and v.grad is not None:
                look(v.grad, path + ".grad", found, seen)
        elif isinstance(v, (list, tuple)):
            found[path + " (length)"] = "%%s of %%d" %% (type(v).__name__, len(v))
            for i, item in enumerate(v):
                look(item, "%%s[%%d]" %% (path, i), found, seen)
        elif isinstance(v, dict):
            found[path + " (keys)"] = "%%s with %%s" %% (type(v).__name__, ", ".join(map(str, v)))
            for key, item in v.items():
                look(item, "%%s[%%r]" %% (path, key), found, seen)
        else:
            found[path + " (type)"] = type(v).__name__
            if type(v).__name__ not in ("function", "module", "type"):
                look(dict(getattr(v, "__dict__", {})), path + ".__dict__", found, seen)


def run(function, stance):
    """{path: what can be seen} of a call.  function: returns what is called."""
    found, seen, text = {}, {}, io.StringIO()
    args, kwargs, names, attributes = begin()
    try:
        with torch.compiler.set_stance(stance), contextlib.redirect_stdout(text):
            result = function()(*args, **kwargs)
%(backward)s        look(result, "result", found, seen)
    except Exception as e:
        found["raises"] = "%%s: %%s" %% (type(e).__name__, e)
    found["prints"] = text.getvalue()
    look(args, "args", found, seen)
    look(kwargs, "kwargs", found, seen)
    for name in names:
        look(globals().get(name), name, found, seen)
    for cls, name in attributes:
        look(getattr(cls, name, None), "%%s.%%s" %% (cls.__name__, name), found, seen)
    return found


def words(v):
    return str(v).replace("\\n", "") if isinstance(v, torch.Tensor) and v.numel() < 9 else "%%s %%s, the first of it %%s" %% (
        v.dtype, list(v.shape), v.flatten()[:4].tolist()) if isinstance(v, torch.Tensor) else repr(v)


def differs(a, b):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        try:
            torch.testing.assert_close(a, b, equal_nan=True, check_stride=False)
        except AssertionError:
            return True
        return False
    return type(a) is not type(b) or a != b


def main():
%(settings)s    expected, wrong = run(lambda: %(function)s, "force_eager"), 0
    for what, function in SIDES:
        torch._dynamo.reset()
        made, bad = run(function, "default"), 0
        for path in {**expected, **made}:
            if path not in made or path not in expected or differs(made[path], expected[path]):
                e, m = (words(d[path]) if path in d else "nothing" for d in (expected, made))
                print("%%s: %%s: expected %%s, comes %%s: WRONG" %% (what, path, e, m))
                bad += 1
        if not bad:
            print("%%s: as expected (%%s)" %% (what, words(expected.get("result", expected.get("raises")))))
        wrong += bad
    return 1 if wrong else 0


SIDES = [
%(table)s
]

if __name__ == "__main__":
    sys.exit(main())
'''

BACKWARD = '''\
            ends = [t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor) and t.requires_grad]
            torch.autograd.backward(ends, [torch.ones_like(t) for t in ends]) if ends else None
'''

CAPTURED = '''
# ---- what Dynamo made of the function: its graphs, and the code that calls them

%(classes)s

%(graphs)s


%(code)s

'''


def function_with(code, namespace, cells):
    """The function that has this code and these cells; else another one with it."""
    found = [f for f in gc.get_referrers(code) if type(f) is types.FunctionType and f.__code__ is code and f.__globals__ is namespace]
    for f in found:
        if all([cells.get(name) is cell for name, cell in zip(code.co_freevars, f.__closure__ or ())]):
            return f
    if found:
        return found[0]
    f = types.FunctionType(code, namespace, code.co_name, None, tuple([cells[name] for name in code.co_freevars]) or None)
    f.__qualname__ = code.co_qualname
    return f


class DynamoCode:
    """Dynamo's code of a call and its graphs, as text."""
    def __init__(self, chain, graphs, text_of, world):
        self.world, self.graphs, self.lines, self.classes, self.direct = world, [g for g in chain.graphs if g.name in chain.made.co_names], [], [], False
        used = [n for n in chain.made.co_names if n.startswith("__") and n in chain.namespace]
        if any([n.startswith("__resume_at") for n in chain.made.co_names]) or {g.name for g in graphs} - set(chain.made.co_names):
            raise Refused("it calls resume functions")
        self.code = self.renamed(text_of(chain.made))
        for g in self.graphs:
            self.graph(g)
        for name in used:
            if name not in [g.name for g in self.graphs]:
                self.bind(name, chain.namespace[name])
        for name in chain.made.co_names:
            if not name.startswith("__") and name in chain.namespace:
                self.read(name, chain.namespace[name])

    def renamed(self, text):
        if text is None or "__const_" in text:
            raise Refused("it cannot be written as Python")
        begin = text.index("def ")
        at = begin + 4
        end = text.index("(", at)
        return text[:at] + "captured" + text[end:]

    def graph(self, g):
        kept = g.kept
        name, world = "Graph_%d" % (self.graphs.index(g) + 1), self.world
        if given_as_it_is(kept):
            raise Refused("its graph calls what cannot be written")
        self.classes += class_of(kept, name, world.imports, world.large, False)
        for n in kept.graph.nodes:
            import_operator(n, world.imports)
        more = "".join([", %s" % literal(v, world.large, "an input") for v in kept.given])
        call = "%s()(*args%s)" % (name, more)
        self.lines += ["def %s(*args):" % g.name]
        if g.without_classes():
            self.lines += ["    with torch._C.DisableTorchFunctionSubclass():", "        return " + call, ""]
        else:
            self.lines += ["    return " + call, ""]

    def bind(self, name, v):
        if isinstance(v, types.ModuleType):
            self.lines.append("%s = __import__('importlib').import_module(%r)" % (name, v.__name__))
        elif isinstance(v, dict) and name.startswith("__builtins_dict"):
            self.lines.append("%s = vars(__import__('builtins'))" % name)
        elif isinstance(v, (types.FunctionType, type)):
            text = self.world.refer(v)
            if text is None:
                raise Refused("it calls '%s'" % name)
            self.lines.append("%s = %s" % (name, text))
        else:
            self.world.values[name] = v

    def read(self, name, v):
        if isinstance(v, (types.FunctionType, type, types.ModuleType)):
            text = self.world.refer(v)
            if text and text != name:
                self.lines.append("%s = %s" % (name, text))
        elif name not in self.world.values and name != "torch":
            self.world.values[name] = v

    def text(self):
        return CAPTURED % dict(classes="\n".join(self.classes).rstrip(), graphs="\n".join(self.lines).rstrip(), code=self.code.rstrip())


def save_function(chain, verdict, used, path, text_of, write_beside):
    """Writes a program of the whole call.  Returns what graph_save() does."""
    imports = Imports()
    world = World(imports, chain.namespace.get("__name__"))
    f = function_with(chain.code, chain.namespace, chain.saved.cells)
    function = world.refer(f)
    if function is None:
        raise Refused("nothing was saved: the text of '%s' is not known" % chain.code.co_name)
    if f.__closure__:
        world.values.update((n, c.cell_contents) for n, c in zip(f.__code__.co_freevars, f.__closure__) if n in world.values)
    for g in used:
        for n in g.kept.graph.nodes:
            import_operator(n, imports)
    backend = used[0].about()["backend"] if used and verdict.fault != "capture" else None
    name = "eager" if verdict.fault == "capture" else None
    chosen, default, note = (repr(name), name, None) if name else backend_of(backend, imports)
    captured, notes = None, [note] * bool(note)
    if verdict.fault == "capture":
        try:
            captured = DynamoCode(chain, used, text_of, world)
        except Refused as e:
            notes.append("the program does not have the code that Dynamo made: %s" % e)
    modules, settings, left = settings_of(backend)
    imports.update(("import " + module, True) for module in modules)
    notes += ["the program does not set %s: the value cannot be written" % n for n in left]
    args, kwargs = call_parts(chain.code, chain.saved.values)
    state = world.write_state((args, kwargs))
    world.write_definitions()
    table = ["    (%r, lambda: torch.compile(%s, backend=%s))," % ("compiled afresh by " + default, function, chosen)]
    if captured:
        table.append("    (%r, lambda: captured)," % "what Dynamo made of it")
    notes += imports.notes
    sentence = verdict.sentence.replace("\\", "\\\\").replace('"', "'")
    settings = ["torch.set_grad_enabled(%r)" % torch.is_grad_enabled(), *settings]
    text = PROGRAM % dict(
        title="A call of %s." % chain.code.co_name, sentence=sentence[:1].upper() + sentence[1:] + ".", name=os.path.basename(path),
        sides="compiled afresh by %s%s" % (default, ", and by what Dynamo made of it in the program" if captured else ""),
        told="".join(["\nNote: %s." % n.replace("\\", "\\\\").replace('"', "'") for n in notes]), torch=torch.__version__, python=platform.python_version(),
        cache=cache_lines(verdict), imports="".join(line + "\n" for line in imports), state="\n".join(state),
        captured=captured.text() if captured else "", backward=BACKWARD if chain.backward else "", function=function,
        settings="".join(["    %s\n" % line for line in settings]), table="\n".join(table))
    compile(text, path, "exec")
    saved, data = path + ".inputs.pt" if world.large else None, text.encode()

    def write(out):
        out.write(data)
        if world.large and out.failed is None:
            write_whole(saved, lambda out: torch.save(world.large, out), write_beside)
    write_whole(path, write, write_beside)
    return {"bytes": len(data), "inputs": saved, "notes": notes + ["it has the whole call: only a graph can be reduced"]}


def cache_lines(verdict):
    if verdict.fault != "cache":
        return ""
    from torch._inductor.runtime.runtime_utils import cache_dir
    return "os.environ.setdefault('TORCHINDUCTOR_CACHE_DIR', %r)         # it has what is stale\n" % cache_dir()


def save_graph(chain, verdict, path, write_beside):
    """The graph that is wrong by itself, reduced where a part of it is wrong, too."""
    g, inputs, backend = verdict.graph
    title = "graph %s of %s" % (g.about()["graph"], chain.code.co_name)
    try:
        r = graph_reduce(g.kept, inputs, path, backend, title, chain.backward, True, None, write_beside)
    except Refused as e:
        saved = graph_save(g.kept, inputs, path, backend, title, chain.backward, None, write_beside)
        return {**saved, "notes": saved["notes"] + ["it is not reduced: %s" % e]}
    return {**r["saved"], "notes": r["saved"]["notes"] + ["reduced from %d to %d nodes by %d compiles" % (r["before"], r["after"], r["compiles"])]}


def blame_save(chain, verdict, used, path, text_of, write_beside):
    """Writes the fault as a program: what graph_save() returns.  Refused: there is nothing to save, or it cannot be written."""
    if verdict.fault in ("none", "eager"):
        raise Refused("nothing was saved: there is no fault of a link")
    if verdict.fault == "cache" and not verdict.on_disk:
        raise Refused("nothing was saved: a program would compile afresh, which is right")
    if verdict.graph:
        return save_graph(chain, verdict, path, write_beside)
    return save_function(chain, verdict, used, path, text_of, write_beside)
