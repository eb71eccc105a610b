/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that have no literal as text: names for them, and comments that say what these names are.  Knows no
   expressions. */
#include <Python.h>
#include <math.h>
#include <string.h>
#include "py/decompile/text/print.h"

enum { LONGEST = 12 };

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

static bool add_text(struct buf *out, PyObject *text)
{
	const char *s = text ? PyUnicode_AsUTF8(text) : NULL;

	buf_adds(out, s ? s : "");
	PyErr_Clear();
	return s != NULL;
}

/* torch.float32 of the type torch.dtype */
static bool add_dotted(struct buf *out, PyObject *v)
{
	const char *type = Py_TYPE(v)->tp_name;
	const size_t n = strcspn(type, ".") + 1;
	PyObject *text = has_safe_text(v) ? PyObject_Repr(v) : NULL; /* owned, released at the end */
	const char *s = text ? PyUnicode_AsUTF8(text) : NULL;
	const bool yes = s && !strncmp(s, type, n) && !strpbrk(s, "<\n") && add_text(out, text);

	PyErr_Clear();
	Py_XDECREF(text);
	return yes;
}

static bool add_readable(struct buf *out, PyObject *v);

static bool add_tuple(struct buf *out, PyObject *v)
{
	Py_ssize_t i, n = PyTuple_GET_SIZE(v);

	if (n > LONGEST)
		return false;
	for (i = 0; i < n; i++) {
		buf_adds(out, i ? ", " : "(");
		if (dec_is_literal(PyTuple_GET_ITEM(v, i)))
			dec_literal(PyTuple_GET_ITEM(v, i), out);
		else if (PyTuple_CheckExact(PyTuple_GET_ITEM(v, i)) || !add_readable(out, PyTuple_GET_ITEM(v, i)))
			return false;
	}
	buf_adds(out, n == 1 ? ",)" : ")");
	return n > 0;
}

/* Is its repr() a sum of literals that is the same number?  A zero's sign would be lost. */
static bool is_sum(Py_complex z)
{
	return isfinite(z.real) && z.real != 0 && isfinite(z.imag) && !(z.imag == 0 && signbit(z.imag));
}

/* Values of builtin types that have no literal: (1+2j), float('inf'), frozenset({1}). */
static bool add_unliteral(struct buf *out, PyObject *v)
{
	struct buf set = { 0 };
	PyObject *text = NULL; /* owned */
	bool yes = false;

	if (PyFloat_CheckExact(v) && isnan(PyFloat_AS_DOUBLE(v))) {
		buf_adds(out, "float('nan')");
		yes = true;
	} else if (PyFloat_CheckExact(v) && isinf(PyFloat_AS_DOUBLE(v))) {
		buf_addf(out, "float('%s')", PyFloat_AS_DOUBLE(v) < 0 ? "-inf" : "inf");
		yes = true;
	} else if (PyComplex_CheckExact(v) && is_sum(PyComplex_AsCComplex(v))) {
		text = PyObject_Repr(v);
		yes = add_text(out, text);
	} else if (PyFrozenSet_CheckExact(v) && (!PySet_GET_SIZE(v) || dec_set_literal(v, &set))) {
		buf_addf(out, "frozenset(%s)", buf_str(&set));
		yes = true;
	} else if (v == Py_NotImplemented) {
		buf_adds(out, "NotImplemented");
		yes = true;
	}
	PyErr_Clear();
	Py_XDECREF(text);
	buf_release(&set);
	return yes;
}

/* As a person names it: builtin functions, types and their class methods, and what the repr() of is an expression. */
static bool add_readable(struct buf *out, PyObject *v)
{
	const char *name;

	if (PyTuple_CheckExact(v))
		return add_tuple(out, v);
	if (PyCFunction_Check(v) && ((PyCFunctionObject *)v)->m_self &&
	    PyModule_Check(((PyCFunctionObject *)v)->m_self)) {
		buf_adds(out, ((PyCFunctionObject *)v)->m_ml->ml_name);
		return true;
	}
	if (PyMethod_Check(v) && PyType_Check(PyMethod_GET_SELF(v)) && PyFunction_Check(PyMethod_GET_FUNCTION(v))) {
		name = PyUnicode_AsUTF8(((PyFunctionObject *)PyMethod_GET_FUNCTION(v))->func_name);
		PyErr_Clear();
		buf_addf(out, "%s.%s", _PyType_Name((PyTypeObject *)PyMethod_GET_SELF(v)), name ? name : "?");
		return name != NULL;
	}
	if (!PyType_Check(v))
		return add_unliteral(out, v) || add_dotted(out, v);
	buf_adds(out, _PyType_Name((PyTypeObject *)v));
	return true;
}

/* Text that is only read names an object so, if it can: in *out, which the caller releases. */
static bool bound_name(struct printer *p, PyObject *v, struct buf *out)
{
	return !p->whole && add_readable(out, v);
}

void print_bound(struct printer *p, PyObject *v)
{
	struct buf name = { 0 };
	int i;

	for (i = 0; i < p->nbound; i++)
		if (p->bound[i] == v)
			break;
	if (i == p->nbound) {
		p->bound = mem_grow(p->bound, &p->bound_cap, (size_t)i + 1, sizeof(*p->bound));
		p->bound[p->nbound++] = v;
	}
	if (bound_name(p, v, &name))
		buf_adds(p->out, buf_str(&name));
	else
		/* a class changes the other one, and CPython 3.12 does so after a class with type parameters, too */
		buf_addf(p->out, p->classes || (p->whole && !p->bare) ? "__const_%d__" : "__const_%d", i);
	buf_release(&name);
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

/* What the object is: a new text, or NULL. */
static PyObject *what_is(PyObject *v)
{
	/* owned, released at the end: */
	PyObject *name = NULL, *text = NULL;
	struct buf value = { 0 };

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
	else if (PyTuple_CheckExact(v) ? add_tuple(&value, v) : add_unliteral(&value, v))
		text = PyUnicode_FromString(buf_str(&value));
	if (!text) {
		PyErr_Clear();
		text = PyUnicode_FromFormat("an object of type '%s'", _PyType_Name(Py_TYPE(v)));
	}
	Py_XDECREF(name);
	buf_release(&value);
	return text;
}

bool print_explained(struct printer *p, int i, struct buf *out)
{
	struct buf name = { 0 };
	const bool has_name = bound_name(p, p->bound[i], &name);
	PyObject *text;
	const char *s;

	buf_release(&name);
	if (has_name)
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
