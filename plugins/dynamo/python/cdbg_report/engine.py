# SPDX-License-Identifier: BSD-3-Clause
"""jinja2 as the report's own: read from its files, in no sys.modules, so that the program sees nothing of it and can replace nothing
in it.  What it imports of the standard library is shared.  Knows no report."""
import importlib.machinery
import os
import re
import sys
import types

PACKAGES = {"jinja2": "environment.py", "markupsafe": "_native.py"}     # a file that tells each from a folder of the program
TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
OWN = __builtins__ if type(__builtins__) is dict else vars(__builtins__)       # not replaced by the program, where cdbg loads this
modules: dict = {}                              # those of the packages, by their full names


def top_spec(name):
    for folder in sys.path:
        spec = importlib.machinery.PathFinder.find_spec(name, [folder])
        if spec is not None and any(os.path.exists(os.path.join(where, PACKAGES[name])) for where in spec.submodule_search_locations or ()):
            return spec
    return None


def load(name):
    """A module of one of the packages, and those around it."""
    if name in modules:
        return modules[name]
    parent, _, last = name.rpartition(".")
    spec = importlib.machinery.PathFinder.find_spec(name, load(parent).__path__) if parent else top_spec(name)
    if spec is None or not hasattr(spec.loader, "get_code"):
        raise ImportError("the pages need jinja2: 'pip install jinja2' installs it", name=name)
    m = modules[name] = types.ModuleType(name)
    m.__file__, m.__spec__, m.__package__ = spec.origin, spec, parent
    if spec.submodule_search_locations is not None:
        m.__path__, m.__package__ = spec.submodule_search_locations, name
    m.__dict__["__builtins__"] = dict(OWN, __import__=import_own)
    try:
        code = spec.loader.get_code(name)
        if code is None:                        # a library of machine code, for which there is Python, too
            raise ImportError("'%s' is not Python" % name, name=name)
        exec(code, m.__dict__)
    except BaseException:
        del modules[name]
        raise
    if parent:
        setattr(modules[parent], last, m)
    return m


def import_own(name, globals=None, locals=None, fromlist=(), level=0):
    """__import__() of these modules."""
    if level:
        package = globals["__package__"]
        for _ in range(level - 1):
            package = package.rpartition(".")[0]
        name = package + "." + name if name else package
    if name.partition(".")[0] not in PACKAGES:
        return OWN["__import__"](name, globals, locals, fromlist, 0)
    m = load(name)
    for item in fromlist or ():
        if not hasattr(m, item) and hasattr(m, "__path__"):
            load(name + "." + item)
    return m if fromlist or level else load(name.partition(".")[0])


def compiled(jinja2, always):
    """Compiled templates in a folder __pycache__ beside them, as Python keeps its own: compiling takes longer than most reports."""
    made_by = os.stat(modules["jinja2.compiler"].__file__).st_mtime_ns
    folder = os.path.join(TEMPLATES, "__pycache__")

    class Compiled(jinja2.BytecodeCache):
        def get_cache_key(self, name, filename=None):
            return name

        def path(self, bucket):
            return os.path.join(folder, "%s.%s-%x" % (bucket.key, sys.implementation.cache_tag, made_by))

        def load_bytecode(self, bucket):
            try:
                with open(self.path(bucket), "rb") as f:
                    bucket.load_bytecode(f)     # what is not whole, or of another text, is compiled again
            except OSError:
                bucket.reset()

        def dump_bytecode(self, bucket):
            if not (always or not sys.dont_write_bytecode and os.access(TEMPLATES, os.W_OK)):
                return
            temp = "%s.%d" % (self.path(bucket), os.getpid())
            try:
                os.makedirs(folder, exist_ok=True)
                with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644), "wb") as f:
                    bucket.write_bytecode(f)
                os.replace(temp, self.path(bucket))
            except OSError:
                bucket.reset()                  # the disk is full, for example: the next report compiles them again

    return Compiled()


def quick_escape(markupsafe):
    """markupsafe.escape() for the values that a report has most; it is asked for each cell of each table."""
    special, new, whole, Markup = re.compile("[&<>'\"]").search, str.__new__, markupsafe.escape, markupsafe.Markup

    def escape(value):
        if type(value) is int or type(value) is str and not special(value):
            return new(Markup, value)
        return whole(value)

    return escape


def quick_environment(jinja2):
    """A dict's attribute in a template is its item."""
    nothing = jinja2.Undefined()

    class Environment(jinja2.Environment):
        def getattr(self, obj, attribute):
            return obj.get(attribute, nothing) if type(obj) is dict else super().getattr(obj, attribute)

    return Environment


def environment(always=False, **more):
    """Templates of this folder, with autoescape; `more`: functions that they call.  ImportError: jinja2 is not there."""
    if "jinja2" not in modules:
        markupsafe = load("markupsafe")
        markupsafe.__dict__["escape"] = quick_escape(markupsafe)
    jinja2 = load("jinja2")
    env = quick_environment(jinja2)(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                             lstrip_blocks=True, bytecode_cache=compiled(jinja2, always))
    env.globals.update(more)
    return env


def install():
    """Compiles the templates when cdbg is built or installed.  Without jinja2 the first report does."""
    try:
        env = environment(True)
    except ImportError:
        return
    for name in env.list_templates(extensions=["html"]):
        env.get_template(name)
