/* SPDX-License-Identifier: BSD-3-Clause */
/* One call of a function that is stopped before it runs anything, at which Dynamo asks our callback for an entry. */
#ifndef DYNAMO_EDIT_INSERT_CALL_H
#define DYNAMO_EDIT_INSERT_CALL_H
#include "torch/host.h"

struct cached;

/* One call in progress. */
struct insert_call {
	PyCodeObject *co;
	PyObject *answer, *leave;            /* borrowed: for co; for all other code.  NULL: an exception; None */
	PyObject *partial, *backend;         /* borrowed: the callback, and whose the entry is to be */
	PyObject *nobody;                    /* owned: the backend it is looked up under */
	const struct cached *all;            /* what is handed in turn; or NULL */
	PyObject *state, *saved;             /* owned: of automatic dynamic shapes, to be read (state) or put back */
	bool seen;
};

/* Calls fn with this evaluator set; generated: the code that the cache may find.  Did Dynamo ask? */
bool insert_call(struct insert_call *h, PyObject *fn, PyObject *set, PyObject *generated);
PyObject *insert_partial(void);
/* Does this torch check guards of entries that it has while it is handed others?  One without guards must fail then: */
bool insert_guarded(void);
bool inserting(void);                         /* ... is this thread at that? */

#endif
