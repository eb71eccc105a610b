#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code objects decoded: what dis, co_positions and co_stacksize say, over much of the standard library and odd cases."""
import dis
import gc
import os
import sys
import sysconfig
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from probe import probe  # noqa: E402

NO_EVENT, TARGET, LINE, HANDLER, RETURN, YIELD, PREFIX = (1 << i for i in range(7))
MONITORED = sys.version_info >= (3, 12)      # events are sys.monitoring's
OFFSET, NAME, ARG, TEXT, JUMP, LINENO, END_LINENO, COL, END_COL, DEPTH, FLAGS = range(11)


def codes(code):
    yield code
    for const in code.co_consts:
        if hasattr(const, "co_code"):
            yield from codes(const)


def simple(const):
    if isinstance(const, (tuple, frozenset)):
        return all(simple(c) for c in const)
    if isinstance(const, (str, bytes)):
        return True
    return isinstance(const, (int, float, complex, type(None), type(...)))


def line_starts(code):
    """dis's of 3.11: instructions without a line between two of one line start nothing."""
    last = None
    for start, _, line in code.co_lines():
        if line and line != last:
            last = line
            yield start


def instructions(code):
    """dis's, its caches left out: (instruction, its positions)."""
    rows = list(dis.get_instructions(code))
    positions = list(code.co_positions())
    return [(i, positions[i.offset // 2]) for i in rows]


class Library:
    """What went wrong, by fact: the first example of each is kept."""

    def __init__(self):
        self.wrong = {}
        self.codes = self.instructions = self.texts = self.handlers = 0

    def say(self, fact, *what):
        self.wrong.setdefault(fact, what)

    def check(self, code):
        got, want = probe.decode(code), instructions(code)
        self.codes += 1
        self.instructions += len(want)
        where = code.co_filename, code.co_qualname
        if [(r[OFFSET], r[NAME]) for r in got] != [(i.offset, i.opname) for i, _ in want]:
            self.say("list", where)
            return
        index = {i.offset: k for k, (i, _) in enumerate(want)}
        starts = set(line_starts(code))
        deepest = 0
        for row, (i, pos) in zip(got, want):
            at = where, i.offset, i.opname
            if row[ARG] != i.arg:
                self.say("arg", at, row[ARG], i.arg)
            self.text(row, i, at)
            # a module's RESUME is on line 0, which means no line
            if (row[LINENO], row[END_LINENO]) != (pos[0] or 0, pos[1] or 0):
                self.say("line", at, row[LINENO:COL], pos)
            if tuple(None if c < 0 else c for c in row[COL:DEPTH]) != pos[2:]:
                self.say("column", at, row[COL:DEPTH], pos)
            if bool(row[FLAGS] & LINE) != (i.offset in starts):
                self.say("first of line", at)
            if bool(row[FLAGS] & TARGET) != (i.is_jump_target and self.jumped(code, i.offset)):
                self.say("jump target", at)
            if i.opcode in dis.hasjrel and i.opname != "END_ASYNC_FOR" and row[JUMP] != index.get(i.argval):
                self.say("target", at, row[JUMP], i.argval)
            deepest = max(deepest, row[DEPTH])
        self.handler_rows(code, got, index, where)
        if not probe.about(code)["depth_ok"]:
            self.say("depth", where)
        elif deepest != code.co_stacksize and not (deepest == 0 and code.co_stacksize == 1):
            self.say("deepest", where, deepest, code.co_stacksize)

    def jumped(self, code, offset):
        """dis also calls handlers targets."""
        return offset in {i.argval for i in dis.get_instructions(code)
                          if i.opcode in dis.hasjrel and i.opname != "END_ASYNC_FOR"}

    def text(self, row, i, at):
        if i.opcode in dis.hasconst:
            if not simple(i.argval) or len(i.argrepr) > 60 or isinstance(i.argval, frozenset):
                return
            want = i.argrepr
        else:
            # "" is a name in `from . import x`
            # 3.13 has labels for jumps, which are not offsets
            jump = row[JUMP] >= 0 and sys.version_info >= (3, 13)
            if i.opname == "END_ASYNC_FOR" and i.arg is not None or i.opname == "IMPORT_NAME" and not i.argval:
                return
            want = "to %d" % i.argval if jump else i.argrepr or ("" if i.arg is None or i.opcode in dis.hasname else str(i.arg))
        self.texts += 1
        if row[TEXT] != want:
            self.say("text", at, row[TEXT], want)

    def handler_rows(self, code, got, index, where):
        ends = dict(index)
        ends[len(code.co_code)] = len(got)
        want = [(index[e.start], ends[e.end], index[e.target], e.depth, int(e.lasti))
                for e in dis._parse_exception_table(code)]
        self.handlers += len(want)
        if probe.handlers(code) != want:
            self.say("handlers", where, probe.handlers(code), want)
        if any(not got[e[2]][FLAGS] & HANDLER for e in want):
            self.say("handler flag", where)


FACTS = [
    ("list", "instructions are those of dis, offset and name"),
    ("arg", "arguments have their prefixes applied"),
    ("text", "arguments read as dis writes them"),
    ("line", "lines are those of co_positions"),
    ("column", "columns are those of co_positions"),
    ("first of line", "the first instructions of lines are those of dis"),
    ("jump target", "what is jumped to is marked"),
    ("target", "jumps lead where dis says"),
    ("handlers", "the exception table is dis's, by instructions"),
    ("handler flag", "where handlers start is marked"),
    ("depth", "no stack depth is in doubt"),
    ("deepest", "the deepest place is as deep as co_stacksize"),
]


def library():
    folder = sysconfig.get_paths()["stdlib"]
    found = []
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("site-packages", "__pycache__", "lib2to3", "idlelib"))
        found += [os.path.join(base, n) for n in sorted(names) if n.endswith(".py")]
    keep = [f for f in found if os.sep + "test" + os.sep not in f or "test_patma" in f or "test_coroutines" in f
            or "test_except_star" in f or "test_generators" in f or "test_with" in f or "test_asyncgen" in f]
    return keep[::2] if not os.environ.get("CDBG_THOROUGH") else found


def compiled(path):
    with open(path, "rb") as f:
        source = f.read()
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None


lib = Library()
for path in library():
    module = compiled(path)
    for code in codes(module) if module else ():
        lib.check(code)
note("%d code objects, %d instructions, %d arguments read, %d handlers"
     % (lib.codes, lib.instructions, lib.texts, lib.handlers))
ok(lib.instructions > 100000, "a good part of the standard library was decoded")
for fact, name in FACTS:
    ok(fact not in lib.wrong, "standard library: " + name, lambda: repr(lib.wrong[fact]))


# ---- odd cases made for it

def made(source, name="f"):
    space = {}
    exec(compile(source, "<made>", "exec"), space)
    return space[name].__code__


many = "def f():\n" + "".join("    v%d = %d\n" % (i, i * 1000) for i in range(700)) + \
    "    while v1:\n        v1 = v699\n" + "        v2 = v1 + v3\n" * 400 + "    return v699\n"
odd = Library()
for source in (many,
               "def f(a):\n    return (lambda: a)\n",
               "async def f(a):\n    async for x in a:\n        yield [y async for y in x]\n",
               "def f(a):\n    match a:\n        case {'k': [x, *y]}: return x\n        case P(q=1): return y\n",
               "def f(*a, **k):\n    try:\n        with a as b, k: return g(*a, **k)\n"
               "    except* E as e:\n        raise\n    finally:\n        del b\n",
               "class f:\n    def __code__(): pass\n" + "f.__code__ = compile('a: int = 3', '<m>', 'exec')\n",
               "def f(x, /, *, y: 'z' = f'{1!r:>{5}}{2!s}{3!a}'): return x if y is None else not x\n",
               "def f():\n" + "".join("    x%d: lambda q=1, *, r=2: (yield q)\n" % i for i in range(20)),
               "f = lambda: [1, 2.5, 1e300, -0.0, 3j, 'a\\'b', b'x\\0', (), (1,), (1, (2, None)), ..., 10**30]\n"):
    for code in codes(made(source)):
        odd.check(code)
for fact, name in FACTS:
    ok(fact not in odd.wrong, "made cases: " + name, lambda: repr(odd.wrong[fact]))

code = made(many)
rows = probe.decode(code)
prefixed = [k for k, r in enumerate(rows) if r[NAME] != "EXTENDED_ARG" and rows[k - 1][NAME] == "EXTENDED_ARG"]
ok(len(prefixed) > 300, "the long function has prefixed instructions")
if MONITORED:
    ok(not any(rows[k][FLAGS] & NO_EVENT for k in prefixed), "an event comes at an instruction after EXTENDED_ARG")
    ok(all(probe.event_index(code, k) == k for k in prefixed), "and it is its own")
else:
    ok(all(rows[k][FLAGS] & NO_EVENT for k in prefixed), "no event comes at an instruction after EXTENDED_ARG")
    ok(all(probe.event_index(code, k) < k and rows[probe.event_index(code, k)][NAME] == "EXTENDED_ARG"
           for k in prefixed), "its event comes at its prefix")
is_([k for k, r in enumerate(rows) if r[FLAGS] & PREFIX], [k for k, r in enumerate(rows) if r[NAME] == "EXTENDED_ARG"],
    "prefixes are marked")

code = made("def f(a):\n    def g(): return a\n    yield g\n")
rows = probe.decode(code)
entry = [r[NAME] for r in rows].index("RESUME")
ok(all(r[FLAGS] & NO_EVENT for r in rows[:entry + 1]), "no event comes up to RESUME")
is_(probe.event_index(code, 0), entry + 1, "the entry's event comes at the instruction after RESUME")
ok(any(r[FLAGS] & YIELD for r in rows), "a yield is marked")
is_([r[NAME] for r in rows if r[FLAGS] & RETURN], [r[NAME] for r in rows if r[NAME].startswith("RETURN_") and
                                                   r[NAME] != "RETURN_GENERATOR"], "a return is marked")
is_(sum(1 for r in rows if r[NAME] == "RESUME"), 2, "a generator has a RESUME after its yield")
ok(all(r[FLAGS] & NO_EVENT for r in rows if r[NAME] == "RESUME"), "no event comes at any RESUME")

# events as they really come, against the flags
for source, run in ((many.replace("while v1:", "while v1 < 3000:"), lambda f: f()),
                    ("def f(a=1):\n    def g(): return a\n    yield g\n    yield 2\n", lambda f: list(f()))):
    space = {}
    exec(compile(source, "<made>", "exec"), space)
    code, seen = space["f"].__code__, set()
    probe.trace(code, lambda f: seen.add(f.f_lasti), run, space["f"])
    said = {r[OFFSET] for r in probe.decode(code) if not r[FLAGS] & NO_EVENT}
    ok(seen and seen <= said, "events come only where the flags allow them", sorted(seen - said)[:10])
    quiet = {probe.decode(code)[probe.index(code, o)][NAME] for o in said - seen}
    note("flagged, not run: %s" % sorted(quiet))

# ---- the record

def plain(a):
    return a + 1


code = plain.__code__
ok(not probe.peek(code), "a code object that nobody asked about has no record")
is_(probe.index(code, -1), -1, "an offset before the code has no index")
is_(probe.index(code, len(code.co_code)), -1, "nor has one after it")
ok(probe.peek(code), "what was asked about has one")
rows = probe.decode(code)
add = next(r for r in rows if r[NAME] == "BINARY_OP")
is_(probe.index(code, add[OFFSET] + 2), rows.index(add), "an offset within an inline cache is its instruction's")
about = probe.about(made("class C:\n    def m(self, a, b):\n        c = 1\n        def g(): return a, c\n        return g\n"
                         "f = C.m\n"))
is_((about["name"], about["qualname"], about["first_line"], about["file"]), ("m", "C.m", 2, "<made>"), "names are reported")
is_(about["locals"], {"self": "local", "a": "cell", "b": "local", "g": "local", "c": "cell"}, "locals and cells are distinguished")
is_(about["nested"], 1, "nested code objects are found among the constants")
ok(probe.about(made("async def f(): pass"))["generator"], "a coroutine counts as a generator")
inner = next(c for c in made("def f(a):\n    return lambda: a\n").co_consts if hasattr(c, "co_code"))
is_(probe.about(inner)["locals"], {"a": "free"}, "free variables are distinguished")

doomed = compile("1", "<doomed>", "eval")
before = probe.deaths()
probe.mark(doomed)
del doomed
gc.collect()
is_(probe.deaths(), before + 1, "a record ends with its code object")

# ---- constants are never asked for their hash or repr

class Touchy:
    touched = 0

    def __repr__(self):
        Touchy.touched += 1
        return "touchy"

    __str__ = __repr__

    def __hash__(self):
        Touchy.touched += 1
        return 1

    def __eq__(self, other):
        Touchy.touched += 1
        return self is other


touchy = Touchy()
base = made("def f():\n    x = 'here'\n    return x\n")
consts = tuple({"everything": touchy, "big": list(range(100000))} if c == "here" else c for c in base.co_consts)
code = base.replace(co_consts=consts)
Touchy.touched = 0
rows = probe.decode(code)
is_(Touchy.touched, 0, "constants are shown without running their code")
text = next(r[TEXT] for r in rows if r[NAME] == "LOAD_CONST")
ok(text.startswith("{'everything': <") and len(text) <= 120, "a constant is shown as a bounded summary", text)
k = next(k for k, r in enumerate(rows) if r[NAME] == "LOAD_CONST")
ok(probe.arg_object(code, k) is next(c for c in consts if isinstance(c, dict)), "the constant itself can be had")
is_(probe.arg_object(made("def f(): return len"), 1), "len", "a name can be had")

# ---- bytecode that no compiler makes: depths that differ where paths join

ops = dis.opmap
CACHE = {"POP_JUMP_IF_FALSE": [0, 0] * (sys.version_info >= (3, 13))}
RESUME = [ops["RESUME"], 0] + [0, 0] * (sys.version_info >= (3, 15))
body = bytes([*RESUME, ops["LOAD_FAST"], 0, ops.get("POP_JUMP_FORWARD_IF_FALSE") or ops["POP_JUMP_IF_FALSE"], 1, *CACHE["POP_JUMP_IF_FALSE"], ops["LOAD_CONST"], 0,
              ops["LOAD_CONST"], 0, ops["RETURN_VALUE"], 0])
bad = made("def f(a):\n    return a\n").replace(co_code=body, co_stacksize=4)
ok(not probe.about(bad)["depth_ok"], "unequal depths at a join are noticed")
is_({r[DEPTH] for r in probe.decode(bad)}, {-1}, "and no depth is claimed then")
low = made("def f(a):\n    return a\n").replace(co_code=bytes([*RESUME, ops["POP_TOP"], 0, ops["RETURN_VALUE"], 0]))
ok(not probe.about(low)["depth_ok"], "a stack that would go below nothing is noticed")
cut = made("def f(a):\n    return a\n").replace(co_code=bytes([*RESUME, ops["JUMP_FORWARD"], 200]))
is_([r[JUMP] for r in probe.decode(cut)], [-1, -1], "a jump out of the code has no target")
odd_table = made("def f(a):\n    return a\n").replace(co_linetable=b"\xf0\xff", co_exceptiontable=b"\x80\x7f\x7f")
ok(len(probe.decode(odd_table)) > 2, "tables that end in the middle are survived")
done()
