/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that have no literal as text: names for them, and comments that say what these names are.  Knows no
   expressions. */
#include <Python.h>
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

bool print_explained(struct printer *p, int i, struct buf *out)
{
	PyObject *v = p->bound[i];

	if (bound_name(p, v))
		return false;
	buf_addf(out, "# __const_%d: %s '%s'\n", i, PyType_Check(v) ? "the type" : "an object of type",
		 _PyType_Name(PyType_Check(v) ? (PyTypeObject *)v : Py_TYPE(v)));
	return true;
}
