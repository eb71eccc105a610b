/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins for functions of Dynamo's: each tells who watches that it is called and what came of it, makes no Python
   frame, and is in all else what it stands for.  Knows no function in particular. */
#ifndef DYNAMO_TORCH_WRAPPER_H
#define DYNAMO_TORCH_WRAPPER_H
#include "torch/host.h"

/* One call of such a function; all is borrowed. */
struct call {
	PyObject *const *arg;                /* positional ones first, then those that names tells */
	Py_ssize_t n;                        /* how many are positional */
	PyObject *names;                     /* a tuple, or NULL */
	PyObject *result;                    /* NULL: not yet, or it raised */
	PyObject *raised;                    /* in after(): the exception that it raised, or NULL */
	PyObject **own;                      /* before() may put other arguments here; freed when it returns */
};

/* Who is told.  Exceptions that these leave are dropped; before() finds none, in after() the call's is set aside. */
struct watcher {
	void (*before)(struct call *c), (*after)(struct call *c);
};

PyObject *call_arg(const struct call *c, Py_ssize_t i, const char *name);   /* the i-th, or that name's, or NULL */
PyObject *wrapper_new(PyObject *original, const struct watcher *by);          /* a new reference, or NULL */

#endif
