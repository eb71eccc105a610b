#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A script is read, compiled, run and ended as `python script.py` does it: output, messages and status are compared.
import io
import os
import re
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import subprocess

import cdbgtest
from cdbgtest import *

folder = os.path.dirname(script("x\n"))


def put(name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    return path


def without(words, env):
    p = subprocess.run(cdbgtest.argv(*words), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, env=cdbgtest.environment(env))
    return p.returncode, steady(p.stdout.decode("utf-8", "replace")), steady(p.stderr.decode("utf-8", "replace"))


def under(words, env):
    with Cdbg(words[0], *words[1:], env=env, cwd=folder) as d:
        while not d.exited:
            d.go()
        return d.exited["status"], steady(d.out), steady(d.err)


def steady(text):
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def same(name, *words, env=None, needs=None):
    """needs: what the interpreter alone writes, so that the comparison cannot be of nothing."""
    want = without(words, env)
    if needs and needs not in want[1] + want[2]:
        skip(name, "this Python does not say %r" % needs)
        return
    is_(under(words, env), want, name)


# ---- what the tokenizer says ----

TEXTS = [
    ("a byte that is not UTF-8 in a comment is an error", b"# \xff\nprint(1)\n", "Non-UTF-8 code"),
    ("a byte that is not UTF-8 in a string, on a later line", b"x = 1\nx = '\xe9'\n", "on line 2"),
    ("a surrogate in UTF-8", b"x = '\xed\xa0\x80'\n", "SyntaxError"),
    ("UTF-16", "print(1)\n".encode("utf-16"), "SyntaxError"),
    ("a byte that UTF-8 declared does not have", b"# coding: utf-8\nx = 1 # \xe9\n", "SyntaxError"),
    ("Latin-1, declared", b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n", "'\\xe9'"),
    ("declared on the second line", b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nprint(ascii('\xe9'))\n", "'\\xe9'"),
    ("declared too late", b"\n\n# coding: latin-1\nprint(ascii('\xe9'))\n", "SyntaxError"),
    ("an encoding with a codec in Python", b"# coding: cp1252\nprint(ascii('\x80'))\n", "'\\u20ac'"),
    ("UTF-7", b"# coding: utf-7\nprint(ascii('+AOk-'))\n", "'\\xe9'"),
    ("an encoding that does not exist", b"# coding: nonsense\nx = 1\n", "SyntaxError"),
    ("an encoding that is none of text", b"# coding: rot13\ncevag(1)\n", "SyntaxError"),
    ("a byte order mark", b"\xef\xbb\xbfprint('bom')\n", "bom"),
    ("a byte order mark and another encoding", b"\xef\xbb\xbf# coding: latin-1\nprint('bom')\n", "SyntaxError"),
    ("NUL in a string", b"print(1)\nprint('a\0b')\n", "null bytes"),
    ("NUL in a comment", b"print(1)\n# \0 x\n", "null bytes"),
    ("an unclosed bracket", b"print(1)\nx = (1,\n", "was never closed"),
    ("wrong indentation", b"def f():\n  x = 1\n    y = 2\n", "IndentationError"),
    ("tabs and spaces", b"if 1:\n\tx=1\n        y=2\n", "TabError"),
    ("an error of the compiler", b"print(1)\nreturn 3\n", "'return' outside function"),
    ("an error after an encoding", b"# coding: latin-1\nx = '\xe9' y\n", "SyntaxError"),
    ("a future feature that does not exist", b"from __future__ import nonsense\n", "SyntaxError"),
    ("a future feature", b"from __future__ import annotations\ndef f(x: y): pass\nprint(f.__annotations__)\n", "'y'"),
    ("too many brackets", b"x = " + b"(" * 300 + b")" * 300 + b"\n", "Error"),
    ("a warning of the compiler", b"x = '\\d'\nassert 0, 'a'\n", "AssertionError"),
    ("line ends of other systems", b"print(1)\r\nprint(2)\r\nprint(3)\rprint(4)", "4"),
    ("a form feed, no last newline", b"\x0cprint(1)", "1"),
    ("an empty file", b"", None),
    ("a zip archive's end mark in a text", b"x = b'PK\x05\x06'\nprint('text')\n", "text"),
    ("an exception after an encoding", b"# coding: latin-1\nx = '\xe9'\n1/0 # \xe9\n", "ZeroDivisionError"),
]
for n, (name, data, needs) in enumerate(TEXTS):
    put("text%d.py" % n, data)
    same(name, "text%d.py" % n, needs=needs)

# ---- __main__ ----

DUMP = b"""
import atexit, sys
for k, v in list(globals().items()):
    where = [getattr(v, a, None) for a in ("name", "path", "origin", "archive")]
    print(k, type(v).__name__, where if k in ("__loader__", "__spec__") else v)
print(sys.argv, sys.path[0], sys.flags, sys.warnoptions, sys._xoptions, sys.getrecursionlimit())
f = sys._getframe()
print(f.f_back, f.f_code.co_filename, f.f_code.co_name, f.f_code.co_flags)
print(sys.modules["__main__"].__dict__ is globals())
atexit.register(lambda: print("at the end:", "__file__" in globals(), "__cached__" in globals()))
if sys.argv[1:] == ["exit"]:
    sys.exit(3)
if sys.argv[1:] == ["raise"]:
    1 / 0
"""
put("dump.py", DUMP)
put("pkg/__init__.py", b"print('init', __name__)\n")
put("pkg/__main__.py", DUMP)
put("pkg/mod.py", DUMP)
put("folder/__main__.py", DUMP)
put("bad/__main__.py", b"# \xff\nprint(1)\n")
put("empty/x.py", b"")
put("far/real.py", DUMP)
os.symlink("far/real.py", os.path.join(folder, "link.py"))
put("no extension", DUMP)
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w") as z:
    z.writestr("__main__.py", DUMP)
put("app.zip", archive.getvalue())
put("app", b"#!/usr/bin/env python\n" + archive.getvalue())
put("broken.zip", b"PK\3\4 nonsense")
code = subprocess.run(cdbgtest.argv("-c", "import py_compile, sys; py_compile.compile('dump.py', 'compiled.pyc')"), cwd=folder)
shutil.copy(os.path.join(folder, "compiled.pyc"), os.path.join(folder, "compiled without extension"))
put("old.pyc", b"\0\0\r\n" + bytes(12) + b"x")

same("the names of __main__, in order, and where the script is", "dump.py", "a", "-b")
same("names that stay after sys.exit()", "dump.py", "exit")
same("and after an exception", "dump.py", "raise")
same("a path that is not normal stays so", "./folder/../dump.py")
same("an absolute path", os.path.join(folder, "dump.py"))
same("a symbolic link", "link.py")
same("a name with a space, without .py", "no extension")
same("a folder", "folder")
same("a folder with a slash", "./folder/")
same("a folder with a script that does not compile", "bad", needs="Error")
same("a folder without __main__", "empty", needs="can't find '__main__'")
same("the current folder", ".", needs="can't find '__main__'")
same("a zip file", "app.zip")
same("a zip file after a first line", "app")
same("a broken zip file", "broken.zip", needs="Error")
same("compiled code", "compiled.pyc")
same("compiled code under another name", "compiled without extension")
same("compiled code of another Python", "old.pyc", needs="Bad magic number")
same("a file that is not there", "nothing.py", needs="No such file")
same("-m with a package", "-m", "pkg", "x")
same("-m with a module", "-m", "pkg.mod")
same("-m with a script", "-m", "dump")
same("-m with what is not there", "-m", "pkg.nothing", needs="No module named")
for n, name in ((0, "-m with a byte that is not UTF-8"), (14, "-m with NUL"), (16, "-m with an unclosed bracket")):
    same(name, "-m", "text%d" % n, needs="Error")
same("-O", "dump.py", env={"PYTHONOPTIMIZE": "1"})
same("-OO for an assertion", "text24.py", env={"PYTHONOPTIMIZE": "2"})
same("-W error", "text24.py", env={"PYTHONWARNINGS": "error"}, needs="Error")
same("-X dev", "dump.py", env={"PYTHONDEVMODE": "1"})
same("-P", "folder", env={"PYTHONSAFEPATH": "1"})

# ---- where it stops ----

with Cdbg(put("text1x.py", b"# coding: latin-1\nx = '\xe9'\nprint(ascii(x))\n")) as d:
    is_((d.stop["reason"], d.stop["frame"]["line"], d.stop["frame"]["function"]), ("start", 2, "<module>"),
        "the start is before the first line of a script in another encoding")
    is_(d.go("next")["frame"]["line"], 3, "which is stepped as any")
with Cdbg("app.zip", cwd=folder) as d:
    is_((d.stop["reason"], d.stop["frame"]["file"][-19:]), ("start", "app.zip/__main__.py"), "in a zip file it is its __main__")
with Cdbg("-m", "pkg.mod", cwd=folder) as d:
    is_((d.stop["reason"], d.stop["frame"]["file"][-6:]), ("start", "mod.py"), "with -m it is the module, not its package")
done()
