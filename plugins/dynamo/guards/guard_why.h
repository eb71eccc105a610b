/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an entry does not fit: each of its guards that fails, not only the first, and Dynamo's own text for that one.
   Knows no view. */
#ifndef DYNAMO_GUARDS_GUARD_WHY_H
#define DYNAMO_GUARDS_GUARD_WHY_H
#include "torch/cdbg_host.h"

struct entry;
struct func;
struct guard;
struct scene;

struct failing {
	const struct guard *guard;
	char *expected, *live; /* owned; live NULL: not known */
	const char *remedy;    /* NULL: nothing is known */
};

struct why {
	bool runs;	 /* the frame runs the entry */
	bool dispatched; /* ... after a check of all guards: what fails now has changed since the call */
	struct entry *entry;
	struct failing *failing;
	int n;
	struct guard *node; /* owned: a guard with number 0 for what a node checks without a leaf */
	const char *remedy; /* of the reason where it is not a guard; NULL: why_remedy() knows */
	char *reason;	    /* owned: Dynamo's text, or ours if it has none; NULL: the entry fits */
};

/* backend: that of the call; NULL: not known. */
void why_of(struct entry *e, const struct scene *s, PyObject *backend, struct why *out);
void why_release(struct why *w);
/* A failing guard as text: " 5 L['n'] == 2 toy.py:3" (" - ...": no number), and below it the expected and the actual
   value ("": not known). */
void why_head(long long number, const char *text, const char *file, long long line, struct buf *out);
void why_values(const char *expected, const char *live, bool changed, struct buf *out);
const char *why_remedy(const struct why *w); /* of one without a failing guard; or NULL */
char *why_gone(struct entry *e);	     /* what invalidated it, owned by the caller; never NULL */
/* Why none of these entries fits: {"function", "entry", "entries": [...]}. */
struct val *why_all(struct func *f, const char *id, struct entry **entry, int n, const struct scene *s,
		    PyObject *backend);
/* Of its entries the one that is nearest to fit: it has the fewest guards that fail.  NULL: there is no entry. */
const struct val *why_nearest(const struct val *detail);
/* ... in one line: the nearest entry, its first cause, and the number of further guards that fail. */
void why_describe(const struct val *detail, struct buf *out);

#endif
