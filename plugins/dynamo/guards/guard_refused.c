/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that ended in an exception because torch may not compile again: see guard_refused.h. */
#include "guards/guard_refused.h"
#include "torch/py_text.h"
#include <string.h>

enum { KEPT = 8, CAUSES = 20 };

/* The frame is in the traceback of the exception that the call raised, so that it has this address as long as the
   exception can be looked for, and no later call has it. */
static struct refused {
	const void *frame;  /* an address, never used as an object */
	struct val *detail; /* owned */
} kept[KEPT];
static int next;

void guard_refused_keep(PyObject *frame, struct val *detail)
{
	int i;

	for (i = 0; i < KEPT && kept[i].frame != frame; i++)
		;
	if (i == KEPT) {
		i = next;
		next = (next + 1) % KEPT;
	}
	val_free(kept[i].detail);
	kept[i] = (struct refused){ frame, detail };
}

static const struct val *kept_for(const void *frame)
{
	int i;

	for (i = 0; frame && i < KEPT; i++)
		if (kept[i].frame == frame)
			return kept[i].detail;
	return NULL;
}

/* The functions of torch that get a frame call it so. */
static const struct val *kept_in(PyFrameObject *f)
{
	PyCodeObject *code = PyFrame_GetCode(f);
	PyObject *names = PyCode_GetVarnames(code);
	const struct val *found = NULL;
	Py_ssize_t i;

	for (i = 0; names && i < PyTuple_GET_SIZE(names) && !found; i++)
		if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "frame"))
			found = kept_for(host->frames.local((struct py_frame *)f, (int)i));
	PyErr_Clear();
	Py_XDECREF(names);
	Py_DECREF(code);
	return found;
}

static const struct val *kept_in_traceback(PyObject *exc)
{
	PyObject *tb = PyException_GetTraceback(exc), *step;
	const struct val *found = NULL;

	for (step = tb; step && PyTraceBack_Check(step) && !found;
	     step = (PyObject *)((PyTracebackObject *)step)->tb_next)
		found = kept_in(((PyTracebackObject *)step)->tb_frame);
	Py_XDECREF(tb);
	return found;
}

const struct val *guard_refused_of(PyObject *exc)
{
	PyObject *e = exc && PyExceptionInstance_Check(exc) ? Py_NewRef(exc) : NULL, *cause;
	const struct val *found = NULL;
	int i;

	for (i = 0; e && i < CAUSES && !found; i++) {
		found = kept_in_traceback(e);
		cause = PyException_GetCause(e);
		cause = cause ? cause : PyException_GetContext(e);
		Py_DECREF(e);
		e = cause;
	}
	Py_XDECREF(e);
	return found;
}
