/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames and expressions for tests/lib/pyprobe.c. */
#include <Python.h>
#include <time.h>
#include "base/err.h"
#include "py/interp/eval.h"
#include "py/hook/hook.h"
#include "pyprobe.h"

static struct py_frame *frame_arg(PyObject *o)
{
	return o == Py_None ? NULL : (struct py_frame *)o;
}

/* ---- frames ----------------------------------------------------------------------------------- */

static PyObject *callback, *trouble; /* trouble: the exception that callback raised; owned */

/* As a stop does it: nothing is traced meanwhile. */
static bool on_instr(struct hook_thread *t, struct py_frame *f, struct code *c, int index)
{
	struct hook_saved saved;
	PyObject *r;

	(void)c;
	(void)index;
	if (trouble)
		return false;
	hook_stop_enter(t, &saved);
	r = PyObject_CallOneArg(callback, (PyObject *)f);
	if (!r) {
		PyObject *type, *tb;

		PyErr_Fetch(&type, &trouble, &tb);
		PyErr_NormalizeException(&type, &trouble, &tb);
		Py_XDECREF(type);
		Py_XDECREF(tb);
	}
	Py_XDECREF(r);
	hook_stop_leave(t, &saved);
	return false;
}

/* trace(code, callback, function, *args): callback(frame) before each instruction of code that has an event. */
static PyObject *probe_trace(PyObject *self, PyObject *args)
{
	static const struct hook_sink sink = { .instr = on_instr };
	PyObject *rest = PyTuple_GetSlice(args, 3, PyTuple_GET_SIZE(args)), *r;
	struct err err = { "" };
	struct code *c;

	(void)self;
	if (!rest || PyTuple_GET_SIZE(args) < 3)
		return NULL;
	c = pyprobe_code(PyTuple_GET_ITEM(args, 0));
	callback = PyTuple_GET_ITEM(args, 1);
	if (!c || hook_start(&sink, &err) < 0)
		return c ? pyprobe_refuse(&err) : NULL;
	hook_place(true, true, true);
	hook_code(c, HOOK_EVERY);
	r = PyObject_Call(PyTuple_GET_ITEM(args, 2), rest, NULL);
	hook_code(c, 0);
	hook_stop();
	Py_DECREF(rest);
	if (trouble) {
		PyErr_SetObject((PyObject *)Py_TYPE(trouble), trouble);
		Py_CLEAR(trouble);
		Py_CLEAR(r);
	}
	return r;
}

static PyObject *evaluate(PyThreadState *ts, struct _PyInterpreterFrame *f, int throwing)
{
	return _PyEval_EvalFrameDefault(ts, f, throwing);
}

/* inline_calls(on): with an evaluator in place CPython inlines no calls, as when the hooks are in. */
static PyObject *probe_inline_calls(PyObject *self, PyObject *on)
{
	(void)self;
	_PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(),
					     PyObject_IsTrue(on) ? _PyEval_EvalFrameDefault : evaluate);
	Py_RETURN_NONE;
}

static PyObject *probe_depth(PyObject *self, PyObject *args)
{
	PyObject *f;
	int at_event;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!p", &PyFrame_Type, &f, &at_event))
		return NULL;
	return PyLong_FromLong(frame_depth((struct py_frame *)f, at_event));
}

static PyObject *probe_slots(PyObject *self, PyObject *args)
{
	PyObject *f, *list = PyList_New(0), *item;
	struct stack_slot s;
	int at_event, i, n;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!p", &PyFrame_Type, &f, &at_event))
		return NULL;
	n = frame_depth((struct py_frame *)f, at_event);
	for (i = 0; i < n; i++) {
		frame_slot((struct py_frame *)f, i, &s);
		item = s.kind == SLOT_OBJECT ? Py_NewRef((PyObject *)s.value) :
		       s.kind == SLOT_NULL   ? PyUnicode_FromString("<NULL>") :
					       PyUnicode_FromString("<?>");
		PyList_Append(list, item);
		Py_DECREF(item);
	}
	return list;
}

static PyObject *probe_set_slot(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	PyObject *f, *v;
	int slot;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!iO", &PyFrame_Type, &f, &slot, &v))
		return NULL;
	if (frame_set_slot((struct py_frame *)f, slot, (struct py_obj *)v, &err) < 0)
		return pyprobe_refuse(&err);
	Py_RETURN_NONE;
}

static PyObject *probe_set_local(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	PyObject *f, *v;
	const char *name;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!sO", &PyFrame_Type, &f, &name, &v))
		return NULL;
	if (frame_set_local((struct py_frame *)f, name, (struct py_obj *)v, &err) < 0)
		return pyprobe_refuse(&err);
	Py_RETURN_NONE;
}

static PyObject *probe_locals(PyObject *self, PyObject *f)
{
	(void)self;
	return (PyObject *)frame_locals_dict((struct py_frame *)f);
}

static PyObject *probe_globals(PyObject *self, PyObject *f)
{
	(void)self;
	return Py_NewRef((PyObject *)frame_globals((struct py_frame *)f));
}

static PyObject *probe_where(PyObject *self, PyObject *o)
{
	struct py_frame *f = (struct py_frame *)o;

	(void)self;
	return Py_BuildValue("(iiiOO)", frame_index(f), py_frame_unit(f), frame_line(f),
			     py_frame_alive(f) ? Py_True : Py_False, py_frame_is_generator(f) ? Py_True : Py_False);
}

static PyObject *probe_address(PyObject *self, PyObject *o)
{
	(void)self;
	return PyLong_FromVoidPtr((void *)py_frame_address((struct py_frame *)o));
}

static PyObject *probe_top(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return (PyObject *)frame_top();
}

static PyObject *probe_back(PyObject *self, PyObject *f)
{
	PyObject *back = (PyObject *)frame_back((struct py_frame *)f);

	(void)self;
	return back ? back : Py_NewRef(Py_None);
}

static PyObject *probe_jump(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	PyObject *f;
	int offset;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!i", &PyFrame_Type, &f, &offset))
		return NULL;
	if (py_frame_jump((struct py_frame *)f, offset / 2, &err) < 0)
		return pyprobe_refuse(&err);
	Py_RETURN_NONE;
}

/* [(frame, index, line)], and how many there are in all */
static PyObject *probe_traceback(PyObject *self, PyObject *args)
{
	struct trace_entry entry[8];
	PyObject *tb, *list = PyList_New(0), *row;
	int max, n, i;

	(void)self;
	if (!PyArg_ParseTuple(args, "Oi", &tb, &max) || max > 8)
		return NULL;
	n = frame_traceback((struct py_obj *)tb, entry, max);
	for (i = 0; i < n && i < max; i++) {
		row = Py_BuildValue("(Nii)", (PyObject *)entry[i].frame, entry[i].index, entry[i].line);
		PyList_Append(list, row);
		Py_DECREF(row);
	}
	return Py_BuildValue("(Ni)", list, n);
}

/* ---- expressions ------------------------------------------------------------------------------ */

static bool scope_arg(PyObject *args, const char **text, struct scope *sc, long *times)
{
	PyObject *f = Py_None, *locals = Py_None, *globals = Py_None;
	int at_event = 0;

	if (!PyArg_ParseTuple(args, "s|OpOOl", text, &f, &at_event, &locals, &globals, times))
		return false;
	*sc = (struct scope){ .frame = frame_arg(f), .at_event = at_event };
	sc->locals = locals == Py_None ? NULL : (struct py_obj *)locals;
	sc->globals = globals == Py_None ? NULL : (struct py_obj *)globals;
	return true;
}

/* eval(text, frame, at_event, locals, globals) */
static PyObject *probe_eval(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	struct scope sc;
	const char *text;
	PyObject *v;
	long times;

	(void)self;
	if (!scope_arg(args, &text, &sc, &times))
		return NULL;
	v = (PyObject *)eval_text(text, &sc, &err);
	return v ? v : pyprobe_refuse(&err);
}

/* true(...) as eval: the truth as 1, 0, or -1 with its text */
static PyObject *probe_true(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	struct scope sc;
	const char *text;
	struct expr *e;
	int r = -1;
	long times;

	(void)self;
	if (!scope_arg(args, &text, &sc, &times))
		return NULL;
	e = expr_new(text, &err);
	if (e)
		r = expr_true(e, &sc, &err);
	expr_unref(e);
	return Py_BuildValue("(is)", r, err.text);
}

/* cost(text, frame, at_event, locals, globals, times): nanoseconds of one expr_true() */
static PyObject *probe_cost(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	struct timespec a, b;
	struct scope sc;
	const char *text;
	struct expr *e;
	long times = 1, i;

	(void)self;
	if (!scope_arg(args, &text, &sc, &times))
		return NULL;
	e = expr_new(text, &err);
	if (!e)
		return pyprobe_refuse(&err);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (i = 0; i < times; i++)
		if (expr_true(e, &sc, &err) < 0)
			return pyprobe_refuse(&err);
	clock_gettime(CLOCK_MONOTONIC, &b);
	expr_unref(e);
	return PyFloat_FromDouble(((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
				  (double)times);
}

static PyObject *probe_exec(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	struct py_obj *value = NULL;
	struct scope sc;
	const char *text;
	long times;

	(void)self;
	if (!scope_arg(args, &text, &sc, &times))
		return NULL;
	if (eval_exec(text, &sc, &value, &err) < 0)
		return pyprobe_refuse(&err);
	return value ? (PyObject *)value : Py_NewRef(Py_None);
}

static PyObject *probe_complete(PyObject *self, PyObject *text)
{
	(void)self;
	return PyLong_FromLong(eval_complete(PyUnicode_AsUTF8(text)));
}

static PyObject *probe_syntax(PyObject *self, PyObject *text)
{
	struct err err = { "" };
	struct expr *e = expr_new(PyUnicode_AsUTF8(text), &err);

	(void)self;
	expr_unref(e);
	return PyUnicode_FromString(err.text);
}

PyMethodDef pyprobe_frame_methods[] = {
	{ "trace", probe_trace, METH_VARARGS, NULL },
	{ "inline_calls", probe_inline_calls, METH_O, NULL },
	{ "depth", probe_depth, METH_VARARGS, NULL },
	{ "slots", probe_slots, METH_VARARGS, NULL },
	{ "set_slot", probe_set_slot, METH_VARARGS, NULL },
	{ "set_local", probe_set_local, METH_VARARGS, NULL },
	{ "locals", probe_locals, METH_O, NULL },
	{ "globals", probe_globals, METH_O, NULL },
	{ "where", probe_where, METH_O, NULL },
	{ "address", probe_address, METH_O, NULL },
	{ "top", probe_top, METH_NOARGS, NULL },
	{ "back", probe_back, METH_O, NULL },
	{ "jump", probe_jump, METH_VARARGS, NULL },
	{ "traceback", probe_traceback, METH_VARARGS, NULL },
	{ "eval", probe_eval, METH_VARARGS, NULL },
	{ "true", probe_true, METH_VARARGS, NULL },
	{ "cost", probe_cost, METH_VARARGS, NULL },
	{ "exec", probe_exec, METH_VARARGS, NULL },
	{ "complete", probe_complete, METH_O, NULL },
	{ "syntax", probe_syntax, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};
