# SPDX-License-Identifier: BSD-3-Clause
"""What torch itself logs of a program's graph breaks, without cdbg: what tests of them compare with."""
from cdbgtest import Trouble, bare, script

# A program that runs another one and prints what torch logs of its graph breaks as the last line, FOUND [...]: the
# function that breaks, line and function of the innermost frame, nodes so far, kind, torch's words.
BREAKS = """
    import runpy, sys
    import torch, torch._dynamo.convert_frame as cf, torch._dynamo.symbolic_convert as sc
    found = []

    def note(function, stack, nodes, kind, words):
        at = stack[-1] if stack else None
        found.append((function, at and at.lineno, at and at.name, nodes, kind, words.split(chr(10))[0]))

    def log_graph_break(self, code_options, reason, exc):
        if not exc.logged:
            note(self.f_code.co_name, exc.real_stack, len(self.output.graph.nodes), getattr(exc, "gb_type", None), str(exc))
        return true(self, code_options, reason, exc)

    def log_graph_break_old(code_options, reason="", exc_info=False, user_stack=None):      # torch 2.6
        tx = sc.InstructionTranslator.current_tx()
        note(code_options["co_name"], user_stack or torch._guards.TracingContext.extract_stack(), len(tx.output.graph.nodes),
             None, reason.removeprefix("Unsupported: "))
        return true(code_options, reason, exc_info, user_stack)

    def _compile(code, *args, **more):              # there some breaks are not logged: they end the compile
        try:
            return compile_(code, *args, **more)
        except torch._dynamo.exc.Unsupported as e:
            note(code.co_name, e.real_stack, None, None, e.msg)
            raise

    if hasattr(sc, "log_graph_break"):
        true, sc.log_graph_break = sc.log_graph_break, log_graph_break_old
        compile_, cf._compile = cf._compile, _compile
    else:
        true = sc.InstructionTranslatorBase.log_graph_break
        sc.InstructionTranslatorBase.log_graph_break = log_graph_break
    runpy.run_path(sys.argv[1], run_name="__main__")
    print("FOUND", repr(found))
"""


def breaks_logged(path, env=None, limit=600):
    """What torch logs without cdbg of the graph breaks of a program: [BREAKS' rows], its output, its errors."""
    status, out, err = bare(script(BREAKS), path, env=env, limit=limit)
    plain, told, found = out.rpartition("FOUND ")
    if not told:
        raise Trouble("torch's graph breaks could not be noted:\n" + err[-3000:])
    return eval(found), plain, err
