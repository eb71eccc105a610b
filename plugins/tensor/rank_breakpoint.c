/* SPDX-License-Identifier: BSD-3-Clause */
/* torch.distributed.breakpoint(): see rank_breakpoint.h.  torch calls set_trace() of what `_make_distributed_pdb`
   returns (torch 2.13; the class `_DistributedPdb` before), and then the barrier at which the other ranks wait.  The
   stand-in stops the frame that calls set_trace(), as pdb does. */
#include <Python.h>
#include "rank_breakpoint.h"

#define MODULE "torch.distributed"

static const char *const makers[] = { "_make_distributed_pdb", "_DistributedPdb" };
enum { MAKERS = sizeof(makers) / sizeof(*makers) };

static const char *name; /* of the one that is replaced */
static PyObject *original, *ours;

/* What pdb says is in the stop: where it is, and who called. */
static PyObject *message(PyObject *self, PyObject *text)
{
	(void)self;
	(void)text;
	Py_RETURN_NONE;
}

static PyObject *set_trace(PyObject *self, PyObject *unused)
{
	PyObject *package = PyImport_ImportModuleLevel("cdbg", NULL, NULL, NULL, 0), *r;

	(void)self;
	(void)unused;
	r = package ? PyObject_CallMethod(package, "breakpoint", NULL) : NULL;
	Py_XDECREF(package);
	return r;
}

static PyMethodDef methods[] = {
	{ "message", message, METH_O, NULL },
	{ "set_trace", set_trace, METH_NOARGS, NULL },
	{ NULL },
};

static struct PyModuleDef debugger = { PyModuleDef_HEAD_INIT, .m_name = "cdbg.breakpoint", .m_size = -1,
				       .m_methods = methods };

static PyObject *make(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyModule_Create(&debugger); /* an object with two functions */
}

static PyMethodDef maker = { "_make_distributed_pdb", make, METH_NOARGS, NULL };

static void replace(PyObject *module)
{
	size_t i;

	for (i = 0; i < MAKERS && !original; i++) {
		name = makers[i];
		original = PyObject_GetAttrString(module, name);
		PyErr_Clear();
	}
	ours = original ? PyCFunction_New(&maker, NULL) : NULL;
	if (ours)
		PyObject_SetAttrString(module, name, ours);
}

static void put_back(PyObject *module)
{
	PyObject *now = ours ? PyObject_GetAttrString(module, name) : NULL;

	if (now && now == ours)
		PyObject_SetAttrString(module, name, original);
	PyErr_Clear();
	Py_XDECREF(now);
	Py_CLEAR(ours);
	Py_CLEAR(original);
}

void rank_breakpoint(bool on)
{
	PyObject *key = PyUnicode_FromString(MODULE), *module = key ? PyImport_GetModule(key) : NULL;

	if (module && on && !original)
		replace(module);
	else if (module && !on && original)
		put_back(module);
	PyErr_Clear();
	Py_XDECREF(module);
	Py_XDECREF(key);
}
