#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What CPython's own test suite found: programs whose end differed under cdbg."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

with Cdbg("""
    import _thread, os, signal
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _thread.interrupt_main()
    for i in range(1000):
        pass
    print("lives", flush=True)
    pid = os.fork()
    if not pid:
        os.kill(os.getpid(), signal.SIGINT)
        os._exit(0)
    print(os.WTERMSIG(os.waitpid(pid, 0)[1]), flush=True)
""") as d:
    d.run_out()
    is_(d.out, "lives\n2\n", "interrupt_main() does nothing where SIGINT has its default action; a real signal ends the program")

# A code object that only cdbg marked calls nobody else's function when it goes.
with Cdbg("""
    import ctypes

    def gone(p):
        calls.append(p)

    calls = []
    FREE = ctypes.CFUNCTYPE(None, ctypes.c_voidp)
    free = FREE(gone)
    request = None
    for name in "_PyEval_RequestCodeExtraIndex", "PyUnstable_Eval_RequestCodeExtraIndex":
        request = request or getattr(ctypes.pythonapi, name, None)
    request.argtypes, request.restype = (FREE,), ctypes.c_ssize_t
    index = request(free)

    def make():
        def f():
            return 1
        return f

    def run():
        names = {}
        exec("def g():\\n    return 2\\ng()\\n", names)
        del names

    run()
    print(len(calls), flush=True)
""") as d:
    d.do("break opcode:RETURN_VALUE")
    d.do("break make")
    d.run_out()
    is_(d.out, "0\n", "a code object in which cdbg stopped calls nobody else's function for its data when it goes")
done()
