#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whose file is it?  By whole parts of its path: what inductor wrote, what torch, Python and installed packages have, and the program's."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

need_torch()


def frames(d):
    return [(r["function"], r["kind"]) for r in d.rows("info frames")]


ALL_OWN = [("helper", "user"), ("call", "user"), ("<module>", "user")]
with Cdbg(os.path.join(top, "tests", "cases", "cache_beside.py")) as d:
    d.do("break helper")
    d.go()
    is_(frames(d), ALL_OWN, "a file whose name begins as the cache's folder is the program's")
    d.go()
    is_(frames(d), ALL_OWN, "a program in the cache's folder is the program's")
    d.do("delete")
    d.run_out()

PROGRAM = """
    import os, sys, torch._dynamo
    from torch._inductor.async_compile import AsyncCompile; async_compile = AsyncCompile()
    here, torch_folder = os.path.dirname(os.path.abspath(__file__)), os.path.dirname(torch.__file__)
    def seen(args):
        return len(args)
    TEXT = '''
    def helper(args):
        return seen(args)
    def call(args):
        y = helper(args)
        return y
    def main(args):
        return call(args)
    from torch._inductor.async_compile import AsyncCompile; async_compile = AsyncCompile()
    '''
    HASH = "ab" * 25 + "a"
    own = os.path.join(here, "torchinductor_me", "own.py")
    for cache, file in (
        ("", own), (".", own), (here + "/sub/..", own), (os.path.dirname(here) + "/", own),
        (here, torch_folder + "_utils/own.py"), (here, torch_folder + "/../../../../mine/own.py"),
        (here, here + "/site-packages-old/own.py"), (here, here + "/codegen(1)/own.py"), (here, here + "/cb/c" + HASH + ".py"),
        (here, torch_folder + "/own.py"), (here, here + "/ab/c" + HASH + ".py")):
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        space = {"seen": seen}
        exec(compile(TEXT, file, "exec"), space)
        space["main"]([1])
"""
CASES = [(kinds, what) for kinds, what in (
    (["user"] * 3, "whose process sets an empty cache folder"),
    (["user"] * 3, "whose process names the current folder as the cache's"),
    (["user"] * 3, "whose folder is the cache's by way of '..'"),
    (["user"] * 3, "in a folder of the cache's, in one whose name begins as that of inductor's own cache"),
    (["library"] * 3, "of another package whose folder's name begins with 'torch'"),
    (["user"] * 3, "that is reached by a path through torch's folder"),
    (["user"] * 3, "in a folder whose name begins with 'site-packages'"),
    (["user"] * 3, "in a folder whose name torch uses for its own code"),
    (["user"] * 3, "named as inductor names files, but not its folder"),
    (["library"] * 3, "of torch"),
    (["graph"] * 3, "that inductor wrote"))]
with Cdbg(PROGRAM) as d:
    d.do("break seen")
    for kinds, what in CASES:
        d.go()
        is_([k for f, k in frames(d)][1:4], kinds, "the frames of a file %s are of kind %s" % (what, kinds[0]))
    d.run_out()
done()
