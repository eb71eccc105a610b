/* SPDX-License-Identifier: BSD-3-Clause */
/* The floor of CPython as a Python module, for tests that look at it alone: no engine, no front end. */
#include <Python.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/asm/asm.h"
#include "py/value/value.h"
#include "pyprobe.h"

PyObject *pyprobe_refuse(const struct err *err)
{
	PyErr_SetString(PyExc_RuntimeError, err->text);
	return NULL;
}

static PyObject *taken(struct buf *b)
{
	PyObject *s = PyUnicode_FromStringAndSize(buf_str(b), (Py_ssize_t)b->len);

	buf_release(b);
	return s;
}

struct code *pyprobe_code(PyObject *o)
{
	if (PyCode_Check(o))
		return code_get((struct py_code *)o);
	PyErr_SetString(PyExc_TypeError, "expected a code object");
	return NULL;
}

/* ---- code ------------------------------------------------------------------------------------- */

/* [(offset, opname, arg or None, argument text, target, line, end line, col, end col, depth, flags)] */
static PyObject *probe_decode(PyObject *self, PyObject *o)
{
	struct code *c = pyprobe_code(o);
	PyObject *list = PyList_New(0), *row, *arg;
	struct buf b = { 0 };
	int i;

	(void)self;
	if (!c || !list)
		return NULL;
	code_decode(c);
	for (i = 0; i < c->n; i++) {
		const struct instr *in = &c->instr[i];

		buf_reset(&b);
		code_arg_text(c, i, &b);
		arg = in->has_arg ? PyLong_FromLong(in->arg) : Py_NewRef(Py_None);
		row = Py_BuildValue("(isNsiiiiiii)", in->offset, py_op_name(in->op), arg, buf_str(&b), in->target,
				    in->line, in->end_line, in->col, in->end_col, in->depth, (int)in->flags);
		if (!row || PyList_Append(list, row) < 0)
			return NULL;
		Py_DECREF(row);
	}
	buf_release(&b);
	return list;
}

static PyObject *probe_handlers(PyObject *self, PyObject *o)
{
	struct code *c = pyprobe_code(o);
	PyObject *list = PyList_New(0), *row;
	int i;

	(void)self;
	if (!c || !list)
		return NULL;
	code_decode(c);
	for (i = 0; i < c->nexcept; i++) {
		const struct except *e = &c->except[i];

		row = Py_BuildValue("(iiiii)", e->start, e->end, e->target, e->depth, (int)e->lasti);
		if (!row || PyList_Append(list, row) < 0)
			return NULL;
		Py_DECREF(row);
	}
	return list;
}

static PyObject *probe_about(PyObject *self, PyObject *o)
{
	static const char *const kinds[] = { "local", "cell", "free" };
	struct code *c = pyprobe_code(o);
	PyObject *locals = PyDict_New(), *v;
	int i;

	(void)self;
	if (!c || !locals)
		return NULL;
	code_decode(c);
	for (i = 0; i < code_nlocals(c); i++) {
		v = PyUnicode_FromString(kinds[code_local_kind(c, i)]);
		PyDict_SetItemString(locals, code_local_name(c, i), v);
		Py_DECREF(v);
	}
	for (i = 0; code_nested(c, i);)
		i++;
	return Py_BuildValue("{s:i,s:O,s:s,s:s,s:s,s:i,s:O,s:i,s:N}", "units", c->units, "depth_ok",
			     c->depth_ok ? Py_True : Py_False, "name", code_name(c), "qualname", code_qualname(c),
			     "file", code_file(c), "first_line", code_first_line(c), "generator",
			     code_is_generator(c) ? Py_True : Py_False, "nested", i, "locals", locals);
}

static PyObject *probe_peek(PyObject *self, PyObject *o)
{
	(void)self;
	return PyBool_FromLong(code_peek((struct py_code *)o) != NULL);
}

static PyObject *probe_event_index(PyObject *self, PyObject *args)
{
	PyObject *o;
	int i;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!i", &PyCode_Type, &o, &i))
		return NULL;
	return PyLong_FromLong(code_event_index(pyprobe_code(o), i));
}

static PyObject *probe_index(PyObject *self, PyObject *args)
{
	PyObject *o;
	int offset;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!i", &PyCode_Type, &o, &offset))
		return NULL;
	return PyLong_FromLong(code_index(pyprobe_code(o), offset));
}

static PyObject *probe_arg_object(PyObject *self, PyObject *args)
{
	PyObject *o, *v;
	int i;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!i", &PyCode_Type, &o, &i))
		return NULL;
	v = (PyObject *)code_arg_object(pyprobe_code(o), i);
	return v ? Py_NewRef(v) : Py_NewRef(Py_NotImplemented);
}

/* (code[, index, before, instead]): its text, as the assembler reads it. */
static PyObject *probe_assembly(PyObject *self, PyObject *args)
{
	struct asm_style style = { .id = "probe" };
	struct buf b = { 0 };
	PyObject *o;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!|izz", &PyCode_Type, &o, &style.index, &style.before, &style.instead))
		return NULL;
	asm_write(pyprobe_code(o), &style, &b);
	return taken(&b);
}

/* (base, text[, extra]): a code object. */
static PyObject *probe_assemble(PyObject *self, PyObject *args)
{
	struct err err = { "" };
	PyObject *o, *extra = NULL;
	struct py_code *made;
	const char *text;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!s|O", &PyCode_Type, &o, &text, &extra))
		return NULL;
	made = asm_read(pyprobe_code(o), text, (struct py_obj *)extra, &err);
	return made ? (PyObject *)made : pyprobe_refuse(&err);
}

static int deaths;

static void gone(struct code *c)
{
	deaths += c->engine != NULL;
}

/* Marks the record, so that its end is counted. */
static PyObject *probe_mark(PyObject *self, PyObject *o)
{
	struct code *c = pyprobe_code(o);

	(void)self;
	if (!c)
		return NULL;
	code_on_free(gone);
	c->engine = c;
	Py_RETURN_NONE;
}

static PyObject *probe_deaths(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromLong(deaths);
}

/* ---- values ----------------------------------------------------------------------------------- */

static PyObject *probe_show(PyObject *self, PyObject *args)
{
	struct buf b = { 0 };
	PyObject *v;
	int max = 120;

	(void)self;
	if (!PyArg_ParseTuple(args, "O|i", &v, &max))
		return NULL;
	value_show((struct py_obj *)v, &b, (size_t)max);
	return taken(&b);
}

static PyObject *probe_repr(PyObject *self, PyObject *args)
{
	struct buf b = { 0 };
	struct err err = { "" };
	bool cut = false;
	PyObject *v;
	int max = 200;

	(void)self;
	if (!PyArg_ParseTuple(args, "O|i", &v, &max))
		return NULL;
	if (value_repr((struct py_obj *)v, &b, (size_t)max, &cut, &err) < 0) {
		buf_release(&b);
		return pyprobe_refuse(&err);
	}
	return Py_BuildValue("(NO)", taken(&b), cut ? Py_True : Py_False);
}

static PyObject *probe_str(PyObject *self, PyObject *args)
{
	struct buf b = { 0 };
	struct err err = { "" };
	PyObject *v;
	int max = 200;

	(void)self;
	if (!PyArg_ParseTuple(args, "O|i", &v, &max))
		return NULL;
	if (value_str((struct py_obj *)v, &b, (size_t)max, &err) < 0) {
		buf_release(&b);
		return pyprobe_refuse(&err);
	}
	return taken(&b);
}

static PyObject *probe_type(PyObject *self, PyObject *v)
{
	(void)self;
	return PyUnicode_FromString(value_type((struct py_obj *)v));
}

/* A formatter of the tests: says "complex!" of complex numbers. */
static int format_complex(struct py_obj *v, struct buf *out)
{
	if (!PyComplex_CheckExact((PyObject *)v))
		return 0;
	buf_adds(out, "complex!");
	return 1;
}

static PyObject *probe_format(PyObject *self, PyObject *on)
{
	static struct value_format f = { .show = format_complex };

	(void)self;
	if (PyObject_IsTrue(on))
		value_add_format(&f);
	else
		value_drop_format(&f);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "decode", probe_decode, METH_O, NULL },
	{ "handlers", probe_handlers, METH_O, NULL },
	{ "about", probe_about, METH_O, NULL },
	{ "peek", probe_peek, METH_O, NULL },
	{ "index", probe_index, METH_VARARGS, NULL },
	{ "event_index", probe_event_index, METH_VARARGS, NULL },
	{ "arg_object", probe_arg_object, METH_VARARGS, NULL },
	{ "assembly", probe_assembly, METH_VARARGS, NULL },
	{ "assemble", probe_assemble, METH_VARARGS, NULL },
	{ "mark", probe_mark, METH_O, NULL },
	{ "deaths", probe_deaths, METH_NOARGS, NULL },
	{ "show", probe_show, METH_VARARGS, NULL },
	{ "repr", probe_repr, METH_VARARGS, NULL },
	{ "str", probe_str, METH_VARARGS, NULL },
	{ "type", probe_type, METH_O, NULL },
	{ "format", probe_format, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "pyprobe", .m_size = -1, .m_methods = methods };

PyMODINIT_FUNC PyInit_pyprobe(void);
PyMODINIT_FUNC PyInit_pyprobe(void)
{
	PyObject *m = PyModule_Create(&module);

	if (m && PyModule_AddFunctions(m, pyprobe_frame_methods) < 0)
		Py_CLEAR(m);
	return m;
}
