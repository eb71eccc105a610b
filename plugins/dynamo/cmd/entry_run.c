/* SPDX-License-Identifier: BSD-3-Clause */
/* entry run, diff: run an entry's generated code on values of the selected frame or given ones, if its guards pass.
   It runs on the program's own objects, whose state is saved before each run and restored after it; Dynamo's cache
   stays as it is. */
#include "cmd/dynamo_cmd.h"
#include "cmd/entry_values.h"
#include "cmd/result.h"
#include "edit/cache_list.h"
#include "edit/dynamo_edit.h"
#include "edit/overridden.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "torch/dynamo_torch.h"
#include <string.h>
#include <time.h>

static double run_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- run ------------------------------------------------------------------------------------------------- */

PyObject *entry_globals(struct entry *e, struct err *err)
{
	PyObject *manager = NULL, *scope = NULL, *globals;
	struct cache_list c;
	size_t at;

	if (cache_list_read(e->func->co, &c, err) < 0)
		return NULL;
	at = cache_list_find(&c, e->co);
	manager = at < c.n	? Py_NewRef(c.slot[at].manager) :
		  e->made.fresh ? model_manager(e) : /* at 'catch compile' Dynamo has not yet put it there */
				  overridden_original(e);
	cache_list_release(&c);
	scope = manager ? PyObject_GetAttrString(manager, "global_scope") : NULL;
	globals = scope && PyDict_Check(scope) ? Py_XNewRef(PyDict_GetItemString(scope, "G")) : NULL;
	PyErr_Clear();
	Py_XDECREF(scope);
	Py_XDECREF(manager);
	if (!globals)
		err_set(err,
			"entry '%s' is gone from Dynamo's cache, after torch._dynamo.reset() for example: the next "
			"call compiles the function again",
			e->id);
	return globals;
}

/* Cells with the values of these names, in the order of the code's free variables. */
static PyObject *cells_of(PyCodeObject *co, PyObject *cells)
{
	PyObject *frees = PyCode_GetFreevars(co), *tuple = PyTuple_New(frees ? PyTuple_GET_SIZE(frees) : 0), *cell;
	Py_ssize_t i;

	for (i = 0; tuple && frees && i < PyTuple_GET_SIZE(frees); i++) {
		cell = PyDict_GetItemWithError(cells, PyTuple_GET_ITEM(frees, i));
		PyTuple_SET_ITEM(tuple, i, cell ? Py_NewRef(cell) : PyCell_New(NULL));
	}
	Py_XDECREF(frees);
	return tuple;
}

/* Call this code with these values: a new reference, or NULL with the exception. */
static PyObject *call_code(PyCodeObject *co, PyObject *globals, PyObject *values, PyObject *by_name)
{
	PyObject *fn = PyFunction_New((PyObject *)co, globals), *cells = cells_of(co, by_name), *kw = PyDict_New();
	PyObject *names = PyCode_GetVarnames(co), *args = PyList_New(0), *tuple = NULL, *r = NULL, *rest, *v;
	Py_ssize_t i, n = co->co_argcount, k = co->co_kwonlyargcount;

	for (i = 0; names && args && i < n; i++)
		PyList_Append(args, PyDict_GetItem(values, PyTuple_GET_ITEM(names, i)));
	for (i = n; names && kw && i < n + k; i++)
		PyDict_SetItem(kw, PyTuple_GET_ITEM(names, i), PyDict_GetItem(values, PyTuple_GET_ITEM(names, i)));
	if (names && args && co->co_flags & CO_VARARGS) {
		v = PyDict_GetItem(values, PyTuple_GET_ITEM(names, n + k));
		rest = v ? PySequence_List(v) : NULL;
		if (rest)
			PyList_SetSlice(args, n, n, rest);
		Py_XDECREF(rest);
	}
	if (names && kw && co->co_flags & CO_VARKEYWORDS) {
		v = PyDict_GetItem(values, PyTuple_GET_ITEM(names, n + k + !!(co->co_flags & CO_VARARGS)));
		if (v && PyDict_Check(v))
			PyDict_Update(kw, v);
	}
	tuple = args ? PyList_AsTuple(args) : NULL;
	if (fn && cells && tuple && kw && !PyErr_Occurred() &&
	    (!PyTuple_GET_SIZE(cells) || PyFunction_SetClosure(fn, cells) == 0))
		r = PyObject_Call(fn, tuple, kw);
	Py_XDECREF(tuple);
	Py_XDECREF(args);
	Py_XDECREF(names);
	Py_XDECREF(kw);
	Py_XDECREF(cells);
	Py_XDECREF(fn);
	return r;
}

static void show_result(PyObject *v, struct reply *out)
{
	long most = host->talk.option_number("repr-limit");
	bool cut = false;
	struct err err;

	out->value = true;
	if (host->values.repr((struct py_obj *)v, &out->text, (size_t)most, &cut, &err) < 0)
		buf_addf(&out->text, "<its repr raised %s>", err.text);
	if (cut)
		buf_addf(&out->text, "... (first %ld bytes: 'set repr-limit' for more)", most);
	buf_adds(&out->text, "\n");
}

/* ---- a run of the entry ---------------------------------------------------------------------------------------- */

struct trial {
	PyObject *globals, *saved; /* owned; saved: state.py's */
};

/* Prints a line for each text of a list, at once, so that it precedes the output of what runs next. */
static void say_each(const char *what, PyObject *list)
{
	struct buf lines = { 0 };
	const char *text;
	Py_ssize_t i;

	for (i = 0; list && PyList_Check(list) && i < PyList_GET_SIZE(list); i++) {
		text = PyUnicode_AsUTF8(PyList_GET_ITEM(list, i));
		buf_addf(&lines, "%s%s%s", i ? "\n" : "", what, text ? text : "?");
	}
	if (lines.len)
		host->talk.say(lines.s);
	PyErr_Clear();
	buf_release(&lines);
}

static void trial_release(struct trial *t)
{
	Py_CLEAR(t->saved);
	Py_CLEAR(t->globals);
}

int entry_fits(struct entry *e, PyObject *values, const char *command, struct err *err)
{
	struct buf failing = { 0 };
	int passes = entry_passes(e, values, &failing, err);

	if (passes == 0)
		err_set(err,
			"nothing was run: this call does not use entry %s\n%s'%s -f %s' runs its code all the same; "
			"'info entries' lists the others",
			e->id, buf_str(&failing), command, e->id);
	buf_release(&failing);
	return passes > 0 ? 0 : -1;
}

/* command: for the message where guards fail; NULL: they may. */
static int trial_start(struct trial *t, struct entry *e, const char *args, const char *command, struct err *err)
{
	PyObject *values = entry_values(e, args, entry_values_by_code, NULL, err), *unsafe;

	memset(t, 0, sizeof(*t));
	t->globals = values ? entry_globals(e, err) : NULL;
	if (t->globals && command && entry_fits(e, values, command, err) < 0)
		Py_CLEAR(t->globals);
	if (t->globals) {
		t->saved = package_call("state", "save",
					Py_BuildValue("(OOOO)", values, e->func->co, e->co, t->globals));
		if (!t->saved)
			edit_raised(err, "nothing was run: the program's state cannot be saved before the run");
	}
	Py_XDECREF(values);
	if (!t->saved) {
		trial_release(t);
		return -1;
	}
	unsafe = PyObject_CallMethod(t->saved, "announce", NULL);
	say_each("the run may change what cannot be restored: ", unsafe);
	PyErr_Clear();
	Py_XDECREF(unsafe);
	return 0;
}

/* The program's state stays as the run left it until trial_back(). stance: how compiled functions that it
   calls run.  captures: what it prints is kept to be compared, and written nowhere. */
static PyObject *trial_call(struct trial *t, PyCodeObject *co, const char *stance, bool captures)
{
	PyObject *values = PyObject_CallMethod(t->saved, "enter", "sO", stance, captures ? Py_True : Py_False);
	PyObject *cells = values ? PyObject_GetAttrString(t->saved, "cells") : NULL;
	PyObject *r = cells ? call_code(co, t->globals, values, cells) : NULL;

	Py_XDECREF(cells);
	Py_XDECREF(values);
	return r;
}

/* Without an exception pending. */
static void trial_back(struct trial *t)
{
	PyObject *failed = NULL;
	int i;

	for (i = 0; !failed && i < 3; i++) { /* Ctrl-C may come in the middle of it */
		PyErr_Clear();
		failed = PyObject_CallMethod(t->saved, "restore", NULL);
	}
	if (!failed)
		host->talk.say("the program's state could not be restored after the run");
	say_each("not restored after the run: ", failed);
	PyErr_Clear();
	Py_XDECREF(failed);
}

int entry_run(struct entry *e, const char *args, bool anyhow, struct reply *out, struct err *err)
{
	struct trial t;
	PyObject *r;
	int ret = 0;

	if (trial_start(&t, e, args, anyhow ? NULL : "entry run", err) < 0)
		return -1;
	r = trial_call(&t, e->co, "eager_on_recompile", false);
	if (r)
		show_result(r, out);
	else
		ret = edit_raised(err, "the generated code raised");
	trial_back(&t);
	Py_XDECREF(r);
	trial_release(&t);
	return ret;
}

/* ---- diff ------------------------------------------------------------------------------------------------ */

struct side {
	PyObject *outcome; /* owned: outcome.py's */
	double seconds;
};

/* The result is copied, and the program's state is as before. */
static int run_side(struct side *s, struct trial *t, PyCodeObject *co, const char *stance, struct err *err)
{
	double began = run_clock();
	PyObject *r = trial_call(t, co, stance, true), *type, *value, *tb;
	bool stopped;

	s->seconds = run_clock() - began;
	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	stopped = value && !PyErr_GivenExceptionMatches(value, PyExc_Exception);
	if (!stopped)
		s->outcome = package_call("outcome", "outcome",
					  Py_BuildValue("(OOO)", t->saved, r ? r : Py_None, value ? value : Py_None));
	if (!stopped && !s->outcome)
		edit_raised(err, "the results cannot be compared");
	PyErr_Clear();
	trial_back(t);
	if (stopped) {
		PyErr_Restore(type, value, tb);
		return edit_raised(err, "the run was ended");
	}
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	Py_XDECREF(r);
	return s->outcome ? 0 : -1;
}

/* verdict: what compare() in outcome.py returns. */
static void report_verdict(PyObject *verdict, const struct side *made, const struct side *eager, struct buf *out)
{
	const char *how = result_text(verdict, "how");
	PyObject *worst = result_get(verdict, "worst");

	buf_addf(out, "%s%s", result_true(verdict, "equal") ? "equal to eager" : "not equal to eager", how ? how : "");
	if (PyFloat_Check(worst))
		buf_addf(out, ", max difference %g", PyFloat_AS_DOUBLE(worst));
	buf_adds(out, "\n");
	result_lines(result_get(verdict, "lines"), "  ", out);
	result_lines(result_get(verdict, "skipped"), "  not compared: ", out);
	buf_addf(out, "generated %.3f ms, eager %.3f ms\n", made->seconds * 1e3, eager->seconds * 1e3);
}

int entry_diff(struct entry *e, const char *args, bool anyhow, struct reply *out, struct err *err)
{
	struct side made = { 0 }, eager = { 0 };
	PyObject *verdict = NULL;
	struct trial t;
	int ret = -1;

	if (trial_start(&t, e, args, anyhow ? NULL : "entry diff", err) < 0)
		return -1;
	if (run_side(&made, &t, e->co, "eager_on_recompile", err) == 0 &&
	    run_side(&eager, &t, e->func->co, "force_eager", err) == 0) {
		verdict = package_call("outcome", "compare", PyTuple_Pack(2, made.outcome, eager.outcome));
		ret = verdict ? 0 : edit_raised(err, "the results cannot be compared");
	}
	if (ret == 0)
		report_verdict(verdict, &made, &eager, &out->text);
	PyErr_Clear();
	Py_XDECREF(verdict);
	Py_XDECREF(made.outcome);
	Py_XDECREF(eager.outcome);
	trial_release(&t);
	return ret;
}
