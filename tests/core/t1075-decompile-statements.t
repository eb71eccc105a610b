#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Import statements and annotations come out of the decompiler as they were written, and do the same when compiled again.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

SAMPLE = r'''
import sys, types
import cdbg

package = types.ModuleType("made_up")
package.__path__ = []
package.here = 1
sys.modules["made_up"] = package
sys.modules["made_up.below"] = types.ModuleType("made_up.below")      # never an attribute of its package

def imports(n):
    import os.path as p
    import os.path
    import xml.dom.minidom as dom
    from math import floor, ceil as up
    global textwrap
    import textwrap
    if n:
        from made_up import here, below
        return here, below.__name__
    return p.basename("x/y"), os.sep, dom.__name__, floor(1.5), up(1.5), textwrap.__name__

def inner_import(n):
    import string
    def f():
        nonlocal string
        import string as s
        string = s.digits
        return string
    return f(), string

def missing(n):
    try:
        from made_up import nothing
    except ImportError as e:
        return "ImportError", str(e)[:40]

def relative(n):
    try:
        from . import nothing
        from ..above.below import more as other
    except (ImportError, KeyError) as e:
        return type(e).__name__

def annotated(n):
    log = []
    def v(x):
        log.append(x)
        return x
    def f(a: v("a"), b: v("b") = v("default"), *c: v("c"), k: v("k") = v("keyword"), **d: v("d")) -> v("return"):
        return a, b, c, k, d
    def g(a: int, /, b: "str", c=1) -> None:
        return a, b, c
    def h(a, *, k: int = 2): return a + k
    return log, f(1, 2, 3, z=4), f.__annotations__, g(1, 2), g.__annotations__, h(n), h.__annotations__

def method(n):
    class A:
        def f(self, a: int = 1) -> str:
            return str(a + n)
    return A().f(), A.f.__annotations__

for f in imports, inner_import, missing, relative, annotated, method:
    print("==", f.__name__)
    print(cdbg.decompile(f), end="")
    for n in 0, 1:
        want = f(n)
        try:
            new = types.FunctionType(cdbg.recompile(f.__code__), globals(), f.__name__, f.__defaults__, f.__closure__)
            got = new(n)
        except ValueError as e:
            got = e
        print("-- same" if repr(got) == repr(want) else "-- %r is not %r" % (got, want))
'''
status, out, err = bare(script(SAMPLE))
ok(status == 0, "functions with imports and annotations are decompiled", err)
texts = {t.split("\n", 1)[0]: t.split("\n", 1)[1] for t in out.split("== ")[1:]}
for name in "imports", "inner_import", "missing", "relative", "annotated", "method":
    is_([l for l in texts[name].splitlines() if l.startswith("--")], ["-- same"] * 2, name + ": compiled again it does the same")
for line in ("import os.path as p", "import os.path", "import xml.dom.minidom as dom", "from math import floor, ceil as up", "import textwrap",
             "from made_up import here, below"):
    ok("    %s\n" % line in texts["imports"], line, texts["imports"])
ok("from . import nothing" in texts["relative"] and "from ..above.below import more as other" in texts["relative"], "relative imports", texts["relative"])
if version() < (3, 14):
    ok("def g(a: int, /, b: 'str', c=1) -> None:" in texts["annotated"], "annotations are written in the definition", texts["annotated"])
    ok("def h(a, *, k: int = 2):" in texts["annotated"], "of keyword arguments, too", texts["annotated"])
else:
    like(texts["annotated"], r"# .*the code of '__annotate__'", "annotations are a function's code, which is kept as it is")
done()
