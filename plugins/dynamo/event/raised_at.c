/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's line for an exception that Dynamo or a backend raised while it compiled: from the stack of traced lines
   that Dynamo's exceptions have, else from the traceback of what caused it.  Knows no stop and no view. */
#include "event/dynamo_event.h"
#include "torch/attrs.h"
#include "torch/py_text.h"

enum { CHAIN_MAX = 20 };

struct spot {
	const char *file, *function;
	int line;
};

static bool set_spot(struct spot *out, PyObject *file, PyObject *function, int line)
{
	const char *name = file && PyUnicode_Check(file) ? py_text_utf8_kept(file) : NULL;

	if (!name || line < 1 || !host->files.is_user(name))
		return false;
	*out = (struct spot){ name, py_text_utf8_kept(function), line };
	return true;
}

/* The innermost line of the program in the traced stack. */
static bool traced_line(PyObject *exc, struct spot *out)
{
	PyObject *stack = attr(exc, "real_stack"), *frame, *file, *name, *line;
	Py_ssize_t i = stack && PyList_Check(stack) ? PyList_GET_SIZE(stack) : 0;
	bool found = false;

	while (i-- > 0 && !found) {
		frame = PyList_GET_ITEM(stack, i);
		file = attr(frame, "filename");
		name = attr(frame, "name");
		line = attr(frame, "lineno");
		found = set_spot(out, file, name, line && PyLong_Check(line) ? (int)PyLong_AsLong(line) : 0);
		Py_XDECREF(line);
		Py_XDECREF(name);
		Py_XDECREF(file);
	}
	PyErr_Clear();
	Py_XDECREF(stack);
	return found;
}

/* The innermost line of the program in the traceback. */
static bool traceback_line(PyObject *exc, struct spot *out)
{
	PyObject *tb = PyException_GetTraceback(exc), *step;
	PyCodeObject *code;
	bool found = false;

	for (step = tb; step && PyTraceBack_Check(step); step = (PyObject *)((PyTracebackObject *)step)->tb_next) {
		code = PyFrame_GetCode(((PyTracebackObject *)step)->tb_frame);
		found |= set_spot(out, code->co_filename, code->co_name,
				  PyCode_Addr2Line(code, ((PyTracebackObject *)step)->tb_lasti));
		Py_DECREF(code);
	}
	Py_XDECREF(tb);
	return found;
}

static bool of_torch(PyObject *exc)
{
	PyObject *module = attr((PyObject *)Py_TYPE(exc), "__module__");
	const char *name = py_text_utf8(module);
	bool is = name && !strncmp(name, "torch.", 6);

	Py_XDECREF(module);
	return is;
}

bool raised_at(PyObject *exc, const char **file, const char **function, int *line)
{
	struct spot spot;
	PyObject *e, *next;
	bool found = false;
	int i;

	if (!exc || !PyExceptionInstance_Check(exc) || !of_torch(exc))
		return false;
	e = Py_NewRef(exc);
	for (i = 0; e && i < CHAIN_MAX && !found; i++) {
		found = traced_line(e, &spot) || (i && traceback_line(e, &spot));
		next = PyException_GetCause(e);
		next = next ? next : PyException_GetContext(e);
		Py_DECREF(e);
		e = next;
	}
	Py_XDECREF(e);
	if (found) {
		*file = spot.file;
		*function = spot.function;
		*line = spot.line;
	}
	return found;
}
