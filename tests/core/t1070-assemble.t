#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code as text and back: what was not changed is the same code, what was changed does what the text says, and what
would crash is refused with its line."""
import dis
import os
import re
import sys
import sysconfig
from opcode import opmap
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from probe import probe  # noqa: E402

V = sys.version_info[:2]


def codes(code):
    yield code
    for const in code.co_consts:
        if hasattr(const, "co_code"):
            yield from codes(const)


def again(code):
    return probe.assemble(code, probe.assembly(code))


# ---- nothing is changed

FACTS = [
    ("assembles", "every code object of the sample can be written and assembled again"),
    ("code", "the instructions are the same bytes"),
    ("handlers", "so is the exception table"),
    ("positions", "every instruction keeps its lines and columns"),
    ("stack", "the stack size is the compiler's"),
    ("tables", "constants, names and variables are the same"),
]


def differences(code):
    try:
        made = again(code)
    except RuntimeError as e:
        return [("assembles", str(e))]
    found = []
    # a load that borrows becomes one that does not
    if made.co_code != code.co_code if V < (3, 14) else len(made.co_code) != len(code.co_code):
        found.append(("code", ""))
    if made.co_exceptiontable != code.co_exceptiontable:
        found.append(("handlers", ""))
    if list(made.co_positions()) != list(code.co_positions()):
        found.append(("positions", ""))
    if made.co_stacksize != code.co_stacksize:
        found.append(("stack", "%d for %d" % (made.co_stacksize, code.co_stacksize)))
    for name in "consts", "names", "varnames", "cellvars", "freevars", "flags", "name", "argcount":
        if getattr(made, "co_" + name) != getattr(code, "co_" + name):
            found.append(("tables", name))
    return found


def sample():
    folder = sysconfig.get_paths()["stdlib"]
    found = []
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("site-packages", "__pycache__", "lib2to3", "idlelib"))
        found += [os.path.join(base, n) for n in sorted(names) if n.endswith(".py")]
    return found if os.environ.get("CDBG_THOROUGH") else found[::8]


wrong, count = {}, 0
for path in sample():
    try:
        with open(path, "rb") as f:
            module = compile(f.read(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        continue
    for code in codes(module):
        count += 1
        for fact, what in differences(code):
            wrong.setdefault(fact, (path, code.co_qualname, what))
note("%d code objects" % count)
ok(count > 1500, "a good part of the standard library was written and assembled")
for fact, name in FACTS:
    ok(fact not in wrong, name, lambda: repr(wrong[fact]))


def replaced(module):
    n = 0
    for v in list(vars(module).values()):
        for f in [v] + (list(vars(v).values()) if isinstance(v, type) else []):
            if hasattr(f, "__code__") and f.__module__ == module.__name__:
                f.__code__ = again(f.__code__)
                n += 1
    return n


def work():
    import difflib
    import json.decoder
    import json.encoder
    import statistics
    import textwrap
    data = {"a": [1, 2.5, None, {"b": "\u20ac" * 3}], "c": list(range(20))}
    text = json.dumps(data, indent=2)
    pure = json.decoder.JSONDecoder()
    pure.scan_once = __import__("json.scanner").scanner.py_make_scanner(pure)
    return (pure.decode(text) == data, textwrap.fill("word " * 60, 31),
            list(difflib.unified_diff(text.split("\n"), text.replace("1", "3").split("\n"))),
            statistics.quantiles([1, 5, 9, 2, 7.5]), list(difflib.ndiff(["abc"], ["abd"])))


before = work()
n = sum(replaced(sys.modules[m]) for m in ("json.decoder", "json.encoder", "textwrap", "difflib", "statistics"))
ok(n > 80 and work() == before, "functions of the standard library run as before on the code made of their text")


# ---- what is changed

def sum_to(n, *rest):
    total = 0
    for i in range(n):
        if i > 2:
            total += i * 10
    return total


def guarded(f):
    try:
        return f()
    except ValueError:
        return "value"


def outer(x):
    def inner():
        return x + 1
    return inner


def loops_over(n):
    return (k + 1 for k in range(n))


def codes_in(f):
    return [c for c in f.__code__.co_consts if hasattr(c, "co_code")]


def once():
    yield 1


def managed(cm, n):
    with cm:
        n = cm + n
    return n


def called(f, n, *args, **kw):
    return f(n, k=n), f(*args, **kw)


def groups(f):
    try:
        return f()
    except* ValueError as e:
        return_ = e
    return return_


def gen(n):
    for i in range(n):
        yield i


def run(code, *args, cells=()):
    return type(gen)(code, {"__builtins__": __builtins__}, "f", None, cells)(*args)


def edited(f, *edits, extra=None):
    text = probe.assembly(f.__code__)
    for old, new in edits:
        if not re.search(old, text, re.M):
            raise AssertionError("%s is not in %s" % (old, text))
        text = re.sub(old, new, text, count=1, flags=re.M)
    return probe.assemble(f.__code__, text, extra) if extra else probe.assemble(f.__code__, text)


def refused(f, want, *edits, extra=None):
    try:
        edited(f, *edits, extra=extra)
    except RuntimeError as e:
        return re.search(want, str(e)) is not None or str(e)
    return "not refused"


def refuses(name, f, want, *edits, **more):
    got = refused(f, want, *edits, **more)
    ok(got is True, name, got)


CONST = r"LOAD_SMALL_INT +10$" if V >= (3, 14) else r"LOAD_CONST +10$"
is_(run(edited(sum_to, (CONST, "LOAD_CONST 7")), 6), 84, "a constant can be changed")
is_(run(edited(sum_to, (CONST, "LOAD_CONST -2.5e3")), 5), -17500.0, "new constants are added")
is_(run(edited(sum_to, (r"BINARY_OP +\*", "BINARY_OP +")), 6), 3 + 4 + 5 + 30, "an operator is given as its symbol")
is_(run(edited(sum_to, (r"(COMPARE_OP +\S*)>", r"\1<")), 6), (0 + 1) * 10, "so is a comparison")
is_(run(edited(sum_to, (r"LOAD_GLOBAL +(.*)range(.*)", r"LOAD_GLOBAL \1reversed\2"), (r"LOAD_FAST +n$", "LOAD_FAST rest")),
        0, 5, 6), 110, "names are added")
is_(run(edited(sum_to, (r"^\.locals.*", r"\g<0> extra"), (r"RETURN_VALUE", "STORE_FAST extra\nLOAD_FAST extra\nRETURN_VALUE")),
        6), 120, "variables are added")
ok("extra" in edited(sum_to, (r"^\.locals.*", r"\g<0> extra")).co_varnames, "and are the function's from then on")
trusting = (lambda l, n, m: (l[n:m], [*l])).__code__
for old, new in (("BUILD_LIST", 0), ("NOP", 0)), (("BUILD_TUPLE", 2), ("BUILD_TUPLE", 1)):
    trusting = trusting.replace(co_code=trusting.co_code.replace(bytes([opmap[old[0]], old[1]]), bytes([opmap[new[0]], new[1]])))
is_(run(again(trusting), [1, 2, 3], 1, 2), ([2, 1, 2, 3],), "a slice is trusted to be a list where that was so before")
inner = codes_in(outer)[0]
made = edited(outer, (r"^\.locals.*", r"\g<0> a b c"))
is_((made.co_cellvars, run(made, 4)()), (("x",), 5), "cells move after new variables")
is_(run(edited(sum_to, (r"^( +RETURN_VALUE)", "    NOP\n" * 300 + r"\1")), 6), 120,
    "jumps over many instructions get their prefixes")
long_ = edited(sum_to, (r"^( +FOR_ITER .*)", r"\1\n" + "    NOP\n" * 300))
is_((run(long_, 6), long_.co_stacksize), (120, sum_to.__code__.co_stacksize), "in both directions")
deeper = edited(sum_to, (r"RETURN_VALUE", "LOAD_CONST 0\n" * 40 + "BUILD_TUPLE 41\nRETURN_VALUE"))
is_((run(deeper, 6)[0], deeper.co_stacksize >= 41), (120, True), "the stack size is what the code needs")
back = """.args n rest
.locals total i
    RESUME 0
again:
    LOAD_FAST n
    POP_JUMP_%sIF_FALSE out
    LOAD_FAST n
    LOAD_CONST 1
    BINARY_OP -
    STORE_FAST n
    JUMP_FORWARD again   # turned round: there is a JUMP_BACKWARD
out:
    LOAD_FAST n
    RETURN_VALUE
""" % ("FORWARD_" if V < (3, 12) else "")
if V >= (3, 13):
    back = back.replace("    POP_JUMP", "    TO_BOOL\n    POP_JUMP")
is_(run(probe.assemble(sum_to.__code__, back), 5), 0, "a jump gets the opcode of its direction")
is_([*edited(sum_to, (r"RETURN_VALUE", ".line 7-8 3:9\nRETURN_VALUE")).co_positions()][-1][:4], (7, 8, 3, 9),
    "lines and columns are as said")

text = probe.assembly(guarded.__code__)
made = probe.assemble(guarded.__code__, text)
is_([run(made, lambda: int("x")), run(made, lambda: 3)], ["value", 3], "handlers catch")
start = re.search(r"^\.try (\S+) (\S+) (\S+) depth 0$", text, re.M).groups()
nested = text.replace(".try %s %s %s depth 0\n" % start, "")
nested += ".try %s %s %s depth 0\n" % start
is_(run(probe.assemble(guarded.__code__, nested), lambda: int("x")), "value", "ranges may be in any order")


def boom():
    raise ValueError


is_(run(edited(sum_to, (r"RETURN_VALUE", "LOAD_CONST $it\nPOP_TOP\nRETURN_VALUE"), extra={"it": boom}), 6), 120,
    "an object that is not a literal comes by its name")
is_(edited(sum_to, (r"BINARY_OP( +\*)", r"BINARY_OP_MULTIPLY_INT\1")).co_code, again(sum_to.__code__).co_code,
    "a specialised form stands for its plain one")
is_(edited(sum_to, (r"LOAD_FAST( +n$)", r"LOAD_FAST_BORROW\1")).co_code, again(sum_to.__code__).co_code,
    "a load that borrows is made one that does not")
if V >= (3, 12):
    try:
        got = run(edited(sum_to, (r"^ +STORE_FAST +total$", "POP_TOP")), 6)
    except (UnboundLocalError, RuntimeError) as e:       # two loads in one are refused
        got = str(e)
    like(got, "cannot access local variable|may be unbound here: LOAD_FAST_CHECK", "a variable that may be unbound is loaded with a check")
    refuses("a branch on an object that is not a bool", sum_to, r"must be True or False", (r"COMPARE_OP.*", "SWAP 2\nPOP_TOP")) \
        if V >= (3, 13) else skip("a branch on an object that is not a bool", "this CPython tests all values")
else:
    skip("a variable that may be unbound is loaded with a check", "this CPython checks every load")
    skip("a branch on an object that is not a bool", "this CPython tests all values")

text = probe.assembly(sum_to.__code__, probe.index(sum_to.__code__, sum_to.__code__.co_code.rindex(
    bytes([__import__("dis").opmap["RETURN_VALUE"]]))), "POP_TOP\nLOAD_CONST 'patched'", None)
is_(run(probe.assemble(sum_to.__code__, text), 6), "patched", "instructions are put in before another")


# ---- what is refused

LOOP = r"^( +FOR_ITER)"
CALL = r"^( +)PRECALL" if V < (3, 12) else r"^( +)CALL"
refuses("other arguments", sum_to, r"line 2: the arguments must stay as they are: 'n rest'", (r"^\.args.*", ".args n"))
refuses("arguments in another order", sum_to, r"line 2: the arguments", (r"^\.args.*", ".args rest n"))
refuses("other free variables", outer, r"line 5: the free variables must stay", (r"^\.free.*", ".free y"))
refuses("other cells", outer, r"line 4: the cells must stay|the cells must stay", (r"^\.cells.*", ".cells x z"))
refuses("a variable left out", sum_to, r"line 3: variable 'i' must stay", (r"^\.locals.*", ".locals total"))
refuses("a constant that is not there", sum_to, r"line \d+: there is no constant '\$99'", (r"LOAD_(?:CONST|SMALL_INT) .*", "LOAD_CONST $99"))
refuses("a constant that is not a literal", sum_to, r"is not a literal", (r"LOAD_(?:CONST|SMALL_INT) .*", "LOAD_CONST print"))
refuses("a constant that can change", sum_to, r"cannot be a constant", (r"LOAD_(?:CONST|SMALL_INT) .*", "LOAD_CONST [1]"))
refuses("code in a constant", sum_to, r"is not a literal", (r"LOAD_(?:CONST|SMALL_INT) .*", "LOAD_CONST __import__('os').getpid()"))
refuses("an unknown variable", sum_to, r"line \d+: no variable 'nn': a new one is named in '.locals'", (r"LOAD_FAST +n$", "LOAD_FAST nn"))
refuses("an unknown instruction", sum_to, r"line \d+: no instruction is called 'LOAD_SLOW'", (r"LOAD_FAST +n$", "LOAD_SLOW n"))
refuses("an operand too many", sum_to, r"POP_TOP has no operand", (r"RETURN_VALUE", "POP_TOP 3"))
refuses("an operand too few", sum_to, r"LOAD_FAST needs an operand", (r"LOAD_FAST +n$", "LOAD_FAST"))
refuses("a jump without a label", sum_to, r"needs a label", (r"FOR_ITER .*", "FOR_ITER 12"))
refuses("a label that is nowhere", sum_to, r"line \d+: there is no label 'Nowhere'", (r"FOR_ITER .*", "FOR_ITER Nowhere"))
refuses("a label that is defined twice", sum_to, r"label 'L1' is defined twice", (LOOP, r"L1:\n\1"))
refuses("an empty stack", sum_to, r"POP_TOP: it needs 1 value on the stack, there are 0", (r"^( +RETURN_VALUE)", r"POP_TOP\nPOP_TOP\n\1"))
refuses("paths that meet with unequal stacks", sum_to, r"the stack holds \d here, but \d when it comes from line", (r"^( +JUMP_BACKWARD)", r"LOAD_FAST n\n\1"))
refuses("values left at the end", sum_to, r"RETURN_VALUE: 1 more value is left", (r"^( +RETURN_VALUE)", r"LOAD_CONST 1\n\1"))
refuses("an end that is run over", sum_to, r"continues past its last instruction", (r"^ +RETURN_VALUE\n(.*\n)*?(?=\.try|\Z)", "    NOP\n"))
refuses("NULL taken for a value", sum_to, r"may be NULL", (r"^( +RETURN_VALUE)", r"PUSH_NULL\nBUILD_TUPLE 2\n\1"))
ITER = r"^ +GET_ITER( +0)?$"
ABOVE = "\n    PUSH_NULL" if V >= (3, 15) else ""
refuses("a loop over an object that is not an iterator", sum_to, r"FOR_ITER: slot \d from the top must be an iterator",
        (ITER, "    POP_TOP\n    LOAD_CONST 'x'" + ABOVE))
if V >= (3, 15):
    refuses("a number of one's own above an iterator", sum_to, r"FOR_ITER: slot 0 from the top must be NULL, or both",
            (ITER, r"\g<0>\n    POP_TOP\n    LOAD_SMALL_INT 0"))
    refuses("a sequence without its number", sum_to, r"FOR_ITER: slot 1 from the top must be an iterator",
            (ITER, r"\g<0>\n    POP_TOP\n    PUSH_NULL"))
    refuses("a sequence with another's number", sum_to, r"FOR_ITER: slot 0 from the top must be NULL, or both",
            (ITER, r"\g<0>\n    LOAD_FAST n\n    GET_ITER 0\n    SWAP 2\n    POP_TOP\n    SWAP 2\n    POP_TOP"))
else:
    for name in "a number of one's own above an iterator", "a sequence without its number", "a sequence with another's number":
        skip(name, "iterators of this CPython stand alone")
refuses("a loop over what a call gives, which was none before", sum_to, r"FOR_ITER: slot \d from the top must be an iterator", (ITER, "    NOP" + ABOVE))
if "GET_ITER" not in [i.opname for i in dis.get_instructions(codes_in(loops_over)[0])]:
    refuses("a loop over a variable that is stored to, where it was not before", type(gen)(codes_in(loops_over)[0], {}), "must be an iterator",
            (r"^( +LOAD_FAST +\.0)", r"LOAD_CONST 1\nSTORE_FAST .0\n\1"))
    refuses("a comprehension's inside that is called with no iterator", loops_over, r"must be an iterator", (ITER, "    NOP"))
    refuses("that inside used otherwise", loops_over, r"loops over its argument: CALL 0 with an iterator",
            (r"^( +RETURN_VALUE)", r"POP_TOP\nLOAD_CONST $%d\nMAKE_FUNCTION%s\n\1"
             % ([hasattr(c, "co_code") for c in loops_over.__code__.co_consts].index(True), "" if V >= (3, 13) else " 0")))
else:
    for name in ("a loop over a variable that is stored to, where it was not before", "that inside used otherwise",
                 "a comprehension's inside that is called with no iterator"):
        skip(name, "a comprehension of this CPython makes its iterator itself")
refuses("an append to an object that is not a list", sum_to, r"must be a list", (r"^( +RETURN_VALUE)", r"LOAD_CONST 1\nLOAD_CONST 2\nLIST_APPEND 1\nPOP_TOP\n\1"))
refuses("a jump into the beginning", outer, r"nothing may jump to the beginning",
        (r"^( +)(COPY_FREE_VARS|MAKE_CELL)", r"L77:\n\1\2"), (r"^( +RETURN_VALUE)", r"JUMP_BACKWARD L77\n\1"))
refuses("another beginning", outer, r"the code must begin unchanged", (r"^ +MAKE_CELL.*\n", ""))
refuses("an instruction of the interpreter's own", sum_to, r"make these themselves", (r"^( +RETURN_VALUE)", r"CACHE\n\1"))
refuses("a prefix", sum_to, r"make these themselves", (r"^( +RETURN_VALUE)", r"EXTENDED_ARG 1\n\1"))
refuses("a yield outside of a generator", sum_to, r"is not a generator", (r"^( +RETURN_VALUE)", r"YIELD_VALUE%s\n\1" % (" 0" if V >= (3, 12) else "")))
refuses("a plain store into a cell", outer, r"the variable is a cell", (r"^( +RETURN_VALUE)", r"STORE_FAST x\nLOAD_CONST 1\n\1"))
refuses("a load of a cell from a variable that is not one", sum_to, r"neither a cell nor free", (r"LOAD_FAST +n$", "LOAD_DEREF n"))
refuses("a name by a number that it has not", sum_to, r"LOAD_GLOBAL: invalid operand 900", (r"LOAD_GLOBAL .*range.*", "LOAD_GLOBAL =900"))
refuses("a constant by a number that it has not", sum_to, r"LOAD_CONST: invalid operand 900", (r"LOAD_CONST +0$|LOAD_SMALL_INT +0$", "LOAD_CONST =900"))
refuses("what makes free variables, in the middle", sum_to, r"COPY_FREE_VARS is only valid at the beginning", (r"^( +RETURN_VALUE)", r"COPY_FREE_VARS 3\n\1"))
refuses("what makes a generator, in the middle", gen, r"RETURN_GENERATOR is only valid at the beginning", (LOOP, r"RETURN_GENERATOR\nPOP_TOP\n\1"))
refuses("a resumption from an iterator that is not there", once, r"RESUME: it needs [23] values", (r"^( +)RESUME +[159]$", r"\1RESUME 2"))
refuses("an end of a 'with' without its exception", managed, r"WITH_EXCEPT_START: slot 0 from the top must be an exception",
        (r"^( +WITH_EXCEPT_START)", r"LOAD_CONST 1\nSWAP 2\nPOP_TOP\n\1"))
refuses("an operation that takes what its handler wants", managed, r"BINARY_OP: its handler needs \d values? on the stack, there (is|are) \d",
        (r"^( +BINARY_OP +\+)$", r"\1\nBINARY_OP +\nLOAD_CONST 1"))
refuses("another object raised again", guarded, r"RERAISE: slot 0 from the top must be an exception", (r"^( +RERAISE)", r"LOAD_FAST f\nSWAP 2\nPOP_TOP\n\1"))
refuses("exceptions raised again that may be none", groups, r"RERAISE: slot 0 from the top must be an exception",
        (r"(?s)(.*POP_JUMP\S*)_IF_NOT_NONE", r"\1_IF_NONE"))
refuses("what else is kept among exceptions raised", groups, r"must be a list of the exceptions", (r"^( +)BUILD_LIST +0$", r"\1LOAD_CONST 1\n\1BUILD_LIST 1"))
if V >= (3, 12):
    refuses("a loop that ends elsewhere", sum_to, r"FOR_ITER: its label must be before END_FOR", (r"^( +)END_FOR(?: *)$", r"\1NOP\n\1END_FOR"))
    refuses("keywords that are not a dict", called, r"CALL_FUNCTION_EX: slot 0 from the top must be a dict",
            (r"^( +CALL_FUNCTION_EX .*)", r"POP_TOP\nLOAD_FAST kw\n\1") if V < (3, 14) else (r"^( +CALL_FUNCTION_EX.*)", r"POP_TOP\nLOAD_FAST kw\n\1"))
refuses("names that are not those of a call", called, r"a tuple of names", (r"^( +)(KW_NAMES|LOAD_CONST) +\('k',\)", r"\1\2 (1,)"))
refuses("more names than a call has arguments", called, r"a tuple of names|more names", (r"^( +)(KW_NAMES|LOAD_CONST) +\('k',\)", r"\1\2 ('k', 'l', 'm')"))
refuses("an operand out of range", sum_to, r"BINARY_OP: invalid operand 99", (r"BINARY_OP +\*", "BINARY_OP =99"))
refuses("a function without its cells", outer, r"free variables|must be a tuple",
        (r"MAKE_FUNCTION +8", "MAKE_FUNCTION 0") if V < (3, 13) else (r"^ +SET_FUNCTION_ATTRIBUTE.*", "    SWAP 2\n    POP_TOP"))
refuses("code that is not code", outer, r"must be a code object", (r"LOAD_CONST +\$\d+ .*", "LOAD_CONST 1"))
refuses("a range whose handler needs more than there is", guarded, r"its handler needs 9 values", (r"^\.try (\S+ \S+ \S+) depth 0", r".try \1 depth 9"))
refuses("a range that ends before it begins", guarded, r"the range ends before it begins", (r"^\.try (\S+) (\S+) (\S+) depth 0", r".try \2 \1 \3 depth 0"))
refuses("ranges that cross", sum_to, r"the range overlaps that of line \d+",
        (r"^( +FOR_ITER)", r"A:\n\1"), (r"^( +STORE_FAST +i$)", r"B:\n\1"), (r"^( +LOAD_FAST +i$)", r"C:\n\1"),
        (r"\Z", "H:\n    PUSH_EXC_INFO\n    POP_TOP\n    POP_EXCEPT\n    LOAD_CONST 1\n    RETURN_VALUE\n"
                "E:\n    LOAD_CONST 1\n    RETURN_VALUE\n.try A C H depth 0\n.try B E H depth 0\n"))
refuses("an exception released by what does not hold it", guarded, r"belongs to the exception",
        (r"^ +POP_EXCEPT$", "    POP_TOP"))
if V < (3, 12):
    refuses("half of a call", sum_to, r"CALL 1 must follow", (r"^( +)PRECALL( +1)\n", r"\1PRECALL\2\n\1NOP\n"))
refuses("a directive that is not one", sum_to, r"line 1: '.frob' is unknown", (r"\A", ".frob\n"))
refuses("a line that is not one", sum_to, r"expected a line", (r"^\.line.*", ".line x"))
refuses("a text without instructions", sum_to, r"there are no instructions", (r"(?s)\A.*\Z", "# nothing"))
done()
