#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Entries of Dynamo's cache tried by hand, disabled, deleted, preferred, forced, and each of it taken back: no compile,
and afterwards the cache is as it was."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch(imported=False)

PROGRAM = PRELUDE + '''
    LIMIT = "recompile_limit" if hasattr(torch._dynamo.config, "recompile_limit") else "cache_size_limit"

    def f(x, n):
        return x * n

    def outer(k):
        def inner(x, *a, n=2, **kw):
            return x * k * n + len(a) + kw.get("z", 0)
        return inner

    def auto(x, n):
        return x + n

    def two(x, n):
        return x - n                        # in two

    class Kind:
        pass
    kind = Kind()

    def typed(x, o):
        return x + 1 if isinstance(o, Kind) else x

    def mutates(x):
        x.add_(1)
        return x * 2

    def limited(x, n):
        return x * n + 1

    def broken(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    x = torch.ones(3)
    cf = torch.compile(f, backend="eager", dynamic=False)
    for n in (2, 3, 4):
        cf(x, n)
    inner = outer(3)
    ci = torch.compile(inner, backend="eager", dynamic=False)
    ci(x, 1, n=2), ci(x, 1, n=5, z=1)
    ca = torch.compile(auto, backend="eager")
    ca(x, 5)
    ct = torch.compile(two, backend="eager", dynamic=False)
    ct(x, 1)
    ck = torch.compile(typed, backend="eager")
    ck(x, kind)
    cm = torch.compile(mutates, backend="eager")
    cm(torch.ones(3))

    cb = torch.compile(broken, backend="eager")
    cb(x)
    cl = torch.compile(limited, backend="eager", dynamic=False)
    with torch._dynamo.config.patch({LIMIT: 2}):
        cl(x, 1), cl(x, 2), cl(x, 3)

    def stop(what):
        return what

    stop("here")
    ct(x, 1)
    busy, wrong = True, []

    def work():
        while busy:
            for n in (2, 3, 4):
                if cf(x, n)[0].item() != n:
                    wrong.append(n)

    thread = threading.Thread(target=work)
    thread.start()
    stop("thread")
    busy = False
    thread.join()
    print(len(wrong), "wrong")
    stop("after")
'''

with Editing(PROGRAM) as d:
    d.do("break stop")
    d.go()

    value, entry = d.value, d.entries
    begun = value("compiles()")
    rows = [l.split() for l in d.text("entry list f").splitlines()]
    is_([r[:3] for r in rows], [["0/%d" % i, "f", "live"] for i in range(3)], "entry list shows a function's entries")

    # by hand
    like(d.text("entry check 0/0 with x=x n=2"), "all guards pass", "entry check tells that given values pass")
    like(d.text("entry check 0/0 with x=x n=2 + 7"), r"1 guard fails\n.*\bn == 2", "entry check names the guard that fails")
    like(d.text("entry check 0/0 with x=x.int() n=9"), r"2 guards fail\n(.*\n)*.*\bn == 2\b", "each of them where several do")
    like(d.error("entry check 0/0"), "no value for 'x'.*with x=EXPR", "values of another frame are not taken")
    like(d.error("entry run 0/1 with x=x n=9"), r"this call does not use entry 0/1\n(.*\n)*.*\bn == 3",
         "entry run of an entry that the call would not use is refused, with the guard that fails")
    like(d.error("entry diff 0/1 with x=x n=9"), r"\bn == 3(.*\n)*'entry diff -f 0/1' runs", "so is entry diff: 'not equal' would accuse nobody")
    is_(d.text("entry run -f 0/1 with x=x n=9"), "tensor([3., 3., 3.])", "-f runs it without its guards: the code of n == 3 answers")
    like(d.text("entry diff 0/1 with x=x n=3"), r"^equal to eager, max difference 0\n.* ms, eager .* ms", "entry diff finds it equal")
    like(d.text("entry diff -f 0/1 with x=x n=9"), "not equal to eager, max difference 6", "entry diff says by how much it differs")
    is_(d.text("entry run -f %s with x=x a=(1,) n=5 kw={'z': 1} k=3" % entry("inner")[1]), "tensor([17., 17., 17.])",
        "entry run passes *args, keywords and free variables")
    is_(d.text("entry run -f %s with x=torch.ones(2)" % entry("mutates")[0]).startswith("tensor([4., 4."), True,
        "entry run of a function that writes into its argument runs")
    like(d.text("entry diff -f %s with x=torch.ones(3)" % entry("mutates")[0]), "^equal", "entry diff gives each side its own values")
    like(d.error("entry run -f 0/1 with x=None n=1"), "the generated code raised: ", "what the code raises is reported")

    # disable
    before, order = value("texts(f)"), value("ids(f)")
    like(d.text("entry disable 0/1"), "override 1", "entry disable makes an override")
    is_({r["entry"]: r["state"] for r in d.rows("info entries f")}, {"0/0": "live", "0/1": "disabled", "0/2": "live"},
        "info entries shows the state")
    is_(value("ids(f)"), order, "a disabled entry stays in its place")
    like(d.text("entry check 0/1 with x=x n=3"), "disabled", "its guards report it")
    like(d.error("entry disable 0/1"), "undo 1", "once is enough")
    is_(value("cf(x, 2)[0].item()"), "2.0", "the others serve")
    like(d.text("entry enable 0/1"), "undone", "entry enable reverts it")
    is_(value("sorted(ids(f).split())"), "['0/0', '0/1', '0/2']", "all are there")
    is_(value("cf(x, 3)[0].item()"), "3.0", "it serves again")
    is_(value("compiles()"), begun, "nothing compiled")

    # delete
    before, order = value("texts(f)"), value("ids(f)")
    d.do("entry delete 0/0")
    is_(value("'0/0' in ids(f)"), "False", "a deleted entry is out of Dynamo's own list")
    like(d.error("entry delete 0/0"), "already has this change|deleted", "it is not deleted twice")
    like(d.error("entry prefer 0/0"), "is deleted: 'undo", "a deleted entry is not preferred")
    d.do("undo")
    is_(value("ids(f)"), order, "undo puts it where it was")
    is_(value("texts(f)"), before, "with the same guards, leaf for leaf")
    is_(value("cf(x, 2)[0].item(), compiles() == %s" % begun), "(2.0, True)", "and it serves without a compile")

    # prefer and force
    order = value("ids(f)")
    said = d.text("entry prefer 0/1")
    is_(value("ids(f)").strip("'")[:3], "0/1", "a preferred entry is first")
    if value("hasattr(ef, '_set_lru_cache')") == "True":
        is_(value("cf(x, 4)[0].item(), ids(f)[:3]"), "(4.0, '0/1')", "and stays first when another is used")
    else:
        like(said, "longer needs another torch", "the answer says that another that is used comes before it")
    d.do("undo")
    is_(value("ids(f)"), order, "undo restores the order")
    is_(value("cf(x, 4)[0].item(), ids(f)[:3]"), "(4.0, '0/2')", "the order follows use again")
    d.do("entry force 0/1")
    is_(value("cf(x, 50)[0].item()"), "3.0", "a forced entry serves what it was not made for")
    d.do("undo")
    is_(value("compiles()"), begun, "nothing compiled")

    # several at once, undone in another order
    before = value("texts(f)")
    for line in ("entry delete 0/0", "entry disable 0/1", "entry prefer 0/2", "entry disable 0/2"):
        d.do(line)
    numbers = [r["override"] for r in d.rows("info overrides") if r["state"] == "on"]
    is_(len(numbers), 4, "info overrides lists what is in force")
    for n in (numbers[1], numbers[0], numbers[3], numbers[2]):
        d.do("undo %d" % n)
    is_(value("sorted(ids(f).split())"), "['0/0', '0/1', '0/2']", "undone in any order all entries are back")
    is_(value("[cf(x, n)[0].item() for n in (2, 3, 4)], compiles() == %s" % begun), "([2.0, 3.0, 4.0], True)", "and serve")
    like(d.error("undo %d" % numbers[0]), "already undone", "undone is undone")
    like(d.error("undo"), "nothing to undo", "and there is nothing left")
    like(d.error("undo 99"), "no override 99", "a wrong number is refused")

    # signatures, automatic dynamic shapes
    one = entry("inner")[0]
    d.do("entry delete " + one)
    d.do("undo")
    is_(value("ci(x, 1, n=2)[0].item(), ci(x, 1, n=5, z=1)[0].item(), compiles() == %s" % begun), "(7.0, 17.0, True)",
        "a function with *args, keywords and free variables gets its entries back")
    d.do("entry disable " + entry("auto")[0])
    d.do("undo")
    is_(value("ca(x, 6)[0].item(), ca(x, 7)[0].item(), compiles() - %s" % begun), "(7.0, 8.0, 1)",
        "Dynamo still knows that a number changes: the second value makes the entry for all")
    begun = value("compiles()")

    # eager
    d.do("eager f")
    is_(value("cf(x, 50)[0].item(), compiles() == %s" % begun), "(50.0, True)", "eager runs the function in eager mode")
    like(d.error("eager f"), "already eager", "once is enough")
    if value("hasattr(ef, 'set_code_exec_strategy')") == "True":
        d.do("entry disable 0/1")
        is_(value("cf(x, 51)[0].item(), compiles() == %s" % begun), "(51.0, True)",
            "and stays so when an entry is edited")
        d.do("undo")
    else:
        like(d.error("entry disable 0/1"), "runs in eager mode: 'undo'", "its entries, which are removed, are left alone")
    d.do("undo")
    is_(value("cf(x, 3)[0].item(), ids(f)[:3], compiles() == %s" % begun), "(3.0, '0/1', True)", "undo brings its entries back")
    like(d.error("eager stop"), "compiled no function 'stop'", "a function that Dynamo never saw is refused")

    # another backend, for one function
    like(d.error("set backend nonesuch for f"), "no such backend", "an unknown backend is refused")
    like(d.error("set backend eager"), "set backend NAME for FUNC", "a backend is for a function")
    ok("eager" in [r["backend"] for r in d.rows("info backends")], "info backends lists torch's")
    order, before = value("ids(f)"), value("texts(f)")
    d.do("set backend aot_eager for f")
    is_({r["state"] for r in d.rows("info entries f")}, {"removed"}, "set backend removes the function's entries")
    is_(value("cf(x, 2)[0].item(), compiles() - %s, len(entries(f))" % begun), "(2.0, 1, 1)", "... its next call compiles")
    is_(value("ci(x, 1, n=2)[0].item(), compiles() - %s" % begun), "(7.0, 1)", "... no other function does")
    like(d.error("entry disable 0/1"), "'undo", "... and its old entries are left alone")
    d.do("undo")
    is_((value("ids(f)"), value("texts(f)")), (order, before), "undo brings back what it had")
    is_(value("cf(x, 2)[0].item(), compiles() - %s" % begun), "(2.0, 1)", "... which serves")
    parts = [r["entry"] for r in d.rows("info entries broken")]
    is_(len(parts), 2, "a function with a graph break has a resume function")
    said = d.text("set backend aot_eager for broken")
    like(said, "2 entries, with those of its resume functions, are removed from the cache", "set backend says how many entries leave")
    is_([r["state"] for r in d.rows("info entries broken")], ["removed"] * 2, "... its resume functions' too")
    like(d.error("entry disable " + parts[1]), "'undo", "... which are left alone")
    is_(value("cb(x)[0].item(), compiles() - %s" % begun), "(4.0, 3)", "... its next call compiles both")
    d.do("undo")
    is_([r["state"] for r in d.rows("info entries broken")], ["live"] * 2 + ["invalidated"] * 2,
        "undo brings both back, and what was compiled meanwhile goes")
    is_(value("cb(x)[0].item(), compiles() - %s" % begun), "(4.0, 3)", "... and they serve")
    begun = value("compiles()")

    # what Dynamo was given about a function stays
    one = entry("limited")[0]
    d.do("entry delete " + one)
    d.do("undo")
    is_(value("[cl(x, n)[0].item() for n in (1, 2, 9)], len(entries(limited)), compiles() == %s" % begun),
        "([2.0, 3.0, 10.0], 2, True)", "a function at Dynamo's limit has its entries, and compiles no more")
    d.do("eager limited")
    d.do("undo")
    is_(value("cl(x, 8)[0].item(), compiles() == %s" % begun), "(9.0, True)", "nor after it was eager")
    if value("hasattr(ef, '_set_lru_cache')") == "True":
        d.do("python ef._set_lru_cache(False)")
        order = value("ids(f)")
        d.do("entry prefer 0/2")
        d.do("undo")
        is_(value("cf(x, 4)[0].item(), ids(f)"), "(4.0, %s)" % order, "the order of a program that requires it is kept")
        d.do("python ef._set_lru_cache(True)")

    # Dynamo refuses the entry
    if value("hasattr(torch._dynamo.types, 'wrap_guarded_code')") == "True":
        order, before = value("ids(f)"), value("texts(f)")
        d.do("python import torch._dynamo.types as types; wrap = types.wrap_guarded_code; left = [None] * 3")
        d.do("python types.wrap_guarded_code = lambda g: left.pop() if left else wrap(g)")
        like(d.error("entry disable 0/1"), "did not accept these entries: the cache is unchanged", "a failed edit reports it")
        d.do("python types.wrap_guarded_code = wrap")
        is_((value("ids(f)"), value("texts(f)")), (order, before), "and nothing is lost")
        is_([r for r in d.rows("info overrides") if r["state"] == "on"], [], "nor is it in the ledger")

    # what an entry guards dies while it is out
    typed = entry("typed")[0]
    d.do("entry delete " + typed)
    d.do("python import weakref; died = weakref.ref(Kind)")
    d.do("python for name in ('Kind', 'kind'): del globals()[name]")
    value("gc.collect()")
    if value("died() is None") == "True":
        like(d.error("undo"), "no longer in Dynamo's cache", "an entry whose guarded class died is not restored")
        is_([r["state"] for r in d.rows("info overrides") if r["entry"] == typed], ["dead"], "its override is dead")
    else:                                    # so on CPython 3.12, also without cdbg
        skip("an entry whose guarded class died is not restored", "something of torch's keeps the class alive here")

    # refused
    like(d.error("entry disable 7/7"), "no entry '7/7'", "an unknown entry is refused")
    like(d.error("entry"), "'entry' needs a subcommand: list, check", "entry alone is refused")
    like(d.error("entry fix 0/0"), "unknown subcommand 'entry fix'; try: list, check", "so is a verb that does not exist")
    like(d.error("entry de 0/0 now"), "unexpected argument 'now' of 'entry delete'; usage: entry delete ENTRY", "words too many are refused")
    like(d.error("entry run 0/0 with 5"), "NAME=EXPR", "values without a name are refused")

    # beside precompiled entries, which the program loaded
    if value("hasattr(ef, '_load_precompile_entry')") == "True":
        d.do("python root = torch._C._dynamo.guards.RootGuardManager()")
        d.do("python root.add_lambda_guard(lambda L: L['n'] == 50, ['n is 50'], None)")
        d.do("python loaded = torch._dynamo.guards.GuardManagerWrapper(root)")
        d.do("python old = [e.code for e in entries(f) if str(e.compile_id) == '0/1'][0]")
        d.do("python ef._load_precompile_entry(f.__code__, loaded, old)")
        serves = "[e.guard_manager is loaded for e in ef._debug_get_precompile_entries(f.__code__)], " \
                 "cf(x, 50)[0].item(), compiles() == %s" % value("compiles()")
        is_(value(serves), "([True], 3.0, True)", "a precompiled entry serves a call")
        d.do("entry delete 0/0")
        is_(value(serves), "([True], 3.0, True)", "... so it does when an entry beside it is deleted")
        d.do("undo")
        is_(value(serves), "([True], 3.0, True)", "... and when that is undone")
        d.do("eager f")
        d.do("undo")
        is_(value(serves), "([True], 3.0, True)", "... and after the function ran in eager mode")
        d.do("python ef._reset_precompile_entries(f.__code__)")
        d.do("python loaded = torch._dynamo.guards.GuardManagerWrapper(root)")
        d.do("python unseen(f.__code__, loaded, old)")
        like(d.error("entry disable 0/0"), "precompiled entries for this function before cdbg was loaded",
             "entries beside a precompiled one that was not seen coming are left alone")
        d.do("python ef._reset_precompile_entries(f.__code__)")
    else:
        skip("a precompiled entry serves a call", "this torch has none")

    # inside the entry's own frame
    d.do("break two")
    d.go()
    two = d.frame["entry"]
    like(d.text("entry check " + two), "all guards pass", "in its own frame an entry's values are the frame's")
    is_(d.text("entry run " + two), "tensor([0., 0., 0.])", "and it runs on them")
    like(d.text("entry disable " + two), "running now", "an edit of code that runs says from when it counts")
    d.do("undo")
    d.do("entry delete " + two)
    d.do("undo")
    is_(value("ct(x, 1)[0].item(), compiles() == %s" % begun), "(0.0, True)", "the running entry serves as before")

    # another thread calls all the while
    d.go()
    is_(d.frame["function"], "stop", "a thread calls the function without a pause")
    for k in range(10):
        d.do("entry prefer 0/%d" % (k % 3))
        d.do("undo")
    is_(value("wrong"), "[]", "20 edits while it calls: right results")
    is_(value("compiles() == %s" % begun), "True", "and no compile")
    d.go()
    is_(d.frame["function"], "stop", "the thread ends")

    # a reset
    d.do("entry disable 0/1")
    d.do("python torch._dynamo.reset()")
    is_(d.rows("info overrides")[-1]["state"], "dead", "after a reset an override is dead")
    like(d.error("undo"), "nothing to undo", "it is not undone")
    like(d.error("entry disable 0/2"), "no longer exists", "an entry that is gone is refused")
    d.run_out()
    is_(d.out, "0 wrong\n", "the program ends as ever")

# undone on detach
with Cdbg('''
    import torch
    def f(x, n):
        return x * n
    x = torch.ones(3)
    c = torch.compile(f, backend="eager", dynamic=False)
    c(x, 2), c(x, 3)
    def stop():
        pass
    stop()
    print(c(x, 2)[0].item(), c(x, 3)[0].item(), torch._dynamo.utils.counters["frames"]["total"])
''') as d:
    d.do("break stop")
    d.go()
    d.do("entry delete 0/1")
    d.do("entry force 0/0")
    d.go("detach")
    is_(d.out, "2.0 3.0 2\n", "detach reverts what was changed")

# nothing of a call tells these entries apart but what they guard of the module
with Cdbg('''
    import torch
    def f():
        return w * k
    w, k = torch.ones(3), 2
    c = torch.compile(f, backend="eager", dynamic=False)
    c()
    k = 3
    c()
    def stop():
        pass
    stop()
    print(c()[0].item(), torch._dynamo.utils.counters["frames"]["total"], torch.is_grad_enabled())
    k = 2
    print(c()[0].item(), torch._dynamo.utils.counters["frames"]["total"])
''') as d:
    d.do("break stop")
    d.go()
    d.do("entry delete 0/0")
    d.do("undo")
    d.do("entry clone 0/0")
    for edit in ("guard drop GLOBAL_STATE in 0/1", "guard force GLOBAL_STATE in 0/1", "entry force 0/1"):
        d.do(edit)
        d.do("entry install 0/0+1")
        d.do("entry delete 0/0")
        for n in [r["override"] for r in d.rows("info overrides") if r["state"] == "on"]:
            d.do("undo %d" % n)
    is_({r["state"] for r in d.rows("info overrides")}, {"undone"},
        "entries of a function without arguments are edited beside one that serves any call")
    d.go("detach")
    is_(d.out, "3.0 2 True\n2.0 2\n", "... and it has its own again, in the gradient mode it was in")
done()
