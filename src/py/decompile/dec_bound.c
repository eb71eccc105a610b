/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that have no literal as text: names for them, and comments that say what these names are.  Knows no
   expressions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/dec_print.h"

/* Text that is only read has names of builtin functions and of types. */
static const char *bound_name(struct printer *p, PyObject *v)
{
	if (p->whole)
		return NULL;
	if (PyCFunction_Check(v) && ((PyCFunctionObject *)v)->m_self &&
	    PyModule_Check(((PyCFunctionObject *)v)->m_self))
		return ((PyCFunctionObject *)v)->m_ml->ml_name;
	return PyType_Check(v) ? _PyType_Name((PyTypeObject *)v) : NULL;
}

void print_bound(struct printer *p, PyObject *v)
{
	int i;

	for (i = 0; i < p->nbound; i++)
		if (p->bound[i] == v)
			break;
	if (i == p->nbound) {
		p->bound = mem_grow(p->bound, &p->bound_cap, (size_t)i + 1, sizeof(*p->bound));
		p->bound[p->nbound++] = v;
	}
	if (bound_name(p, v))
		buf_adds(p->out, bound_name(p, v));
	else
		buf_addf(p->out, p->classes ? "__const_%d__" : "__const_%d", i); /* a class changes the other one */
}

/* The name of the module whose variables these are; borrowed, NULL: of none. */
static PyObject *names_module(PyObject *dict)
{
	PyObject *name = PyDict_CheckExact(dict) ? PyDict_GetItemString(dict, "__name__") : NULL;
	PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
	PyObject *m = name && PyUnicode_CheckExact(name) && PyDict_Check(modules) ? PyDict_GetItem(modules, name) :
										    NULL;

	PyErr_Clear();
	return m && PyModule_Check(m) && PyModule_GetDict(m) == dict ? name : NULL;
}

/* Does its repr() run no code of the program?  A type made in C, whose objects hold no others, or numbers only. */
static bool has_safe_text(PyObject *v)
{
	PyTypeObject *t = Py_TYPE(v);
	Py_ssize_t i;

	if ((t->tp_flags & Py_TPFLAGS_HEAPTYPE) || !strchr(t->tp_name, '.') || !strncmp(t->tp_name, "datetime.", 9))
		return false;
	for (i = 0; PyTuple_Check(v) && i < PyTuple_GET_SIZE(v); i++)
		if (!PyLong_CheckExact(PyTuple_GET_ITEM(v, i)))
			return false;
	return PyTuple_Check(v) || !(t->tp_flags & Py_TPFLAGS_HAVE_GC);
}

/* What the object is: a new text, or NULL. */
static PyObject *what_is(PyObject *v)
{
	/* owned, released at the end: */
	PyObject *name = NULL, *text = NULL;

	if (PyCode_Check(v))
		text = PyUnicode_FromFormat("the code of '%U', at line %d", ((PyCodeObject *)v)->co_name,
					    ((PyCodeObject *)v)->co_firstlineno);
	else if (PyFunction_Check(v))
		text = PyUnicode_FromFormat("the function '%U'", ((PyFunctionObject *)v)->func_qualname);
	else if (names_module(v))
		text = PyUnicode_FromFormat("the globals of the module '%U'", names_module(v));
	else if (PyModule_Check(v) && (name = PyModule_GetNameObject(v)))
		text = PyUnicode_FromFormat("the module '%U'", name);
	else if (PyType_Check(v) && (name = PyType_GetQualName((PyTypeObject *)v)))
		text = PyUnicode_FromFormat("the type '%U'", name);
	else if (has_safe_text(v))
		text = PyObject_Repr(v);
	if (!text) {
		PyErr_Clear();
		text = PyUnicode_FromFormat("an object of type '%s'", _PyType_Name(Py_TYPE(v)));
	}
	Py_XDECREF(name);
	return text;
}

bool print_explained(struct printer *p, int i, struct buf *out)
{
	PyObject *text;
	const char *s;

	if (bound_name(p, p->bound[i]))
		return false;
	text = what_is(p->bound[i]);
	s = text ? PyUnicode_AsUTF8(text) : NULL;
	buf_addf(out, "# __const_%d: ", i);
	for (; s && *s; s++) /* a comment is one line */
		buf_addc(out, (unsigned char)*s < ' ' ? ' ' : *s);
	buf_adds(out, s ? "\n" : "an object\n");
	PyErr_Clear();
	Py_XDECREF(text);
	return true;
}
