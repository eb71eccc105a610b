#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# cdbg.watch() and the plugin cdbg.pytest: what Dynamo did in a block or a test, as data and as limits, without a debugger.
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *
from cdbgtest import argv, environment

need_torch()
if not has("pytest"):
    skip_all("no pytest")

FUNCTIONS = '''
    import torch

    @torch.compile(backend="eager")
    def scale(x, n):
        return x * n

    @torch.compile(backend="eager")
    def speak(x):
        y = x * 2
        print("spoken")
        return y
    '''
PROGRAM = '''
    import os
    import cdbg
    from functions import *
    with cdbg.watch() as w:
        scale(torch.ones(3), 1)
        speak(torch.ones(3))
        print("inside", len(w.breaks), len(w.recompiles), w.compiles)
        scale(torch.ones(4), 1)
    print(w)
    scale(torch.ones(4).double(), 1)
    print("after", len(w.recompiles), w.compiles)
    r = w.recompiles[0]
    print("row", os.path.basename(r["file"]), r["line"], r["function"], r["entry"])
    with cdbg.watch(max_breaks=0, max_recompiles=0) as quiet:
        scale(torch.ones(4), 1)
    print("quiet:", quiet)
    try:
        with cdbg.watch(max_recompiles=0):
            scale(torch.ones(4).half(), 1)
    except AssertionError as e:
        print("refused", type(e).__name__, len(e.events), e)
    try:
        with cdbg.watch(max_breaks=0):
            speak(torch.ones(2, 2))
            raise KeyError("own")
    except KeyError as e:
        print("kept", e)
    @cdbg.watch(max_breaks=0)
    def evaluate(x):
        "doc"
        return speak(x.int())
    try:
        evaluate(torch.ones(3))
    except cdbg.watching.CompileError as e:
        print("decorated", evaluate.__doc__, str(e).count("speak"))
    try:
        cdbg.watch().breaks
    except RuntimeError as e:
        print("too early:", e)
    '''
TESTS = '''
    import pytest
    from functions import *

    @pytest.fixture(autouse=True)
    def fresh():
        torch.compiler.reset()

    @pytest.mark.no_graph_break
    @pytest.mark.no_recompile
    def test_right():
        scale(torch.ones(3), 1)

    @pytest.mark.no_graph_break
    def test_breaks():
        speak(torch.ones(3))

    @pytest.mark.no_recompile
    def test_again():
        scale(torch.ones(3), 1)
        scale(torch.ones(4), 1)

    @pytest.mark.no_recompile(after=1)
    def test_once():
        scale(torch.ones(3), 1)
        scale(torch.ones(4), 1)
        scale(torch.ones(5), 1)

    @pytest.mark.no_recompile(after=1)
    def test_twice():
        scale(torch.ones(3), 1)
        scale(torch.ones(4), 1)
        scale(torch.ones(5).double(), 1)

    @pytest.mark.max_recompiles(1)
    def test_many():
        scale(torch.ones(3), 1)
        scale(torch.ones(4), 1)
        scale(torch.ones(5).double(), 1)

    @pytest.mark.max_recompiles
    def test_no_number():
        pass

    @pytest.mark.no_graph_break(1)
    def test_number():
        pass

    @pytest.mark.no_recompile
    def test_wrong():
        scale(torch.ones(3), 1)
        scale(torch.ones(4), 1)
        assert scale is None

    def test_unmarked():
        speak(torch.ones(3))
    '''
functions = script(FUNCTIONS, "functions.py")
folder = os.path.dirname(functions)
program, tests = script(PROGRAM, "watched.py", folder), script(TESTS, "test_compile.py", folder)

# ---- in a program ----

status, out, err = bare(program)
ok(status == 0 and "Error" not in err, "the program ends as it should", err)
like(out, r"inside 1 0 2", "counts can be read inside the block")
like(out, r"1 graph break:\n  \S*functions.py:10 in speak: Failed to trace .*\n    remedy: Avoid calling builtin `print`", "a graph break: line, function, reason, remedy")
like(out, r"1 recompile:\n  \S*functions.py:5 in scale: tensor 'x' size mismatch at index 0. expected 3, actual 4\n    remedy: .*dynamic",
     "a recompile: line, function, guard, remedy")
like(out, r"after 1 3", "what comes after the block is not counted")
like(out, r"row functions.py 5 scale \d+/1", "the same as data")
like(out, r"quiet: no graph break and no recompile", "a block without either says so")
like(out, r"refused CompileError 1 1 recompile:\n.*dtype mismatch", "a limit raises CompileError with the events")
like(out, r"kept 'own'", "an exception of the block is not replaced")
like(out, r"decorated doc 1", "a decorated function keeps its name and text, and has the limit at each call")
like(out, r"too early: .*with cdbg.watch\(\) as w", "read before anything was watched, it says how to use it")

# ---- in tests ----

r = subprocess.run(argv("-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "cdbg.pytest", "--strict-markers", "--color=no",
                        "--show-capture=no", tests), capture_output=True, text=True, env=environment(), cwd=folder)
out = r.stdout
is_(r.returncode, 1, "pytest fails")
like(out, r"5 failed, 3 passed.*, 2 errors", "so many tests pass and fail")
like(out, r"(?m)^no_graph_break: 1 graph break:\n  \S*functions.py:10 in speak: ", "no_graph_break names the line")
like(out, r"(?m)^no_recompile: 1 recompile:\n  \S*functions.py:5 in scale: tensor 'x' size mismatch.*\n    remedy: ", "no_recompile names line, guard and remedy")
like(out, r"(?m)^no_recompile: 2 recompiles, 1 allowed:\n.*size mismatch.*\n.*\n.*dtype mismatch", "no_recompile(after=1) fails at the second one of a function")
like(out, r"(?m)^max_recompiles: 2 recompiles, 1 allowed:", "max_recompiles(1) fails at the second one")
like(out, r"marker max_recompiles takes n=NUMBER", "a marker without its number says so")
like(out, r"marker no_graph_break takes no arguments", "a marker with one too many, too")
like(out, r"FAILED \S+::test_wrong - assert", "a test that fails by itself keeps its own failure")
unlike(out, r"FAILED \S+::(test_right|test_once|test_unmarked)", "what keeps its limits passes")
done()
