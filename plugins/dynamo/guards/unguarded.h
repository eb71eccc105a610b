/* SPDX-License-Identifier: BSD-3-Clause */
/* What Dynamo read for an entry and no guard covers, and whether it has changed since.  Nothing of the program runs to
   read it again.  Does not depend on views. */
#ifndef DYNAMO_GUARDS_UNGUARDED_H
#define DYNAMO_GUARDS_UNGUARDED_H
#include "torch/cdbg_host.h"

struct entry;
struct read;
struct scene;

struct unguarded {
	const struct read *read; /* the entry's */
	bool changed;
	bool unread;	     /* it cannot be read again without running code of the program */
	char *source;	     /* owned: "L['self'].scale", "Layer.call" */
	char *was, *is;	     /* owned; is NULL where it has not changed */
	const char *why;     /* why there is no guard */
	const char *remedy;  /* what to do once it has changed */
	const char *group;   /* what it is folded with: "hooks of modules" */
	const char *library; /* ... in this one, the model's; "" for the program */
};

/* Changed ones first, the array owned by the caller; their number, -1: err says why not, as that the entry is not in
   Dynamo's cache any more.  s: a call's values; NULL: none. */
int unguarded_of(struct entry *e, const struct scene *s, struct unguarded **out, struct err *err);
void unguarded_free(struct unguarded *u, int n);
/* Lines for the values of an entry in Dynamo's cache that have changed, each after `indent`: their number. */
int unguarded_changes(struct entry *e, const char *indent, struct buf *out);
/* "Layer.call was the function at m.py:5, is the one at m.py:7; read at m.py:9 in f; no guard covers ..." */
void unguarded_text(const struct unguarded *u, struct buf *out);

#endif
