/* SPDX-License-Identifier: BSD-3-Clause */
/* How a program asks to be stopped: cdbg.breakpoint(), and the builtin breakpoint() while a session debugs it. Must not
   know how a stop is made or shown. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/err.h"
#include "breakpoint.h"
#include "engine/dispatch.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "py/interp/interp.h"
#include "py/value/value.h"

typedef PyObject *(*hook_function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static PyCFunction original; /* sys.breakpointhook's own C function while it is replaced */

/* ---- cdbg.breakpoint ------------------------------------------------------------------------------------------- */

static void break_here(void)
{
	if (session_living())
		session_break_here(session_living());
}

/*
 * breakpoint(*args, **kwargs), in C so that Dynamo breaks the graph in the function that calls it.  It is an object
 * with the marks of torch._dynamo.disable, so that Dynamo reports a reason; for a builtin function it would warn.
 */
static PyObject *call_breakpoint(PyObject *self, PyObject *unused, PyObject *kwargs)
{
	PyObject *package, *r;
	void *evaluator;
	struct err err;

	(void)self;
	(void)unused;
	(void)kwargs;
	if (!interp_ours())
		Py_RETURN_NONE;
	evaluator = hook_evaluator_off();
	package = PyImport_ImportModuleLevel("cdbg", NULL, NULL, NULL, 0);
	r = package ? PyObject_CallMethod(package, "_begin", NULL) : NULL;
	Py_XDECREF(package);
	hook_evaluator_on(evaluator);
	if (!r) { /* for example no usable descriptor: the program runs without cdbg */
		err_from_python(&err, "cannot start");
		dprintf(2, "cdbg: %s\n", err.text);
	}
	Py_XDECREF(r);
	break_here();
	Py_RETURN_NONE;
}

static PyObject *show_breakpoint(PyObject *self)
{
	(void)self;
	return PyUnicode_FromString("<function cdbg.breakpoint>");
}

static PyTypeObject breakpoint_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "cdbg.breakpoint",
	.tp_basicsize = sizeof(PyObject),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_call = call_breakpoint,
	.tp_repr = show_breakpoint,
	.tp_doc = "Stop here, as breakpoint() of a debugger does; start cdbg if it is not running yet.",
};

int breakpoint_add(struct py_obj *module)
{
	PyObject *why = PyUnicode_FromString("the program stops here for its debugger"), *b = NULL;
	int ret = -1;

	if (why && PyType_Ready(&breakpoint_type) == 0 &&
	    PyDict_SetItemString(breakpoint_type.tp_dict, "_torchdynamo_disable", Py_True) == 0 &&
	    PyDict_SetItemString(breakpoint_type.tp_dict, "_torchdynamo_disable_msg", why) == 0)
		b = PyObject_New(PyObject, &breakpoint_type);
	if (b)
		ret = PyModule_AddObjectRef((PyObject *)module, "breakpoint", b);
	Py_XDECREF(b);
	Py_XDECREF(why);
	return ret;
}

/* ---- the builtin breakpoint() ---------------------------------------------------------------------------------- */

/* Read PYTHONBREAKPOINT at each call, as CPython does: set and not empty. */
static bool environment_decides(void)
{
	const char *text = getenv("PYTHONBREAKPOINT");
	PyObject *flags, *ignored;
	bool ignore;

	if (!text || !*text)
		return false;
	flags = PySys_GetObject("flags");
	ignored = flags ? PyObject_GetAttrString(flags, "ignore_environment") : NULL;
	ignore = ignored && PyObject_IsTrue(ignored) == 1;
	Py_XDECREF(ignored);
	PyErr_Clear();
	return !ignore;
}

static PyObject *hook_ours(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	if (!interp_ours() || !session_living() || environment_decides())
		return ((hook_function)(void (*)(void))original)(self, args, n, names);
	break_here();
	Py_RETURN_NONE;
}

/* The C function of sys.breakpointhook is replaced, not the object: the program finds in sys what Python put there, and
   a hook that the program sets takes precedence. */
void breakpoint_hook(bool on)
{
	PyObject *f = PySys_GetObject("__breakpointhook__");
	PyMethodDef *def = f && PyCFunction_Check(f) ? ((PyCFunctionObject *)f)->m_ml : NULL;

	if (!def || def->ml_flags != (METH_FASTCALL | METH_KEYWORDS))
		return;
	if (on && !original) {
		original = def->ml_meth;
		def->ml_meth = (PyCFunction)(void (*)(void))hook_ours;
	} else if (!on && original) {
		def->ml_meth = original;
		original = NULL;
	}
}
