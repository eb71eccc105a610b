/* SPDX-License-Identifier: BSD-3-Clause */
/* What observe.py's wrappers report, put into the model and turned into events.  Nothing here raises into Dynamo. */
#include "edit_guard.h"
#include "graphs.h"
#include "guards.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static PyObject *module, *factories;         /* owned: `see`, and the names of observe.py */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static char *text_of(PyObject *v)
{
	PyObject *s = v && v != Py_None ? PyObject_Str(v) : NULL;
	const char *text = s ? PyUnicode_AsUTF8(s) : NULL;
	char *copy = text ? host->mem_fmt("%s", text) : NULL;

	PyErr_Clear();
	Py_XDECREF(s);
	return copy;
}

static char *attr_text(PyObject *v, const char *name)
{
	PyObject *a = v ? PyObject_GetAttrString(v, name) : NULL;
	char *text = text_of(a);

	PyErr_Clear();
	Py_XDECREF(a);
	return text;
}

static PyCodeObject *attr_code(PyObject *v, const char *name)
{
	PyObject *a = v ? PyObject_GetAttrString(v, name) : NULL;

	PyErr_Clear();
	if (a && PyCode_Check(a))
		return (PyCodeObject *)a;
	Py_XDECREF(a);
	return NULL;
}

/* ---- one compile ---------------------------------------------------------------------------------------- */

/* begin(code, compile_id): Dynamo starts to compile this code. */
static PyObject *see_begin(PyObject *self, PyObject *args)
{
	struct compiling *c = compiling_top();
	PyObject *code, *id;

	(void)self;
	if (!PyArg_ParseTuple(args, "OO", &code, &id) || !PyCode_Check(code)) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
	if (!c || c->began > 0)
		c = compiling_push(NULL);
	c->func = model_func((PyCodeObject *)code, true);
	model_resume_known(c->func);
	c->func->looked = true;
	c->raw = text_of(id);
	c->id = model_next_id(c->raw ? c->raw : "?");
	c->calls = record_begin();
	c->began = now();
	Py_RETURN_NONE;
}

/* The names of generated code tell which of the graphs and resume functions seen are its: an attempt that was given
   up may have left others. */
static bool names_it(PyCodeObject *generated, PyObject *name)
{
	Py_ssize_t i;

	for (i = 0; PyUnicode_Check(name) && i < PyTuple_GET_SIZE(generated->co_names); i++)
		if (PyUnicode_Compare(PyTuple_GET_ITEM(generated->co_names, i), name) == 0)
			return true;
	return false;
}

static void add_parts(struct compiling *c, struct entry *e, PyCodeObject *generated)
{
	PyObject *row, *name;
	Py_ssize_t i;

	for (i = 0; i < PyList_GET_SIZE(c->graphs); i++) {
		row = PyList_GET_ITEM(c->graphs, i);
		name = PyTuple_GET_ITEM(row, 0);
		if (names_it(generated, name))
			model_add_graph(e, PyUnicode_AsUTF8(name), graphs_unwrap(PyTuple_GET_ITEM(row, 1)));
	}
	for (i = 0; i < PyList_GET_SIZE(c->resumes); i++) {
		row = PyList_GET_ITEM(c->resumes, i);
		name = PyTuple_GET_ITEM(row, 0);
		if (names_it(generated, name))
			model_add_resume(e, (PyCodeObject *)PyTuple_GET_ITEM(row, 1), PyUnicode_AsUTF8(name));
	}
	PyErr_Clear();
}

static void name_resumes(struct compiling *c, struct entry *e)
{
	struct breakage *b;
	struct buf names = { 0 };
	int i;

	for (i = 0; i < e->nresumes; i++)
		host->buf_addf(&names, "%s%s", i ? ", " : "", e->resume[i].global);
	for (b = *c->mark; b; b = b->next)
		if (names.s && b->func == c->func && !b->resume)
			b->resume = host->mem_fmt("%s", names.s);
	host->buf_release(&names);
}

/* compiled(code, result): the code that will run is in the result, whatever hooks saw before. */
static PyObject *see_compiled(PyObject *self, PyObject *args)
{
	struct compiling *c = compiling_top();
	PyObject *code, *result, *guarded, *manager;
	PyCodeObject *generated;

	(void)self;
	if (!c || !c->func || !PyArg_ParseTuple(args, "OO", &code, &result)) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
	guarded = PyObject_GetAttrString(result, "guarded_code");
	PyErr_Clear();
	generated = attr_code(guarded, "code");
	if (generated) {
		c->generated = (PyObject *)generated;
		c->entry = model_add_entry(generated, c->func, c->raw ? c->raw : "?");
		c->entry->seconds = now() - c->began;
		c->entry->fresh = c->frame != NULL;
		add_parts(c, c->entry, generated);
		name_resumes(c, c->entry);
		c->entry->effects = c->effects;
		c->effects = NULL;
		c->entry->stages = c->stages;
		c->stages = NULL;
		guards_compiled(c, guarded);
		manager = c->calls ? PyObject_GetAttrString(guarded, "guard_manager") : NULL;
		if (manager)
			c->entry->record = record_finish(c->calls, manager);
		Py_XDECREF(manager);
		Py_CLEAR(c->calls);
	}
	PyErr_Clear();
	Py_XDECREF(guarded);
	if (!c->frame)
		compiling_pop();
	Py_RETURN_NONE;
}

static PyObject *see_failed(PyObject *self, PyObject *args)
{
	struct compiling *c = compiling_top();

	(void)self;
	(void)args;
	if (c)
		c->failed = true;
	if (c && !c->frame)
		compiling_pop();
	Py_RETURN_NONE;
}

/* ---- Dynamo's callback: one frame ------------------------------------------------------------------------ */

static PyObject *see_enter(PyObject *self, PyObject *frame)
{
	(void)self;
	ev_guard_fail_enter(compiling_push(frame), frame);
	Py_RETURN_NONE;
}

static void skipped(struct compiling *c, PyCodeObject *code, PyObject *result)
{
	char *reason = attr_text(result, "skip_reason");
	struct breakage *b;

	bool by_rule = reason && strstr(reason, "skipfiles");     /* a library's function, never to be compiled */

	if (!names_library(code) && (!by_rule || host->user_file(PyUnicode_AsUTF8(code->co_filename)))) {
		c->func = model_func(code, true);
		model_resume_known(c->func);
		c->func->looked = true;
		c->func->skips++;
		c->func->gave_up = c->failed || *c->mark;
		for (b = *c->mark; b; b = b->next)
			if (b->func == c->func)
				b->skipped = true;
		free(c->func->reason);
		c->func->reason = c->func->gave_up && *c->mark ? host->mem_fmt("%s", (*c->mark)->reason) :
				  reason ? host->mem_fmt("%s", reason) : NULL;
		ev_skip_emit(c, reason);
	} else if (by_rule) {
		left_note(code, reason);
	}
	free(reason);
}

static PyObject *see_leave(PyObject *self, PyObject *args)
{
	struct compiling *c = compiling_top();
	PyObject *frame, *result, *type, *value, *tb;
	PyCodeObject *code;

	(void)self;
	PyErr_Fetch(&type, &value, &tb);
	if (!c || !PyArg_ParseTuple(args, "OO", &frame, &result) || c->frame != frame)
		goto out;
	code = attr_code(frame, "f_code");
	if (c->entry) {
		c->func->compiles++;
		host->code_appeared();
		ev_compile_emit(c);
		c->entry->fresh = false;
		Py_CLEAR(c->entry->manager);
	} else if (result != Py_None && code && !ev_limit_emit(c, (PyObject *)code, result)) {
		skipped(c, code, result);
	}
	Py_XDECREF(code);
	compiling_pop();
out:
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	Py_RETURN_NONE;
}

/* ---- parts of a compile ---------------------------------------------------------------------------------- */

/* graph(output_graph, gm): what goes to the backend, before the backend changes it. */
static PyObject *see_graph(PyObject *self, PyObject *args)
{
	struct compiling *c = compiling_top();
	/* owned */
	PyObject *meta = NULL, *graph = NULL, *copy = NULL, *row = NULL;
	/* borrowed */
	PyObject *og, *gm, *name;
	struct nodes *nodes;

	(void)self;
	if (!c || !PyArg_ParseTuple(args, "OO", &og, &gm))
		goto out;
	meta = PyObject_GetAttrString(gm, "meta");
	name = meta && PyDict_Check(meta) ? PyDict_GetItemString(meta, "backend_id") : NULL;
	graph = name ? PyObject_GetAttrString(gm, "graph") : NULL;
	nodes = graph ? graphs_read(graph) : NULL;
	copy = nodes ? graphs_wrap(nodes) : NULL;
	row = copy ? PyTuple_Pack(2, name, copy) : NULL;
	if (row)
		PyList_Append(c->graphs, row);
	stages_before(og);
out:
	Py_XDECREF(row);
	Py_XDECREF(copy);
	Py_XDECREF(graph);
	Py_XDECREF(meta);
	PyErr_Clear();
	Py_RETURN_NONE;
}

/* resume(output_graph, name, code) */
static PyObject *see_resume(PyObject *self, PyObject *args)
{
	struct compiling *c = compiling_top();
	PyObject *og, *name, *code, *row;

	(void)self;
	if (c && PyArg_ParseTuple(args, "OOO", &og, &name, &code) && PyCode_Check(code)) {
		row = PyTuple_Pack(2, name, code);
		if (row)
			PyList_Append(c->resumes, row);
		Py_XDECREF(row);
	}
	PyErr_Clear();
	Py_RETURN_NONE;
}

/* wrapped(fn, result): torch.compile or the like was called. */
static PyObject *see_wrapped(PyObject *self, PyObject *args)
{
	PyObject *fn, *result;

	(void)self;
	if (PyArg_ParseTuple(args, "OO", &fn, &result) && !PyType_Check(fn))
		places_wrapped(result);
	PyErr_Clear();
	Py_RETURN_NONE;
}

static PyObject *see_reset(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	ledger_reset();
	host->code_appeared();
	Py_RETURN_NONE;
}

/* Registered with atexit, so that it runs before what torch registered. */
static PyObject *see_end(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	model_freeze();
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "begin", see_begin, METH_VARARGS, NULL },
	{ "backend", see_backend, METH_VARARGS, NULL },
	{ "compiled", see_compiled, METH_VARARGS, NULL },
	{ "failed", see_failed, METH_VARARGS, NULL },
	{ "enter", see_enter, METH_O, NULL },
	{ "leave", see_leave, METH_VARARGS, NULL },
	{ "missed", see_missed, METH_VARARGS, NULL },
	{ "reasons", see_reasons, METH_O, NULL },
	{ "guards", see_guards, METH_VARARGS, NULL },
	{ "broke", see_broke, METH_VARARGS, NULL },
	{ "graph", see_graph, METH_VARARGS, NULL },
	{ "effects", see_effects, METH_O, NULL },
	{ "stage", see_stage, METH_VARARGS, NULL },
	{ "lowered", see_lowered, METH_VARARGS, NULL },
	{ "resume", see_resume, METH_VARARGS, NULL },
	{ "wrapped", see_wrapped, METH_VARARGS, NULL },
	{ "disabled", see_disabled, METH_VARARGS, NULL },
	{ "reset", see_reset, METH_NOARGS, NULL },
	{ "end", see_end, METH_NOARGS, NULL },
	{ "unsupported", see_unsupported, METH_O, NULL },
	{ "step", see_step, METH_O, NULL },
	{ NULL, NULL, 0, NULL }
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, .m_name = "cdbg_dynamo", .m_size = -1, .m_methods = methods,
};

/* ---- start and stop --------------------------------------------------------------------------------------- */

PyObject *observe_factory(const char *name)
{
	return factories ? PyDict_GetItemString(factories, name) : NULL;
}

PyObject *observe_module(void)
{
	return module;
}

/*
 * observe.py's frames stand between Dynamo's callback and what called it; Dynamo takes the stack above
 * its own file, convert_frame.py, for the user's, by that name: with it in our name too, what it tells the user about
 * his stack stays as it was.
 */
static PyObject *load(const char *path, struct err *err)
{
	/* owned */
	PyObject *io = PyImport_ImportModule("io"), *file = NULL, *text = NULL, *code = NULL, *names = NULL;
	PyObject *done = NULL, *closed = NULL;
	char *label = host->mem_fmt("%s: convert_frame", path);

	file = io ? PyObject_CallMethod(io, "open_code", "s", path) : NULL;
	text = file ? PyObject_CallMethod(file, "read", NULL) : NULL;
	closed = text ? PyObject_CallMethod(file, "close", NULL) : NULL;     /* or the program is warned of our file */
	if (text && PyBytes_Check(text))
		code = Py_CompileString(PyBytes_AS_STRING(text), label, Py_file_input);
	names = code ? PyDict_New() : NULL;
	if (names && PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) == 0)
		done = PyEval_EvalCode(code, names, names);
	if (!done) {
		host->err_set(err, "cannot load '%s': install cdbg again", path);
		Py_CLEAR(names);
	}
	PyErr_Clear();
	Py_XDECREF(done);
	Py_XDECREF(code);
	Py_XDECREF(closed);
	Py_XDECREF(text);
	Py_XDECREF(file);
	Py_XDECREF(io);
	free(label);
	return names;
}

static void at_exit(const char *verb)
{
	PyObject *m = PyImport_ImportModule("atexit"), *end = PyObject_GetAttrString(module, "end");
	PyObject *done = m && end ? PyObject_CallMethod(m, verb, "O", end) : NULL;

	Py_XDECREF(done);
	Py_XDECREF(end);
	Py_XDECREF(m);
	PyErr_Clear();
}

PyObject *observe_load(const char *file, struct err *err)
{
	PyObject *names;
	Dl_info info;
	char *path;

	if (!dladdr((void *)(uintptr_t)&observe_start, &info) || !info.dli_fname) {
		host->err_set(err, "cannot find where this plugin lies");
		return NULL;
	}
	path = host->mem_fmt("%.*s%s", (int)(strrchr(info.dli_fname, '/') + 1 - info.dli_fname), info.dli_fname, file);
	names = load(path, err);
	free(path);
	return names;
}

int observe_start(struct err *err)
{
	static const enum name_id always[] = {
		NAME_COMPILE, NAME_CATCH, NAME_REASONS, NAME_GUARDS, NAME_LOG_BREAK, NAME_USER_COMPILER,
		NAME_RESUME_GLOBAL, NAME_EFFECTS, NAME_WRAP, NAME_DISABLE, NAME_RESET,
	};
	size_t i;

	if (!module)
		module = PyModule_Create(&definition);
	PyErr_Clear();
	if (!module)
		return host->err_set(err, "cannot make a module");
	if (!factories)
		factories = observe_load("observe.py", err);
	if (!factories)
		return -1;
	for (i = 0; i < sizeof(always) / sizeof(*always); i++)
		names_wrap(always[i]);
	at_exit("register");
	return 0;
}

void observe_stop(void)
{
	int i;

	lookup_stop();
	trace_stop();
	for (i = 0; i < NAME_COUNT; i++)
		names_restore((enum name_id)i);
	if (module)
		at_exit("unregister");
}
