#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Qualified names of functions in modules that are not the program's: pending before the import, found after it.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

LIBRARY = '''
class Attention:
    def forward(self, x):
        return x + 1                    # forward

    class Inner:
        def forward(self, x):
            return x + 2                # inner forward

def make():
    return Attention()
'''

PROGRAM = '''
import sys
sys.path.insert(0, FOLDER)
def late():
    import library
    return library.make()
a = late()
print(a.forward(1), a.Inner().forward(1))
end = 1
'''

folder = os.path.dirname(script(LIBRARY, "site-packages/library.py"))
path = script(PROGRAM.replace("FOLDER", repr(folder)))

for name, function in ("Attention.forward", "Attention.forward"), ("Attention.Inner.forward", "Attention.Inner.forward"):
    with Cdbg(path) as d:
        like(d.do("break " + name)["text"], "pending", "%s is pending before the import" % name)
        stop = d.go()
        is_((stop["event"], d.frame["file"].endswith("library.py"), d.frame["qualname"]), ("stopped", True, function),
            "%s stops in the module that was imported since" % name)
        d.run_out()
        is_(d.out, "2 3\n", "the program prints what it always prints")

with Cdbg(path) as d:
    d.do("break %d" % line_of(path, "print("))
    d.go()
    like(d.do("break Attention.forward")["text"], r"at library\.py:%d " % line_of(os.path.join(folder, "library.py"), "# forward"),
         "after the import a qualified name is found, though the program has no such name")
    like(d.do("break Attention.absent")["text"], "pending", "a method that does not exist stays pending")
    like(d.do("break Absent.forward")["text"], "pending", "and so does that of a class that does not exist")
    is_(d.go()["event"], "stopped", "it stops there")

with Cdbg(path) as d:
    d.do("break forward")
    is_(d.go()["event"], "exited", "a bare name means the program's own files only")
done()
