#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generated code as people and machines see it, with a plugin of this test's own that says what is generated: regions
folded, -a, -o, pieces of one function in one row of the backtrace, and what views say of a function being compiled."""
import os
import re
import shlex
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403

# Code named `made` stands for generated code of `origin`; its own lines 2-3 are a folded graph call, 4 a break, 5 a resume
# call that continues at line 6 of `origin` in `again`.
SOURCE = r'''
#include <Python.h>
#include "plugin.h"

static const struct cdbg_host *host;
static struct py_code *origin;
static struct region made[8], again[1];
static int nmade;

static const char *name_of(struct py_code *co)
{
	return PyUnicode_AsUTF8(((PyCodeObject *)co)->co_name);
}

/* The module's body comes first. */
static void find_origin(PyObject *consts)
{
	Py_ssize_t i;

	for (i = 0; !origin && i < PyTuple_GET_SIZE(consts); i++)
		if (PyCode_Check(PyTuple_GET_ITEM(consts, i)) &&
		    !strcmp(name_of((struct py_code *)PyTuple_GET_ITEM(consts, i)), "origin"))
			origin = (struct py_code *)Py_NewRef(PyTuple_GET_ITEM(consts, i));
}

static int code(struct py_code *co, struct code_info *out)
{
	const char *name = name_of(co);

	find_origin(((PyCodeObject *)co)->co_consts);
	if (strcmp(name, "made") && strcmp(name, "again"))
		return 0;
	out->kind = KIND_GENERATED;
	out->entry = strcmp(name, "made") ? "1/0" : "0/0";
	out->title = strcmp(name, "made") ? "generated code of origin, entry 1/0" : "generated code of origin, entry 0/0";
	out->original = out->root = origin;
	out->resume = !strcmp(name, "again");
	return 1;
}

static void add(struct code *c, int *at, enum region_kind kind, const char *text, int first, int last, bool folded)
{
	struct region *r = &made[nmade++];
	int base = ((PyCodeObject *)c->co)->co_firstlineno - 1, line;

	r->start = *at;
	while (*at < c->n && (line = c->instr[*at].line - base) <= last)
		++*at;
	r->end = *at;
	r->kind = kind;
	r->text = text;
	base = ((PyCodeObject *)origin)->co_firstlineno - 1;
	r->line = first ? base + first : 0;
	r->last_line = first ? base + last : 0;
	r->nodes = -1;
	r->folded = folded;
}

static int regions(struct code *c, const struct region **out, int *n)
{
	const char *name = name_of(c->co);
	int at = 0;

	host->code.decode(c);
	if (!strcmp(name, "again")) {
		again[0] = (struct region){ .end = c->n, .kind = REGION_ORIGINAL, .nodes = -1,
					    .line = ((PyCodeObject *)origin)->co_firstlineno + 5 };
		*out = again;
		*n = 1;
		return 1;
	}
	if (strcmp(name, "made"))
		return 0;
	if (!nmade) {
		add(c, &at, REGION_PROLOGUE, NULL, 0, 1, true);
		add(c, &at, REGION_GRAPH_CALL, "__compiled_fn_1(a)", 2, 3, true);
		made[1].nodes = 2;
		add(c, &at, REGION_BREAK, NULL, 4, 4, false);
		add(c, &at, REGION_RESUME_CALL, "__resume_at_1(c)", 5, 5, true);
		add(c, &at, REGION_RETURN, NULL, 0, 6, false);
		made[nmade - 1].end = c->n;
	}
	if (origin && !made[3].goes_on) {
		struct code *o = host->code.get(origin);
		int k;

		host->code.decode(o);
		for (k = 0; k < o->n; k++)
			if (o->instr[k].line == ((PyCodeObject *)origin)->co_firstlineno + 4) {
				made[3].goes_on = o->instr[k].offset;
				break;
			}
	}
	*out = made;
	*n = nmade;
	return 1;
}

static int line(struct code *c, int index, int *out)
{
	const struct region *r;
	int n, i;

	if (!regions(c, &r, &n))
		return 0;
	for (i = 0; i < n; i++)
		if (index >= r[i].start && index < r[i].end && (*out = r[i].line))
			break;
	return 1;
}

static int entry(const char *text, struct py_code **out, struct err *err)
{
	(void)text;
	(void)out;
	return text[0] == '9' ? err_set(err, "no entry '%s': 'info compiled' lists them", text) : 0;
}

static struct cdbg_fake_unused { int none; } unused;

/* compiling(f): a stop whose innermost frame is a function that a compiler looks at. */
static const struct event_kind compiling = { .name = "compiling", .args = "", .help = "a compiler looks at a function" };
static const struct event_kind *const events[] = { &compiling, NULL };

static PyObject *emit(PyObject *self, PyObject *args)
{
	struct val *symbolic = val_list(), *stack = val_list(), *v;
	struct fake_frame fake = { .function = "origin", .file = "prog.py", .line = 3, .entry = "0/0",
				   .symbolic = symbolic, .stack = stack };
	struct event ev = { .kind = &compiling, .index = -1, .top = &fake };
	PyObject *dict = PyDict_New(), *fake_args = args;

	(void)self;
	(void)unused;
	PyDict_SetItemString(dict, "a", PyTuple_GET_ITEM(fake_args, 0));
	fake.locals = (struct py_obj *)dict;
	v = val_push(symbolic, val_map());
	val_put(v, "name", val_str("b"));
	val_put(v, "value", val_str("f32[10] cpu"));
	val_put(v, "type", val_str("Tensor"));
	val_put(v, "kind", val_str("symbolic"));
	v = val_push(stack, val_map());
	val_put(v, "value", val_str("bool[] cpu"));
	val_put(v, "type", val_str("Tensor"));
	host->stops.event(&ev);
	val_free(symbolic);
	val_free(stack);
	Py_DECREF(dict);
	host->stops.region(HOOK_REGION_IN);                /* what is generated runs from here on */
	Py_RETURN_NONE;
}

static PyMethodDef emit_def = { "emit", emit, METH_VARARGS, "" };

static int wake(struct err *err)
{
	PyObject *m = PyImport_ImportModule("maker"), *f = PyCFunction_New(&emit_def, NULL);
	int rc = m && f ? PyObject_SetAttrString(m, "emit", f) : -1;

	Py_XDECREF(m);
	Py_XDECREF(f);
	return rc < 0 ? err_set(err, "no maker") : 0;
}

static int init(const struct cdbg_host *h, struct err *err)
{
	(void)err;
	host = h;
	return 0;
}

static const struct plug_ops questions = { .code.of = code, .code.regions = regions,
					   .code.line = line, .names.entry = entry };
const struct cdbg_plugin cdbg_plugin = { .abi = CDBG_PLUGIN_ABI, .name = "maker",
					 .wakes_on = "maker", .events = events, .questions = &questions,
					 .init = init, .wake = wake };
'''
SOURCE = SOURCE.replace("static struct cdbg_fake_unused { int none; } unused;\n\n", "").replace("	(void)unused;\n", "")

PROG = """
    import maker


    def origin(a):
        b = a + 1
        c = b * 2
        if c < 0:
            c = -c
        return c


    def again(c):
        d = c
        return d


    def made(a):
        b = a + 1
        c = b * 2
        if c < 0:
            return again(c)
        return c


    origin(1)
    getattr(maker, "emit", print)(5)
    print(made(-9))
"""


def build_plugin():
    with open(os.path.join(build, "Makefile")) as f:
        cc, ldflags = (re.search(r"^%s = (.*)$" % v, made, re.M).group(1) for made in [f.read()] for v in ("CC", "LDFLAGS"))
    include = subprocess.run([interpreter(), "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    source = script(SOURCE, "maker.c")
    made = subprocess.run(shlex.split(cc) + ["-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-I" + top + "/src",
                          "-I" + include, source, "-o", source[:-1] + "so",
                          os.path.join(build, "libcdbgbase.a"), "-lutf8proc"] + shlex.split(ldflags), stderr=subprocess.PIPE, text=True)
    note(made.stderr)
    return source[:-1] + "so"


main = script(PROG)
script("x = 1\n", "maker.py", os.path.dirname(main))
env = {"CDBG_PLUGIN_PATH": build_plugin()}
at = {text: line_of(main, text) for text in ("def origin", "def made", "return again")}

with Cdbg(main, env=env) as d:
    d.do("break again#1")
    d.do("catch compiling")
    d.go()
    is_((d.reason, d.frame["function"], d.frame["kind"], d.frame["offset"]), ("compiling", "origin", "compiling", None),
        "a function that is being compiled is level 0")
    is_([(r["name"], r["value"], r["kind"]) for r in d.rows("info locals")],
        [("a", "5", "local"), ("b", "f32[10] cpu", "symbolic")], "its arguments are real, what it has computed is symbolic")
    is_([(r["slot"], r["value"], r["type"], r["kind"]) for r in d.rows("info stack")],
        [(0, "bool[] cpu", "Tensor", "symbolic")], "its stack is symbolic too")
    is_(d.text("print a + 1"), "6", "expressions read its arguments")
    is_([(r["function"], r["kind"]) for r in d.rows("info frames")], [("origin", "compiling"), ("<module>", "user")],
        "its caller is level 1")
    like(d.error("info code"), "being compiled", "its code is refused with the reason")
    like(d.error("jump 5"), "being compiled and does not run", "a jump in it too")
    like(d.error("finish"), "being compiled", "and a finish")
    d.go()

    code = d.rows("info code made")
    is_({r["region"] for r in code}, {"prologue", "graph call", "break", "resume call", "return"}, "each instruction has its region")
    is_({r["line"] for r in code if r["region"] == "break"}, {at["def origin"] + 3}, "and the user's line that it stands for")
    text = d.text("disassemble made")
    lines = text.rstrip("\n").split("\n")
    is_(lines[0], "generated code of origin, entry 0/0, %d instructions" % len(code), "disassemble begins with whose code it is")
    graph = [r["offset"] for r in code if r["region"] == "graph call"]
    like(text, r"^ +graph call +__compiled_fn_1\(a\) +%d\.\.%d +lines %d-%d +2 nodes$" % (graph[0], graph[-1], at["def origin"] + 1, at["def origin"] + 2),
         "a folded region is one row: what it does, offsets, lines, nodes")
    ok(not re.search(r"^ +graph call.*(LOAD|STORE)", text, re.M) and len(lines) < len(code), "its instructions are not shown")
    breaks = [r for r in code if r["region"] == "break"]
    like(text, r"^ +break +%s .* %d +line %d +if c < 0:$" % (breaks[0]["opname"], breaks[0]["offset"], breaks[0]["line"]),
         "an open region shows its instructions, the user's line beside the first")
    is_(sum(bool(re.search(r" %d( |$)" % r["offset"], line)) for r in breaks for line in lines), len(breaks), "all of them")
    whole = d.text("disassemble -a made").rstrip("\n").split("\n")
    is_(len(whole), len(code) + 1, "disassemble -a has a row an instruction")
    is_([re.search(r"(\w+)", line[17:]).group(1) for line in whole[1:]], [r["opname"] for r in code], "in order")
    beside = d.text("disassemble -o made")
    for r in d.rows("info code origin"):
        like(beside, r"\|[ 0-9]+ %d  %s" % (r["offset"], r["opname"]), "-o shows the original's %s at %d" % (r["opname"], r["offset"]))
    like(beside, r"^ +POP_JUMP_(FORWARD_)?IF_FALSE .*\|.* POP_JUMP_(FORWARD_)?IF_FALSE", "the branch that broke is next to the break")
    goes_on = [r["offset"] for r in d.rows("info code origin") if r["line"] == at["def origin"] + 4][0]
    like(beside, r"^ +resume call.*\| +%d +%d .*<- __resume_at_1\(c\) resumes here$" % (at["def origin"] + 4, goes_on),
         "and the resume call beside the offset where it continues")
    like(d.error("disassemble 9/9"), "no entry '9/9'", "an entry that does not exist is refused in the plugin's words")

    frames = [r for r in d.rows("info frames")]
    is_([(r["function"], r["entry"], r["kind"]) for r in frames], [("again", "1/0", "generated"), ("made", "0/0", "generated"),
                                                                 ("<module>", None, "user")], "every frame is listed with its entry")
    is_(frames[0]["logical"] == frames[1]["logical"] != frames[2]["logical"], True, "the pieces of one function share `logical`")
    is_(frames[1]["region"], "resume call", "a frame's region is that of its instruction")
    facts = {r["what"]: r["value"] for r in d.rows("info frame")}
    is_((facts["entry"], facts["resume"], facts["made from"], facts["region"]), ("1/0", True, "origin", "original"),
        "info frame tells what it was made from")
    like(d.text("ll"), r"\A *%d +def origin\(a\):" % at["def origin"], "ll shows the user's function")
    d.do("up")
    like(d.text("disassemble"), r"^=> +resume call .* at \d+ CALL", "in a folded region the arrow says at which instruction")
    d.do("delete")
    d.run_out()
    is_(d.out, "-16\n", "the program prints what it always prints")

status, out, err = run(main, env=env, commands=["break again#1", "continue", "bt", "bt -a", "continue"])
like(out, r"^=> #0 +made at .*prog\.py:\d+ \[generated 0/0, resumed at line %d in 1/0, original\]$" % (at["def origin"] + 4),
     "bt has one row for the function, with its pieces: entry, and resumed at which line")
like(out, r"^=> #0 +again at .*\[generated 1/0, original\]\n +#1 +made at .*\[generated 0/0, resume call\]", "bt -a shows every frame")
done()
