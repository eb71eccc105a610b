#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The tree of variables: what is in a value, opened in its pane, listed by `info locals EXPR`, completed; and that none
# of it runs the program's code.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from screen import *

PROGRAM = '''
    import collections


    class Point:
        __slots__ = ("x", "y", "unset")

        def __init__(self, x, y):
            self.x, self.y = x, y


    class Noisy(dict):
        def __getitem__(self, key):
            print("RAN getitem")
            return 0

        def __iter__(self):
            print("RAN iter")
            return iter(())

        def items(self):
            print("RAN items")
            return ()

        def __len__(self):
            print("RAN len")
            return 0


    class Key:
        def __hash__(self):
            return 7

        def __eq__(self, other):
            print("RAN eq")
            return True

        def __repr__(self):
            print("RAN repr")
            return "key"


    class Box:
        kind = "paper"

        def __init__(self):
            self.label = "box"
            self.points = [Point(1, 2), Point(3, 4)]
            self.table = {"one": 1, 2: "two", ("a", 3): [5], "with space": {"deep": 9}, "quo'te": 4}
            self.me = self
            self.shadow = "own"

        @property
        def secret(self):
            print("RAN secret")
            return Point(8, 9)

        @property
        def shadow(self):
            print("RAN shadow")
            return Point(8, 9)

        @shadow.setter
        def shadow(self, value):
            self.__dict__["shadow"] = value

        def __getattr__(self, name):
            print("RAN getattr")
            return 1


    Pair = collections.namedtuple("Pair", "left right")


    def work(box, big):
        noisy = Noisy(hidden=[1, 2])
        keyed = {Key(): "by key"}
        pair = Pair(Point(5, 6), [7])
        some, queue, empty, flags = {41}, collections.deque([42, 43]), Pair.__mro__[-1](), 0x2f
        trouble = ValueError("bad", 3)
        def inner():
            return pair
        big[3] = None  # stop
        box.label += "!"
        del box.points[0]
        big.append(1)
        return inner


    work(Box(), list(range(12345)))
'''


def names(rows):
    return [r["name"] for r in rows]


with Cdbg(PROGRAM) as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()
    here = {r["name"]: r for r in d.rows("info locals")}
    is_([here[n]["parts"] for n in ("box", "big", "flags", "pair")], [True, True, False, True], "a row says whether it has parts")
    is_(here["box"]["path"], "box", "and which expression it is")
    rows = d.rows("info locals box")
    is_(names(rows), [".label", ".points", ".table", ".me", ".shadow"], "an object's parts are its attributes")
    is_([(r["value"], r["kind"]) for r in rows[:1]], [("'box'", "attribute")], "with their values")
    is_([(r["name"], r["path"], r["value"]) for r in d.rows("info locals box.points[0]")],
        [(".x", "box.points[0].x", "1"), (".y", "box.points[0].y", "2")], "slots are listed, but those without a value")
    is_([r["path"] for r in d.rows("info locals box.table")],
        ["box.table['one']", "box.table[2]", "box.table[('a', 3)]", "box.table['with space']", 'box.table["quo\'te"]'],
        "items are named by the literals of their keys")
    is_(names(d.rows('info locals box.table["with space"]')), ["['deep']"], "either quote names a key")
    is_(names(d.rows("info locals box.me.me.me.points[-1]")), [".x", ".y"], "a cycle has no end, and [-1] is the last item")
    is_([(r["name"], r["value"], r["path"]) for r in d.rows("info locals noisy")], [("['hidden']", "[1, 2]", None)],
        "a dict whose class has its own [] is read as a dict, and no expression is given for its items")
    is_([(r["name"][:2], r["value"], r["path"]) for r in d.rows("info locals keyed")], [("[<", "'by key'", None)],
        "nor for a key that has no literal")
    is_(names(d.rows("info locals pair")), [".left", ".right"], "a named tuple has fields")
    is_(names(d.rows("info locals some") + d.rows("info locals queue")), ["{0}", "[0]", "[1]"], "sets and deques have items")
    is_(names(d.rows("info locals trouble")), [".args"], "an exception has its arguments")
    is_(names(d.rows("info locals inner.__closure__[0].cell_contents")), [".left", ".right"], "a function has its closure")
    is_(names(d.rows("info locals big[12000:12002]")), ["[12000]", "[12001]"], "a range of a long list is listed alone")
    rows = d.rows("info locals big")
    is_((len(rows), rows[-1]["value"]), (1001, "11345 more: 'info locals big[1000:2000]'"), "else the first thousand, and how to go on")
    for path in ("box.secret", "box.secret.x", "box.nothing", "noisy['hidden']", "box.shadow.x", "box.points[7]", "box.points[1:", "box()"):
        like(d.error("info locals " + path), "cannot look up '.*' without running the program's code: 'print %s' does" % re.escape(path),
             "%s is refused, because only the program's code could tell" % path)
    is_(d.error("info locals flags"), "'flags' has no parts: 'print flags' shows it", "a value without parts is called so")
    like(d.error("info locals nosuch"), "no variable 'nosuch' in this frame", "an unknown name is called so")

    def complete(before, typed):
        return [line[len(before):] for line in d.text("complete " + before + typed).splitlines()]
    is_(complete("print ", "box.poi"), ["box.points"], "attributes are completed")
    is_(complete("print ", "box.points[0]."), ["box.points[0].unset", "box.points[0].x", "box.points[0].y"], "also after a subscript")
    is_(complete("print 1 + ", "box.points[-1].x"), ["box.points[-1].x"], "and within a longer expression")
    is_(complete("print ", "box.points["), ["box.points[0]", "box.points[1]"], "after a bracket come the items")
    is_(complete("print ", "box.table['w"), ["box.table['with space']"], "or the keys")
    is_(complete("print ", "box.table['with space']['d"), ["box.table['with space']['deep']"], "also of an inner dict")
    is_(complete("print ", "pair.left."), ["pair.left.unset", "pair.left.x", "pair.left.y"], "fields of a named tuple")
    is_(complete("info locals ", "box.la"), ["box.label"], "the view completes its argument")
    is_(complete("y = ", "box.points[1].y"), ["box.points[1].y"], "a statement is completed, too")
    is_(complete("print ", "box.secret.") + complete("print ", "noisy['hidden']."), [], "what only code of the program gives is not")
    is_(complete("print ", "box.ki"), ["box.kind"], "attributes of the class are")
    d.run_out()
    unlike(d.out, "RAN", "none of that ran the program's code")

PATH = script(PROGRAM)
with Screen(PATH, rows=40, cols=120) as s:
    def pane():
        return [line.rstrip() for line in s.pane("locals")]

    def rows():
        return [re.sub(r"^.{3}", "", line) for line in pane()[2:]]
    s.line("break %d" % line_of(PATH, "# stop")).line("continue").line("zoom locals").line("focus locals")
    like(s.row(" box "), r"^.{3,5}▸ box +<__main__.Box at 0x\w+> +Box +local", "what has parts has a sign")
    s.keys("g")
    s.keys("\x1b[C")
    like(rows()[1], r"^  +\.label +'box'", "Right opens it in place")
    s.keys("\x1b[C")
    like(s.at, r"\.label", "again goes below it")
    s.keys("j").keys(" ").keys("j").keys("\r")
    is_([l.split()[0:2] for l in rows()[2:6]], [["▾", ".points"], ["▾", "[0]"], [".x", "1"], [".y", "2"]], "Space and Enter open, too")
    s.keys("\x1b[D").keys("\x1b[D")
    like(s.at, r"▾ \.points", "Left closes, and then goes to what it is in")
    s.keys("j").keys("+")
    like(rows()[4], r"\.x +1", "+ opens")
    s.keys("-")
    like(rows()[4], r"▸ \[1\]", "and - closes")
    s.keys("+")
    s.keys("n")
    like(rows()[4], r"\.x +1", "what is open stays open over a step")
    s.keys("n")
    like(s.row(r"\.label"), r"^»? +\.label +.box!.", "a changed part is marked")
    s.keys("n")
    like(rows()[4], r"\.x +3", "the same path shows another object after the list has changed")
    s.keys("g").keys("-")
    s.keys("j").keys("+")
    is_([l.split()[:2] for l in rows()[1:5]], [["▾", "big"], ["▸", "0..9999"], ["▸", "10000..12344"], ["▸", "noisy"]],
        "a long list is opened in groups")
    s.keys("j").keys("j").keys("+")
    like("\n".join(rows()), r"▸ 12300\.\.12344", "of groups of a hundred")
    s.keys("G")
    s.keys("/").keys("flags\r")
    like(s.at, r"flags +47 ", "a number")
    s.keys("=")
    like(s.at, r"flags +0x2f ", "in another form")
    s.keys("=").keys("=").keys("=")
    like(s.at, r"flags +int ", "that can be its type")
    s.keys(":").line("display box.points[0].x + 1").line("display box.points").line("watch box.label").line("display 1 / 0").line("focus locals")
    s.keys("g")
    like(rows()[0], r"box\.points\[0\]\.x \+ 1 +4 +int +display 1", "displayed expressions are rows of the pane")
    like(rows()[1], r"▸ box\.points +\[<", "which can be opened")
    like(rows()[2], r"1 / 0 +<ZeroDivisionError: division by zero> +display 3", "or say what they raise")
    like(rows()[3], r"box\.label +'box!' +str +watch 2", "watched ones, too")
    s.keys("j").keys("+")
    like(rows()[2], r"▸ \[0\] +<__main__\.Point", "as the others are")
    unlike(s.text, "RAN", "and nothing ran the program's code")
done()
