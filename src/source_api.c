/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompiler as functions of the module.  They start no session and stop nowhere. */
#include "source_api.h"
#include "base/err.h"
#include "engine/python_lines.h"
#include "py/decompile/decompile.h"
#include "py/interp/lookup.h"

const char source_decompile_doc
	[] = "decompile(code_or_function, whole=False) -> str\n"
	     "\n"
	     "The Python source of a code object or function, as the command `decompile` shows it: code that\n"
	     "Dynamo generated is written for people, and statements that only serve the compiler are folded\n"
	     "into a comment. whole=True gives the text that recompile() compiles, in which nothing is folded\n"
	     "and no name is shortened. Of a function the text has its defaults. Of one that wraps another, as\n"
	     "what torch.compile() or functools.wraps() gives, it is the other's. A statement that cannot be\n"
	     "written as Python is shown as comments with its bytecode.";
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

static struct session *(*any_session)(void);

void source_api_session(struct session *(*any)(void))
{
	any_session = any;
}

PyObject *source_api_decompile(PyObject *self, PyObject *args, PyObject *names)
{
	static char *words[] = { "", "whole", NULL };
	PyObject *arg, *code, *text = NULL;
	struct py_obj *function; /* owned */
	struct dec_style style = { .function = NULL };
	struct dec_source *s;
	struct code *c;
	int whole = 0;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, names, "O|p:decompile", words, &arg, &whole))
		return NULL;
	function = lookup_innermost((struct py_obj *)arg);
	style.function = function;
	code = argument_code(function ? (PyObject *)function : arg, "decompile");
	if (code) {
		c = code_get((struct py_code *)code);
		s = whole ? decompile(c, &style) : python_lines_source(any_session(), c, function, false);
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

PyObject *source_api_recompile(PyObject *self, PyObject *arg)
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
