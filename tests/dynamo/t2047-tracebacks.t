#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What stands in for Dynamo's functions while it is watched shows nowhere: not in tracebacks, stacks, inspect, pickle."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch()

# Addresses and times differ from run to run: none of either is printed.
PROGRAM = '''
    import copy, inspect, pickle, re, sys, traceback, types, weakref
    import torch
    from torch._dynamo import convert_frame as cf, eval_frame as ef, guards, output_graph as og, symbolic_convert as sc

    def part(title):
        print("==", title)

    def tell(fn, *args):
        for again in range(2):
            try:
                fn(*args)
            except Exception as e:
                tb, n = e.__traceback__, 0
                while tb:
                    n, tb = n + 1, tb.tb_next
                print(n, re.sub("0x[0-9a-f]+", "0x", traceback.format_exc()))

    @torch.compile(backend="eager", fullgraph=True)
    def broken(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2
    part("a graph break where none may be")
    tell(broken, torch.ones(3))

    @torch.compile(backend="eager")
    def raises(x):
        y = x + 1
        if x.shape[0] == 3:
            raise ValueError("the program's own")
        return y
    part("an exception of the program")
    tell(raises, torch.ones(3))

    def bad(gm, inputs):
        raise RuntimeError("the backend's own")

    @torch.compile(backend=bad)
    def backend_fails(x):
        return x.sin() + 1
    part("a backend that raises")
    tell(backend_fails, torch.ones(3))

    def helper(x, n):
        return x.view(n, 7)

    @torch.compile(backend="eager")
    def inlines(x, n):
        return helper(x, n)
    part("an error in an inlined function")
    tell(inlines, torch.ones(3), 2)

    def shows(gm, inputs):
        traceback.print_stack(file=sys.stdout)
        return gm.forward

    @torch.compile(backend=shows)
    def stack(x):
        return x.cos()
    part("the stack where a backend is called")
    tell(stack, torch.ones(3))

    def deep(n):
        return compiled(torch.ones(2), n) if n else sys._getframe()
    compiled = torch.compile(lambda x, n: deep(n - 1), backend="eager")
    part("how deep the stack is below compiled calls")
    f, n = deep(3), 0
    while f:
        f, n = f.f_back, n + 1
    print(n)

    part("what is asked about Dynamo's functions")
    WATCHED = ((cf, "_compile"), (cf.CatchErrorsWrapper, "__call__"), (guards.CheckFunctionManager, "__init__"),
               (sc if hasattr(sc, "log_graph_break") else sc.InstructionTranslatorBase, "log_graph_break"), (og.OutputGraph, "call_user_compiler"),
               (ef._TorchDynamoContext, "__call__"), (ef.DisableContext, "__call__"), (torch._dynamo, "reset"))
    for owner, name in WATCHED:
        f = getattr(owner, name)
        print(f.__name__, f.__qualname__, f.__module__, f.__doc__, inspect.signature(f), inspect.getsourcelines(f)[1],
              inspect.isfunction(f), isinstance(f, types.FunctionType), hasattr(f, "__wrapped__"), f.__code__.co_name,
              f.__defaults__, f.__kwdefaults__, repr(f).split(" at ")[0], callable(f), weakref.ref(f)() is f,
              pickle.loads(pickle.dumps(f)) is f, copy.deepcopy(f) is f, inspect.unwrap(f) is f,
              inspect.ismethod(f.__get__(owner)), f.__get__(owner).__func__ is f)
    def stop():
        pass
    stop()
    print("watched" in [type(getattr(owner, name)).__name__ for owner, name in WATCHED])
'''


def parts(text):
    return {p.partition("\n")[0]: p for p in ("\n" + text).split("\n== ")[1:]}


path = script(PROGRAM)
status, out, err = bare(path)
is_(status, 0, "the program runs without cdbg")
without = parts(out)
is_(len(without), 7, "in all its parts")
with Cdbg(path) as d:
    d.do("break stop")
    d.go()
    watched = parts(d.out)
    for title, text in without.items():
        if "asked" in title:
            text = text.rsplit("\n", 2)[0]
            watched[title] = watched.get(title, "").rstrip("\n")
        is_(watched.get(title), text, "the same with cdbg: " + title)
    like(str(d.rows("info dynamo")), "'wrapped'", "though Dynamo is watched")
    d.go("detach")
    is_(d.out.splitlines()[-1], "False", "after detach nothing stands in for anything")
with Cdbg(path) as d:
    for c in ("catch graph-break", "catch recompile", "catch compile", "set trace-compile on"):
        d.do(c)
    d.run_out()
    is_(parts(d.out).get("a graph break where none may be"), without["a graph break where none may be"],
        "tracebacks are the same while symbolic runs are kept and everything is caught")
    is_(parts(d.out).get("the stack where a backend is called"), without["the stack where a backend is called"],
        "and so is the stack")
done()
