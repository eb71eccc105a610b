/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks an entry's guards with the values of a frame.  Each leaf guard is called itself, with the value that
   Dynamo's own accessors lead to; nothing is cloned.  Knows no texts. */
#ifndef DYNAMO_GUARDS_GUARD_EVAL_H
#define DYNAMO_GUARDS_GUARD_EVAL_H
#include "torch/cdbg_host.h"
#include "guards/guard_args.h"

struct entry;
struct guards;
struct tree;

enum verdict { VERDICT_UNKNOWN, VERDICT_FAILS, VERDICT_HOLDS };
enum have { HAVE_UNASKED, HAVE_VALUE, HAVE_GONE, HAVE_MISSING };

struct look {
	const struct guards *guards;
	struct tree *tree;
	struct scene scene;  /* borrowed */
	PyObject *names;     /* owned: globals for evaluating sources; NULL until needed */
	PyObject **value;    /* owned, of each branch */
	unsigned char *have; /* enum have of each branch */
	char *reason;	     /* owned: Dynamo's own text of the first failing guard, NULL: none fails */
};

/* false: the entry has no tree. */
bool look_start(struct look *k, struct entry *e, const struct scene *s);
void look_end(struct look *k);
enum have look_value(struct look *k, int branch, PyObject **out); /* borrowed */
enum verdict look_check(struct look *k, int leaf);
/* Dynamo's own text of the first failing guard, owned by the caller; NULL: none fails. */
char *look_reason(struct look *k);
/* Evaluate in the names that guards see: a new reference, NULL without an exception. */
PyObject *look_eval(struct look *k, const char *text);

#endif
