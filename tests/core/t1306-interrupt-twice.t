#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# In a stop of a worker thread, an expression ends although the main thread, which is to handle an interrupt, waits for its
# own stop and does not take the interpreter's lock.
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

with Cdbg("""
    import os
    import subprocess
    import threading
    def ctrl_c():
        return subprocess.run(["kill", "-INT", str(os.getpid())]).returncode
    def work():
        done = 1                            # here
        return done
    if __name__ == "__main__":
        t = threading.Thread(target=work)
        t.start()
        t.join()
        print("end")
""", limit=60) as d:
    d.do("break %d" % d.line_of("# here"))
    d.do("continue")
    d.wait()
    ok(d.stop["thread"] != 1, "a stop in a worker thread", d.stop)
    command = "print [ctrl_c() for i in range(3)], sum(1 for i in range(3000000))"
    d.send(command)
    d.send("interrupt")
    is_(d.answer(command).get("text"), "([0, 0, 0], 3000000)", "an expression during which interrupts come is evaluated to its end")
    d.answer("interrupt")
    is_(d.go()["reason"], "interrupt", "the interrupts stop the main thread")
    d.run_out()
    is_(d.out, "end\n", "the program runs to its end")
done()
