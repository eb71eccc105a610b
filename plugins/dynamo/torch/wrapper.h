/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of Dynamo functions: each reports its calls and their results to a watcher, makes no Python frame, and
   behaves like the wrapped function otherwise.  Knows no single function. */
#ifndef DYNAMO_TORCH_WRAPPER_H
#define DYNAMO_TORCH_WRAPPER_H
#include "torch/cdbg_host.h"

/* One call of such a function; all is borrowed. */
struct call {
	PyObject *const *arg; /* positional arguments first, then those of names */
	Py_ssize_t n;	      /* how many are positional */
	PyObject *names;      /* a tuple, or NULL */
	PyObject *result;     /* NULL: not yet, or it raised */
	PyObject *raised;     /* in after(): the exception that it raised, or NULL */
	PyObject **own;	      /* before() may put other arguments here; freed when it returns */
};

/* A watcher. Exceptions of its functions are discarded; when before() is called none is set, and the call's
   exception is saved during after(). */
struct watcher {
	void (*before)(struct call *c), (*after)(struct call *c);
	/* What the call returns instead of what the function would, which is then not called: a new reference, or NULL
	   with an exception.  NULL without one: the function is called.  May be NULL. */
	PyObject *(*instead)(struct call *c);
};

PyObject *call_arg(const struct call *c, Py_ssize_t i, const char *name); /* the i-th, or that name's, or NULL */
PyObject *wrapper_new(PyObject *original, const struct watcher *by);	  /* a new reference, or NULL */

#endif
