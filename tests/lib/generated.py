# SPDX-License-Identifier: BSD-3-Clause
"""What the decompiler makes of the code that Dynamo generates for a program.

    from generated import *

    g = Generated('''
        import torch
        ...
    ''')
    g.holds("a lambda that is returned")          # output and status are the same with all code replaced by its recompiled version
    like(g.text("f"), "return lambda", "...")     # what cdbg.decompile() gives for the code generated for f
"""
import json
import os
import sys

__all__ = ["Generated"]


class Generated:
    def __init__(self, program, folder=None):
        from cdbgtest import environment, python, script
        path = script(program, folder=folder)
        out = path + ".json"
        paths = os.pathsep.join([environment()["PYTHONPATH"], os.path.dirname(path)])

        def outcome(*words):
            p = python(*words, env={"PYTHONPATH": paths}, limit=200)
            return (p.returncode, p.stdout), p.stderr
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

    def text(self, name, which=0, whole=False):
        codes = self.codes.get(name, [])
        return codes[which][whole] if which < len(codes) else "no code of %s: %s" % (name, [made[0] for made in self.made])

    def all(self):
        return "\n".join(made[1] for made in self.made)


def replace_all(program, out):
    import runpy
    import cdbg
    from torch._dynamo import convert_frame
    kept = []

    def hook(_, code):
        try:
            new, why = cdbg.recompile(code), None
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
