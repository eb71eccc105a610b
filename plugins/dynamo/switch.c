/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's evaluator going in and out: set_eval_frame, wrapped in the places that call it, so that cdbg's own hook goes
   in and out with it.  Knows nothing of what is compiled. */
#include "dynamo.h"

static PyObject *original;                   /* owned: torch's set_eval_frame */
static PyObject *ours;                       /* owned: the same, telling cdbg */
static PyObject *stance;                     /* owned: the stance when it was last seen; compared by identity */
static PyObject *stance_holder;              /* borrowed: torch._dynamo.eval_frame's dict */

/* Under set_stance("force_eager") compiled functions run outside of what Dynamo tells: places change. */
static void look_at_stance(void)
{
	PyObject *now = stance_holder ? PyDict_GetItemString(stance_holder, "_stance") : NULL;

	if (!now || now == stance)
		return;
	Py_XSETREF(stance, Py_NewRef(now));
	host->code_appeared();
}

static PyObject *set_eval_frame(PyObject *self, PyObject *callback)
{
	PyObject *prior;

	(void)self;
	if (callback != Py_None) {
		host->region(true);
		return PyObject_CallOneArg(original, callback);
	}
	prior = PyObject_CallOneArg(original, callback);
	if (prior) {
		host->region(false);
		look_at_stance();
	}
	return prior;
}

static PyMethodDef method = { "set_eval_frame", set_eval_frame, METH_O, NULL };

static void find(void)
{
	PyObject *name, *m;

	if (original)
		return;
	original = names_get(NAME_SET_EVAL_FRAME);
	name = PyUnicode_FromString("torch._dynamo.eval_frame");
	m = name ? PyImport_GetModule(name) : NULL;
	stance_holder = m ? PyModule_GetDict(m) : NULL;      /* as long as the module: for ever */
	Py_XDECREF(m);
	Py_XDECREF(name);
	PyErr_Clear();
	if (stance_holder)
		stance = Py_XNewRef(PyDict_GetItemString(stance_holder, "_stance"));
}

void switch_watch(bool on)
{
	static const enum name_id where[] = { NAME_SET_1, NAME_SET_2, NAME_SET_3 };
	PyObject *there;
	size_t i;

	find();
	if (!original)
		return;
	if (on && !ours)
		ours = PyCFunction_New(&method, NULL);
	for (i = 0; i < sizeof(where) / sizeof(*where); i++) {
		if (!on) {
			names_restore(where[i]);
			continue;
		}
		there = names_get(where[i]);
		if (there == original)       /* what is something else calls one of the others in the end */
			names_replace(where[i], ours);
		Py_XDECREF(there);
	}
	PyErr_Clear();
}

/* A stop: what is evaluated runs as written, and compiled functions compile as ever. */
void *switch_enter(void)
{
	PyObject *prior;

	find();
	prior = original ? PyObject_CallOneArg(original, Py_None) : NULL;
	PyErr_Clear();
	return prior;
}

void switch_leave(void *saved)
{
	PyObject *prior = saved, *back;

	if (!prior)
		return;
	if (prior != Py_None)                /* another thread may have taken the hook out meanwhile */
		host->region(true);
	back = PyObject_CallOneArg(original, prior);
	PyErr_Clear();
	Py_XDECREF(back);
	Py_DECREF(prior);
}

void switch_stop(void)
{
	switch_watch(false);
}
