/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the collectives of the process, by torch's flight recorder, which gloo writes by default (torch 2.9 and later)
   and NCCL where TORCH_FR_BUFFER_SIZE is set.  A collective is not done until the recorder has retired it: on gloo its
   state stays "scheduled" (torch/csrc/distributed/c10d/FlightRecorder.hpp, 2.13).  With async_op=True the program may
   run on meanwhile.  What gloo does not record is known by the main thread's frames: send, recv, and where groups are
   made.  Imports nothing. */
#include "show/dynamo_show.h"
#include "torch/py_text.h"

enum { MOST = 20 }; /* the newest */

/* What the recorder has, as its JSON says it; NULL with err, or without: the program has no process group. */
static PyObject *recorded(struct err *err)
{
	PyObject *name = PyUnicode_FromString("torch._C._distributed_c10d");
	PyObject *module = name ? PyImport_GetModule(name) : NULL, *text = NULL, *json = NULL, *all = NULL;

	if (module && !PyObject_HasAttrString(module, "_dump_fr_trace_json")) {
		err_set(err, "this torch records no collectives: it has no _dump_fr_trace_json");
	} else if (module) {
		text = PyObject_CallMethod(module, "_dump_fr_trace_json", "OO", Py_True, Py_False);
		json = text ? PyImport_ImportModuleLevel("json", NULL, NULL, NULL, 0) : NULL;
		all = json ? PyObject_CallMethod(json, "loads", "O", text) : NULL;
		if (!all)
			err_set(err, "torch's record of collectives cannot be read");
	}
	PyErr_Clear();
	Py_XDECREF(json);
	Py_XDECREF(text);
	Py_XDECREF(module);
	Py_XDECREF(name);
	return all;
}

/* The last text of a list: groups are a number and a description. */
static const char *last_text(PyObject *list)
{
	Py_ssize_t n = list && PyList_Check(list) ? PyList_GET_SIZE(list) : 0;

	return n ? py_text_utf8(PyList_GET_ITEM(list, n - 1)) : NULL;
}

/* "[[8, 3]] Float": the sizes of the tensors, with the name of the last one's type if there is one. */
static void add_sizes(struct rows *out, const char *column, PyObject *sizes, PyObject *types)
{
	PyObject *text = sizes && PyList_Check(sizes) && PyList_GET_SIZE(sizes) ? PyObject_Str(sizes) : NULL;
	const char *type = last_text(types);
	char *whole = text ? mem_fmt("%s%s%s", py_text_utf8(text), type ? " " : "", type ? type : "") : NULL;

	host->rows.str(out, column, ROLE_VALUE, whole);
	free(whole);
	Py_XDECREF(text);
}

static long number_of(PyObject *e, const char *key)
{
	PyObject *v = PyDict_GetItemString(e, key);
	long n = v && PyLong_Check(v) ? PyLong_AsLong(v) : 0;

	PyErr_Clear();
	return n;
}

/* A dict of torch/distributed/distributed_c10d.py (2.13): borrowed, NULL: there is none. */
static PyObject *c10d_dict(const char *name)
{
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *module = PyDict_GetItemString(modules, "torch.distributed.distributed_c10d");
	PyObject *dict = module ? PyDict_GetItemString(PyModule_GetDict(module), name) : NULL;

	return dict && PyDict_Check(dict) ? dict : NULL;
}

/* The ranks of the group of this name, ascending; NULL: not known.  A new reference. */
static PyObject *group_ranks(const char *name)
{
	PyObject *names = c10d_dict("_pg_names"), *ranks = c10d_dict("_pg_group_ranks"), *group, *text, *list = NULL;
	Py_ssize_t i = 0;

	while (names && ranks && !list && PyDict_Next(names, &i, &group, &text)) {
		if (strcmp(py_text_utf8(text), name))
			continue;
		ranks = PyDict_GetItemWithError(ranks, group);
		list = ranks ? PySequence_List(ranks) : NULL;
		if (!list || PyList_Sort(list) < 0)
			break;
	}
	PyErr_Clear();
	return list;
}

/* "0-3,6" */
static void add_ranges(PyObject *ranks, struct buf *out)
{
	Py_ssize_t i, n = PyList_GET_SIZE(ranks);
	long first, last;

	for (i = 0; i < n; i++) {
		first = last = PyLong_AsLong(PyList_GET_ITEM(ranks, i));
		for (; i + 1 < n && PyLong_AsLong(PyList_GET_ITEM(ranks, i + 1)) == last + 1; i++)
			last++;
		buf_addf(out, last > first ? "%s%ld-%ld" : "%s%ld", out->len ? "," : "", first, last);
	}
	PyErr_Clear();
}

/* A group without a description has torch's, "undefined": its ranks tell more. */
static void add_group(struct rows *out, PyObject *group, bool done)
{
	const char *described = last_text(group);
	bool nameless = described && !strcmp(described, "undefined");
	PyObject *ranks = NULL;
	struct buf text = { 0 };
	char *name;

	if ((nameless || !done) && PyList_GET_SIZE(group) > 1)
		ranks = group_ranks(py_text_utf8(PyList_GET_ITEM(group, 0)));
	if (ranks)
		add_ranges(ranks, &text);
	name = nameless && text.len ? mem_fmt("ranks %s", text.s) : mem_str(described ? described : "");
	host->rows.str(out, "group", ROLE_NAME, name);
	if (text.len)
		host->rows.str(out, "members", ROLE_VALUE, text.s);
	free(name);
	buf_release(&text);
	Py_XDECREF(ranks);
}

/* The rest of the program does not wait for NCCL, whose GPU does; where it waits for the GPU is not seen here. */
static bool program_waits(const char *backend, int *blocked)
{
	if (!backend || strcmp(backend, "gloo"))
		return true;
	if (*blocked < 0)
		*blocked = host->frames.main_blocked();
	return *blocked;
}

/* "gloo:all_reduce" is all_reduce of gloo.  *blocked: does the main thread wait?  -1: not known yet. */
static void add_row(struct rows *out, PyObject *e, int *blocked)
{
	const char *name = py_text_utf8(PyDict_GetItemString(e, "profiling_name")), *colon = strchr(name, ':');
	bool done = PyDict_GetItemString(e, "retired") == Py_True;
	bool pair = PyDict_GetItemString(e, "is_p2p") == Py_True;
	char *backend = colon ? mem_strn(name, (size_t)(colon - name)) : NULL;

	host->rows.add(out, done ? MARK_DIM : 0);
	add_group(out, PyDict_GetItemString(e, "process_group"), done);
	host->rows.num(out, "seq", number_of(e, pair ? "p2p_seq_id" : "collective_seq_id"));
	host->rows.str(out, "collective", ROLE_VALUE, colon ? colon + 1 : name);
	host->rows.str(out, "backend", ROLE_TEXT, backend);
	host->rows.str(out, "state", ROLE_VALUE, done ? "done" : program_waits(backend, blocked) ? "waits" : "pending");
	add_sizes(out, "input", PyDict_GetItemString(e, "input_sizes"), PyDict_GetItemString(e, "input_dtypes"));
	add_sizes(out, "output", PyDict_GetItemString(e, "output_sizes"), PyDict_GetItemString(e, "output_dtypes"));
	host->rows.num(out, "timeout", number_of(e, "timeout_ms") / 1000);
	free(backend);
}

/* ---- what is not recorded ------------------------------------------------------------------------ */

/* Functions of torch/distributed/distributed_c10d.py (2.13) that wait in C code for other ranks; the parameter that
   names one. */
static const struct {
	const char *function, *peer, *words;
} waiting[] = {
	{ "send", "dst", "send to" }, { "recv", "src", "recv from" },	    { "monitored_barrier", NULL, NULL },
	{ "new_group", NULL, NULL },  { "init_process_group", NULL, NULL },
};

enum { WAITING = sizeof(waiting) / sizeof(*waiting) };

/* The main thread's innermost frame, if that is another thread: a new reference. */
static PyFrameObject *main_frame(void)
{
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main()), *next;

	while (ts && (next = PyThreadState_Next(ts)))
		ts = next; /* the oldest */
	return ts && ts != PyThreadState_Get() ? PyThreadState_GetFrame(ts) : NULL;
}

/* Is it torch's?  *which: the function of `waiting` that it runs, or as before. */
static bool is_distributed(PyFrameObject *f, int *which)
{
	static const char folder[] = "/torch/distributed/";
	PyCodeObject *code = PyFrame_GetCode(f);
	const char *file = py_text_utf8(code->co_filename), *name = py_text_utf8(code->co_name);
	bool is = strstr(file, folder) != NULL;
	int i;

	for (i = 0; is && i < WAITING && strcmp(name, waiting[i].function); i++)
		;
	if (is && i < WAITING && py_text_ends_with(file, "/distributed_c10d.py"))
		*which = i;
	Py_DECREF(code);
	return is;
}

/* "default_pg", or the group's own description. */
static void put_group(struct rows *out, PyObject *group)
{
	PyObject *text = group && group != Py_None ? PyObject_GetAttrString(group, "group_desc") : NULL;

	PyErr_Clear();
	if (!group || group == Py_None)
		host->rows.str(out, "group", ROLE_NAME, "default_pg");
	else if (text && PyUnicode_Check(text))
		host->rows.str(out, "group", ROLE_NAME, py_text_utf8(text));
	Py_XDECREF(text);
}

static void add_call(struct rows *out, int which, PyFrameObject *f)
{
	PyObject *locals = (PyObject *)host->frames.locals((struct py_frame *)f);
	PyObject *peer = locals && waiting[which].peer ? PyDict_GetItemString(locals, waiting[which].peer) : NULL;
	PyObject *text = peer && PyLong_Check(peer) ? PyObject_Str(peer) : NULL;
	char *words = text ? mem_fmt("%s %s", waiting[which].words, py_text_utf8(text)) : NULL;

	host->rows.add(out, 0);
	if (waiting[which].peer)
		put_group(out, locals ? PyDict_GetItemString(locals, "group") : NULL);
	host->rows.str(out, "collective", ROLE_VALUE, words ? words : waiting[which].function);
	host->rows.str(out, "state", ROLE_VALUE, "waits");
	free(words);
	Py_XDECREF(text);
	Py_XDECREF(locals);
	PyErr_Clear();
}

/* From the innermost frame outwards, as long as they are torch's: the last one is what the program called. */
static void add_unrecorded(struct rows *out)
{
	PyFrameObject *f = main_frame(), *called = NULL, *back;
	int which = -1, before;

	while (f && (before = which, is_distributed(f, &which))) {
		if (which != before) {
			Py_XDECREF(called);
			called = (PyFrameObject *)Py_NewRef((PyObject *)f);
		}
		back = PyFrame_GetBack(f);
		Py_DECREF(f);
		f = back;
	}
	Py_XDECREF(f);
	if (called)
		add_call(out, which, called);
	Py_XDECREF(called);
}

static int collectives_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	PyObject *all = recorded(err), *list, *e;
	int blocked = -1;
	Py_ssize_t i, n;

	(void)s;
	(void)req;
	if (!all && err->text[0])
		return -1;
	list = all && PyDict_Check(all) ? PyDict_GetItemString(all, "entries") : NULL;
	n = list && PyList_Check(list) ? PyList_GET_SIZE(list) : 0;
	for (i = n > MOST ? n - MOST : 0; i < n; i++) {
		e = PyList_GET_ITEM(list, i);
		if (PyDict_Check(e))
			add_row(out, e, &blocked);
	}
	Py_XDECREF(all);
	add_unrecorded(out);
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "group", .help = "the process group" },
	{ .name = "seq", .help = "its number in the group" },
	{ .name = "collective", .help = "all_reduce, barrier, ..." },
	{ .name = "backend", .help = "gloo, nccl, ..." },
	{ .name = "state", .help = "waits; pending: the program runs on meanwhile; or done" },
	{ .name = "input", .help = "sizes and type of its tensors" },
	{ .name = "output", .help = "those of its results" },
	{ .name = "members", .help = "the ranks of the group, of one that is not done", .machine_only = true },
	{ .name = "timeout", .help = "seconds after which the group gives up", .machine_only = true },
	{ .name = NULL },
};

const struct view_ops view_collectives = {
	.name = "collectives",
	.help = "the last collectives of this process, and what it waits for",
	.cols = cols,
	.fill = collectives_fill,
	.none = "no collectives were recorded",
};
