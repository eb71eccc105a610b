/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler as functions of the module.  Knows no session: they work without one. */
#include "source_api.h"
#include "base/err.h"
#include "py/decompile/decompile.h"
#include "py/interp/lookup.h"

const char source_decompile_doc
	[] = "decompile(code_or_function) -> str\n"
	     "\n"
	     "The Python source of a code object or function, as `decompile` shows it; of a function, with\n"
	     "its defaults. Of one that wraps another, as what torch.compile() or functools.wraps() gives,\n"
	     "it is the other's. A statement that cannot be written as Python is shown as comments with its\n"
	     "bytecode.";
const char source_recompile_doc
	[] = "recompile(code) -> code\n"
	     "\n"
	     "A code object compiled from the source of this one, with the same arguments, free variables\n"
	     "and cells, so that it can replace it; constants that are not literals are the same objects.\n"
	     "Raises ValueError, with the line, if that is not possible.";

/* New reference; NULL with TypeError. */
static PyObject *argument_code(PyObject *arg, const char *function)
{
	PyObject *code;

	if (PyMethod_Check(arg))
		arg = PyMethod_GET_FUNCTION(arg);
	code = PyFunction_Check(arg) ? PyFunction_GET_CODE(arg) : arg;
	if (PyCode_Check(code))
		return Py_NewRef(code);
	PyErr_Format(PyExc_TypeError, "%s() takes a code object or a function, not '%.200s'", function,
		     Py_TYPE(arg)->tp_name);
	return NULL;
}

PyObject *source_decompile(PyObject *self, PyObject *arg)
{
	struct py_obj *function = lookup_innermost((struct py_obj *)arg); /* owned */
	PyObject *code = argument_code(function ? (PyObject *)function : arg, "decompile"), *text = NULL;
	const struct dec_style style = { .function = function };
	struct dec_source *s;

	(void)self;
	if (code) {
		s = decompile(code_get((struct py_code *)code), &style);
		if (s)
			text = PyUnicode_FromString(s->text);
		else
			PyErr_SetNone(PyExc_KeyboardInterrupt);
		dec_source_free(s);
	}
	Py_XDECREF(code);
	Py_XDECREF((PyObject *)function);
	return text;
}

PyObject *source_recompile(PyObject *self, PyObject *arg)
{
	PyObject *code = argument_code(arg, "recompile"), *made = NULL;
	struct err err = { "" };

	(void)self;
	if (code) {
		made = (PyObject *)recompile(code_get((struct py_code *)code), &err);
		if (!made)
			PyErr_SetString(PyExc_ValueError, err.text);
	}
	Py_XDECREF(code);
	return made;
}
