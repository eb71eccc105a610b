#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The report of a crash: each signal that ends the process, its instruction, line and values; files; what the program's own
# handlers and children get; the same status as without cdbg.
import json
import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

HEAD = """
    import ctypes, faulthandler, mmap, os, signal, sys, threading, time
    libc = ctypes.CDLL(None)

    def die(n, name="x"):
        items = [n, 2.5]
        %s
        return items

    def outer(a):
        return die(a)

"""
BUS = ("f = open(os.path.join(os.path.dirname(__file__), 'bus'), 'wb+'); f.truncate(4096); m = mmap.mmap(f.fileno(), 4096); "
       "at = ctypes.addressof(ctypes.c_char.from_buffer(m)); f.truncate(0); y = ctypes.string_at(at, 1)")
# how it dies, the signal, what the report says of it, the function that runs the instruction
DEATHS = [
    ("reads at null", "y = ctypes.string_at(0)", signal.SIGSEGV, "no memory at address 0x0", "string_at"),
    ("writes at null", "ctypes.memset(0, 1, 8)", signal.SIGSEGV, "no memory at address 0x0", "die"),
    ("follows a wrong pointer", "y = ctypes.string_at(0x123456789000)", signal.SIGSEGV, "no memory at address 0x123456789000", "string_at"),
    ("calls a function that is not there", "ctypes.CFUNCTYPE(None)(0x10)()", signal.SIGSEGV, "no memory at address 0x10", "die"),
    ("aborts", "os.abort()", signal.SIGABRT, "\n", "die"),
    ("has a fatal error of Python", "ctypes.pythonapi.Py_FatalError(b'lab')", signal.SIGABRT, "\n", "die"),
    ("frees memory twice", "p = libc.malloc; p.restype = ctypes.c_void_p; q = ctypes.c_void_p(p(64)); libc.free(q); libc.free(q)",
     signal.SIGABRT, "\n", "die"),
    ("reads a file that was cut", BUS, signal.SIGBUS, "nothing is behind the memory at address 0x", "string_at"),
    ("sends itself SIGFPE", "os.kill(os.getpid(), signal.SIGFPE)", signal.SIGFPE, "\n", "die"),
    ("raises SIGILL", "libc.raise_ = getattr(libc, 'raise'); libc.raise_(4)", signal.SIGILL, "\n", "die"),
    ("raises SIGBUS", "getattr(libc, 'raise')(int(signal.SIGBUS))", signal.SIGBUS, "\n", "die"),
    ("raises SIGSEGV", "getattr(libc, 'raise')(int(signal.SIGSEGV))", signal.SIGSEGV, "\n", "die"),
    ("divides by zero in C", "libc.div.argtypes = [ctypes.c_int] * 2; libc.div(1, 0)", signal.SIGFPE, "at machine instruction 0x", "die"),
]


def program(how, end="outer(3)"):
    return (HEAD % how).replace("\n    ", "\n").lstrip("\n") + end + "\n"


def frames(text):
    """Of the thread that crashed: (function, file, line, offset, opcode with argument)."""
    part = re.split(r"^thread .*\n", text, flags=re.M)
    return [(m[1], os.path.basename(m[2]), int(m[3]), int(m[4]), m[5]) for m in
            re.finditer(r"^  #\d+ +(\S+)  (\S+):(\d+)  offset (\d+) (\w+(?: \d+)?)", part[1] if len(part) > 1 else "", re.M)]


DIS = """
import dis, json, sys
co = next(c for c in compile(open(sys.argv[1]).read(), sys.argv[1], "exec").co_consts if getattr(c, "co_name", "") == "die")
lines = [(first, last, line) for first, last, line in co.co_lines()]
print(json.dumps([(i.offset, i.opname + ("" if i.arg is None else " %d" % i.arg), next(l for a, b, l in lines if a <= i.offset < b))
                  for i in dis.get_instructions(co)]))
"""
listing = script(DIS, "listing.py")


def instructions(path):
    """Of die(), as dis has them: {offset: (opcode with argument, line)}."""
    return {offset: (text, line) for offset, text, line in json.loads(python(listing, path).stdout)}


for what, how, sig, said, innermost in DEATHS:
    path = script(program(how))
    want = bare(path)
    status, out, err = run(path, options=["--plain", "-q"], commands=["continue"])
    is_((status, want[0]), (-sig, -sig), "%s: the status is that without cdbg" % what)
    like(err, "cdbg: the program crashed by %s(: |)%s" % (sig.name, re.escape(said)), "%s: the report names the signal and the reason" % what)
    found = frames(err)
    is_([f[0] for f in found if f[0] in ("die", "outer", "<module>")], ["die", "outer", "<module>"], "%s: the frames, innermost first" % what)
    is_(found and found[0][0], innermost, "%s: the innermost frame" % what)
    line = next((k for k, l in enumerate(open(path).read().split("\n"), 1) if how in l), None)
    died = next((f for f in found if f[0] == "die"), None)
    known = instructions(path)
    is_(died and died[2], line, "%s: the line" % what)
    ok(died and known.get(died[3]) == (died[4], line), "%s: the instruction is one of this line, at its offset" % what, (died, known))
    like(died and died[4] or "", "^(CALL|CALL_KW) ", "%s: it is the call" % what)

# ---- values ----

path = script(program("y = ctypes.memset(0, 1, 8)"))
status, out, err = run(path, options=["--plain", "-q"], commands=["continue"])
like(err, r"#0 +die .*, makes y\n", "the variable that the instruction makes is named")
like(err, r"#0 +die .*\n    value stack, lowest first: (NULL, )?CFunctionType, (NULL, )?int, int, int\n", "the kinds on the value stack, the operands of the call among them")
like(err, r"    variables: n int, name str, items list\n", "the kinds of the variables that are bound")

path = script(program("cell = lambda: (items, gen); gen = (libc.abort() for _ in 'a'); list(gen)"))
status, out, err = run(path, options=["--plain", "-q"], commands=["continue"])
like(err, r"#0 +die\.<locals>\.<genexpr> ", "a generator's frame has its qualified name")
like(err, r"    variables: .*gen generator.*items list", "variables that closures share are followed")

status, out, err = run(script(program("ctypes.memset(0, 1, 8); y = 1")), options=["--plain", "-q"], commands=["continue"])
like(err, r"#0 +die .* CALL(_KW)? \d+\n", "a result that is dropped makes no variable, though the line stores one later")

with Cdbg(program("y = ctypes.memset(0, 1, 8)")) as d:
    d.send("continue")
    crashed = None
    while crashed is None:
        obj = d.next()
        crashed = obj if obj.get("event") == "crashed" else None
    is_((crashed["signal"], crashed["address"]), ("SIGSEGV", 0), "JSON: the object has the signal and the address")
    t = crashed["threads"][0]
    is_((t["died"], t["function"], t["line"], t["opname"][:4]), (True, "die", 6, "CALL"), "JSON: the thread has its innermost position")
    is_([v["name"] for v in t["frames"][0]["locals"]], ["n", "name", "items"], "JSON: the frame has the kinds of its variables")
    is_(t["frames"][0]["makes"], "y", "JSON: and what it makes")

done()
