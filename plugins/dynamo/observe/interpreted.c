/* SPDX-License-Identifier: BSD-3-Clause */
/* Sub-graphs that torch runs by its interpreter, run as their code while cdbg would stop there: see interpreted.h.
   Knows no command and no stop. */
#include "observe/interpreted.h"
#include "model/compiling.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

void interpreted_watch(void)
{
	attrs_wrap_late(ATTR_INTERPRET);
}

/* Is the call traced, by Dynamo's backends or make_fx?  Then the interpreter passes on what nodes are called. */
static bool is_traced(void)
{
	PyObject *get = compiling_top() ? NULL : attrs_get(ATTR_PROXY_MODE);
	PyObject *mode = get ? PyObject_CallNoArgs(get) : NULL;
	bool yes = mode != Py_None;

	Py_XDECREF(mode);
	Py_XDECREF(get);
	PyErr_Clear();
	return yes;
}

/* The function that was generated from the module's graph; NULL: there is none. */
static PyObject *forward_of(PyObject *module)
{
	PyObject *forward = module ? PyObject_GetAttrString((PyObject *)Py_TYPE(module), "forward") : NULL;
	PyObject *graph = attrs_get(ATTR_FX_MODULE);
	const char *file;

	if (forward && PyFunction_Check(forward) && graph && PyObject_IsInstance(module, graph) == 1) {
		file = utf8_of(((PyCodeObject *)PyFunction_GET_CODE(forward))->co_filename);
		if (file && !strncmp(file, "<eval_with_key>", 15)) {
			Py_DECREF(graph);
			return forward;
		}
	}
	PyErr_Clear();
	Py_XDECREF(graph);
	Py_XDECREF(forward);
	return NULL;
}

/* Interpreter.run(self, *args) */
static PyObject *run_as_code(struct call *call)
{
	/* owned */
	PyObject *kind = NULL, *module = NULL, *forward = NULL, **args = NULL, *result = NULL;
	/* borrowed */
	PyObject *self = call->arg[0];
	Py_ssize_t i;

	if (call->n < 1 || call->names || host->in_stop() || is_traced())
		return NULL;
	kind = attrs_get(ATTR_INTERPRETER);
	if ((PyObject *)Py_TYPE(self) == kind) /* another class does something else at each node */
		module = attr(self, "module");
	forward = forward_of(module);
	if (forward && host->would_stop(host->code_get((struct py_code *)PyFunction_GET_CODE(forward)))) {
		args = mem_alloc((size_t)call->n * sizeof(*args));
		args[0] = module;
		for (i = 1; i < call->n; i++)
			args[i] = call->arg[i];
		result = PyObject_Vectorcall(forward, args, (size_t)call->n, NULL);
		free(args);
	}
	Py_XDECREF(forward);
	Py_XDECREF(module);
	Py_XDECREF(kind);
	return result;
}

const struct watcher watch_interpret = { .instead = run_as_code };
