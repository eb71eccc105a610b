/* SPDX-License-Identifier: BSD-3-Clause */
/* entry run, diff: an entry's generated code by hand, on values of the selected frame or given ones, guards ignored.
   Changes nothing in Dynamo's cache. */
#include "entry.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- run ------------------------------------------------------------------------------------------------- */

/* Dynamo keeps the globals that the code was compiled with. */
static PyObject *globals_of(struct entry *e, struct err *err)
{
	PyObject *manager = NULL, *scope = NULL, *globals;
	struct cached c;
	size_t at;

	if (cached_read(e->func->co, &c, err) < 0)
		return NULL;
	at = cached_find(&c, e->co);
	manager = at < c.n ? Py_NewRef(c.slot[at].manager) : ledger_original(e);
	cached_release(&c);
	scope = manager ? PyObject_GetAttrString(manager, "global_scope") : NULL;
	globals = scope && PyDict_Check(scope) ? Py_XNewRef(PyDict_GetItemString(scope, "G")) : NULL;
	PyErr_Clear();
	Py_XDECREF(scope);
	Py_XDECREF(manager);
	if (!globals)
		host->err_set(err, "the globals of entry '%s' are not known", e->id);
	return globals;
}

static PyObject *cells_of(PyCodeObject *co, PyObject *values)
{
	PyObject *frees = PyCode_GetFreevars(co), *cells = PyTuple_New(frees ? PyTuple_GET_SIZE(frees) : 0);
	Py_ssize_t i;

	for (i = 0; cells && frees && i < PyTuple_GET_SIZE(frees); i++)
		PyTuple_SET_ITEM(cells, i, PyCell_New(PyDict_GetItem(values, PyTuple_GET_ITEM(frees, i))));
	Py_XDECREF(frees);
	return cells;
}

/* Call this code with these values: a new reference, or NULL with the exception. */
static PyObject *call_code(PyCodeObject *co, PyObject *globals, PyObject *values)
{
	PyObject *fn = PyFunction_New((PyObject *)co, globals), *cells = cells_of(co, values), *kw = PyDict_New();
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

/* Random numbers: the program's generators stay where they are. */
static void random_back(PyObject *state)
{
	PyObject *r = state ? edit_call("randomness", state, NULL, NULL) : NULL;

	PyErr_Clear();
	Py_XDECREF(r);
}

static void show(PyObject *v, struct buf *out)
{
	PyObject *text = PyObject_Repr(v);
	const char *s = text ? PyUnicode_AsUTF8(text) : NULL;
	int most = (int)host->option_number("repr-limit");

	PyErr_Clear();
	host->buf_addf(out, "%.*s%s\n", most, s ? s : "?", s && (int)strlen(s) > most ? "..." : "");
	Py_XDECREF(text);
}

int entry_run(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	PyObject *values = entry_values(e, args, true, err), *globals = values ? globals_of(e, err) : NULL;
	PyObject *state, *r = NULL;
	int ret = -1;

	if (globals) {
		state = edit_call("randomness", NULL, NULL, NULL);
		PyErr_Clear();
		r = call_code(e->co, globals, values);
		if (r) {
			show(r, &out->text);
			ret = 0;
		} else {
			edit_raised(err, "the generated code raised");
		}
		random_back(state);
		Py_XDECREF(state);
	}
	Py_XDECREF(r);
	Py_XDECREF(globals);
	Py_XDECREF(values);
	return ret;
}

/* ---- diff ------------------------------------------------------------------------------------------------ */

struct side {
	PyObject *values, *result;           /* owned */
	double seconds;
};

/* On copies, so that neither run sees what the other changed, and the program sees neither. */
static int run_side(struct side *s, PyCodeObject *co, PyObject *globals, PyObject *values, PyObject *state,
		    const char *what, struct err *err)
{
	double began;

	s->values = edit_call("copies", values, NULL, NULL);
	if (!s->values || s->values == Py_None) {
		PyErr_Clear();
		return host->err_set(err, "a value cannot be copied, "
				"and both runs need their own: say 'with NAME=EXPR'");
	}
	random_back(state);
	began = now();
	s->result = call_code(co, globals, s->values);
	s->seconds = now() - began;
	return s->result ? 0 : edit_raised(err, what);
}

static void tell(PyObject *verdict, const struct side *made, const struct side *eager, struct buf *out)
{
	PyObject *worst = PyTuple_GET_ITEM(verdict, 1), *why = PyTuple_GET_ITEM(verdict, 2);
	bool equal = PyTuple_GET_ITEM(verdict, 0) == Py_True;

	host->buf_addf(out, "%s", equal ? "equal to eager" : "not equal to eager");
	if (PyFloat_Check(worst))
		host->buf_addf(out, ", max difference %g", PyFloat_AS_DOUBLE(worst));
	if (!equal && PyUnicode_Check(why) && PyUnicode_GET_LENGTH(why))
		host->buf_addf(out, " (%s)", PyUnicode_AsUTF8(why));
	host->buf_addf(out, "\ngenerated %.3f ms, eager %.3f ms\n", made->seconds * 1e3, eager->seconds * 1e3);
}

int entry_diff(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	PyObject *values = entry_values(e, args, true, err), *globals = values ? globals_of(e, err) : NULL;
	PyObject *state, *both, *other;
	PyObject *verdict = NULL;
	struct side made = { 0 }, eager = { 0 };
	int ret = -1;

	if (!globals) {
		Py_XDECREF(values);
		return -1;
	}
	state = edit_call("randomness", NULL, NULL, NULL);
	PyErr_Clear();
	if (run_side(&made, e->co, globals, values, state, "the generated code raised", err) == 0 &&
	    run_side(&eager, e->func->co, globals, values, state, "the function itself raised", err) == 0) {
		both = PyTuple_Pack(2, made.result, made.values);
		other = PyTuple_Pack(2, eager.result, eager.values);
		verdict = both && other ? edit_call("differences", both, other, NULL) : NULL;
		Py_XDECREF(both);
		Py_XDECREF(other);
		if (verdict && PyTuple_Check(verdict) && PyTuple_GET_SIZE(verdict) == 3)
			ret = 0;
		else
			edit_raised(err, "the results cannot be compared");
	}
	if (ret == 0)
		tell(verdict, &made, &eager, &out->text);
	random_back(state);
	PyErr_Clear();
	Py_XDECREF(verdict);
	Py_XDECREF(made.result);
	Py_XDECREF(made.values);
	Py_XDECREF(eager.result);
	Py_XDECREF(eager.values);
	Py_XDECREF(state);
	Py_XDECREF(globals);
	Py_XDECREF(values);
	return ret;
}
