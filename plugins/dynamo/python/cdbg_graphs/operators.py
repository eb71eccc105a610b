# SPDX-License-Identifier: BSD-3-Clause
"""What a written program needs to call what a graph calls: imports of the modules that define it, the definitions of what the program
itself defines, and operators as programs write them where torch.compile takes no others."""
import ast
import builtins
import linecache
import os
import re
import sys
import textwrap
import types

import torch
import torch.fx
import torch.utils.checkpoint

from .errors import Refused
from .nodes import is_literal, is_of_torch
from .run import Kept

# Higher-order operators that torch.compile takes in a written program, some as the text that replaces them.
AGAIN = ("cond", "while_loop", "map", "map_impl", "associative_scan", "scan", "invoke_subgraph", "tag_activation_checkpoint",
         "register_hook")
WRITTEN = {"torch.ops.higher_order.tag_activation_checkpoint(": "torch.utils.checkpoint.checkpoint(",
           "torch.ops.higher_order.scan(": "Written.scan(",
           "torch.ops.higher_order.invoke_subgraph(": "Written.invoke_subgraph(",
           "torch.ops.higher_order.register_hook(": "Written.register_hook("}

INDUCTOR_PRIMS = "torch._inductor.inductor_prims"               # defines primitives when it is imported

WRITTEN_CLASS = '''\
import torch.utils.checkpoint
from torch._higher_order_ops.scan import scan as written_scan


class Written:
    """Operators as a program writes them: torch.compile makes those of the graph from them."""
    @staticmethod
    def scan(combine, carried, read, more):
        def one(carry, values):
            made = combine(*carry, *values, *more)
            return list(made[:len(carry)]), list(made[len(carry):])
        carry, made = written_scan(one, list(carried), list(read))
        return [*carry, *made]

    @staticmethod
    def invoke_subgraph(region, name, *args):
        return region(*args)                    # its forward is a nested_compile_region

    @staticmethod
    def register_hook(tensor, hook, *more):
        if tensor.requires_grad:
            tensor.register_hook(lambda gradient: hook(gradient, *more))
        return tensor
'''

IMPORT = '''\
try:
    %(code)s
except ImportError as e:
    sys.exit("cannot import '%(module)s' (%(file)s), which defines %(what)s: %%s; put it beside this program" %% e)'''

REGISTERED = """\
if not hasattr(torch.ops.%(space)s, %(name)r):
    sys.exit("this torch has no operator %(space)s.%(name)s, which node '%(node)s' calls: register it before this line")"""


DIRECT = '''\
recording = []                                  # the torch.fx.Tracer of the graph that is being made


def call(function, *args, **kwargs):
    """A node of the graph that is being made; else its value."""
    return recording[0].create_proxy("call_function", function, args, kwargs) if recording else function(*args, **kwargs)


def graph_of(module):
    """A module as a graph whose nodes are its calls."""
    tracer = torch.fx.Tracer()
    recording.append(tracer)
    try:
        return torch.fx.GraphModule(module, tracer.trace(module))
    finally:
        recording.pop()
'''


def given_as_it_is(kept, inside=False):
    """Must a written program give the graph itself to the backend?  Where torch.compile does not take what it, or a sub-graph, calls.
    inside: it is a sub-graph."""
    for n in kept.graph.nodes:
        name = getattr(n.target, "__name__", "")
        if name.startswith("triton_kernel_wrapper"):
            raise Refused("node '%s' calls a Triton kernel of the program, which cannot be written; 'graph compare' compares it here" % n.name)
        if isinstance(n.target, torch._ops.HigherOrderOperator) and name not in AGAIN or inside and name == "_enter_autocast":
            return True
    return any([given_as_it_is(v, True) for v in kept.named.values() if isinstance(v, Kept)])


def recorded(source):
    """The text of a graph with call(torch.name, ...) in the place of torch.name(...)."""
    lines = source.encode().split(b"\n")
    for s in ast.walk(ast.parse(source)):
        function = s.value.func if isinstance(getattr(s, "value", None), ast.Call) and isinstance(s, ast.stmt) else None
        if function is not None and ast.unparse(function).startswith("torch."):
            line, end = lines[function.lineno - 1], function.end_col_offset
            more = b", " if s.value.args or s.value.keywords else b""
            lines[function.lineno - 1] = b"%scall(%s%s%s" % (line[:function.col_offset], line[function.col_offset:end], more, line[end + 1:])
    return b"\n".join(lines).decode()


# ---- where the program defines what a graph calls --------------------------------------------------------------------------


def files_of_operator(name):
    """The Python files outside of torch that registered an operator, 'space::name', or a function of it."""
    found, fakes = [], sys.modules.get("torch._library.simple_registry")
    known = getattr(sys.modules.get("torch._library.custom_ops"), "OPDEFS", {}).get(name)
    for f in (getattr(known, "_init_fn", None), getattr(known, "_abstract_fn", None), *getattr(known, "_backend_fns", {}).values()):
        found.append(getattr(getattr(f, "__code__", None), "co_filename", ""))
    fake = getattr(fakes and fakes.singleton.find(name), "fake_impl", None)
    source = getattr(getattr(fake, "kernel", None), "source", None)
    found += re.findall(r"registered at (.*?):\d+", "registered at %s\n%s" % (source, torch._C._dispatch_dump(name)))
    return [file for file in found if file.endswith(".py") and not is_of_torch(file)]


def module_of_file(file):
    """The name of the module that was loaded from a file; None: there is none but the program itself."""
    for name, m in list(sys.modules.items()):
        if name not in ("__main__", "__mp_main__") and isinstance(m, types.ModuleType) and m.__dict__.get("__file__") == file:
            return name
    return None


def not_importable(n, what, file):
    return Refused("node '%s' calls %s, which the program defines in %s: a saved program cannot import that; define it in a module that "
                   "the program imports, or use 'graph compare'" % (n.name, what, "'%s'" % file if file else "no module"))


def import_module(module, file, code, what, imports):
    """Adds what imports a module of the program: from the same folder as now, or from beside the written program."""
    folder = os.path.dirname(os.path.abspath(file or ""))
    for _ in range(module.count(".") + (os.path.basename(file or "") == "__init__.py")):
        folder = os.path.dirname(folder)
    if file and not {"site-packages", "dist-packages"} & set(os.path.normpath(folder).split(os.sep)) and not is_of_torch(file):
        imports["sys.path.append(%r)" % folder] = True
    own = file and not is_of_torch(file)
    imports[IMPORT % dict(code=code, module=module, file=file, what=what) if own else code] = True


def import_operator(n, imports):
    """Adds what registers the operator of a node, if it is not torch's own."""
    called = n.target
    if not isinstance(called, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return
    space, name = str(getattr(called, "_qualified_op_name", None) or called._schema.name).split("::")
    name = name.partition(".")[0]
    if space in ("aten", "prims"):
        if hasattr(sys.modules.get(INDUCTOR_PRIMS), name):
            imports["import %s" % INDUCTOR_PRIMS] = True
        return
    what, files = "%s.%s" % (space, name), files_of_operator("%s::%s" % (space, name))
    modules = [(module_of_file(file), file) for file in files]
    known = next((m for m in modules if m[0]), None)
    if known is None and space != "torch" and isinstance(sys.modules.get(space), types.ModuleType):
        known = space, getattr(sys.modules[space], "__file__", None)            # as torchvision
    if known:
        import_module(*known, "import %s" % known[0], what, imports)
    elif files and not define_operator(space, name, files, imports):
        raise not_importable(n, what, files[0])
    elif not files and torch.ops.loaded_libraries:
        imports.update({"torch.ops.load_library(%r)" % path: True for path in sorted(torch.ops.loaded_libraries)})
    imports[REGISTERED % dict(space=space, name=name, node=n.name)] = True


def import_submodules(source, imports):
    """Adds the modules of torch that the text of a graph names and that `import torch` may not bring."""
    for path in re.findall(r"\btorch(?:\.\w+)+", source):
        while "." in path and path not in sys.modules:
            path = path.rpartition(".")[0]
        if "." in path and path != "torch.nn.functional" and (getattr(sys.modules[path], "__file__", None) or "").endswith(".py"):
            imports["import %s" % path] = True


def import_function(known, v, kept, imports):
    """Adds what defines `known`, an object that the text of a graph names."""
    if type(v) is float:
        imports["%s = float(%r)" % (known, str(v))] = True
        return
    if isinstance(v, types.ModuleType):
        imports["import %s as %s" % (v.__name__, known)] = True
        return
    where, what = getattr(v, "__module__", None), getattr(v, "__qualname__", None)
    node = next((n for n in kept.graph.nodes if n.target is v), None)
    file = getattr(sys.modules.get(where), "__file__", None)
    if isinstance(v, type) and node is None and where == "__main__" and issubclass(v, torch.Tensor):
        imports["%s = torch.Tensor" % known] = True                             # it annotates an input only
        return
    if (where == "__main__" or not where or not what or "." in what) and define_object(v, known, imports):
        return
    if node is not None and (where == "__main__" or not where or not what or "." in what):
        raise not_importable(node, what or known, file)
    if not where or not what or "." in what or where == "__main__":
        raise Refused("the graph names %s, which a saved program cannot import; 'graph compare' compares it here" % (what or known))
    import_module(where, file, "from %s import %s as %s" % (where, what, known), what, imports)


# ---- what the program itself defines, from its text ---------------------------------------------------------------------------

WRITES = "define", "impl", "impl_abstract", "custom_op", "triton_op"       # of torch.library, beside register_...


class Imports(dict):
    """Statements that a written program begins with, in their order, and what is to be noted about them."""
    def __init__(self):
        super().__init__()
        self.notes, self.defined = [], set()


def module_with_file(file):
    """The loaded module of a file, the program itself included; None: there is none."""
    return next((m for m in list(sys.modules.values()) if isinstance(m, types.ModuleType) and m.__dict__.get("__file__") and
                 os.path.realpath(m.__dict__["__file__"]) == os.path.realpath(file)), None)


def statements_in(body, around=()):
    """(statement, the functions around it) of a body, and of the blocks and functions in it, in the order of the text."""
    for s in body:
        yield s, around
        inner = (*around, s) if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)) else around
        if not isinstance(s, ast.ClassDef):
            for field in "body", "orelse", "finalbody":
                yield from statements_in(getattr(s, field, ()), inner)
            for handler in getattr(s, "handlers", ()):
                yield from statements_in(handler.body, inner)


def bound_by(s):
    """The names that a statement binds."""
    if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {s.name}
    if isinstance(s, (ast.Import, ast.ImportFrom)):
        return {a.asname or a.name.partition(".")[0] for a in s.names}
    targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, (ast.AnnAssign, ast.AugAssign)) else []
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


def local_to(s):
    """Names that functions and comprehensions in a statement bind for themselves."""
    found = set()
    for n in ast.walk(s):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            a = n.args
            found.update(x.arg for x in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg] if x)
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            found.add(n.id)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            found.add(n.name)
        elif n is not s and isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            found |= bound_by(n)
    return found


def read_by(s):
    """The names that a statement reads and does not bind itself; those in annotations that are strings, too."""
    texts = [n.annotation for n in ast.walk(s) if isinstance(n, (ast.arg, ast.AnnAssign)) and n.annotation]
    texts += [n.returns for n in ast.walk(s) if isinstance(n, ast.FunctionDef) and n.returns]
    trees = [s]
    for t in texts:
        if isinstance(t, ast.Constant) and isinstance(t.value, str):
            try:
                trees.append(ast.parse(t.value, mode="eval"))
            except SyntaxError:
                continue                        # no annotation that Python could evaluate
    own = local_to(s)
    return {n.id for t in trees for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in own}


class SourceFile:
    """The statements of one file of the program, and the values that their names have now."""
    def __init__(self, file):
        self.file, self.lines = file, linecache.getlines(file)
        self.all = list(statements_in(ast.parse("".join(self.lines)).body)) if self.lines else []
        self.values = vars(module_with_file(file)) if module_with_file(file) else {}
        self.given = {}                         # {statement: (an expression in its text, what is written for it)}

    def at_line(self, line):
        """The function or class whose text, decorators included, begins at a line."""
        for s, around in self.all:
            if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and line in (first_line(s), s.lineno):
                return s
        return None

    def lambda_at(self, code):
        """The text of the lambda expression that this code was compiled from; None: it is not found."""
        for n in ast.walk(ast.parse("".join(self.lines))):
            if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno:
                made = next((c for c in codes_in(compile(ast.Expression(n), code.co_filename, "eval")) if c.co_name == "<lambda>"), None)
                if made and made.co_varnames == code.co_varnames and names_from_outside(made) == names_from_outside(code):
                    return ast.unparse(n)
        return None

    def text(self, s):
        lines = [line.encode() for line in self.lines[first_line(s) - 1:s.end_lineno]]
        if s in self.given:
            v, new = self.given[s]
            i, end = v.lineno - first_line(s), v.end_lineno - first_line(s)
            lines[i:end + 1] = [lines[i][:v.col_offset] + new.encode() + lines[end][v.end_col_offset:]]
        return textwrap.dedent(b"".join(lines).decode()).rstrip()

    def name_operator(self, s, name):
        """The decorator that makes an operator has its name as a literal: the variables of its expression may not be known."""
        for d in getattr(s, "decorator_list", ()):
            if isinstance(d, ast.Call) and ast.unparse(d.func).rpartition(".")[2] in ("custom_op", "triton_op") and d.args and (
                    not isinstance(d.args[0], ast.Constant)):
                self.given[s] = d.args[0], repr(name)
                d.args[0] = ast.Constant(name)

    def binding(self, name, user):
        """The statements that bind a name for a statement: the last in the functions around it, else in the module."""
        around = next((a for s, a in self.all if s is user), ())
        for scope in [around[:k] for k in range(len(around), -1, -1)]:
            found = [s for s, a in self.all if a == scope and name in bound_by(s)]
            if found:
                last = found[-1]
                return [s for s in found if isinstance(s, (ast.Assign, ast.AugAssign))] if isinstance(last, ast.AugAssign) else [last]
            if scope and any(name in {x.arg for x in ast.walk(f.args) if isinstance(x, ast.arg)} for f in scope[-1:]):
                return []
        return []


def codes_in(code):
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def names_from_outside(code):
    """Names that a code and those nested in it look up: a free variable, or a global where the text stands alone."""
    found = {*code.co_names, *code.co_freevars}
    for c in codes_in(code):
        found |= names_from_outside(c)
    return found


def first_line(s):
    return min([s.lineno, *[d.lineno for d in getattr(s, "decorator_list", ())]])


def root_name(v):
    while isinstance(v, (ast.Attribute, ast.Call, ast.Subscript)):
        v = v.func if isinstance(v, ast.Call) else v.value
    return v.id if isinstance(v, ast.Name) else None


def calls_in(s):
    """The calls of a statement that register something: its own, and those of decorators."""
    found = list(getattr(s, "decorator_list", ()))
    if isinstance(s, ast.Expr):
        found.append(s.value)
    return [c for d in found for c in ast.walk(d) if isinstance(c, ast.Call)] + [d for d in found if isinstance(d, ast.Attribute)]


def registers(s, space, name, libraries, operators):
    """Does a statement register the operator space::name or something of it?  libraries: variables that are its torch.library.Library.
    operators: variables that are the operator."""
    for c in calls_in(s):
        function = c.func if isinstance(c, ast.Call) else c
        called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if not (called in WRITES or called.startswith("register_")):
            continue
        args = [*getattr(c, "args", ()), *[k.value for k in getattr(c, "keywords", ())]]
        texts = [a.value for a in args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        names = {root_name(a) for a in [function, *args]}
        if any(t.partition("(")[0].strip().partition(".")[0] == "%s::%s" % (space, name) for t in texts):
            return True
        if names & libraries and any(t.partition("(")[0].strip().partition(".")[0] == name for t in texts):
            return True
        if any(ast.unparse(a).startswith("torch.ops.%s.%s" % (space, name)) for a in args) or root_name(function) in operators or (
                args and root_name(args[0]) in operators):
            return True
    return False


def library_variables(source, space):
    """Variables that hold a torch.library.Library of a namespace."""
    return {n for s, a in source.all if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call) and
            ast.unparse(s.value.func).rpartition(".")[2] == "Library" and s.value.args and
            getattr(s.value.args[0], "value", None) == space for n in bound_by(s)}


def with_closure(functions):
    """{name: value} of the variables of functions around these."""
    found = {}
    for f in functions:
        for name, cell in zip(getattr(getattr(f, "__code__", None), "co_freevars", ()), getattr(f, "__closure__", None) or ()):
            try:
                found[name] = cell.cell_contents
            except ValueError:
                continue                        # not bound yet
    return found


class Definitions:
    """Statements of a file that a written program repeats, with those that they refer to."""
    def __init__(self, source, closure):
        self.source, self.closure, self.chosen, self.values, self.lost, self.functions = source, closure, {}, {}, set(), {}

    def add(self, s):
        if s in self.chosen:
            return
        self.chosen[s] = None
        self.add_names(s)

    def add_names(self, s):
        """What a statement reads."""
        for name in sorted(read_by(s)):
            if name not in self.values and not (name in bound_by(s) and isinstance(s, (ast.FunctionDef, ast.ClassDef))):
                self.need(name, s)

    def need(self, name, user):
        found = self.source.binding(name, user)
        known = name in self.closure or name in self.source.values
        value = self.closure.get(name, self.source.values.get(name))
        if known and is_literal(value) and not any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in found):
            self.values[name] = repr(value)
        elif known and not found and isinstance(value, types.ModuleType):
            self.values[name] = "__import__('importlib').import_module(%r)" % value.__name__
        elif found:
            for s in found:
                self.add(s)
        elif known and (isinstance(value, types.FunctionType) or isinstance(value, types.MethodType) and isinstance(value.__self__, type)):
            self.functions[name] = value
        elif not hasattr(builtins, name):
            self.lost.add(name)

    def imported(self, s, imports):
        """The statement imports modules of the program's own folder?  They are found from where they are now."""
        for a in s.names:
            module = "." * getattr(s, "level", 0) + (s.module or "" if isinstance(s, ast.ImportFrom) else a.name)
            file = getattr(sys.modules.get(module), "__file__", None)
            if file and not is_of_torch(file) and not os.path.realpath(file).startswith(os.path.dirname(os.path.realpath(os.__file__)) + os.sep):
                import_module(module, file, ast.unparse(type(s)(**{**{f: getattr(s, f) for f in s._fields}, "names": [a]})), a.asname or a.name, imports)
                return True
            if module.startswith("."):
                self.lost.add(a.asname or a.name)
        return False

    def write(self, imports):
        """Adds them in the order of the text: first what is imported, then values, then definitions."""
        order = sorted(self.chosen, key=lambda s: s.lineno)
        for s in order:
            if isinstance(s, ast.ImportFrom) and s.module == "__future__":
                continue
            if isinstance(s, (ast.Import, ast.ImportFrom)) and not self.imported(s, imports):
                imports[self.source.text(s)] = True
        imports.pop("import torch", None)       # it is there
        for name, v in self.functions.items():
            cls = v.__self__ if isinstance(v, types.MethodType) else None
            if not define_object(cls or v, cls.__name__ if cls else name, imports):
                self.lost.add(name)
            elif cls:
                imports["%s = %s.%s" % (name, cls.__name__, v.__name__)] = True
        for name, text in self.values.items():
            imports["%s = %s" % (name, text)] = True
        for s in order:
            if not isinstance(s, (ast.Import, ast.ImportFrom)):
                head = "# %s, line %d" % (os.path.basename(self.source.file), first_line(s))
                imports["\n\n%s\n%s\n" % (head, self.source.text(s)) if s not in imports.defined else ""] = True
        for name in sorted(self.lost):
            note = "the program does not define '%s', which %s uses: its value cannot be read from %s" % (
                name, os.path.basename(self.source.file), self.source.file)
            if note not in imports.notes:
                imports.notes.append(note)
        imports.pop("", None)


def functions_of_operator(name):
    """The Python functions that torch has for an operator, 'space::name'."""
    known = getattr(sys.modules.get("torch._library.custom_ops"), "OPDEFS", {}).get(name)
    found = [getattr(known, "_init_fn", None), getattr(known, "_abstract_fn", None), getattr(known, "_backward_fn", None),
             getattr(known, "_setup_context_fn", None), *getattr(known, "_backend_fns", {}).values()]
    return [f for f in found if isinstance(f, types.FunctionType)]


def define_operator(space, name, files, imports):
    """Adds the statements of the program that register an operator.  False: none was found."""
    wrote, functions = False, functions_of_operator("%s::%s" % (space, name))
    for file in dict.fromkeys(files):
        source = SourceFile(file)
        seeds = [source.at_line(f.__code__.co_firstlineno) for f in functions if f.__code__.co_filename == file]
        seeds = [s for s in seeds if s is not None and s.decorator_list]
        for s in seeds:
            source.name_operator(s, "%s::%s" % (space, name))
        libraries, operators = library_variables(source, space), {s.name for s in seeds if any(
            "custom_op" in ast.unparse(d) or "triton_op" in ast.unparse(d) for d in s.decorator_list)}
        made_by_call = {n for s, a in source.all if isinstance(s, ast.Assign) and any(
            isinstance(c, ast.Call) and ast.unparse(c.func).rpartition(".")[2] in ("custom_op", "triton_op") and c.args and
            getattr(c.args[0], "value", None) == "%s::%s" % (space, name) for c in ast.walk(s.value)) for n in bound_by(s)}
        operators |= made_by_call
        found = seeds + [s for s, a in source.all if s not in seeds and (
            registers(s, space, name, libraries, operators) or isinstance(s, ast.Assign) and bound_by(s) & made_by_call)]
        made = Definitions(source, with_closure(functions))
        for s in found:
            made.add(s)
        if found:
            made.write(imports)
            wrote = True
    return wrote


def define_object(v, known, imports):
    """Adds the definition of a function or class of the program, which the graph calls `known`.  False: its text is not known."""
    inner = v
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    code = getattr(inner, "__code__", None)
    module = sys.modules.get(getattr(v, "__module__", None))
    file = code.co_filename if code else getattr(module, "__file__", None)
    source = SourceFile(file) if file else None
    if source is None or not source.all:
        return False
    s = source.at_line(code.co_firstlineno) if code else next(
        (s for s, a in source.all if isinstance(s, ast.ClassDef) and s.name == getattr(v, "__name__", None)), None)
    made, text = Definitions(source, with_closure([inner])), source.lambda_at(code) if code and code.co_name == "<lambda>" else None
    if s is None and text:
        made.add_names(ast.parse(text).body[0])
        made.write(imports)
        imports["%s = %s" % (known, text)] = True
        return True
    if s is None:
        return False
    made.add(s)
    made.write(imports)
    if known != s.name:
        imports["%s = %s" % (known, s.name)] = True
    return True
