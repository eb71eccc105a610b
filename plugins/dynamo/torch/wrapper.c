/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of Dynamo functions: each reports its calls and their results to a watcher, makes no Python frame, and
   behaves like the wrapped function otherwise.  Knows no single function. */
#include "torch/wrapper.h"
#include <stddef.h>
#include <stdlib.h>

struct watched {
	PyObject_HEAD vectorcallfunc call;
	PyObject *original; /* owned */
	PyObject *weak;
	const struct watcher *by;
};

static PyObject *call_original(PyObject *self, PyObject *const *args, size_t flagged, PyObject *names)
{
	struct watched *w = (struct watched *)self;
	struct call call = { .arg = args, .n = PyVectorcall_NARGS(flagged), .names = names };
	PyObject *type, *value, *tb;

	if (w->by->before) {
		w->by->before(&call);
		PyErr_Clear();
	}
	call.result = w->by->instead ? w->by->instead(&call) : NULL;
	if (!call.result && !PyErr_Occurred())
		call.result = PyObject_Vectorcall(w->original, call.own ? call.own : args, (size_t)call.n, names);
	if (w->by->after) {
		PyErr_Fetch(&type, &value, &tb);
		call.raised = value;
		w->by->after(&call);
		PyErr_Clear();
		PyErr_Restore(type, value, tb);
	}
	free(call.own);
	return call.result;
}

PyObject *call_arg(const struct call *c, Py_ssize_t i, const char *name)
{
	Py_ssize_t k, named = c->names ? PyTuple_GET_SIZE(c->names) : 0;

	if (i < c->n)
		return c->arg[i];
	for (k = 0; k < named; k++)
		if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(c->names, k), name) == 0)
			return c->arg[c->n + k];
	return NULL;
}

/* As a function does. */
static PyObject *wrapper_bind(PyObject *self, PyObject *obj, PyObject *type)
{
	(void)type;
	return obj && obj != Py_None ? PyMethod_New(self, obj) : Py_NewRef(self);
}

/* The stand-in is called and pickled itself; attributes, its class too, are read from the original. */
static PyObject *wrapper_getattr(PyObject *self, PyObject *name)
{
	static const char *const own[] = { "__call__", "__get__", "__reduce__", "__reduce_ex__" };
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, own[i]) == 0)
			return PyObject_GenericGetAttr(self, name);
	return PyObject_GetAttr(((struct watched *)self)->original, name);
}

static int wrapper_set(PyObject *self, PyObject *name, PyObject *value)
{
	return PyObject_SetAttr(((struct watched *)self)->original, name, value);
}

static PyObject *represent(PyObject *self)
{
	return PyObject_Repr(((struct watched *)self)->original);
}

/* By name, as functions are. */
static PyObject *reduce(PyObject *self, PyObject *args)
{
	(void)args;
	return PyObject_GetAttrString(((struct watched *)self)->original, "__qualname__");
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(((struct watched *)self)->original);
	return 0;
}

static int wrapper_clear(PyObject *self)
{
	Py_CLEAR(((struct watched *)self)->original);
	return 0;
}

static void dealloc(PyObject *self)
{
	PyObject_GC_UnTrack(self);
	if (((struct watched *)self)->weak)
		PyObject_ClearWeakRefs(self);
	wrapper_clear(self);
	PyObject_GC_Del(self);
}

static PyMethodDef methods[] = {
	{ "__reduce__", reduce, METH_NOARGS, NULL },
	{ "__reduce_ex__", reduce, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyTypeObject type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "cdbg.watched",
	.tp_basicsize = sizeof(struct watched),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
		    Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_vectorcall_offset = offsetof(struct watched, call),
	.tp_call = PyVectorcall_Call,
	.tp_weaklistoffset = offsetof(struct watched, weak),
	.tp_descr_get = wrapper_bind,
	.tp_getattro = wrapper_getattr,
	.tp_setattro = wrapper_set,
	.tp_repr = represent,
	.tp_methods = methods,
	.tp_traverse = traverse,
	.tp_clear = wrapper_clear,
	.tp_dealloc = dealloc,
};

PyObject *wrapper_new(PyObject *original, const struct watcher *by)
{
	struct watched *w = PyType_Ready(&type) == 0 ? PyObject_GC_New(struct watched, &type) : NULL;

	if (!w)
		return NULL;
	w->call = call_original;
	w->original = Py_NewRef(original);
	w->weak = NULL;
	w->by = by;
	PyObject_GC_Track((PyObject *)w);
	return (PyObject *)w;
}
