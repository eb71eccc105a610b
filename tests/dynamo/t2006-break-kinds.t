#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Graph breaks of every kind that Dynamo has: info breaks says what torch's own log says, and where to go on."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from breaks import breaks_logged
from cdbgtest import *

need_torch()

# name: body of a function of x and n
KINDS = {
    "branch": "y = x + n\nif y.sum() > 0:              # here\n    y = y + 1\nreturn y",
    "while_data": "y = x * n\nwhile y.sum() < 9:           # here\n    y = y + 1\nreturn y",
    "asserts": "y = x * n\nassert y.sum() > 0, 'no: %d' % n if n > 99 else y.tolist()   # here\nreturn y",
    "item": "y = x + n\nk = y.sum().item()           # here\nreturn y + k",
    "tolist": "y = x + n\nk = y.tolist()               # here\nreturn y + len(k)",
    "prints": "y = x + n\nprint(y.shape, end='')       # here\nreturn y * 2",
    "opens": "y = x + n\nf = open(os.devnull)         # here\nreturn y * 2",
    "logs": "y = x + n\nlogger.warning('seen %s', n) # here\nreturn y * 2",
    "warns": "y = x + n\nwarnings.warn('seen')        # here\nreturn y * 2",
    "c_function": "y = x + n\nk = zlib.crc32(b'abc')       # here\nreturn y * 2 + (k & 1)",
    "sleeps": "y = x + n\ntime.sleep(0)                # here\nreturn y * 2",
    "explicit": "y = x + n\ntorch._dynamo.graph_break()  # here\nreturn y * 2",
    "disabled": "y = x + n\ny = apart(y)                 # here\nreturn y * 2",
    "nested": "y = x + n\ny = outer(y)                 # calls\nreturn y * 2",
    "looped": "for k in range(2):\n    x = x + k\n    torch._dynamo.graph_break()   # here\nreturn x * n",
    "tried": "y = x + n\ntry:\n    torch._dynamo.graph_break()   # here\n    y = y * 2\nexcept ValueError:\n    y = y - 1\nreturn y",
    "lastly": "y = x + n\ntry:\n    torch._dynamo.graph_break()   # here\nfinally:\n    y = y * 2\nreturn y",
    "no_grad": "with torch.no_grad():\n    y = x + n\n    torch._dynamo.graph_break()   # here\n    y = y * 2\nreturn y",
    "manager": "with Own():\n    y = x + n\n    torch._dynamo.graph_break()   # here\nreturn y * 2",
    "enters": "y = x + n\nwith open(os.devnull) as f:  # here\n    y = y * 2\nreturn y",
    "generator": "y = x + n\nfor k in numbers(y):         # calls\n    y = y + k\nreturn y",
    "nonzero": "y = x + n\nz = torch.nonzero(y)         # here\nreturn z.shape[0] + y",
    "unique": "y = x + n\nz = torch.unique(y)          # here\nreturn z.sum() + y",
    "masked": "y = x + n\nz = y[y > 0]                 # here\nreturn z.sum() + y",
    "stores": "y = x + n\nholder.value = y.tolist()    # here\nreturn y * 2",
    "evals": "y = x + n\nz = eval('1 + 1')            # here\nreturn y * z",
    "imports": "y = x + n\nimportlib.import_module('this_is_none') if n > 99 else sys.getrefcount(y)   # here\nreturn y * 2",
    "argument": "y = mix(x + n, print('', end=''))   # here\nreturn y * 2",
    "builds": "y = [x + n, x * n, time.time()]    # here\nreturn y[0] + y[1]",
    "numbers": "y = x + n\nk = random.SystemRandom().random() >= 0   # here\nreturn y + k",
    "pointer": "y = x + n\nk = y.data_ptr() * 0         # here\nreturn y + k",
    "tensor_set": "y = x + n\ny.set_(y.storage())          # here\nreturn y * 2",
    "backward": "y = (x + n).requires_grad_()\ny.sum().backward()           # here\nreturn y * 2",
    "step": "y = x + n\ntorch._dynamo.step_unsupported()   # here\nreturn y * 2",
    "skips": "y = x + n\ntorch._dynamo.skip_frame('asked for')   # here\nreturn y * 2",
    "raises": "y = x + n\nraise_it(y) if n == 2 else None    # here\nreturn y",
}

HEAD = '''
import importlib, logging, os, random, sys, time, warnings, zlib
import torch

logger = logging.getLogger("program")
logger.addHandler(logging.NullHandler())
logger.propagate = False
warnings.simplefilter("ignore")

class Holder:
    value = None
holder = Holder()

class Own:
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        return False

@torch.compiler.disable
def apart(y):
    return y + 1

def inner(y):
    z = y * 3
    torch._dynamo.graph_break()     # inner breaks
    return z

def outer(y):
    return inner(y) + 1             # outer calls

def numbers(y):
    yield 1
    torch._dynamo.graph_break()     # the generator breaks
    yield 2

def mix(y, nothing):
    return y

def raise_it(y):
    raise KeyError("the program's")

'''


def program():
    parts = [HEAD]
    for name, body in KINDS.items():
        parts.append("@torch.compile(backend='eager')\ndef %s(x, n):\n    %s\n\n" % (name, body.replace("\n", "\n    ")))
    parts.append("for f in (%s):\n" % ", ".join(KINDS))
    parts.append("    try:\n        r = f(torch.ones(3), 2)\n        print(f.__name__, r.sum().item())\n"
                 "    except Exception as e:\n        print(f.__name__, type(e).__name__, str(e).split(chr(10))[0])\n")
    return "".join(parts)


path = script(program())
logged, plain, err = breaks_logged(path, env={"TORCH_LOGS": "graph_breaks"})
torch_said = re.findall(r"Graph break in user code at [^\n]*:(\d+)$", err, re.M)
broke = [name for name in KINDS if any(b[0] == name for b in logged)]
note("no break with this version of torch in: " + ", ".join(name for name in KINDS if name not in broke))
ok(len(broke) >= len(KINDS) * 3 // 4, "most of these functions break the graph with this version of torch", broke)
if torch_has("torch._dynamo.symbolic_convert.InstructionTranslatorBase.log_graph_break"):
    ok(len({b[4] for b in logged}) >= 12, "in many kinds", sorted({str(b[4]) for b in logged}))
else:
    skip("in many kinds", "not in this version of torch: kinds of graph breaks")


def words(text):
    """Where things lie differs from run to run."""
    return re.sub(r" at 0x[0-9a-f]+", "", text)


with Cdbg(path, limit=600) as d:
    d.run_out()
    is_(d.out, plain, "the program's output is the same with cdbg")
    rows = d.rows("info breaks")
is_([(r["function"], r["line"], r["nodes"], r["kind"]) for r in rows], [(b[0], b[1], b[3], b[4]) for b in logged],
    "info breaks lists what torch logs: function, line, nodes so far, kind")
wrong = [(r["function"], r["reason"][:99], b[5]) for r, b in zip(rows, logged) if words(b[5]) not in words(r["reason"])]
is_(wrong, [], "each with torch's words")
is_(sorted({line for line in torch_said} - {str(r["line"]) for r in rows}), [],
    "each line that TORCH_LOGS=graph_breaks names is there")
by = {}
for r in rows:
    by.setdefault(r["function"], []).append(r)
is_([r["function"] for r in rows if bool(r["resume"]) == r["skipped"] and r["function"] != "step"], [],
    "each is followed by resume functions, or its frame is skipped")
for name in ("looped", "tried", "lastly", "manager"):
    ok(name not in by or all(r["skipped"] and not r["resume"] for r in by[name]), "a frame skipped for a break reports it: " + name,
       by.get(name))
for name, word in (("branch", "gt"), ("item", "sum"), ("prints", "print"), ("explicit", "graph_break"), ("argument", "print"),
                   ("builds", "time")):
    ok(name not in by or word in (by[name][0]["stack"] or "").lower(), "the symbolic stack has the operands: " + name,
       by.get(name) and by[name][0]["stack"])
like(by["argument"][0]["stack"], "mix.*print", "also what is below them")
is_(by["nested"][0]["line"], line_of(path, "inner breaks"), "a break in an inlined function is at its innermost line")
lines = "".join(line + "\n" for line in ("import torch", "@torch.compile(backend='eager')", "def f(x):", "    y = x + 1",
                                         "    print(y.shape, end='')", "    return y", "f(torch.ones(2))"))
status, out, err = run(lines, commands=["continue", "info breaks", "info breaks g"], limit=600)
like(out, r"1  f at .*prog.py:5, \d+ nodes so far, resumes in __resume_at_\d+_\d+\n     symbolic stack: (NULL, .*print|.*print.*, NULL, )",
     "the plain text has the place, the resume function and the stack")
# What a break has on its symbolic stack is shown although Dynamo does not look at it, which would guard it.
PASSED_ON = """
    import torch
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list as entries
    @torch._dynamo.disable
    def parse(text):
        return int(text)
    def read(t, text):
        t = t + 1
        return t * parse(text)
    compiled = torch.compile(read, backend="eager")
    print([compiled(torch.ones(2), text).sum().item() for text in ("3", "4", "5")], len(entries(read.__code__)))
"""
status, out, err = bare(PASSED_ON)
for command in "catch exception", "catch graph-break":
    with Cdbg(PASSED_ON) as d:
        d.do(command)
        d.run_out()
        is_(d.out, out, "%s: an argument that is only passed on gets no guard from a look at the stack" % command)
done()
