/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that replaces _signal.signal() and _signal.getsignal(): in their methods' own table, so that every
   holder of the functions calls the replacement.  Knows no signal and no stop. */
#ifndef CDBG_SIGNAL_METHOD_H
#define CDBG_SIGNAL_METHOD_H
#include <Python.h>

struct err;

/* Called instead of CPython's own: the module and the call's arguments. */
struct signal_methods {
	PyObject *(*set)(PyObject *module, PyObject *const *args, Py_ssize_t n);
	PyObject *(*get)(PyObject *module, PyObject *number);
};

/* Finds both methods; -1 if they are not those of this CPython. Call it before the functions below. */
int signal_method_start(struct err *err);
/* Installs these; NULL: installs CPython's own again. */
void signal_method_replace(const struct signal_methods *ours);
/* changed(): after each call of signal() that set a handler, whichever function serves it; NULL: none. */
void signal_method_tell(void (*changed)(void));

/* CPython's own, even if they are replaced.  New references. */
PyObject *signal_method_set(PyObject *number, PyObject *handler);
PyObject *signal_method_set_as(PyObject *const *args, Py_ssize_t n); /* with a call's own arguments */
PyObject *signal_method_get(PyObject *number);

#endif
