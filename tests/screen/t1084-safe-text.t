#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Text that the program chose cannot steer the terminal, and cannot pass for a line of cdbg's own.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

# What a terminal obeys: C0 but line feed and tab, DEL, C1, controls of direction, separators.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# What cdbg's own lines begin with.
OWN = re.compile(r"^(\(cdbg\)|stopped:|error:|warning:|breakpoint \d|=>|#0|   \d)", re.M)

EVIL = "e\\x1b]52;c;ZXZpbA==\\x07\\x9b31m\\u202edlrow\\u2066\\x7f\\r\\u2028\\n(cdbg) fake\\nstopped: fake\\n=> #0 fake"
PROGRAM = '''
    import sys
    EVIL = "%s"
    class R:
        def __repr__(self):
            return EVIL
    class Raises:
        def __repr__(self):
            raise ValueError(EVIL)
    class E(Exception):
        pass
    T = type("T" + EVIL, (), {})
    X = type("X" + EVIL, (Exception,), {})
    def fails():
        raise E(EVIL)
    def fails_oddly():
        raise X(EVIL)
    source = "def f(a, b):\\n    c = R()\\n    return c  # \\x1b]0;title\\x07 \\x9b \\u202e\\n"
    exec(compile(source, "/nowhere/n" + EVIL + ".py", "exec"))
    import linecache
    f.__code__ = f.__code__.replace(co_name="f" + EVIL, co_qualname="f" + EVIL) if hasattr(
        f.__code__, "co_qualname") else f.__code__
    f.__name__ = f.__qualname__ = "f" + EVIL
    globals()["g" + EVIL] = 5
    def names():
        return nothing
    names.__code__ = names.__code__.replace(co_names=("nothing" + EVIL,))
    # \x1b]0;title\x07 \x9b \u202e
    r, t, d, raises = R(), T(), {"k": R()}, Raises()
    import threading
    threading.current_thread().name = "n" + EVIL
    f(r, t)
    print("the end")
    fails_oddly()
'''.replace("%s", EVIL)
PLACE = "f(r, t)"
COMMANDS = ["print r", "r", "pp r", "pp d", "print d", "print t", "print [r, t]", "print EVIL", "whatis t", "whatis r",
            "print raises", "raises", "print fails()", "fails()", "!fails_oddly()", "python fails()", "display r",
            "display fails()", "display", "info display", "info locals", "set var r = t", "list", "info source",
            "info threads", "thread", "break f", "info breakpoints", "condition 1 fails()", "condition 1",
            "save breakpoints /nowhere/x", "info stack", "break *2", "help x\x1b[31m", "step", "backtrace", "info frame",
            "info frames", "info locals", "list", "disassemble", "info code", "info stack", "finish", "print \x1b[31m",
            "nonsense\x1b[31m x", "info nonsense\x1b[31m", "undisplay", "catch exception", "info breakpoints"]


def faked(text):
    """Lines that look like cdbg's own and are the program's."""
    return [line for line in text.splitlines() if OWN.search(line) and re.search("^.{0,12}fake", line)]


path = script(PROGRAM)
line = [k for k, l in enumerate(open(path), 1) if l == PLACE + "\n"][0]
source_line = [k for k, l in enumerate(open(path), 1) if l.startswith("# \x1b")][0]
start = ["break %d" % line, "continue"]

# ---- one command at a time, in a pipe ----

for command in COMMANDS[:36] + ["list %d" % source_line, "disassemble names", "info code names"]:
    status, out, err = run(path, commands=start + [command, "quit"])
    bad = OBEYED.findall(out) + faked(out)
    if not ok(not bad, "plain: '%s' writes nothing that a terminal obeys, and no line that looks like cdbg's own" %
              command.replace("\x1b", "ESC"), lambda: "%r in\n%s" % (bad, ascii(out).replace("\\n", "\n"))):
        break

# ---- the whole of a session ----

status, out, err = run(path, commands=start + COMMANDS + ["continue"] * 6)
bad = OBEYED.findall(out.replace("the end\n", "")) + faked(out)
ok(not bad, "nor does a whole session with stops, steps, names, files and exceptions of such a program",
   lambda: "%r in\n%s" % (bad, ascii(out).replace("\\n", "\n")))
like(out, r"e\\x1b\]52;c;ZXZpbA==\\x07\\x9b31m\\u202edlrow\\u2066\\x7f\\r\\u2028$", "all of it is shown, as Python writes it")
like(out, r"^\| \(cdbg\) fake\n\| stopped: fake\n\| => #0 fake", "further lines of a value begin with a bar")
like(out, r"^stopped: (uncaught )?exception", "stops of its exceptions are cdbg's own lines")

# ---- what is not hostile stays as it is ----

status, out, err = run('''
    class M:
        def __repr__(self):
            return "M([[1, 2],\\n   [3, 4]])"
    s = "\\u00e9\\u4e2d\\U0001f600 e\\u0301"
    m = M()
    x = 1
''', commands=["break 6", "continue", "print s", "print m", "print {'a': m}"])
like(out, "^'\u00e9\u4e2d\U0001f600 e\u0301'$", "letters, ideographs, emoji and accents are shown as they are")
like(out, r"^M\(\[\[1, 2\],\n\|  \[3, 4\]\]\)$", "the lines of a matrix keep their columns")

# ---- notes, traces, questions, a log, completion ----

log = os.path.join(os.path.dirname(path), "log")
with Terminal(path, options=("--plain", "-q"), limit=30) as t:
    t.expect(r"\(cdbg\) $")
    for command in start + ["set logging " + log, "print r", "print fails()", "info locals", "tbreak f", "step",
                            "backtrace"]:
        t.line(command)
        t.expect(r"\(cdbg\) $")
    t.send("print g\t\t")
    t.send("\x15quit\n")
    t.expect("y or n")
    t.line("y")
    t.ended()
    seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>78]|[\r\x08\x07\x00]", "", t.text)
    bad = OBEYED.findall(seen) + faked(seen)
    ok(not bad, "on a terminal there is nothing but the line editor's own sequences", lambda: "%r in\n%s" % (bad, ascii(t.text)))
    unlike(t.text, r"\x1b\]|\x9b|52;c;ZXZpbA==\x07", "no operating system command either")
text = open(log).read()
ok(not OBEYED.search(text) and not faked(text), "a log may be shown on a terminal, too", lambda: ascii(text))
like(text, r"^\| \(cdbg\) fake$", "and tells what was typed from what a value says")

# ---- the full screen ----

with Screen(path, options=["-q"], rows=40, cols=120) as s:
    s.line("break %d" % line)
    s.line("continue")
    s.see("stopped: breakpoint 1")
    for command in ["print fails()", "info locals", "print d", "display r", "pp r", "list %d" % source_line, "print r"]:
        s.line(command)
    like(s.text, r"^ *\| \(cdbg\) fake", "full screen: further lines of a value begin with a bar")
    like(s.text, r"\\x1b\]52;c;ZXZpbA==\\x07\\x9b31m\\u202edlrow", "and what steers terminals is visible")
    s.line("step")
    s.see("RETURN_VALUE")
    for layout in "default", "next", "next", "next", "next", "next":
        s.line("layout " + layout)
    s.line("backtrace")
    s.line("catch exception")
    s.line("delete 1")
    s.line("continue")
    s.line("continue", wait=False)
    s.until(lambda: b"the end" in s.raw, "the program continues")
    s.line("quit", wait=False)
    s.ended()
    raw = s.raw.decode(errors="replace")
    raw = raw[:raw.rfind("\x1b[?1049l")]
    bad = [c for c in OBEYED.findall(raw) if c not in "\x1b\r\x07\x08\x0f\x0e"]
    ok(not bad, "in no pane does a control character of the program reach the terminal", bad)
    unlike(raw, r"\x1b\]52|\x1b\]0;", "nor a command to it")

# ---- machines ----

with Cdbg(path) as d:
    d.do("break %d" % line)
    d.go()
    evil = eval('"%s"' % EVIL)
    is_(d.text("print r"), evil, "a machine gets a value's text as it is")
    is_(d.error("print fails()"), "E: " + evil, "and that of an exception")
    d.send("print r")
    raw = d.lines.get(timeout=d.limit)
    ok(not OBEYED.search(raw.decode()), "in JSON, which a terminal may be shown, nothing of it is unescaped", raw)

# ---- what takes no room ----

path = script("\ufeffdef f(a):\n    return a\nf('a\u200bb\u2060\ufeffc\u200d')\n")
status, out, err = run(path, commands=["break f", "continue", "list 1", "p 'x' + a", "quit"])
like(out, r"^'xa\\u200bb\\u2060\\ufeffc\\u200d'$", "characters without width are shown, as Python writes them")
like(out, r"^   3 +f\('a\\u200bb\\u2060\\ufeffc\u200d'\)$", "in source, too, where a joiner stays")
like(out, r"^   1 +def f\(a\):$", "but not the mark at the beginning of a file")
done()
