/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows Dynamo's evaluator: wraps set_eval_frame where it is called, so that cdbg's own hook is installed and
   removed with it; and the function that calls AOTAutograd's graphs, which autograd does while that evaluator is out.
   Does not know what is compiled. */
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"

static PyObject *original;    /* owned: torch's set_eval_frame */
static PyCFunction direct;    /* its C function; NULL: it does not take one argument */
static PyObject *direct_self; /* borrowed from it */
static PyObject *ours;	      /* owned: the same, telling cdbg */
static PyObject *graph;	      /* owned: torch's call_func_at_runtime_with_args */
static PyObject *our_graph;   /* owned: the same, telling cdbg */

/* torch's own, without the call protocol where it is a C function of one argument: a compiled call comes here up to 28
   times. */
static inline PyObject *call_torch(PyObject *callback)
{
	if (direct)
		return direct(direct_self, callback);
	return PyObject_CallOneArg(original, callback);
}

static PyObject *set_eval_frame(PyObject *self, PyObject *callback)
{
	PyObject *prior;

	(void)self;
	if (callback != Py_None) {
		host->stops.region(HOOK_REGION_IN);
		return call_torch(callback);
	}
	prior = call_torch(callback);
	if (prior)
		host->stops.region(prior == Py_None ? HOOK_REGION_NONE : HOOK_REGION_OUT);
	return prior;
}

static PyObject *call_graph(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *result;

	(void)self;
	host->stops.region(HOOK_REGION_CALL);
	result = PyObject_Vectorcall(graph, args, (size_t)n, names);
	host->stops.region(HOOK_REGION_BACK);
	return result;
}

static PyMethodDef method = { "set_eval_frame", set_eval_frame, METH_O, NULL };
static PyMethodDef graph_method = { "call_func_at_runtime_with_args", (PyCFunction)(void (*)(void))call_graph,
				    METH_FASTCALL | METH_KEYWORDS, NULL };

static void find_switch(void)
{
	if (original)
		return;
	original = attrs_get(ATTR_SET_EVAL_FRAME);
	if (!original || !PyCFunction_CheckExact(original) || PyCFunction_GetFlags(original) != METH_O)
		return;
	direct = PyCFunction_GetFunction(original);
	direct_self = PyCFunction_GetSelf(original);
}

static void watch_graphs(bool on)
{
	if (!on)
		attrs_restore(ATTR_CALL_GRAPH);
	else if (graph || (graph = attrs_get(ATTR_CALL_GRAPH))) {
		if (!our_graph)
			our_graph = PyCFunction_New(&graph_method, NULL);
		attrs_replace(ATTR_CALL_GRAPH, our_graph);
	}
}

void switch_watch(bool on)
{
	static const enum attr_id where[] = { ATTR_SET_1, ATTR_SET_2, ATTR_SET_3, ATTR_SET_4 };
	PyObject *there;
	size_t i;

	watch_graphs(on);
	find_switch();
	if (!original)
		return;
	if (on && !ours)
		ours = PyCFunction_New(&method, NULL);
	for (i = 0; i < sizeof(where) / sizeof(*where); i++) {
		if (!on) {
			attrs_restore(where[i]);
			continue;
		}
		there = attrs_get(where[i]);
		if (there == original) /* other values call one of these in the end */
			attrs_replace(where[i], ours);
		Py_XDECREF(there);
	}
	PyErr_Clear();
}

/* A stop: code evaluated there runs in eager mode, and compiled functions compile as usual. */
void *switch_enter(void)
{
	PyObject *prior;

	find_switch();
	prior = original ? call_torch(Py_None) : NULL;
	PyErr_Clear();
	return prior;
}

void switch_leave(void *saved)
{
	PyObject *prior = saved, *back;

	if (!prior)
		return;
	if (prior != Py_None) /* another thread may have taken the hook out meanwhile */
		host->stops.region(HOOK_REGION_IN);
	back = call_torch(prior);
	PyErr_Clear();
	Py_XDECREF(back);
	Py_DECREF(prior);
}
