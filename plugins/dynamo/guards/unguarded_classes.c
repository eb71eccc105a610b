/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of classes that have changed since an entry was compiled, where the code that was traced asks for them and no
   guard covers them.  Runs none of the program's code. */
#include "guards/unguarded.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/reads.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include "torch/weak.h"
#include <stdlib.h>
#include <string.h>

/* What all rows of classes name as what was read. */
static const struct read a_class = { .kind = READ_CLASS, .key = { .length = -1 } };

/* (class or None, {name: address}) of each. */
static PyObject *class_rows(const struct reads *r)
{
	PyObject *list = PyList_New(0), *class, *row;
	int i;

	for (i = 0; list && i < r->nclasses; i++) {
		class = r->class[i].weak ? weak_target(r->class[i].weak) : NULL;
		row = r->class[i].names ? PyTuple_Pack(2, class ? class : Py_None, r->class[i].names) : NULL;
		if (row)
			PyList_Append(list, row);
		Py_XDECREF(row);
		Py_XDECREF(class);
	}
	return list;
}

/* The code that was traced; its methods' titles, "Layer.call"; the names of those that super() found. */
static bool traced(const struct entry *e, PyObject *codes, PyObject *ran, PyObject *supers)
{
	const struct reads *r = e->made.reads;
	PyObject *title;
	int i;

	if (!codes || !ran || !supers)
		return false;
	if (e->func->co)
		PyList_Append(codes, (PyObject *)e->func->co);
	for (i = 0; i < r->n; i++) {
		if (r->read[i].kind != READ_CODE)
			continue;
		if (r->read[i].key.held)
			PyList_Append(codes, r->read[i].key.held);
		title = r->read[i].title ? PyUnicode_FromString(r->read[i].title) : NULL;
		if (title)
			PySet_Add(ran, title);
		Py_XDECREF(title);
		if (r->read[i].name && !r->read[i].first)
			PySet_Add(supers, r->read[i].name);
	}
	return !PyErr_Occurred();
}

/* (title, was, value, whether it is there) */
static void put(PyObject *row, struct unguarded **list, int *n, size_t *cap)
{
	struct unguarded *u = unguarded_put(&a_class, list, n, cap);
	struct buf is = { 0 };
	struct read_key now;

	u->source = mem_str(py_text_utf8_kept(PyTuple_GET_ITEM(row, 0)));
	u->was = mem_str(py_text_utf8_kept(PyTuple_GET_ITEM(row, 1)));
	if (PyTuple_GET_ITEM(row, 3) == Py_True) {
		reads_key_of(PyTuple_GET_ITEM(row, 2), &now);
		reads_key_text(&now, &is);
		reads_key_release(&now);
	} else {
		buf_adds(&is, "not there any more");
	}
	u->is = buf_detach(&is);
	u->why = "no guard covers which methods a class has";
	u->group = "methods of classes";
}

int unguarded_classes(const struct entry *e, PyObject *args, struct unguarded **list, int n)
{
	PyObject *classes = class_rows(e->made.reads), *codes = PyList_New(0), *ran = PySet_New(NULL),
		 *supers = PySet_New(NULL), *rows = NULL;
	size_t cap = (size_t)n;
	Py_ssize_t i;

	if (classes && traced(e, codes, ran, supers))
		rows = package_call("classes", "changed_names",
				    PyTuple_Pack(7, classes, codes, ran, supers, PyTuple_GET_ITEM(args, 1),
						 PyTuple_GET_ITEM(args, 2), PyTuple_GET_ITEM(args, 3)));
	for (i = 0; rows && i < PyList_GET_SIZE(rows); i++)
		put(PyList_GET_ITEM(rows, i), list, &n, &cap);
	Py_XDECREF(rows);
	Py_XDECREF(supers);
	Py_XDECREF(ran);
	Py_XDECREF(codes);
	Py_XDECREF(classes);
	return n;
}
