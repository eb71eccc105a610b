/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads names that CPython keeps in dicts: see names.h.  Knows no stop and no view. */
#include <Python.h>
#include "py/interp/names.h"
#include "base/buf.h"
#include "py/value/value.h"

struct py_obj *names_of_frame(struct py_frame *f)
{
	/* owned */
	PyCodeObject *co = PyFrame_GetCode((PyFrameObject *)f);
	PyObject *type, *value, *tb;
	PyObject *names = NULL;

	PyErr_Fetch(&type, &value, &tb);
	if (!(co->co_flags & CO_OPTIMIZED))
		names = PyFrame_GetLocals((PyFrameObject *)f);
	PyErr_Restore(type, value, tb);
	Py_DECREF(co);
	return (struct py_obj *)names;
}

void names_each(struct py_obj *dict, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg)
{
	/* borrowed */
	PyObject *key, *value;
	Py_ssize_t pos = 0;
	const char *name;

	if (!dict || !PyDict_Check((PyObject *)dict))
		return;
	while (PyDict_Next((PyObject *)dict, &pos, &key, &value)) {
		name = PyUnicode_Check(key) ? value_name((struct py_obj *)key) : NULL;
		if (name)
			each(arg, name, (struct py_obj *)value);
	}
}

void names_visible(struct py_frame *f, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg)
{
	/* owned */
	struct py_obj *own = names_of_frame(f), *locals = own ? own : frame_locals_dict(f);
	/* borrowed */
	PyObject *globals = (PyObject *)frame_globals(f);
	PyObject *builtins = globals ? PyDict_GetItemString(globals, "__builtins__") : NULL;

	names_each(locals, each, arg);
	names_each((struct py_obj *)globals, each, arg);
	if (builtins && PyModule_Check(builtins))
		builtins = PyModule_GetDict(builtins);
	names_each((struct py_obj *)builtins, each, arg);
	Py_XDECREF((PyObject *)locals);
}

/* threading keeps its Thread objects by CPython's identifier of the thread; reads them without calling its
   functions. */
void names_thread(struct py_thread *t, struct buf *out)
{
	/* owned, released at out: */
	PyObject *key = PyLong_FromUnsignedLong(((PyThreadState *)t)->thread_id);
	PyObject *dict = NULL;
	/* borrowed */
	PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "threading");
	PyObject *active, *thread, *name;

	if (!key || !module || !PyModule_Check(module))
		goto out;
	active = PyDict_GetItemString(PyModule_GetDict(module), "_active");
	thread = active && PyDict_Check(active) ? PyDict_GetItem(active, key) : NULL;
	dict = thread ? PyObject_GenericGetDict(thread, NULL) : NULL;
	name = dict && PyDict_Check(dict) ? PyDict_GetItemString(dict, "_name") : NULL;
	if (name && PyUnicode_Check(name))
		buf_adds(out, value_name((struct py_obj *)name));
out:
	Py_XDECREF(dict);
	Py_XDECREF(key);
	PyErr_Clear();
}
