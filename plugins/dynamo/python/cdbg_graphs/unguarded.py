# SPDX-License-Identifier: BSD-3-Clause
"""Which of the values that Dynamo read has no guard, and what each is now.  Sources are read as Dynamo's accessors lead to
them, statically: no property, no __getattr__() and no other code of the program runs.  Keeps nothing."""
import ast
import functools
import re
import sys
import types
import weakref
from typing import Any

import torch

from .errors import Refused

Found = tuple[str, Any]  # how a read ended: "is" and the value, "gone" (nothing is there), "unread" (not without running code)

_mro = type.__dict__["__mro__"].__get__
_type_dict = type.__dict__["__dict__"].__get__
_ID = re.compile(r", (\d+)\)")
_ORDINARY = (types.GetSetDescriptorType, types.MemberDescriptorType)  # written in C, and run nothing
_torch_own = re.compile(r"[/\\]torch[/\\]_dynamo[/\\]")
_OWN_METHOD = re.compile(r"\b(?:list|tuple|dict|set|frozenset|object|type)\.\w+(?=\()")
_OF_MODULES = "_parameters", "_buffers", "_modules"
parsed: dict[str, ast.expr | None] = {}


class Unread(Exception):
    """It cannot be read without running code of the program."""


class Gone(Exception):
    """Nothing is there any more."""


# ---- reading ------------------------------------------------------------------------------------------------------
def is_a(v: Any, cls: type) -> bool:
    """isinstance(), which would ask a property __class__ of the program."""
    return cls in _mro(type(v))


def in_class(cls: type, name: str) -> Any:
    for base in _mro(cls):
        names = _type_dict(base)
        if name in names:
            return names[name]
    raise Gone


def runs_code(descriptor: Any) -> bool:
    """Does access through it run a function of the program, or one that is not known?"""
    kind = type(descriptor)
    if kind in (types.FunctionType, staticmethod, classmethod, types.BuiltinFunctionType, types.MethodDescriptorType,
                types.WrapperDescriptorType, *_ORDINARY):
        return False
    return any("__get__" in _type_dict(base) for base in _mro(kind))


def bound(attribute: Any, owner: Any) -> Any:
    if runs_code(attribute):
        raise Unread
    if type(attribute) is staticmethod:
        return attribute.__func__
    if type(attribute) is classmethod:
        return types.MethodType(attribute.__func__, owner if is_a(owner, type) else type(owner))
    if type(attribute) in (types.MethodDescriptorType, types.WrapperDescriptorType) and not is_a(owner, type):
        raise Unread  # C binds it to an object of another type at each access
    if type(attribute) is types.FunctionType and not is_a(owner, type):
        return types.MethodType(attribute, owner)
    return attribute


def own_names(owner: Any) -> dict:
    try:
        descriptor = in_class(type(owner), "__dict__")
    except Gone:
        return {}
    if type(descriptor) not in _ORDINARY:
        raise Unread
    return descriptor.__get__(owner, type(owner))


def of_class(cls: type, name: str) -> Any:
    if name in ("__dict__", "__mro__", "__name__", "__qualname__", "__bases__"):
        return type.__dict__[name].__get__(cls)
    try:
        return bound(in_class(cls, name), cls)
    except Gone:
        return bound(in_class(type(cls), name), cls)


def attribute(owner: Any, name: str) -> Any:
    kind = type(owner)
    if is_a(owner, torch.Tensor):
        raise Unread
    if is_a(owner, type):
        return of_class(owner, name)
    if name == "__class__":
        return kind
    try:
        found = in_class(kind, name)
    except Gone:
        found = Gone
    if type(found) in _ORDINARY:
        try:
            return found.__get__(owner, kind)
        except (AttributeError, ValueError):  # an empty slot or cell
            raise Gone from None
    if found is not Gone and runs_code(found):
        raise Unread
    names = own_names(owner)
    if name in names:
        return names[name]
    if found is not Gone:
        return bound(found, owner)
    for table in ("_parameters", "_buffers", "_modules"):
        if is_a(owner, torch.nn.Module) and name in names.get(table, ()):
            return names[table][name]
    if not is_a(owner, torch.nn.Module) and any("__getattr__" in _type_dict(base) for base in _mro(kind)):
        raise Unread
    raise Gone


def item(owner: Any, key: Any) -> Any:
    try:
        if is_a(owner, dict):
            return dict.__getitem__(owner, key)
        if type(owner) is types.MappingProxyType:
            return owner[key]
        if (is_a(owner, list) or is_a(owner, tuple)) and type(key) in (int, slice):
            return (list if is_a(owner, list) else tuple).__getitem__(owner, key)
    except (KeyError, IndexError):
        raise Gone from None
    raise Unread


class Reader:
    """Sources of one entry, with its locals and its globals.  Texts that several sources begin with are read once."""

    def __init__(self, locals: dict, globals: dict, cover: "Cover | None" = None) -> None:
        self.names = {"L": locals, "G": globals}
        self.cover = cover
        self.known: dict[str, Found] = {}

    def read(self, source: str) -> Found:
        tree = parsed.get(source)
        if tree is None and source not in parsed:
            try:
                tree = ast.parse(source, mode="eval").body
            except SyntaxError:  # a key of a dict that has no text
                tree = None
            parsed[source] = tree
        if tree is None:
            return "unread", None
        try:
            return "is", self.value(tree)
        except Gone:
            return "gone", None
        except (Unread, RecursionError):
            return "unread", None

    def value(self, e: ast.expr) -> Any:
        match e:
            case ast.Constant():
                return e.value
            case ast.Attribute():
                return attribute(self.value(e.value), e.attr)
            case ast.Subscript(value=ast.Name(id="L" | "G" as scope)):
                return self.variable(scope, self.value(e.slice))
            case ast.Subscript(slice=ast.Constant(value=str() as name)):
                owner = self.value(e.value)
                hidden = self.own_value(e.value, name)
                return item(owner, name) if hidden is Gone else hidden
            case ast.Subscript():
                return item(self.value(e.value), self.value(e.slice))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as n)):
                return -n
            case ast.Call():
                return self.call(e)
        raise Unread

    def variable(self, scope: str, name: Any) -> Any:
        if name in self.names[scope]:
            return self.names[scope][name]
        text = str(name)
        if scope == "G" and text.startswith("__import_"):
            module = sys.modules.get(text.removeprefix("__import_").replace("_dot_", "."))
            if module is not None:
                return module
        if scope == "L" or text.startswith("__"):
            raise Unread
        raise Gone

    def own_value(self, table: ast.expr, name: str) -> Any:
        """What an object has itself under a name that Dynamo read from a class of it, "dict(type(G['cfg']).__dict__)": Gone where it has
        none, or where a guard says that it has none."""
        while True:
            match table:
                case ast.Call(func=ast.Name(id="dict"), args=[table]) | ast.Attribute(value=table, attr="__dict__" | "__mro__") | ast.Subscript(
                        value=ast.Attribute(attr="__mro__") as table):
                    continue
                case ast.Call(func=ast.Name(id="type"), args=[owner]):
                    break
                case _:
                    return Gone
        if self.cover and self.cover.lacks(ast.unparse(owner), name):
            return Gone
        v = self.value(owner)
        descriptor = in_class(type(v), name)
        data = any("__set__" in _type_dict(base) for base in _mro(type(descriptor)))
        return Gone if data or is_a(v, type) else own_names(v).get(name, Gone)

    def call(self, e: ast.Call) -> Any:
        args = e.args
        match ast.unparse(e.func), len(args):
            case ("dict", 1):
                return self.value(args[0])
            case ("type", 1):
                return type(self.value(args[0]))
            case ("list", 1) | ("dict.keys", 1):
                inner = self.value(args[0])
                if is_a(inner, dict):
                    return list(dict.keys(inner))
                if type(inner) in (list, tuple):
                    return list(inner)
            case ("getattr" | "object.__getattribute__", 2):
                name = self.value(args[1])
                if type(name) is str:
                    return attribute(self.value(args[0]), name)
            case ("dict.__getitem__" | "list.__getitem__" | "tuple.__getitem__", 2):
                return item(self.value(args[0]), self.value(args[1]))
            case ("__import__", 1):
                return sys.modules.get(self.value(args[0]))
            case (_, 0):
                ref = self.value(e.func)
                if type(ref) is weakref.ref:
                    target = ref()
                    if target is None:
                        raise Gone
                    return target
        raise Unread


# ---- guards -------------------------------------------------------------------------------------------------------
class Cover:
    """What the guards of an entry cover: rows (source, kind, text) of its leaves."""

    def __init__(self, leaves: list[tuple[str, str, str]]) -> None:
        self.leaves: dict[str, set[str]] = {}
        self.above: set[str] = set()
        self.ids: set[int] = set()
        self.absent: set[tuple[str, str]] = set()
        for source, kind, text in leaves:
            self.leaves.setdefault(source, set()).add(kind)
            if kind == "DICT_CONTAINS":
                self.absent.add((source, text))
            if kind == "ID_MATCH":
                self.ids.update(int(n) for n in _ID.findall(text)[-1:])
        for source in self.leaves:
            self.note_above(source)
        self.text = "\n".join(self.leaves)
        # the tree names some values by a shorter source than the one that Dynamo read and its texts have
        self.said = "\n".join(text for _, kind, text in leaves if kind != "TYPE_MATCH")

    def lacks(self, owner: str, name: str) -> bool:
        """Does a guard say that this object has no such attribute itself?"""
        return any(source.startswith(owner) and text.startswith("not ") and "'%s'" % name in text for source, text in self.absent)

    def note_above(self, source: str) -> None:
        """Each value that this source goes through."""
        tree = parsed.get(source)
        try:
            tree = tree or ast.parse(source, mode="eval").body
        except SyntaxError:
            for at in range(1, len(source)):
                if source[at] in ".[":
                    self.above.add(source[:at])
            return
        for part in ast.walk(tree):
            if part is not tree and isinstance(part, (ast.Subscript, ast.Attribute, ast.Call)):
                self.above.add(ast.get_source_segment(source, part) or "")

    def value(self, name: str, what: str) -> bool:
        leaf = self.leaves.get(name, set())
        if "(" in name and any(name + end in self.said for end in (" ", ",", ")")):
            return True
        if what == "items":
            return bool(leaf - {"TYPE_MATCH"}) or name in self.above
        if what == "code":
            return bool(leaf) or name + ".__code__" in self.leaves or name + ".__func__.__code__" in self.leaves
        return bool(leaf) or what != "atom" and name in self.above

    def code(self, fn: Any, code: types.CodeType, name: str | None) -> bool:
        if id(code) not in self.ids and id(fn) not in self.ids:
            return False
        return name is None or name in self.text


class Guarded:
    """Names that guards look up in classes.  Python's own methods, which some sources name, are none: "list.__getitem__(L['x'], 0)"."""

    def __init__(self, leaves: list[tuple[str, str, str]]) -> None:
        self.sources = _OWN_METHOD.sub("", "\n".join(source for source, _, _ in leaves))
        self.absent = "\n".join(text for source, kind, text in leaves if kind == "DICT_CONTAINS" and ("__mro__" in source or "type(" in source))

    def has(self, name: str) -> bool:
        word = re.escape(name)
        return bool(re.search(r"""\.%s\b|\[['"]%s['"]\]""" % (word, word), self.sources)) or self.is_absent(name)

    def is_absent(self, name: str) -> bool:
        return bool(re.search(r"\b%s\b" % re.escape(name), self.absent))

    def in_module(self, name: str) -> bool:
        """Is it read from the table of a module, past the class?"""
        return any("%s['%s']" % (table, name) in self.sources for table in _OF_MODULES) and not re.search(r"\.%s\b" % re.escape(name), self.sources)


def function_in(found: Any) -> Any:
    """The function that an attribute of a class leads to."""
    if type(found) in (staticmethod, classmethod):
        return found.__func__
    if type(found) is property:
        return found.fget
    return found.func if type(found) is functools.cached_property else found


def now_in_class(fn: Any, owner: Any, holder: Any, first: bool, name: str) -> Found:
    """What is found today where the method was found."""
    cls = owner if first else holder
    if cls is None:
        return "unread", None
    try:
        found = in_class(cls, name) if first else _type_dict(cls)[name]
    except (Gone, KeyError):
        return "gone", None
    inner = function_in(found)
    if type(found) is property and fn in (found.fset, found.fdel):
        inner = fn
    return "is", inner


# ---- all of them --------------------------------------------------------------------------------------------------
def look(reads: list[tuple], leaves: list[tuple[str, str, str]], locals: dict, globals: dict) -> list[tuple[int, str, Any, bool]]:
    """(index, how, value, whether a guard is on its type) of each read that no guard covers."""
    if type(globals) is not dict:
        raise Refused("the globals of the function are not known")
    cover, guarded, out = Cover(leaves), Guarded(leaves), []
    reader = Reader(locals, globals, cover)
    for i, (kind, name, what, *rest) in enumerate(reads):
        if kind == "value":
            if what in ("tensor", "module") or cover.value(name, what) or made_anew(name):
                continue
            out.append((i, *reader.read(name), name in cover.leaves))
        elif kind == "hooks":
            if name not in cover.leaves:
                out.append((i, *reader.read(name), False))
        elif kind == "code":
            fn, code, owner, holder, first = rest
            if _torch_own.search(code.co_filename) or cover.code(fn, code, name):
                continue
            if name is not None:
                how, now = now_in_class(fn, owner, holder, first, name)
                if how != "is" or now is fn or not guarded.is_absent(name) or holder is None or _type_dict(holder).get(name) is not None and (
                        function_in(_type_dict(holder)[name]) is not fn):
                    out.append((i, how, now, False))
            else:
                out.append((i, "is" if fn is not None else "unread", fn, False))
        else:
            out.append((i, "unread", None, False))
    return out


def made_anew(source: str) -> bool:
    """The dict of a class is a new object at each access, and Dynamo's polyfills stand for Python's functions."""
    return source.endswith(".__dict__)") or "polyfills" in source or source.startswith("SYNTHETIC_LOCAL")
