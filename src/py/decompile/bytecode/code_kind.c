/* SPDX-License-Identifier: BSD-3-Clause */
/* What a code object is the code of, and what its instructions set up: a class, a module, a hidden function for type
   parameters.  Knows no stack and no statement. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/tree/dec.h"

static const char hidden[] = "<generic parameters of ";

bool class_is(const struct code *c)
{
	return !(((PyCodeObject *)c->co)->co_flags & CO_OPTIMIZED) && !module_is(c);
}

bool module_is(const struct code *c)
{
	return !(((PyCodeObject *)c->co)->co_flags & CO_OPTIMIZED) && !strcmp(code_name(c), "<module>");
}

bool generic_is(const struct code *c)
{
	return !strncmp(code_name(c), hidden, sizeof(hidden) - 1);
}

/* ---- the definition ----------------------------------------------------------------------------- */

bool generic_defines(const struct code *c, PyObject *name)
{
	PyObject *whole = PyUnicode_FromFormat("%s%U>", hidden, name);
	bool same = whole && !PyUnicode_Compare(whole, ((PyCodeObject *)c->co)->co_name);

	PyErr_Clear();
	Py_XDECREF(whole);
	return same;
}

bool setup_annotations(struct code *c)
{
	int i;

	code_decode(c);
	for (i = 0; i < c->n; i++)
		if (!strcmp(py_op_name(op_plain(c->instr[i].op)), "SETUP_ANNOTATIONS"))
			return true;
	return false;
}
