/* SPDX-License-Identifier: BSD-3-Clause */
/* _signal.signal() and _signal.getsignal() replaced: see signal_method.h. */
#include <Python.h>
#include <stdbool.h>
#include "base/err.h"
#include "py/hook/signal_method.h"

typedef PyObject *(*fastcall)(PyObject *, PyObject *const *, Py_ssize_t);

static PyObject *module;	       /* _signal; owned, kept for good */
static PyMethodDef *set_def, *get_def; /* its functions' table entries */
static fastcall set_c;		       /* the previous method: CPython's own */
static PyCFunction get_c;
static const struct signal_methods *replaced;
static void (*tell)(void);

static PyMethodDef *method_named(const char *name, int flags)
{
	PyObject *f = PyObject_GetAttrString(module, name); /* owned; the module keeps it, too */
	PyMethodDef *def = f && PyCFunction_Check(f) ? ((PyCFunctionObject *)f)->m_ml : NULL;

	Py_XDECREF(f);
	return def && (def->ml_flags & ~METH_STATIC) == flags ? def : NULL;
}

int signal_method_start(struct err *err)
{
	if (set_c)
		return 0;
	if (!module)
		module = PyImport_ImportModuleLevel("_signal", NULL, NULL, NULL, 0);
	if (module) {
		set_def = method_named("signal", METH_FASTCALL);
		get_def = method_named("getsignal", METH_O);
	}
	PyErr_Clear();
	if (!set_def || !get_def)
		return err_set(err, "cannot watch signal handlers: unexpected type for _signal.signal or "
				    "_signal.getsignal in this build of CPython");
	set_c = (fastcall)(void (*)(void))set_def->ml_meth;
	get_c = get_def->ml_meth;
	return 0;
}

static PyObject *set_instead(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	PyObject *r = replaced ? replaced->set(self, args, n) : set_c(self, args, n);

	if (r && tell)
		tell();
	return r;
}

static PyObject *get_instead(PyObject *self, PyObject *number)
{
	return replaced ? replaced->get(self, number) : get_c(self, number);
}

static void put_methods(void)
{
	bool ours = replaced || tell;

	if (!set_c)
		return;
	set_def->ml_meth = (PyCFunction)(void (*)(void))(ours ? set_instead : set_c);
	get_def->ml_meth = ours ? get_instead : get_c;
}

void signal_method_replace(const struct signal_methods *ours)
{
	replaced = ours;
	put_methods();
}

void signal_method_tell(void (*changed)(void))
{
	tell = changed;
	put_methods();
}

PyObject *signal_method_set_as(PyObject *const *args, Py_ssize_t n)
{
	return set_c(module, args, n);
}

PyObject *signal_method_set(PyObject *number, PyObject *handler)
{
	PyObject *args[2] = { number, handler };

	return set_c(module, args, 2);
}

PyObject *signal_method_get(PyObject *number)
{
	return get_c(module, number);
}
