/* SPDX-License-Identifier: BSD-3-Clause */
/* pdb's set_trace(): see rank_breakpoint.h.  The method of pdb.Pdb is replaced, which each way to it calls:
   pdb.set_trace(), torch.distributed.breakpoint() (torch 2.13), and classes that programs derive from pdb.Pdb to read
   another standard input.  The stand-in stops the frame that pdb would stop. */
#include <Python.h>
#include "rank_breakpoint.h"

#define METHOD "set_trace"

static PyObject *type;	   /* pdb.Pdb, while its method is replaced; else NULL */
static PyObject *original; /* what it has itself, not by its base class (CPython 3.14); or NULL */
static PyObject *ours;

/* Where cdbg.breakpoint() stops, or in this frame. */
static PyObject *stop_in(PyObject *frame)
{
	PyObject *package = PyImport_ImportModuleLevel("cdbg", NULL, NULL, NULL, 0), *core = NULL, *r = NULL;

	if (package && frame)
		core = PyObject_GetAttrString(package, "_cdbg");
	if (core)
		r = PyObject_CallMethod(core, "break_in", "O", frame);
	else if (package && !frame)
		r = PyObject_CallMethod(package, "breakpoint", NULL);
	Py_XDECREF(core);
	Py_XDECREF(package);
	return r;
}

/* set_trace(frame=None, *, commands=None): commands of pdb mean nothing here. */
static PyObject *set_trace(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *frame = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : NULL;

	(void)self;
	if (!frame && kwargs)
		frame = PyDict_GetItemString(kwargs, "frame");
	return stop_in(frame && PyFrame_Check(frame) ? frame : NULL);
}

static PyMethodDef method = { METHOD, (PyCFunction)(void (*)(void))set_trace, METH_VARARGS | METH_KEYWORDS,
			      "Stop in cdbg, which debugs this rank." };

static PyObject *own(PyObject *class)
{
	PyObject *dict = PyObject_GetAttrString(class, "__dict__");
	PyObject *r = dict ? PyMapping_GetItemString(dict, METHOD) : NULL;

	PyErr_Clear();
	Py_XDECREF(dict);
	return r;
}

static void replace(void)
{
	PyObject *pdb = PyImport_ImportModuleLevel("pdb", NULL, NULL, NULL, 0);
	PyObject *class = pdb ? PyObject_GetAttrString(pdb, "Pdb") : NULL;

	if (class && PyType_Check(class))
		ours = PyDescr_NewMethod((PyTypeObject *)class, &method);
	if (ours) {
		original = own(class);
		type = Py_NewRef(class);
		PyObject_SetAttrString(type, METHOD, ours);
	}
	Py_XDECREF(class);
	Py_XDECREF(pdb);
}

static void put_back(void)
{
	PyObject *now = own(type);

	if (now == ours && original)
		PyObject_SetAttrString(type, METHOD, original);
	else if (now == ours)
		PyObject_DelAttrString(type, METHOD);
	Py_XDECREF(now);
	Py_CLEAR(ours);
	Py_CLEAR(original);
	Py_CLEAR(type);
}

void rank_breakpoint(bool on)
{
	if (on && !type)
		replace();
	else if (!on && type)
		put_back();
	PyErr_Clear();
}
