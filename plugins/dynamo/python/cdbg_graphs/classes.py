# SPDX-License-Identifier: BSD-3-Clause
"""What changed in classes since something was compiled that no guard covers: names that were added, replaced or removed, where the code that
was traced asks for them.  A special method is asked for by instructions and built-in functions.  Runs nothing of the program."""
import dis
import sys
import types
from typing import Any, Iterable

from .unguarded import Guarded, Reader, _mro, _type_dict, is_a

VERSIONS_GONE = sys.version_info >= (3, 14)      # of dictionaries

# special methods; beginnings of the names of instructions; built-in functions
_ASKED = (
    ("bool", "POP_JUMP UNARY_NOT TO_BOOL JUMP_IF", "bool any all"),
    ("len", "POP_JUMP UNARY_NOT TO_BOOL JUMP_IF", "len bool"),
    ("eq ne lt le gt ge", "COMPARE_OP CONTAINS_OP", "min max sorted index count remove"),
    ("contains", "CONTAINS_OP", ""),
    ("getitem missing", "BINARY_SUBSCR BINARY_SLICE BINARY_OP", "getitem itemgetter"),
    ("setitem delitem", "STORE_SUBSCR DELETE_SUBSCR STORE_SLICE", "setitem"),
    ("iter next reversed", "GET_ITER FOR_ITER UNPACK_ LIST_EXTEND LIST_TO_TUPLE CALL_FUNCTION_EX", "iter next list tuple set sum zip map enumerate reversed"),
    ("call", "CALL", "callable"),
    ("init new", "CALL", ""),
    ("setattr delattr", "STORE_ATTR DELETE_ATTR", "setattr delattr"),
    ("enter exit", "BEFORE_WITH LOAD_SPECIAL", ""),
    ("instancecheck subclasscheck subclasshook", "", "isinstance issubclass"),
    ("hash", "BINARY_SUBSCR STORE_SUBSCR CONTAINS_OP BUILD_MAP BUILD_SET", "hash set dict"),
    ("str repr format", "FORMAT_ CONVERT_VALUE", "str repr format print"),
    ("int float index complex abs round neg pos invert", "UNARY_ BINARY_SUBSCR", "int float complex abs round range"),
    ("add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor "
     "radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor "
     "iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor", "BINARY_OP", "sum divmod pow"),
)
special_uses = {"__%s__" % name: (tuple(begins.split()), set(built_in.split())) for names, begins, built_in in _ASKED for name in names.split()}


class Traced:
    """What the code that was traced asks for."""

    def __init__(self, codes: Iterable[types.CodeType]) -> None:
        self.instructions: set[str] = set()
        self.names: set[str] = set()
        for code in codes:
            self.add(code)

    def add(self, code: types.CodeType) -> None:
        self.instructions.update(i.opname for i in dis.get_instructions(code))
        self.names.update(code.co_names)
        for const in code.co_consts:
            if type(const) is types.CodeType:
                self.add(const)
            elif type(const) is str:
                self.names.add(const)

    def asks(self, name: str) -> bool:
        if name not in special_uses:
            return name in self.names and not name.startswith("__")
        begins, built_in = special_uses[name]
        return name in self.names or bool(built_in & self.names) or any(i.startswith(begins) for i in self.instructions if begins)


def is_data(v: Any) -> bool:
    return any("__set__" in _type_dict(base) for base in _mro(type(v)))


def is_function(v: Any) -> bool:
    return type(v) in (types.FunctionType, classmethod, staticmethod, property)


def inherited(cls: type, name: str) -> tuple[type | None, Any]:
    """The base of a class that has a name, and what it is there."""
    for base in _mro(cls)[1:]:
        names = _type_dict(base)
        if name in names:
            return base, names[name]
    return None, None


def matters(cls: type, name: str, old: int | None, now: Any, supers: set[str], guarded: Guarded) -> bool:
    """Would the traced code, which asks for the name, do something else?  now: what the class has, if anything."""
    if name in special_uses:
        return not guarded.has(name)
    base, before = inherited(cls, name)
    if old is None and is_data(now):
        return guarded.in_module(name) if base is None else not guarded.has(name)
    if old is None and is_function(now) and base is not None:
        if name in supers:      # what super() found may be hidden now
            return not guarded.is_absent(name)
        return not is_function(before) and callable(before) and not guarded.has(name)
    return False


def was_text(cls: type, name: str, old: int | None) -> str:
    base, _ = inherited(cls, name)
    return "another one" if old is not None else "that of %s" % type.__dict__["__name__"].__get__(base) if base is not None else "not there"


def changed_names(classes: list[tuple[type | None, dict[str, int]]], codes: list[types.CodeType], ran: set[str], supers: set[str],
                  leaves: list[tuple[str, str, str]], locals: dict, globals: dict) -> list[tuple[str, str, Any, bool]]:
    """(title, was, what is there, whether anything is) of each.  ran: titles of methods that were traced, which are compared by their code.
    supers: names of methods that were found past the first that has the name."""
    found = [(cls, name) for cls, before in classes if cls is not None for name in different(cls, before)]
    if not found:
        return []
    traced, guarded, out = Traced(codes), Guarded(leaves), []
    before = {id(cls): names for cls, names in classes}
    measured = measured_classes(leaves, Reader(locals, globals))
    for cls, name in found:
        old, there = before[id(cls)].get(name), name in _type_dict(cls)
        now = _type_dict(cls)[name] if there else None
        if name == "__len__" and id(cls) in measured or not traced.asks(name) or not matters(cls, name, old, now, supers, guarded):
            continue
        title = "%s.%s" % (type.__dict__["__name__"].__get__(cls), name)
        if title not in ran:
            out.append((title, was_text(cls, name, old), now, there))
    return out


def measured_classes(leaves: list[tuple[str, str, str]], reader: Reader) -> set[int]:
    """Classes, by address, whose length a guard asks by len().  Of dicts it is read.  Up to CPython 3.13 dictionaries have versions, and guards on
    tuples are skipped while that of the globals is the same (torch's guards.cpp, 2.13)."""
    out: set[int] = set()
    for source, kind, _ in leaves:
        how, value = reader.read(source) if kind == "LENGTH_CHECK" else ("unread", None)
        if how == "is" and not is_a(value, dict) and (VERSIONS_GONE or not is_a(value, tuple)):
            out.update(id(base) for base in _mro(type(value)))
    return out


def different(cls: type, before: dict[str, int]) -> list[str]:
    if not is_a(cls, type):
        return []
    now = _type_dict(cls)
    changed = [name for name, value in now.items() if before.get(name) != id(value)]
    return changed + [name for name in before if name not in now]
