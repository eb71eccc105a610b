/* SPDX-License-Identifier: BSD-3-Clause */
/* One call of a function that is stopped before it runs anything, at which Dynamo asks our callback for an entry. */
#include "edit/insert_call.h"
#include "torch/attrs.h"
#include "edit/cache_list.h"

static _Thread_local struct insert_call *now;

bool insert_call_guarded(void)
{
	return !attrs_have(ATTR_COMPLETE_HOOK);
}

bool insert_call_running(void)
{
	return now != NULL;
}

/* Dynamo accepts a callable with this attribute, whose name depends on the version of torch, as one for
   this backend. */
static int stand_for(PyObject *callable, PyObject *backend)
{
	return PyObject_SetAttrString(callable, "_torchdynamo_orig_backend", backend) < 0 ?
		       -1 :
		       PyObject_SetAttrString(callable, "_torchdynamo_orig_callable", backend);
}

/* Dynamo's callback: frame, cache entry, frame state. */
static PyObject *callback(PyObject *self, PyObject *args)
{
	PyObject *frame = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : NULL;
	PyObject *state = PyTuple_GET_SIZE(args) > 2 ? PyTuple_GET_ITEM(args, 2) : NULL;
	PyObject *code = attr(frame, "f_code");
	bool ours = now && code == (PyObject *)now->co;

	(void)self;
	Py_XDECREF(code);
	if (!now)
		Py_RETURN_NONE;
	if (ours) {
		now->seen = true;
		/* Only from here on the callback counts as one for this backend: in a lookup under it guards in
		   Python would run, which release the GIL. Torch 2.6 has already looked up under its own. */
		if (now->nobody != now->backend)
			stand_for(now->nobody, now->backend);
		if (!now->saved && state && PyDict_Check(state))
			now->state = PyDict_Copy(state);
		else if (now->saved && PyDict_Check(now->saved) && state && PyDict_Check(state))
			PyDict_Update(state, now->saved);
		PyErr_Clear();
	}
	if (ours && !now->answer)
		PyErr_SetString(PyExc_InterruptedError, "cdbg"); /* the call ends without a change */
	return ours ? Py_XNewRef(now->answer) : Py_NewRef(now->leave ? now->leave : Py_None);
}

static PyMethodDef callback_def = { "cdbg_hand_back", callback, METH_VARARGS, NULL };

/* The thread's own trace function, while stop_frame() is in its place; the reference to arg is owned. */
static _Thread_local struct {
	Py_tracefunc func;
	PyObject *arg;
	unsigned events; /* since it could not be restored */
} own_trace;

static int stop_frame(PyObject *arg, PyFrameObject *frame, int what, PyObject *value);

/* An audit hook of the program may refuse to set a trace function, and CPython needs memory to call it: then the next
   attempt may succeed. */
static bool trace_begin(PyObject *generated)
{
	PyThreadState *ts = PyThreadState_Get();
	int attempts = 4;

	if (ts->c_tracefunc != stop_frame) {
		own_trace.func = ts->c_tracefunc;
		Py_XSETREF(own_trace.arg, Py_XNewRef(ts->c_traceobj));
	}
	own_trace.events = 0;
	do
		PyEval_SetTrace(stop_frame, generated);
	while ((ts->c_tracefunc != stop_frame || ts->c_traceobj != generated) && --attempts);
	return attempts > 0;
}

static void trace_end(void)
{
	PyEval_SetTrace(own_trace.func, own_trace.arg);
	if (PyThreadState_Get()->c_tracefunc != stop_frame)
		Py_CLEAR(own_trace.arg);
}

/* trace_end() has failed.  Each failure is reported by CPython, so there are fewer and fewer attempts. */
static void trace_end_late(void)
{
	unsigned n = ++own_trace.events;

	if (!(n & (n - 1)) && !PyErr_Occurred())
		trace_end();
}

/* Ends the frame before its first instruction. */
static int stop_frame(PyObject *arg, PyFrameObject *frame, int what, PyObject *value)
{
	PyCodeObject *code;
	bool ours;

	(void)value;
	if (!now)
		trace_end_late();
	if (what != PyTrace_CALL || !now)
		return 0;
	code = PyFrame_GetCode(frame);
	ours = (PyObject *)code == arg || code == now->co ||
	       (now->all && cache_list_find(now->all, code) < now->all->n);
	Py_DECREF(code);
	if (!ours)
		return 0;
	PyErr_SetString(PyExc_InterruptedError, "cdbg");
	return -1;
}

PyObject *insert_call_partial(void)
{
	PyObject *module = PyImport_ImportModuleLevel("functools", NULL, NULL, NULL, 0),
		 *c = PyCFunction_New(&callback_def, NULL), *r = NULL;

	if (module && c)
		r = PyObject_CallMethod(module, "partial", "O", c);
	PyErr_Clear();
	Py_XDECREF(c);
	Py_XDECREF(module);
	return r;
}

/* Calls fn under a callback of this backend: Dynamo gets h->answer, and the frame that starts ends at once.  Runs
   no Python code, so this thread keeps the GIL. */
bool insert_call(struct insert_call *h, PyObject *fn, PyObject *set, PyObject *generated)
{
	/* owned */
	PyObject *prior = NULL, *r;

	h->seen = false;
	h->nobody = attrs_have(ATTR_COMPLETE_HOOK) ? insert_call_partial() : Py_NewRef(h->backend);
	if (h->nobody && stand_for(h->partial, h->nobody) == 0)
		prior = PyObject_CallOneArg(set, h->partial);
	if (prior) {
		now = h;
		h->untraced = !trace_begin(generated); /* then the function would run */
		r = h->untraced ? NULL : PyObject_CallNoArgs(fn);
		if (!r && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
			PyErr_SetInterrupt(); /* it came meanwhile and belongs to the program */
		PyErr_Clear();
		Py_XDECREF(r);
		trace_end();
		now = NULL;
		r = PyObject_CallOneArg(set, prior);
		Py_XDECREF(r);
	}
	PyErr_Clear();
	Py_CLEAR(h->nobody);
	Py_XDECREF(prior);
	return prior && h->seen;
}
