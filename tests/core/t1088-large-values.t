#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Values with a huge repr: shown in part, told to be cut, without the memory and time that all of it takes.
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

MB = 1 << 20
N = 200 * MB

with Cdbg('''
    import array, collections, resource
    N = %d
    class Says:
        made = 0
        def __repr__(self):
            Says.made += 1
            return "r" * N
    class Wide:
        def __repr__(self):
            return "\\u4e2d" * (N // 4)
    class Text(str):
        pass
    class List(list):
        pass
    class Dict(dict):
        pass
    class Set(set):
        pass
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    def fails(text):
        raise ValueError(text)
    text, data, numbers = "t" * N, b"d" * N, array.array("b", bytes(N))
    says, wide, derived, buffer = Says(), Wide(), Text("s") * 1, bytearray(data)
    derived = Text(text)
    many = [0] * (N // 8)
    values = {
        "str": text, "bytes": data, "bytearray": buffer, "array": numbers, "derived from str": derived,
        "list": many, "derived from list": List(many), "tuple": tuple(many), "list of a str": [text],
        "dict of a str": {"k": text}, "derived from dict": Dict(k=text), "str as key": {text: 1}, "set": {text},
        "derived from set": Set([text]), "deque": collections.deque([text]),
        "defaultdict": collections.defaultdict(int, k=text), "dict views": {"k": text}.values(),
        "exception": ValueError(text), "exception of two": ValueError(1, text), "nested": [[({"k": [data]},)]],
    }
    deep = [text, [data, {"k": buffer}]]
    x = 1
''' % N, limit=120) as d:
    d.do("break %d" % d.line_of("x = 1"))
    d.go()

    def used(line):
        """Megabytes by which the highest use of memory rose, seconds, and the reply."""
        before = int(d.text("print peak()"))
        start = time.monotonic()
        reply = d.cmd(line)
        seconds = time.monotonic() - start
        return int(d.text("print peak()")) - before, seconds, reply

    for name in eval(d.text("print list(values)")):
        more, seconds, reply = used("print values[%r]" % name)
        text = reply.get("text") or ""
        like(text, r"\.\.\. \(first 2000 bytes: 'set repr-limit' for more\)$", "%s: print says that it is cut" % name)
        ok(more < 20 and len(text) < 2100, "%s: of 200 MB no part is copied that is not shown" % name, "%d MB" % more)
    more, seconds, reply = used("pp values['str']")
    ok(more < 20 and "repr-limit" in reply["text"], "pp of a huge text is cut, too", "%d MB" % more)
    more, seconds, reply = used("pp deep")
    ok(more < 20 and "repr-limit" in reply["text"], "and of what holds huge texts further in", "%d MB" % more)
    more, seconds, reply = used("whatis text")
    ok(more < 20 and len(reply["text"]) < 300, "whatis reads as little", "%d MB" % more)
    more, seconds, reply = used("info locals")
    ok(more < 20, "so does info locals", "%d MB" % more)
    more, seconds, reply = used("print fails(text)")
    ok(more < 20 and len(reply["error"]) < 1100 and reply["error"].startswith("ValueError: ttt"),
       "an exception with a huge text is cut", "%d MB" % more)
    more, seconds, reply = used("print says")
    ok(more < N // MB + 50, "a repr of the program's that is huge takes what the program itself takes", "%d MB" % more)
    like(reply["text"], r"^r{2000}\.\.\. \(first 2000", "and its beginning is shown")
    is_(d.text("print Says.made"), "1", "it is asked for once")
    more, seconds, reply = used("print wide")
    ok(more < N // MB + 50, "no second copy is made where it has to be encoded", "%d MB" % more)
    like(reply["text"], "^\u4e2d{666}\\.\\.\\.", "it is cut between characters")
    more, seconds, reply = used("print 10 ** 10000000 // 3")
    like(reply.get("text"), r"^<int of \d+ bits>", "an int with more digits than can be read is described")
    ok(d.text("print 3 ** 1000") == str(3 ** 1000), "one that can be is shown")
    d.do("set repr-limit 200")
    for value in ("'abc' * 3", "[1, 'b', (2,), {3: 4}]", "List([1])", "Dict(a=1)", "Set([1])", "frozenset([1])",
                  "collections.deque([1, 2], 5)", "collections.defaultdict(list, a=[1])", "{'a': 1}.keys()",
                  "{'a': 1}.values()", "{'a': 1}.items()", "ValueError('a')", "ValueError('a', 1)", "ValueError()",
                  "OSError(2, 'x')", "KeyError('a')", "bytearray(b'ab')", "array.array('i', [1])", "Text('ab')", "set()",
                  "Set()", "collections.OrderedDict(a=1)", "collections.Counter('aab')"):
        is_(d.text("print %s" % value), eval(d.text("print repr(%s)" % value)), "%s is shown as Python shows it" % value)

if has("torch"):
    with Cdbg('''
        import torch
        torch.set_printoptions(profile="full")
        t = torch.arange(3000000).reshape(10, 300000)
        small = torch.arange(6).reshape(2, 3)
        x = 1
    ''', limit=300) as d:
        d.do("break 5")
        d.go()
        start = time.monotonic()
        text = d.text("print t")
        seconds = time.monotonic() - start
        like(text, r"^tensor\(\[\[ *0, +1, +2(.|\n)*\.\.\. \(first 2000 bytes", "a tensor that would print whole is cut")
        is_(d.text("print small"), "tensor([[0, 1, 2],\n        [3, 4, 5]])", "a small one is as torch shows it")
        d.do("!torch.set_printoptions(profile='default')")
        like(d.text("print t"), r"\.\.\., +299997", "where torch abbreviates, its abbreviation is shown")
else:
    skip("a tensor that would print whole is cut", "no torch")
done()
