/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs that torch runs by its interpreter, run as their code while cdbg would stop there: see dynamo_observe.h.
   Knows no command and no stop. */
#include "model/compiling.h"
#include "observe/dynamo_observe.h"
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
		file = py_text_utf8(((PyCodeObject *)PyFunction_GET_CODE(forward))->co_filename);
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

/* Is this node the placeholder that the argument of this name stands for? */
static bool is_placeholder(PyObject *node, PyObject *name)
{
	PyObject *op = attr(node, "op"), *target = attr(node, "target");
	bool yes = op && target && PyUnicode_Check(op) && PyUnicode_Check(target) &&
		   !PyUnicode_CompareWithASCIIString(op, "placeholder") && !PyUnicode_Compare(target, name);

	Py_XDECREF(op);
	Py_XDECREF(target);
	return yes;
}

/* The values of all arguments of forward by Interpreter.run(self, initial_env={node: value}), as boxed_run() calls it.
   NULL without an exception: it is another call. */
static PyObject *initial_values(struct call *call, PyObject *forward)
{
	PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(forward);
	PyObject *kw = PyTuple_GET_SIZE(call->names) == 1 ? PyTuple_GET_ITEM(call->names, 0) : NULL;
	PyObject *env = call->n == 1 ? call->arg[1] : NULL, *names, *node;
	Py_ssize_t at = 0, i = 0;
	bool all;

	if (!kw || !env || PyUnicode_CompareWithASCIIString(kw, "initial_env") || !PyDict_CheckExact(env))
		return NULL;
	names = PyCode_GetVarnames(code);
	all = names && PyDict_GET_SIZE(env) + 1 == code->co_argcount;
	while (all && PyDict_Next(env, &at, &node, NULL))
		all = is_placeholder(node, PyTuple_GET_ITEM(names, ++i));
	Py_XDECREF(names);
	PyErr_Clear();
	return all ? PyDict_Values(env) : NULL;
}

/* Calls forward(module, inputs...); NULL without an exception if it takes another number of them. */
static PyObject *call_forward(PyObject *forward, PyObject *module, PyObject *const *inputs, Py_ssize_t n)
{
	PyObject **args, *result;
	Py_ssize_t i;

	if (((PyCodeObject *)PyFunction_GET_CODE(forward))->co_argcount != n + 1)
		return NULL;
	args = mem_alloc((size_t)(n + 1) * sizeof(*args));
	args[0] = module;
	for (i = 0; i < n; i++)
		args[i + 1] = inputs[i];
	result = PyObject_Vectorcall(forward, args, (size_t)(n + 1), NULL);
	free(args);
	return result;
}

/* Interpreter.run(self, *args) */
static PyObject *run_as_code(struct call *call)
{
	/* owned */
	PyObject *kind = NULL, *module = NULL, *forward = NULL, *values = NULL, *result = NULL;
	/* borrowed */
	PyObject *self = call->arg[0];

	if (call->n < 1 || host->stops.inside() || is_traced())
		return NULL;
	kind = attrs_get(ATTR_INTERPRETER);
	if ((PyObject *)Py_TYPE(self) == kind) /* another class does something else at each node */
		module = attr(self, "module");
	forward = forward_of(module);
	if (forward && !host->stops.would_stop(host->code.get((struct py_code *)PyFunction_GET_CODE(forward))))
		Py_CLEAR(forward);
	values = forward && call->names ? initial_values(call, forward) : NULL;
	if (forward && (values || !call->names))
		result = values ?
				 call_forward(forward, module, PySequence_Fast_ITEMS(values), PyList_GET_SIZE(values)) :
				 call_forward(forward, module, call->arg + 1, call->n - 1);
	Py_XDECREF(values);
	Py_XDECREF(forward);
	Py_XDECREF(module);
	Py_XDECREF(kind);
	return result;
}

const struct watcher watch_interpret = { .instead = run_as_code };
