/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry whose backward graph autograd runs: see dynamo_code.h.  Autograd calls backward(ctx, ...) of a class
   that AOTAutograd made for each of its compiles, with the number of that compile as _aot_id
   (torch/_functorch/_aot_autograd/runtime_wrappers.py, 2.6 to 2.15). */
#include "code/dynamo_code.h"
#include "model/entry.h"
#include "model/stages.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <string.h>

/* The number that the class of a ctx has; -1: it is not AOTAutograd's. */
static long aot_id_of(PyObject *ctx)
{
	PyObject *forward = attr((PyObject *)Py_TYPE(ctx), "_forward_cls");
	PyObject *number = forward ? attr(forward, "_aot_id") : NULL;
	long n = number && PyLong_CheckExact(number) ? PyLong_AsLong(number) : -1;

	PyErr_Clear();
	Py_XDECREF(number);
	Py_XDECREF(forward);
	return n;
}

static const struct stage *stage_of_compile(const struct entry *e, long number)
{
	const struct stage *s;

	for (s = e->made.stages; s; s = s->next)
		if (s->aot_id == number || (s->ran && s->ran->aot_id == number))
			return s;
	return NULL;
}

/* The ctx of a backward(ctx, ...), borrowed; NULL: it is another function. */
static PyObject *ctx_of(PyFrameObject *f)
{
	PyCodeObject *co = PyFrame_GetCode(f);
	bool backward = co->co_argcount && !PyUnicode_CompareWithASCIIString(co->co_name, "backward") &&
			!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(co->co_localsplusnames, 0), "ctx");

	Py_DECREF(co);
	return backward ? (PyObject *)host->frames.local((struct py_frame *)f, 0) : NULL;
}

struct entry *backward_entry(PyFrameObject *f, const char **part)
{
	PyObject *ctx = ctx_of(f);
	long number = ctx ? aot_id_of(ctx) : -1;
	struct entry *e, *found = NULL;
	const struct stage *s;
	const char *dot;

	for (e = model_entries; number >= 0 && e; e = e->next) {
		s = stage_of_compile(e, number);
		dot = s ? strchr(s->graph, '.') : NULL;
		if (dot)
			*part = py_text_keep(dot + 1);
		if (s)
			found = e;
	}
	return found;
}
