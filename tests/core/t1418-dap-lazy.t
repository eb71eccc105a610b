#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Properties in an editor: none is read before it is asked for, since that runs the program's code."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from dap import Editor  # noqa: E402

p = script("""
    class Base:
        @property
        def area(self):
            print("read area", flush=True)
            return [1, 2]
        @property
        def wrong(self):
            raise ValueError("no value")
        @property
        def hidden(self):
            return 1
        _own = property(lambda self: 3)
    class Shape(Base):
        hidden = 2
        def __init__(self):
            self.x = 1
    def f(s):
        return s
    f(Shape())
    print("over")
""")

with Editor() as e:
    e.launch(p, {p: [line_of(p, "    return s")]})
    e.event("stopped")
    local = e.variables(e.scopes(e.frames()[0]["id"])["Locals"])
    inside = e.variables(local["s"]["variablesReference"])
    is_(list(inside), ["x", "area", "wrong"], "attributes, then the properties of the class and its bases, but those that are hidden")
    hint = inside["area"]["presentationHint"]
    is_((hint["lazy"], hint["kind"], inside["area"]["evaluateName"], "presentationHint" in inside["x"]), (True, "property", "s.area", False), "a property is lazy, an attribute is not")
    is_(e.out, "", "none has been read")
    read = e.ask("variables", variablesReference=inside["area"]["variablesReference"])["variables"]
    is_([(v["name"], v["value"], v["indexedVariables"]) for v in read], [("", "[1, 2]", 2)], "it is read when it is asked for: one variable")
    is_(e.variables(read[0]["variablesReference"])["[1]"]["value"], "2", "... which can be opened")
    like(e.error("variables", variablesReference=inside["wrong"]["variablesReference"]), "ValueError.*no value", "one that raises says what")
    e.ask("continue", threadId=1)
    is_(e.run_out(), 0, "the program goes on")
    is_((e.out, e.wrong), ("read area\nover\n", []), "it was read once, all in proper messages")

done()
