#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands from a pipe while a graph is stepped node by node: a node or a command that reads the same pipe gets its own bytes, each
command is obeyed once, and a node that takes cdbg's descriptors keeps its files."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()

# A backend puts a call between the nodes of a graph.
PROGRAM = """
    import os, sys
    import torch
    def read_line():
        line = b""
        while not line.endswith(b"\\n"):
            line += os.read(0, 1)
        print("got", line)
    def take():
        data = os.open(sys.argv[2], os.O_RDWR)
        for n in os.listdir("/proc/self/fd"):
            if int(n) > 2 and int(n) != data and os.path.exists("/proc/self/fd/" + n):
                os.dup2(data, int(n))
    def close():
        os.closerange(3, 5000)
    BUILTIN = {"read": (os.read, (0, 5)), "print": (print, ("printed",))}
    def backend(gm, inputs):
        sin = [n for n in gm.graph.nodes if n.target is torch.sin]
        with gm.graph.inserting_after(sin[1]):
            act = sys.argv[1]
            gm.graph.call_function(*BUILTIN.get(act) or (globals()[act], ()))
        gm.recompile()
        return gm.forward
    def f(x):
        for i in range(4):
            x = torch.sin(x) * 2
        return x
    c = torch.compile(f, backend=backend)
    with torch.no_grad():
        c(torch.ones(3))
    print("left", os.read(0, 100))
    print("end")
"""
NODES = ["x", "sin_1", "{}", "x_1", "sin_2", "x_2", "sin_3", "x_3"]     # what comes after the first


def stepped(act, text, **more):
    """The program's status, output and errors with these commands from the first node on, and the text of its file."""
    path = script("untouched\n", "data")
    status, out, err = run(PROGRAM, act, path, options=["--plain", "-nx", "-q"],
                           input="tbreak node:sin\ncontinue\n" + text, **more)
    with open(path) as f:
        return status, out, err, f.read()


def nodes(out):
    return re.findall(r"\[graph, node (\w+)", out)[1:]


NEXT = "next\n" * 3

status, out, err, _ = stepped("read_line", NEXT + "next\nfor the program\nprint 'a longer line'\n" + "next\n" * 4
                              + "print 42\ncontinue\nrest\n")
is_(nodes(out), [n.format("read_line") for n in NODES], "a node reads a line of the pipe: each step is made once")
like(out, r"got b'for the program\\n'", "and it gets its line")
like(out, r"'a longer line'\n(.*\n)*42\n(.*\n)*left b'rest\\n'\nend", "and later commands and input are as they were written")

# The line that is expected next is longer than the one that comes.
status, out, err, _ = stepped("read_line", NEXT + "next\nfor the program, which reads a whole line\nnext\nnext\nprint 1\nprint 2\nnext\nnext\n"
                              "continue\nrest\n")
is_(nodes(out), [n.format("read_line") for n in NODES], "a node reads a long line: each step is made once")
like(out, r"got b'for the program, which reads a whole line\\n'\n(.*\n)*1\n2\n(.*\n)*left b'rest\\n'\nend", "and nothing is lost")

# CPython reports no call of a function that is written in C.
status, out, err, _ = stepped("read", NEXT + "next\n1234\nnext\nprint 7\n" + "next\n" * 3 + "continue\nrest\n")
is_(nodes(out), [n.format("read") for n in NODES], "a node is C code that reads the pipe: each step is made once")
like(out, r"\n7\n(.*\n)*left b'rest\\n'\nend", "and later commands and input are as they were written")

status, out, err, _ = stepped("read", NEXT + "next\n1234\n56789 print 'no command'\nnext\nprint 7\n" + "next\n" * 2 + "continue\nrest\n")
like(out, r"error: [^\n]*\n(.*\n)*7\n(.*\n)*left b'rest\\n'\nend", "and the rest of a line that it reads in part is a command")

status, out, err, _ = stepped("print", NEXT + "next\nnext\ncontinue\n", env={"PYTHONUNBUFFERED": ""})
like(out, r"node print\w*[^\]]*\](\n.*){1,3}\nprinted\nforward at .* node x_1\b", "what a builtin prints in a node is written before the next stop")

# A command that reads the pipe.
status, out, err, _ = stepped("read_line", "next\n!print(__import__('os').read(0, 6))\nabcde\nnext\nprint 3\nnext\nnext\nfor the program\n" + "next\n" * 4
                              + "continue\nrest\n")
like(out, r"b'abcde\\n'\n", "a command reads the pipe, and gets its bytes")
is_(nodes(out), [n.format("read_line") for n in NODES], "and each step is made once")

# Descriptors.
for act, name in (("take", "a node puts its file in the place of cdbg's descriptors"), ("close", "a node closes cdbg's descriptors")):
    status, out, err, data = stepped(act, NEXT + "next\nprint 'obeyed'\n" + "next\n" * 4 + "continue\n")
    is_(data, "untouched\n", name + ": the file stays as it was")
    like(err, "the program closed or replaced descriptors that cdbg needs; detached", name + ": that is reported")
    like(out, r"node \w+\b[^\]]*\](\n.*){1,2}\nleft b\"print 'obeyed'.*\nend\n$", name + ": no command is obeyed any more, and the program runs on")
done()
