#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Logpoints: a text with values is written at each hit, as by an f-string, and the program does not stop."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROGRAM = """
    import sys
    class Odd:
        def __format__(self, spec):
            raise ValueError("odd " + spec)
        def __repr__(self):
            return "Odd!"
    def f(n, odd=Odd()):
        word = "it's"
        row = list(range(n))
        return n + 1  # return
    def loop(count):
        for i in range(count):
            print("call", i)
            f(i)
        return "over"
    print(loop(3))
    sys.exit(3)
"""


def logs(d):
    return [(o["number"], o["text"]) for o in d.logged]


with Cdbg(PROGRAM) as d:
    def message(text, location="%d" % d.line_of("# return")):
        return d.cmd("dprintf %s, %s" % (location, text))
    # ---- what a message is ----
    texts = [("plain", "plain\n"), ("n={n} {n + 1}", "n=2 3\n"), ("{n!r:>4}|{n:03d}|{word!r}|{word!a}|{word!s:6}|", "   2|002|\"it's\"|\"it's\"|it's  |\n"),
             ("{n=} {n = } {row=!s}", "n=2 n = 2 row=[0, 1]\n"), ("{{{n}}}", "{2}\n"), ("{ {'}': n}['}'] }", "2\n"),
             ("{n:{n + 3}}|", "    2|\n"), ("{n != 3} {n == 2} {(lambda q: q)(n)} {row[1:]}", "True True 2 [1]\n"),
             ("{'a\\nb'!r} {\"{\"}", "'a\\nb' {\n"), ("a, b", "a, b\n"),
             ('"quoted {word[:2] + "!"}\\t|\\"{{"', "quoted it!\t|\"{\n"), ("'single'", "single\n"),
             ("{odd!r} {odd} {n / 0} {missing}", "Odd! <ValueError: odd > <ZeroDivisionError: division by zero> <NameError: name 'missing' is not defined>\n"),
             ("\u00e4 {word}", "\u00e4 it's\n")]
    want = {}
    for text, out in texts:
        reply = message(text)
        want[reply["breakpoint"]["number"]] = out
    d.do("dprintf f if n == 1, one")
    d.do("dprintf f if nothing, no")
    for text, why in (("", "missing message after the location"), ("{", "missing '}' in the message after '{'"),
                      ("a }", "a single '}' in the message"), ("{n!x}", "unknown conversion '!x'"), ("{n!}", "unknown conversion"),
                      ("{1 +}", "SyntaxError: invalid syntax"), ("{}", "an expression is missing"), ("{n:{n:{n:{n}}}}", "one is allowed")):
        like(message(text).get("error"), why, "refused: %r" % text)
    like(d.error("dprintf f"), "missing message", "so is a command without a message")
    like(d.text("dprintf nowhere_yet, soon {x}"), "logpoint [0-9]+ is pending", "a logpoint can be pending")
    # ---- it does not stop ----
    number = d.do("break loop")["breakpoint"]["number"]
    d.go()
    before = len(d.stops)
    d.do("delete %d" % number)
    d.do("tbreak f if n == 2")
    d.go()
    is_(len(d.stops), before + 1, "a logpoint does not stop")
    said = [text for _, text in logs(d) if text.startswith(("one", "<cond"))]
    is_([text.split(" failed")[0].split(" of")[0] for text in said], ["<condition 'nothing'", "one\n", "<condition 'nothing'", "<condition 'nothing'"],
        "a condition that fails is reported in its place")
    d.logged.clear()
    line = d.line_of("# return")
    d.go("next")
    is_(logs(d), [], "nothing is written before the line is reached")
    d.go("next")
    is_(d.frame["line"], line, "a step over lines goes as without logpoints")
    is_(sorted(n for n, _ in logs(d)), sorted(want), "each wrote once, in one hit")
    for number, text in logs(d):
        is_(text, want[number], "what it wrote is %r" % want[number])
    is_({(o["file"].endswith("prog.py"), o["line"]) for o in d.logged}, {(True, line)}, "each says where")
    d.run_out()
    is_(d.out, "call 0\ncall 1\ncall 2\nover\n", "the program's output is as without them")

with Cdbg(PROGRAM) as d:
    d.do("dprintf f, n is {n}")
    d.do("ignore 1 1")
    d.do("dprintf loop if count > 9, never")
    d.do("break %d" % d.line_of('return "over"'))
    d.go()
    rows = d.rows("info breakpoints")
    is_([(r["type"], r["hits"], r["message"], r["condition"]) for r in rows[:2]],
        [("logpoint", 3, "n is {n}", None), ("logpoint", 0, "never", "count > 9")], "hits and conditions are those of breakpoints")
    is_(logs(d), [(1, "n is 1\n"), (1, "n is 2\n")], "ignored hits write nothing")
    like(d.error("commands 1"), "logpoint 1 does not stop", "it has no commands")
    order = "".join(line for line in d.seen if '"output"' in line)
    ok(order.index("call") < order.index("n is 1"), "what the program printed before comes before it")
    path = os.path.join(os.path.dirname(script("", "x.py")), "saved")
    d.do('dprintf f, "a \\"b\\" {n if n else "no"} \\\\ {{n}}"')
    d.do("save breakpoints " + path)
    d.do("delete")
    d.do("source " + path)
    d.do("print 0")
    is_([r["message"] for r in d.rows("info breakpoints") if r["type"] == "logpoint"],
        ["n is {n}", "never", 'a "b" {n if n else "no"} \\ {{n}}'], "what is saved is set again as it was")
    d.do("delete")
    d.run_out()

status, out, _ = run(PROGRAM, commands=["dprintf f,\"n is {n}\"", "dprintf f, {n.bad}", "info breakpoints", "continue"])
like(out, "write \"n is {n}\"", "for people: info breakpoints shows the text")
like(out, "(?s)call 0\nn is 0\n<AttributeError: 'int' object has no attribute 'bad'>\ncall 1\nn is 1\n", "and the text is a line of its own, in its place")
is_(status, 3, "the program ends as without it")
done()
