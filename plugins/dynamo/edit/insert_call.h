/* SPDX-License-Identifier: BSD-3-Clause */
/* One call of a function that is stopped before it runs anything, at which Dynamo asks our callback for an entry. */
#ifndef DYNAMO_EDIT_INSERT_CALL_H
#define DYNAMO_EDIT_INSERT_CALL_H
#include "torch/cdbg_host.h"

struct cache_list;

/* One call in progress. */
struct insert_call {
	PyCodeObject *co;
	PyObject *answer, *leave;     /* borrowed: for co; for all other code.  NULL: an exception; None */
	PyObject *partial, *backend;  /* borrowed: the callback, and the code of the entry */
	PyObject *nobody;	      /* owned: the backend it is looked up under */
	const struct cache_list *all; /* the entries to return in turn; or NULL */
	PyObject *state, *saved;      /* owned: of automatic dynamic shapes, to be read (state) or put back */
	bool seen;
};

/* Calls fn with this evaluator set; generated: the code that the cache may find.  Did Dynamo ask? */
bool insert_call(struct insert_call *h, PyObject *fn, PyObject *set, PyObject *generated);
PyObject *insert_partial(void);
/* Does this version of torch check the guards of existing entries while entries are inserted? Then one without guards
   must fail: */
bool insert_guarded(void);
bool inserting(void); /* ... is this thread at that? */

#endif
