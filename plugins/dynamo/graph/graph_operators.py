# SPDX-License-Identifier: BSD-3-Clause
"""What a written program needs to call what a graph calls: imports of the modules that define it, and operators as programs write
them where torch.compile takes no others.  Runs in the same namespace as graph_run.py."""
import ast
import os
import re
import sys
import types

import torch

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

def is_of_torch(file):
    return os.path.normpath(file).startswith(os.path.dirname(os.path.normpath(torch.__file__)) + os.sep)


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
    elif files:
        raise not_importable(n, what, files[0])
    elif torch.ops.loaded_libraries:
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
    if isinstance(v, type) and node is None and where == "__main__":
        imports["%s = torch.Tensor" % known] = True                             # it annotates an input only
        return
    if node is not None and (where == "__main__" or not where or not what or "." in what):
        raise not_importable(node, what or known, file)
    if not where or not what or "." in what or where == "__main__":
        raise Refused("the graph names %s, which a saved program cannot import; 'graph compare' compares it here" % (what or known))
    import_module(where, file, "from %s import %s as %s" % (where, what, known), what, imports)
