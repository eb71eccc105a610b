#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Completion: commands, views, names, attributes; none of the program's code runs for it."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

PROG = """
    import os.path
    ran = []
    class Base:
        shared = 1
        def _hidden(self): pass
    class Thing(Base):
        def __init__(self):
            self.inner, self.size = [], 3
            self.other = self
        @property
        def side(self):
            ran.append("property")
        def __getattr__(self, name):
            ran.append(name)
            raise AttributeError(name)
        def __dir__(self):
            ran.append("dir")
            return []
    top_level = Thing()
    def f(thing, number):
        nearby = number + 1
        def inner():
            return nearby, thing
        return inner()
    f(top_level, 1)
    print(ran)
"""

with Cdbg(PROG) as d:
    def ways(line):
        return d.text("complete " + line).splitlines()

    is_(ways("brea"), ["break"], "a command")
    has_all = lambda want, got: set(want) <= set(got)
    ok(has_all(["step", "stepi", "stack"], ways("st")), "several that fit", ways("st"))
    is_(ways("info breakp"), ["info breakpoints"], "a view after info")
    is_(ways("help view breakp"), ["help view breakpoints"], "and after help view")
    is_(ways("info breakpoints x"), [], "nothing after a view that takes no words")
    is_(ways("catch signal SIGUS"), ["catch signal SIGUSR1", "catch signal SIGUSR2"], "a signal after catch signal")
    is_(ways("catch signal SIGUSR1 SIGTE"), ["catch signal SIGUSR1 SIGTERM"], "and another one after it")
    is_(ways("tcatch signal al"), ["tcatch signal all"], "or all")
    is_(ways("catch signal SIGKI"), [], "not one that cannot be caught")
    ok(has_all(["handle SIGUSR1", "handle SIGUSR2"], ways("handle SIGUS")), "a signal after handle", ways("handle SIGUS"))
    is_(ways("handle SIGUSR1 nost"), ["handle SIGUSR1 nostop"], "and after it an action")
    is_(ways("handle al"), ["handle all"], "or all")
    d.do("break f")
    is_(ways("tbreak Thing.sid"), ["tbreak Thing.side"], "a method by the name that break takes, also a property's")
    d.go()
    is_(ways("p num"), ["p number"], "an argument")
    is_(ways("p nearby + num"), ["p nearby + number"], "after an operator")
    is_(ways("p near"), [], "a local that is not bound yet has no value to print")
    d.go("next")
    is_(ways("p near"), ["p nearby"], "a local, once it is bound")
    is_(ways("near"), ["nearby"], "where a line begins too")
    is_(ways("thing.in"), ["thing.inner"], "with what it has")
    is_(ways("p top"), ["p top_level"], "a global")
    is_(ways("p prin"), ["p print"], "a builtin")
    is_(ways("print thing.in"), ["print thing.inner"], "an attribute of the object")
    is_(ways("p thing.sh"), ["p thing.shared"], "of the base of its class")
    is_(ways("p thing.si"), ["p thing.side", "p thing.size"], "a property by its name")
    is_(ways("p thing.other.inner.app"), ["p thing.other.inner.append"], "along several dots")
    is_(ways("p len(top_level.siz"), ["p len(top_level.size"], "inside of brackets")
    is_(ways("p os.path.joi"), ["p os.path.join"], "of a module")
    ok("p thing._hidden" not in ways("p thing."), "what begins with _ only when asked for", ways("p thing."))
    is_(ways("p thing._hid"), ["p thing._hidden"], "as here")
    is_(ways("p thing.side.x"), [], "a property's value is not asked for")
    is_(ways("p nobody.x"), [], "nothing of what is not there")
    is_(ways("display num"), ["display number"], "display too")
    is_(ways("nearby = num"), ["nearby = number"], "and a statement")
    d.run_out()
    is_(d.out, "[]\n", "none of the program's code was run")
    is_(ways("brea"), ["break"], "commands when the program has ended")
    is_(ways("p top"), [], "no names then")
done()
