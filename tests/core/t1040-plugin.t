#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A plugin built outside the tree against the installed headers, loaded through CDBG_PLUGIN_PATH."""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

folder = tempfile.mkdtemp(prefix="cdbg-plugin-")

SOURCE = r'''
#include <Python.h>
#include <plugin.h>

static const struct cdbg_host *host;
static int ticks;

static void describe(const struct event *ev, struct buf *out)
{
	(void)ev;
	buf_addf(out, "tick %d", ticks);
}

static const struct event_kind tick = {
	.name = "tick", .args = "[WORD]", .help = "the clock ticked", .describe = describe,
};
static const struct event_kind *const events[] = { &tick, NULL };

static const struct view_col cols[] = { { .name = "tick", .help = "its number" }, { .name = NULL } };

static int fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	int i;

	(void)s;
	(void)req;
	(void)err;
	for (i = 1; i <= ticks; i++) {
		host->rows.add(out, 0);
		host->rows.num(out, "tick", i);
	}
	return 0;
}

static const struct view_ops ticks_view = { .name = "ticks", .help = "all ticks", .cols = cols, .fill = fill, .none = "no ticks" };
static const struct view_ops *const views[] = { &ticks_view, NULL };

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct py_obj *v;

	(void)s;
	if (!*args)
		return err_set(err, "tock what? give an expression");
	v = host->frames.eval(args, err);
	if (!v)
		return -1;
	buf_addf(&out->text, "%ld %s ", host->talk.option_number("tock-size"), host->talk.option_text("tock-word"));
	host->values.show(v, &out->text, 100);
	Py_DECREF((PyObject *)v);
	return 0;
}

static const struct cmd_def commands[] = {
	{ .name = "tock", .args = "EXPR", .help = "say a value", .run = run }, { .name = NULL }
};
static const struct cmd_def *const tables[] = { commands, NULL };

static const struct option_def options[] = {
	{ .name = "tock-size", .type = OPTION_NUMBER, .number = 5, .min = 1, .max = 9, .help = "how much" },
	{ .name = "tock-word", .type = OPTION_TEXT, .text = "is", .help = "how" },
	{ .name = NULL }
};

static int code(struct py_code *co, struct code_info *out)
{
	const char *name = PyUnicode_AsUTF8(((PyCodeObject *)co)->co_name);

	if (strcmp(name, "made"))
		return 0;
	out->kind = KIND_GENERATED;
	out->entry = "7/7";
	return 1;
}

static int regions(struct code *c, const struct region **out, int *n)
{
	static struct region all = { .kind = REGION_ORIGINAL, .nodes = -1 };

	if (strcmp(PyUnicode_AsUTF8(((PyCodeObject *)c->co)->co_name), "made"))
		return 0;
	host->code.decode(c);
	all.end = c->n;
	*out = &all;
	*n = 1;
	return 1;
}

static const struct plug_ops questions = { .code.of = code, .code.regions = regions };

static PyObject *emit(PyObject *self, PyObject *args)
{
	struct event ev = { .kind = &tick, .index = -1 };
	struct val *detail = val_map();

	(void)self;
	(void)args;
	ticks++;
	val_put(detail, "ticks", val_int(ticks));
	ev.detail = detail;
	host->stops.event(&ev);
	val_free(detail);
	Py_RETURN_NONE;
}

static PyMethodDef emit_def = { "emit", emit, METH_NOARGS, "" };

static int init(const struct cdbg_host *h, struct err *err)
{
	(void)err;
	host = h;
	return 0;
}

/* `clock` was imported: give it a way to tick. */
static int wake(struct err *err)
{
	PyObject *m = PyImport_ImportModule("clock"), *f = PyCFunction_New(&emit_def, NULL);
	int rc = m && f ? PyObject_SetAttrString(m, "emit", f) : -1;

	Py_XDECREF(m);
	Py_XDECREF(f);
	if (FAILS || rc < 0) {
		PyErr_SetString(PyExc_ValueError, "left behind");
		return err_set(err, "no clock today");
	}
	host->talk.note(0, "the clock is wound");
	return 0;
}

const struct cdbg_plugin cdbg_plugin = {
	.abi = CDBG_PLUGIN_ABI + OFF, .name = NAME, .wakes_on = "clock",
	.events = events, .views = views, .commands = tables, .options = options, .questions = &questions,
	.init = init, .wake = wake, .package = "gears",
};
'''

def make_variable(name):
    with open(os.path.join(build, "Makefile")) as f:
        return re.search(r"^%s = (.*)$" % name, f.read(), re.M).group(1)


def install_headers():
    """As `make install` puts them, into a folder of this test's own."""
    with open(os.path.join(build, "Makefile")) as f:
        targets = sorted(set(re.findall(r"^(install-cdbg\w*HEADERS):", f.read(), re.M)))
    subprocess.run(["make", "-s", "-C", build, "DESTDIR=" + folder] + targets, check=True, stdout=subprocess.DEVNULL)
    return os.path.dirname(glob.glob(folder + "/**/plugin.h", recursive=True)[0])


def compile_plugin(name, source, **macros):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".c", "w") as f:
        f.write(source)
    include = subprocess.run([interpreter(), "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    flags = ["-D%s=%s" % m for m in macros.items()]
    made = subprocess.run(shlex.split(make_variable("CC")) + ["-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden",
                          "-I" + headers, "-I" + include] + flags + [path + ".c", "-o", path + ".so",
                          os.path.join(build, "libcdbgbase.a"), "-lutf8proc"] + shlex.split(make_variable("LDFLAGS")),
                          stderr=subprocess.PIPE, text=True)
    note(made.stderr)
    return made.returncode == 0


headers = install_headers()
whole = dict(NAME='"ticker"', OFF="0", FAILS="0")
ok(compile_plugin("good/ticker", SOURCE, **whole), "a plugin builds with the installed headers alone")
compile_plugin("bad/abi", SOURCE, **dict(whole, NAME='"abi"', OFF="1"))
compile_plugin("bad/nothing", "int nothing;\n")
compile_plugin("fails/ticker", SOURCE, **dict(whole, FAILS="1"))
with open(headers + "/plugin.h") as f:
    abi = re.search(r"CDBG_PLUGIN_ABI (\d+)", f.read()).group(1)

PROGRAM = '''
    import clock

    def made(n):
        return n * 2

    made(4)
    getattr(clock, "emit", int)()
    getattr(clock, "emit", int)()
    print("end")
'''
main = script(PROGRAM)
script("x = 1\n", "clock.py", os.path.dirname(main))


def debug(*paths):
    return Cdbg(main, env={"CDBG_PLUGIN_PATH": ":".join(os.path.join(folder, p) for p in paths)})


with debug("good") as d:
    ok("ticker" in d.ready["plugins"], "ready names it")
    is_(d.do("help tock")["ok"], True, "its command has help")
    is_(d.do("tock 1 + 1")["text"].strip(), "5 is 2", "its command evaluates, and reads its own options' defaults")
    d.do("set tock-size 7")
    like(d.do("tock 'a'")["text"], "^7 is", "its option is set by the user")
    like(d.error("set tock-size 70"), "9", "its option's limits hold")
    like(d.error("tock"), "^tock what", "its error is the command's error")
    is_(d.rows("info ticks"), [], "its view is empty at first")
    is_(d.do("catch tick")["ok"], True, "its kind of event can be caught before it is awake")
    d.do("break made")
    stop = d.go()
    ok(any(n["text"] == "the clock is wound" for n in d.notes), "the import of its module wakes it")
    frame = stop["frame"]
    is_((frame["kind"], frame["entry"], frame["region"]), ("generated", "7/7", "original"),
        "its answers about code are what the frame shows")
    stop = d.go()
    is_(stop["reason"], "tick", "its event stops the program")
    is_(stop["detail"], {"ticks": 1}, "with its detail")
    is_(stop.get("number"), 1, "and the number of the catchpoint")
    d.do("delete 1")
    stop = d.go()
    ok("status" in stop, "without a catchpoint it stops nothing")
    is_(len(d.rows("info ticks")), 2, "its view shows what it counted, after the end too")

with debug("bad", "nowhere") as d:
    texts = [n["text"] for n in d.notes]
    ok(any("abi.so" in t and "interface %d" % (int(abi) + 1) in t for t in texts), "one of another interface is refused by number", texts)
    ok(any("nothing.so" in t and "cdbg_plugin" in t for t in texts), "a library that is not a plugin is refused", texts)
    ok(any("nowhere" in t for t in texts), "a folder that is not there is named", texts)
    d.run_out()
    is_(d.out, "end\n", "and the program runs as ever")

with debug("good", "fails") as d:
    texts = [n["text"] for n in d.notes]
    ok(any("loaded already" in t for t in texts), "a second plugin of the same name is refused", texts)
    d.run_out()

with debug("fails") as d:
    d.do("break made")
    frame = d.go()["frame"]
    ok(any("'ticker' is disabled: no clock today" in n["text"] for n in d.notes), "one whose wake fails is off, with a note")
    is_(frame["kind"], "user", "and is asked no more")
    d.run_out()
    is_(d.out, "end\n", "its failure does not reach the program")

gears = {"gears/__init__.py": "from gears.wheel import turn\nfrom gears import half\n",
         "gears/wheel.py": "def turn(f):\n    return f()\n", "gears/half.py": "def turn(f):\n    return f()\n",
         "ours/__init__.py": "", "ours/gears/__init__.py": "def turn(f):\n    return f()\n"}
geared = """
    import sys
    import gears
    def mine():
        return sys._getframe(1).f_code.co_name
    gears.turn(mine)
    import ours.gears
    print(ours.gears.turn(mine))
    """
for plugins, kind in (("good", "library"), ("nothing", "user")):
    with Cdbg(geared, env={"CDBG_PLUGIN_PATH": os.path.join(folder, plugins)}) as d:
        for name, text in gears.items():
            script(text, name, os.path.dirname(d.path))
        d.do("break mine")
        d.do("break gears.half.turn")
        d.go()
        is_([r["kind"] for r in d.rows("info frames")], ["user", kind, "user"],
            "the files of a package that %s names are %s, wherever they lie" %
            (("a plugin", "a library's") if kind == "library" else ("no plugin", "the program's")))
        is_(d.rows("info breakpoints")[1]["where"], "half.py:2 (turn)", "where a breakpoint is found as before")
        if kind == "library":
            d.go()
            is_([r["kind"] for r in d.rows("info frames")], ["user"] * 3, "a module of the same name in another package is none of it")
        d.run_out()

target = os.path.join(folder, "target")
script("", "gears-1.0.dist-info/METADATA", target)
for name, text in (("gears/__init__.py", "from cogs import turn\n"), ("cogs.py", gears["gears/wheel.py"])):
    script(text, name, target)
with Cdbg(geared, env={"CDBG_PLUGIN_PATH": os.path.join(folder, "good"),
                       "PYTHONPATH": os.path.join(build, "inplace") + ":" + target}) as d:
    for name in "ours/__init__.py", "ours/gears/__init__.py":
        script(gears[name], name, os.path.dirname(d.path))
    d.do("break mine")
    d.go()
    is_([r["kind"] for r in d.rows("info frames")], ["user", "library", "user"], "so is what was installed beside it")
    d.run_out()

with debug("good") as d:
    d.run_out()
    is_((d.out, d.exited["status"]), ("end\n", 0), "with nothing caught the program's result is its own")
done()
