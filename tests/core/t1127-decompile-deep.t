#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Code that is too deep for the stack of its thread is shown as bytecode: the program lives on.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

PROGRAM = '''
import threading

def make(text):
    names = {}
    exec(text, names)
    return names["f"]
loops = make("def f(a):\\n" + "".join("    for i in a:\\n        if i == %d: break\\n" % i for i in range(1500)) + "    return 0\\n")
tries = make("def f(a):\\n" + "".join("    try:\\n        a(%d)\\n    except ValueError: pass\\n" % i for i in range(1500)))
small = make("def f(a):\\n    return a + 1\\n")
def work():
    done = 1                            # here
    return done
threading.stack_size(384 * 1024)
t = threading.Thread(target=work)
t.start()
t.join()
print("end")
'''

path = script(PROGRAM)
with Cdbg(path) as d:
    d.do("break %d" % line_of(path, "# here"))
    d.go()
    for name in ("loops", "tries"):
        text = d.do("decompile " + name)["text"]
        like(text, r"^ *def f\(", "'decompile %s' answers in a thread with little stack" % name)
        like(text, r"nested too deeply|break|except", "with source, or with the reason why there is none")
    like(d.do("decompile small")["text"], r"return a \+ 1", "what is less deep is decompiled there")
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")
done()
