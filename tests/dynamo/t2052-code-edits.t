#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generated code changed: clones of entries, their code as text and back, installed in Dynamo's cache, hit, and taken out
again; nothing compiles, and afterwards the cache is as it was."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from editing import *

need_torch()

PROGRAM = PRELUDE + '''
    def f(x, n):
        return x * n, 10

    def broken(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        print("broken")
        return x * b, {"k": [a, 3]}

    def outer(k):
        def inner(x, *a, n=2, **kw):
            def nested(y):
                return y + k
            torch._dynamo.graph_break()
            return nested(x) * k * n + len(a) + kw.get("z", 0)
        return inner

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(3))
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            with torch.no_grad():
                y = x + self.w
            return y * self.calls if self.calls < 3 else y

    def loops(x, l):
        for v in l:
            x = x + v
        l.append(4)
        try:
            return x, [y * 2 for y in l]
        finally:
            print("loops")

    class Kind:
        pass

    def typed(x, o):
        return x + 1 if isinstance(o, Kind) else x

    x = torch.ones(3)
    cf = torch.compile(f, backend="eager", dynamic=False)
    cf(x, 2), cf(x, 3)
    others = [torch.compile(g, backend="eager", dynamic=False) for g in (broken, outer(3), Module(), loops, typed)]

    def work():
        m = others[2]
        m.calls = 0
        return [others[0](x, x), others[0](x, -x), others[1](x, 1, n=2, z=3), m(x).tolist(), others[3](x, [1, 2]),
                others[4](x, Kind())]

    torch.manual_seed(1)
    first = repr(work())

    def stop(what):
        return what

    stop("here")
    second = repr(work())
    stop("worked")
    cf(x, 2)
    stop("called")
    torch._dynamo.reset()
    stop("reset")
'''

folder = tempfile.mkdtemp()


def path(name):
    return os.path.join(folder, name)


def read(name):
    with open(path(name)) as f:
        return f.read()


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


EDITOR = write("edit.sh", '#!/bin/sh\nexec sed -i -f %s "$1"\n' % path("script"))
os.chmod(EDITOR, 0o755)

with Editing(PROGRAM, env={"EDITOR": EDITOR, "VISUAL": "", "TMPDIR": folder}) as d:
    d.do("break stop")
    d.go()

    value, states = d.value, d.states
    begun, before, was = value("compiles()"), value("texts(f, False)"), value("ids(f, False)")
    is_(was, "'0/0 0/1'", "two entries to begin with")

    # a clone
    like(d.text("entry clone 0/0"), r"^entry 0/0\+1: a clone of 0/0", "entry clone makes an entry of its own number")
    is_(states("f"), {"0/0": "live", "0/1": "live", "0/0+1": "edited"}, "its state is edited")
    is_(value("ids(f, False)"), was, "it is not in Dynamo's cache yet")
    rows = {r["entry"]: r for r in d.rows("info entries f")}
    is_(rows["0/0+1"]["guards"], rows["0/0"]["guards"], "it has the guards of what it was cloned from")
    like(d.text("entry check 0/0+1 with x=x n=2"), "all guards pass", "which entry check asks")
    like(d.text("entry check 0/0+1 with x=x n=3"), r"\bn == 2", "and which fail where they are to fail")
    is_(d.text("entry run 0/0+1 with x=x n=2"), "(tensor([2., 2., 2.]), 10)", "entry run runs its code")
    like(d.text("entry diff 0/0+1 with x=x n=2"), "^equal to eager", "entry diff compares it")
    ok(any("__compiled_fn" in str(r["arg"]) for r in d.rows("info code 0/0+1")), "its code can be looked at")
    is_([r["line"] for r in d.rows("info code 0/0+1")], [r["line"] for r in d.rows("info code 0/0")],
        "each instruction stands for the user's line that the entry's stands for")

    like(d.text("explain 0/0+1"), r"\nentry 0/0\+1: edited.*\n  It was cloned from 0/0", "explain does not call it compiled")

    # its code edited
    write("script", r"s/LOAD_CONST  *10$/LOAD_CONST 42/")
    made = d.text("code edit 0/0")
    like(made, r"^entry 0/0\+2: its code was edited", "code edit makes a clone of what the editor leaves")
    is_(d.text("entry run 0/0+2 with x=x n=2"), "(tensor([2., 2., 2.]), 42)", "it runs the code that was edited")
    like(d.text("entry diff 0/0+2 with x=x n=2"), r"^not equal to eager, .*\n  result\[1\]: 42, eager 10", "entry diff tells the difference")
    is_(d.text("entry run 0/0 with x=x n=2"), "(tensor([2., 2., 2.]), 10)", "the entry itself is as it was")
    like(d.text("entry install 0/0+2"), r"override 1: entry 0/0\+2 is in Dynamo's cache", "entry install")
    is_(value("ids(f, False)"), "'0/0 0/0+2 0/1'", "Dynamo lists it under its name")
    is_(value("cf(x, 2)[1]"), "42", "a call hits it")
    is_(value("cf(x, 3)[1]"), "10", "a call that it is not for does not")
    is_([r["action"] for r in d.rows("info overrides")], ["install"], "it is in the ledger")
    like(d.error("entry install 0/0+2"), "undo 1", "once is enough")
    like(d.text("undo"), "override 1 undone", "undo takes it out")
    is_((value("ids(f, False)"), value("texts(f, False)"), value("cf(x, 2)[1]")), (was, before, "10"),
        "entries, guards and results are as before")
    d.do("entry install 0/0+2")
    is_(value("cf(x, 2)[1]"), "42", "it can be installed again")
    like(d.text("entry delete 0/0+2"), "undone: install", "entry delete takes it out too")
    is_(value("ids(f, False)"), was, "and Dynamo has its own alone")
    like(d.text("entry delete 0/0+2"), "deleted", "deleted again it is gone")
    like(d.error("entry run 0/0+2 with x=x n=2"), "'0/0\\+2' no longer exists", "commands refuse it then")
    is_(states("f")["0/0+2"], "invalidated", "and info entries reports it")

    # its guards
    n = [r["guard"] for r in d.rows("info guards 0/0+1") if r["text"] == "L['n'] == 2"]
    is_(len(n), 1, "a clone's guards have numbers of their own")
    d.do("guard drop %d" % n[0])
    like(d.text("entry check 0/0+1 with x=x n=7"), "all guards pass", "a guard of a clone can be dropped before it is installed")
    is_(value("ids(f, False)"), was, "which leaves Dynamo's cache alone")
    like(d.text("code edit 0/0+1"), r"^entry 0/0\+1: its code was edited", "the code of a clone is edited in its place")
    like(d.text("entry check 0/0+1 with x=x n=7"), "all guards pass", "its guards stay as they were edited")
    is_(d.text("entry run -f 0/0+1 with x=x n=7"), "(tensor([2., 2., 2.]), 42)", "and it runs the new code")
    d.do("entry install 0/0+1")
    is_(value("(lambda r: (r[0][0].item(), r[1]))(cf(x, 7))"), "(2.0, 42)", "installed, it serves what the entry does not")
    like(d.error("code edit 0/0+1"), "is in Dynamo's cache: 'entry delete", "what is installed is not edited")
    is_(value("ids(f, False)"), "'0/0 0/0+1 0/1'", "without a compile")
    d.do("undo"), d.do("undo")
    is_((value("ids(f, False)"), value("texts(f, False)")), (was, before), "and after both undone all is as before")
    like(d.text("entry check 0/0+1 with x=x n=7"), "1 guard fails", "the clone too")
    d.do("entry disable 0/0")
    d.do("entry clone 0/0")
    like(d.text("entry check 0/0+3 with x=x n=2"), "all guards pass", "a clone of a disabled entry has the guards that Dynamo made")
    d.do("undo")

    # text
    d.do("code save 0/0 " + path("text"))
    text = read("text")
    like(text, r"(?m)^\.code 0/0 f$", "code save says whose code it is")
    like(text, r"(?m)^# graph call: __compiled_fn_\d+\(x\), line \d+$", "it has the regions as comments")
    like(text, r"(?m)^ +LOAD_GLOBAL +(NULL \+ )?__compiled_fn_\d+( \+ NULL)?$", "and graphs without what no two runs share")
    like(d.text("code assemble " + path("text")), r"^entry 0/0\+4: assembled", "code assemble reverts it")
    is_(d.text("entry run 0/0+4 with x=x n=2"), "(tensor([2., 2., 2.]), 10)", "it runs as before")
    d.do("entry save 0/1 " + path("entry"))
    like(read("entry"), r"(?m)^#   EQUALS_MATCH L\['n'\] == 3", "entry save writes the guards too")
    like(d.text("entry load " + path("entry")), r"^entry 0/1\+1", "entry load makes a clone of it")
    like(d.error("code assemble " + write("other", text.replace("0/0 f", "0/0 g"))), "the text is for 'g', but entry '0/0' belongs to 'f'",
         "a text of another function is refused")
    like(d.error("code assemble " + write("none", "    NOP\n")), r"must begin with '\.code ENTRY'", "so is one that does not name its entry")
    like(d.error("code assemble " + path("nowhere")), "cannot read", "and a file that is not there")

    # what cannot be
    write("script", "s/LOAD_CONST  *10$/LOAD_CONST $99/")
    said = d.error("code edit 0/0")
    like(said, r"line \d+: there is no constant '\$99'; the text is kept: 'code assemble (\S+)'", "code edit refuses, and keeps the text")
    kept = re.search(r"'code assemble (\S+)'", said).group(1)
    with open(kept) as f:
        like(f.read(), r"LOAD_CONST \$99", "as it was edited")
    write("script", "")
    is_(d.text("code edit 0/0"), "nothing was changed: no clone was made", "without a change no entry is made")
    for name, old, new, want in [
            ("other arguments", ".args x n", ".args x", "the arguments must stay"),
            ("free variables", ".free", ".free y", "the free variables must stay"),
            ("a constant that is not there", "LOAD_CONST               10", "LOAD_CONST $50", "no constant '\\$50'"),
            ("an empty stack", "    RETURN_VALUE", "    POP_TOP\n    RETURN_VALUE", "needs 1 value on the stack"),
            ("an unknown variable", "LOAD_FAST                x", "LOAD_FAST y", "no variable 'y'"),
            ("a name that is not an instruction", "    RETURN_VALUE", "    RETURN", "no instruction is called 'RETURN'")]:
        like(d.error("code assemble " + write("bad", text.replace(old, new, 1))), "bad: line [0-9]+: .*" + want, "refused with its line: " + name)
    is_(d.text("entry run 0/0+4 with x=x n=2"), "(tensor([2., 2., 2.]), 10)", "and nothing is lost by it")

    # one instruction
    code = d.rows("info code 0/0")
    at = [r["offset"] for r in code if r["opname"].startswith("LOAD_CONST") and r["arg"] == "10"
          or r["opname"] == "LOAD_SMALL_INT" and r["arg"] == "10"]
    if not at:                               # the compiler made a constant of more
        at = [r["offset"] for r in code if r["opname"] == "LOAD_CONST"][-1:]
    like(d.text("code patch 0/0*%d = LOAD_CONST 'new'" % at[0]), r"^entry 0/0\+5: 0/0 patched", "code patch changes one instruction")
    is_(d.text("entry run 0/0+5 with x=x n=2"), "(tensor([2., 2., 2.]), 'new')", "that one")
    like(d.error("code patch 0/0*1 = NOP"), "no instruction of entry '0/0' begins at 1", "a place inside an instruction is refused")
    like(d.error("code patch 0/0*%d = POP_TOP" % at[0]), "needs|holds|left", "a patch that would crash is refused")
    like(d.error("code patch *0 = NOP"), "the selected frame does not run generated code", "another frame's code is not meant")
    like(d.error("entry install 0/0"), "was made by Dynamo", "what Dynamo made need not be installed")
    like(d.error("entry clone 7/7"), "no entry '7/7'", "what is not there cannot be cloned")

    # a breakpoint in it
    like(d.text("code insert 0/1*%d breakpoint" % at[0]), r"^entry 0/1\+2: ", "code insert puts a breakpoint into the code")
    d.do("entry install 0/1+2")
    d.do("python cf(x, 3)")
    is_(value("ids(f, False)"), "'0/0 0/1 0/1+2'", "the code with the breakpoint is installed")
    d.do("undo")
    like(d.text("code insert 0/0*%d LOAD_CONST 7; POP_TOP" % at[0]), r"^entry 0/0\+6", "other instructions can be put in as well")
    is_(d.text("entry run 0/0+6 with x=x n=2"), "(tensor([2., 2., 2.]), 10)", "and run")

    made = re.match(r"entry (\S+):", d.text("code insert 0/0*%d LOAD_CONST 'a;\"b\\'; c'; POP_TOP" % at[0])).group(1)
    is_([r["arg"] for r in d.rows("info code " + made) if "a;" in (r["arg"] or "")], ["'a;\"b\\'; c'"],
        "a ';' in quotes is not an end of an instruction")
    like(d.error("code insert 0/0*%d NOP; FOO   3  # not there" % at[0]), r"^'FOO 3' at \*%d: no instruction is called" % at[0],
         "what is refused is named as it was typed, with its place in the code")
    like(d.error("code insert 0/0*%d LOAD_CONST 3; L77:; POP_TOP; JUMP_BACKWARD L77" % at[0]),
         r"^'POP_TOP' at \*%d: .* when it comes from 'JUMP_BACKWARD L77' at \*%d$" % (at[0], at[0]), "so is what it does not agree with")
    last = [r["offset"] for r in code if r["opname"] == "RETURN_VALUE"][-1]
    like(d.error("code insert 0/0*%d LOAD_CONST 3" % at[0]), r"^'RETURN_VALUE' at \*%d: .*1 more value is left" % last, "and what the code says elsewhere")
    ok("line" not in d.error("code patch 0/0*%d = LOAD_CONST 'open" % at[0]), "no line of a text that nobody saw is reported")

    then = [r["offset"] for r in code if r["offset"] > at[0]][0]
    made = re.match(r"entry (\S+):", d.text("code insert 0/0*%d LOAD_CONST 43; JUMP_FORWARD to %d" % (at[0], then))).group(1)
    is_(d.text("entry run %s with x=x n=2" % made), "(tensor([2., 2., 2.]), 43)", "a jump goes to an offset")
    like(d.error("code insert 0/0*%d JUMP_FORWARD to %d" % (at[0], then + 1)), "needs a label", "where an instruction begins")

    # every generated code object, without a change
    own = d.entries("", "live")
    ok(len(own) > 9, "the program has many entries", repr(own))
    bad = []
    for e in own:
        d.do("code save %s %s" % (e, path("same")))
        try:
            clone = re.match(r"entry (\S+):", d.text("code assemble " + path("same"))).group(1)
            d.do("entry install " + clone)
        except Trouble as refused:
            bad.append((e, str(refused).split(";")[0]))
    is_(bad, [], "the code of each can be written, assembled and installed")
    is_(value("compiles()"), begun, "nothing has been compiled for all that")
    d.go()
    is_(value("second == first"), "True", "and it all runs with the same results")
    while [r for r in d.rows("info overrides") if r["state"] == "on"]:
        d.do("undo")
    is_((value("ids(f, False)"), value("texts(f, False)")), (was, before), "all of it undone, the cache is as it was")

    # what it guards dies
    entry = d.entries("typed", "live")[0]
    d.do("entry clone " + entry)
    d.do("entry install %s+2" % entry)
    d.do("python import weakref; died = weakref.ref(Kind)")
    d.do("python del globals()['Kind']")
    value("gc.collect()")
    if value("died() is None") == "True":
        is_(value("[e.code is None for e in entries(typed)]"), "[True, True]", "what invalidates an entry invalidates its clone")
        like(d.error("entry run %s with x=x o=1" % entry), "no longer exists", "and both are gone")
    else:                                    # so on CPython 3.12, also without cdbg
        skip("what invalidates an entry invalidates its clone", "something of torch's keeps the class alive here")

    # stops in it
    d.do("code insert 0/0*%d breakpoint" % at[0])
    clone = [e for e in states("f") if e.startswith("0/0+")][-1]
    d.do("entry install " + clone)
    where = d.go()
    is_((where["frame"]["kind"], where["frame"]["entry"]), ("generated", clone), "the breakpoint in the code stops there")
    is_(value("n"), "2", "with the values of that call")
    here = [r["offset"] for r in d.rows("info code") if r["opname"] == "RETURN_VALUE"][-1]
    like(d.error("code patch *%d = POP_TOP" % here), "continues past", "in generated code the selected frame's own entry is meant")
    d.do("set var n = 2")
    last = d.rows("info overrides")[-1]
    is_([last[k] for k in ("entry", "action", "text", "state")], [clone, "set var", "n = 2", "done"], "what is set in a frame is in the ledger")
    like(d.error("undo %d" % last["override"]), "it changed a running frame", "but is not to be undone")
    d.do("jump *%d" % where["frame"]["offset"])
    is_(d.rows("info overrides")[-1]["action"], "jump", "so does a jump")
    d.go()
    is_(value("compiles()"), begun, "still nothing compiled")
    d.go()
    is_(states("f").get(clone), "invalidated", "a reset takes clones with it")
    is_([r["state"] for r in d.rows("info overrides") if r["entry"] == clone], ["dead", "done", "done"], "their overrides are dead")
    like(d.error("entry run %s with x=x n=2" % clone), "no longer exist", "and commands say that they are gone")

with Editing(PROGRAM, env={"EDITOR": "", "VISUAL": ""}) as d:
    d.do("break stop")
    d.go()
    like(d.error("code edit 0/0"), "cannot start an editor: there is no terminal; set EDITOR", "nothing is edited where there is neither EDITOR nor a terminal")
    like(d.error("code fix 0/0"), "unknown subcommand 'code fix'; try: edit, save", "a verb that does not exist is named")
    like(d.text("code insert 0/0 *%d breakpoint" % d.rows("info code 0/0")[-1]["offset"]), "^entry 0/0.1: 0/0 with instructions added",
         "an entry and its offset may be two words")
    like(d.text("entry load " + path("entry")), r"^entry 0/1\+1", "an entry that was saved is loaded in another run")
    is_(d.text("entry run 0/1+1 with x=x n=3"), "(tensor([3., 3., 3.]), 10)", "and runs that run's graph")
    like(d.text("entry diff 0/1+1 with x=x n=3"), "^equal to eager", "with the same result")

with Editing(PROGRAM) as d:
    d.do("break stop")
    d.go()
    entry = d.rows("info entries broken")[0]["entry"]
    resumed = [r for r in d.rows("info code " + entry) if r["opname"].startswith("CALL")][-1]
    d.do("break %s*%d" % (entry, resumed["offset"]))
    d.go()
    said = d.error("jump *%d" % [r["offset"] for r in d.rows("info code") if r["opname"] == "RETURN_VALUE"][-1])
    ok(said or d.rows("info stack")[0]["value"], "no jump leaves a NULL where generated code returns its result", said)
done()
