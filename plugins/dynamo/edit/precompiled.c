/* SPDX-License-Identifier: BSD-3-Clause */
/* Precompiled entries that the program loaded: they are removed and restored together with a function's other
   entries.  Torch does not return their code, so it is recorded when they are loaded.  Knows no override. */
#include "edit/dynamo_edit.h"
#include "torch/attrs.h"
#include "torch/weak.h"
#include "torch/wrapper.h"

static PyObject *noted; /* owned list of (weak reference to its manager, to its code) */

static void forget_dead(void)
{
	Py_ssize_t i;
	PyObject *manager;

	for (i = PyList_GET_SIZE(noted) - 1; i >= 0; i--) {
		manager = weak_target(PyTuple_GET_ITEM(PyList_GET_ITEM(noted, i), 0));
		if (!manager)
			PyList_SetSlice(noted, i, i + 1, NULL);
		Py_XDECREF(manager);
	}
}

/* The program has loaded one: of this code, with this manager, generated. */
static void precompiled_loaded(struct call *call)
{
	PyObject *manager = call_arg(call, 1, "guard_manager"), *generated = call_arg(call, 2, "dynamo_code");
	PyObject *a = manager ? PyWeakref_NewRef(manager, NULL) : NULL;
	PyObject *b = generated ? PyWeakref_NewRef(generated, NULL) : NULL;
	PyObject *row = a && b ? PyTuple_Pack(2, a, b) : NULL;

	if (!noted)
		noted = PyList_New(0);
	if (noted && row) {
		forget_dead();
		PyList_Append(noted, row);
	}
	Py_XDECREF(row);
	Py_XDECREF(b);
	Py_XDECREF(a);
}

const struct watcher watch_precompiled = { .before = precompiled_loaded };

static PyObject *manager_code(PyObject *manager)
{
	PyObject *row, *m, *code = NULL;
	Py_ssize_t i;

	for (i = 0; noted && !code && i < PyList_GET_SIZE(noted); i++) {
		row = PyList_GET_ITEM(noted, i);
		m = weak_target(PyTuple_GET_ITEM(row, 0));
		code = m == manager ? weak_target(PyTuple_GET_ITEM(row, 1)) : NULL;
		Py_XDECREF(m);
	}
	return code;
}

int precompiled_of(PyCodeObject *co, PyObject **out, struct err *err)
{
	PyObject *of = attrs_get(ATTR_PRECOMPILED), *list = of ? PyObject_CallOneArg(of, (PyObject *)co) : NULL;
	PyObject *it = list ? PyObject_GetIter(list) : NULL, *item, *manager, *code, *row;
	int ret = 0;

	*out = NULL;
	while (it && (item = PyIter_Next(it))) {
		manager = attr(item, "guard_manager");
		code = manager ? manager_code(manager) : NULL;
		row = code ? PyTuple_Pack(3, (PyObject *)co, manager, code) : NULL;
		if (!*out)
			*out = PyList_New(0);
		if (!row || !*out || PyList_Append(*out, row) < 0)
			ret = err_set(err, "the program loaded precompiled entries for this function before cdbg "
					   "was loaded: they could not be restored");
		Py_XDECREF(row);
		Py_XDECREF(code);
		Py_XDECREF(manager);
		Py_DECREF(item);
	}
	PyErr_Clear();
	Py_XDECREF(it);
	Py_XDECREF(list);
	Py_XDECREF(of);
	if (ret < 0)
		Py_CLEAR(*out);
	return ret;
}

void precompiled_out(PyObject *list)
{
	PyObject *reset = list ? attrs_get(ATTR_RESET_PRECOMPILED) : NULL;

	if (reset)
		Py_XDECREF(PyObject_CallOneArg(reset, PyTuple_GET_ITEM(PyList_GET_ITEM(list, 0), 0)));
	PyErr_Clear();
	Py_XDECREF(reset);
}

void precompiled_in(PyObject *list)
{
	PyObject *load = list ? attrs_original(ATTR_LOAD_PRECOMPILED) : NULL;
	Py_ssize_t i;

	for (i = 0; load && i < PyList_GET_SIZE(list); i++)
		Py_XDECREF(PyObject_Call(load, PyList_GET_ITEM(list, i), NULL));
	PyErr_Clear();
	Py_XDECREF(load);
}

void precompiled_stop(void)
{
	Py_CLEAR(noted);
}
