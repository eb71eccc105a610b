/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter's audit events for input(), open and exec; os._exit, which has none, through its method's table. */
#include <Python.h>
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "py/ends.h"

static const struct ends *ends;
static bool hooked;
static PyCFunction exit_c;

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
	if (*event == 'o' && !strcmp(event, "open")) {
		if (ends->tty && is_tty(args))
			ends->tty();
	} else if (*event == 'o' && !strcmp(event, "os.exec")) {
		if (ends->leaving)
			ends->leaving();
	} else if (*event == 'b' && !strcmp(event, "builtins.input")) {
		if (ends->input)
			ends->input();
	}
	return 0;
}

static PyObject *exit_ours(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	typedef PyObject *(*original)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

	if (ends && ends->leaving)
		ends->leaving();
	return ((original)(void (*)(void))exit_c)(self, args, n, names);
}

/* What os._exit is wherever the program got it from: the builtin's own table entry. */
static int watch_exit(struct err *err)
{
	PyObject *module = PyImport_ImportModule("posix"), *f;
	PyMethodDef *def = NULL;

	f = module ? PyObject_GetAttrString(module, "_exit") : NULL;
	if (f && PyCFunction_Check(f))
		def = ((PyCFunctionObject *)f)->m_ml;
	if (def && def->ml_flags == (METH_FASTCALL | METH_KEYWORDS)) {
		exit_c = def->ml_meth;
		def->ml_meth = (PyCFunction)(void (*)(void))exit_ours;
	} else {
		err_set(err, "cannot watch os._exit: it is not what it is on this CPython");
	}
	PyErr_Clear();
	Py_XDECREF(f);
	Py_XDECREF(module);
	return exit_c ? 0 : -1;
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
	return watch_exit(err);
}
