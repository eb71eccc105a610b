# SPDX-License-Identifier: BSD-3-Clause
"""What the decompiler makes of the code that Dynamo generates for a program.

    from generated import *

    g = Generated('''
        import torch
        ...
    ''')
    g.holds("a lambda that is returned")          # output and status are the same with all code replaced by its recompiled version
    like(g.text("f"), "return lambda", "...")     # what cdbg.decompile() gives for the code generated for f
    g.reads("a lambda that is returned", 5)       # output and status are the same with the text that is read, compiled, in the place of
                                                  # the code, where no name or cell prevents it: of 5 code objects or more
"""
import json
import os
import sys
import types

__all__ = ["Generated"]


class Generated:
    def __init__(self, program, folder=None):
        from cdbgtest import environment, python, script
        self.path = path = script(program, folder=folder)
        out = path + ".json"
        paths = os.pathsep.join([environment()["PYTHONPATH"], os.path.dirname(path)])

        def outcome(*words):
            p = python(*words, env={"PYTHONPATH": paths}, limit=200)
            return (p.returncode, p.stdout), p.stderr
        self.outcome = outcome
        self.bare, self.said = outcome(path)
        self.replaced, said = outcome(os.path.abspath(__file__), path, out)
        self.said += said
        self.made, self.codes = [], {}
        if os.path.exists(out):
            with open(out) as f:
                self.made = json.load(f)
        for name, read, whole, why in self.made:
            self.codes.setdefault(name, []).append((read, whole))

    def holds(self, name):
        from cdbgtest import ok
        refused = [made[3] for made in self.made if made[3]]
        ok(self.bare == self.replaced and self.bare[0] == 0 and self.made and not refused,
           "%s: the program does the same with each of its code objects replaced" % name,
           "%s\n%s\n%s\n%s" % (self.bare, self.replaced, refused, self.said[-2000:]))

    def reads(self, name, least):
        from cdbgtest import ok
        out = self.path + ".read"
        read, said = self.outcome(os.path.abspath(__file__), self.path, out, "read")
        made = json.load(open(out)) if os.path.exists(out) else []
        n = sum(1 for m in made if not m[3])
        ok(self.bare == read and n >= least, "%s: the program does the same with the text that is read in their place" % name,
           "%s\n%s\n%d\n%s" % (self.bare, read, n, said[-2000:]))

    def text(self, name, which=0, whole=False):
        codes = self.codes.get(name, [])
        return codes[which][whole] if which < len(codes) else "no code of %s: %s" % (name, [made[0] for made in self.made])

    def all(self):
        return "\n".join(made[1] for made in self.made)


def compiled(code):
    """The code of the text that is read, with the whole names of globals; ValueError: it has a name or a cell of its own."""
    import cdbg
    text = cdbg.decompile(code)
    new = next((c for c in compile(text, "read", "exec").co_consts if isinstance(c, types.CodeType)), None)
    n = code.co_argcount + code.co_kwonlyargcount
    if not new or "__const_" in text or code.co_freevars or code.co_cellvars or new.co_freevars or new.co_cellvars:
        raise ValueError("cells")
    if new.co_varnames[:n] != code.co_varnames[:n]:
        raise ValueError("arguments")
    whole = {n: next((k for k in code.co_names if k == n or (n.startswith("__compiled_fn") and k.startswith(n + "_"))), n)
             for n in new.co_names}
    return new.replace(co_names=tuple(whole[n] for n in new.co_names), co_name=code.co_name)


def replace_all(program, out, read=None):
    import runpy
    import cdbg
    from torch._dynamo import convert_frame
    kept = []

    def hook(_, code):
        try:
            new, why = compiled(code) if read else cdbg.recompile(code), None
        except ValueError as e:
            new, why = None, str(e)
        kept.append((code.co_name, cdbg.decompile(code), cdbg.decompile(code, whole=True), why))
        return new

    def write():
        with open(out, "w") as f:
            json.dump(kept, f)
    convert_frame.register_bytecode_hook(hook)
    sys.argv = [program]
    sys.path[0] = os.path.dirname(program)
    try:
        runpy.run_path(program, run_name="__main__")
    finally:
        write()


if __name__ == "__main__":
    replace_all(*sys.argv[1:])
