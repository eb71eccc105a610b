/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in a value, a part at a time.  Data only, for plugins too. */
#ifndef CDBG_CHILD_H
#define CDBG_CHILD_H
#include <stdbool.h>
#include <stddef.h>

struct py_obj;

#define CHILD_ASK "ask"	      /* the kind of a child that waits until the user asks for it: text says for what */
#define CHILD_VALUES "values" /* ... of elements of its parent, which `view` shows */

/* All borrowed, valid during the call only. */
struct child {
	const char *label;  /* how it is named below its parent: ".weight", "[0]", "shape" */
	const char *suffix; /* after the parent's expression: one for this; NULL: no expression names it */
	const char *kind;   /* "item", "attribute", "parameter": a literal */
	struct py_obj *v;   /* NULL: text says all */
	const char *text;   /* what is shown in place of the value's summary; NULL: that */
	bool warn;	    /* the text is one to notice */
};

struct child_sink {
	size_t from, to;  /* the numbers of the children to be given */
	size_t total;	  /* how many there were until now; at the end: of all */
	const char *only; /* the one with this suffix is enough; NULL: all */
	const char *key;  /* what the tree calls the parent, for a child that waits until it is asked for; or NULL */
	/* Was the child with this label, of this parent, asked for at this stop? */
	bool (*asked)(const struct child_sink *k, const char *label);
	void (*add)(struct child_sink *k, const struct child *c);
	void *arg;
};

/* Before each child: is it wanted?  Counts it in any case. */
static inline bool child_wanted(struct child_sink *k)
{
	size_t i = k->total++;

	return i >= k->from && i < k->to;
}

#endif
