/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter's audit events for input(), open and exec; os._exit and
   signal.signal, which have none, through their methods' tables. */
#include <Python.h>
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "py/hook/audit.h"
#include "py/interp/interp.h"

static const struct ends *ends;
static bool hooked;
static PyCFunction exit_c, signal_c;

static bool is_tty(PyObject *args)
{
	PyObject *path = PyTuple_Check(args) && PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : NULL;

	return path && PyUnicode_CheckExact(path) && PyUnicode_CompareWithASCIIString(path, "/dev/tty") == 0;
}

static int on_audit(const char *event, PyObject *args, void *unused)
{
	(void)unused;
	if (!ends)
		return 0;
	if (!interp_ours())
		return 0;
	if (*event == 'o' && !strcmp(event, "open")) {
		if (ends->tty && is_tty(args))
			ends->tty();
	} else if (*event == 'b' && !strcmp(event, "builtins.input")) {
		if (ends->input)
			ends->input();
	}
	return 0;
}

void ends_leaving(void)
{
	if (ends && ends->leaving)
		ends->leaving();
}

static PyObject *exit_ours(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	typedef PyObject *(*original)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

	ends_leaving();
	return ((original)(void (*)(void))exit_c)(self, args, n, names);
}

static PyObject *signal_ours(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	typedef PyObject *(*original)(PyObject *, PyObject *const *, Py_ssize_t);
	PyObject *r = ((original)(void (*)(void))signal_c)(self, args, n);

	if (r && ends && ends->handles)
		ends->handles();
	return r;
}

/* What a function is wherever the program got it from: the builtin's own table entry.  What it was, or NULL. */
static PyCFunction stand_in(const char *of, const char *name, int flags, void (*ours)(void), struct err *err)
{
	PyObject *module = PyImport_ImportModule(of), *f;
	PyMethodDef *def = NULL;
	PyCFunction was = NULL;

	f = module ? PyObject_GetAttrString(module, name) : NULL;
	if (f && PyCFunction_Check(f))
		def = ((PyCFunctionObject *)f)->m_ml;
	if (def && def->ml_flags == flags) {
		was = def->ml_meth;
		def->ml_meth = (PyCFunction)ours;
	} else {
		err_set(err, "cannot watch %s.%s: it is not what it is on this CPython", of, name);
	}
	PyErr_Clear();
	Py_XDECREF(f);
	Py_XDECREF(module);
	return was;
}

int ends_watch(const struct ends *e, struct err *err)
{
	ends = e;
	if (!e || hooked)
		return 0;
	hooked = true;
	if (PySys_AddAuditHook(on_audit, NULL) < 0) {
		PyErr_Clear();
		return err_set(err, "cannot watch for input() and exec: the interpreter takes no audit hook");
	}
	exit_c = stand_in("posix", "_exit", METH_FASTCALL | METH_KEYWORDS, (void (*)(void))exit_ours, err);
	signal_c = stand_in("_signal", "signal", METH_FASTCALL, (void (*)(void))signal_ours, err);
	return exit_c && signal_c ? 0 : -1;
}
