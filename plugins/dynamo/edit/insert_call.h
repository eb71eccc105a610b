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
	PyObject *nobody;	      /* owned: the backend for the lookup */
	const struct cache_list *all; /* the entries to return in turn; or NULL */
	PyObject *state, *saved;      /* owned: the state of automatic dynamic shapes, read (state) or restored */
	bool seen, untraced; /* untraced: it was not called, since no trace function could be set, which stops it */
};

/* Calls fn with this evaluator set.  generated: the code that a lookup may find.  Returns whether Dynamo called the
   callback. */
bool insert_call(struct insert_call *h, PyObject *fn, PyObject *set, PyObject *generated);
PyObject *insert_call_partial(void);
/* Does this version of torch check the guards of existing entries while entries are inserted?  Then an entry
   without guards must fail in these calls: */
bool insert_call_guarded(void);
bool insert_call_running(void); /* ... is this thread insert_call_running entries now? */

#endif
