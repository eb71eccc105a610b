/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaf guards as plain data, numbered for the whole run, with the user's line that made each.  They outlive their
   entry, because nothing of Dynamo is kept.  Knows no values and no view. */
#ifndef DYNAMO_GUARDS_GUARD_MODEL_H
#define DYNAMO_GUARDS_GUARD_MODEL_H
#include "torch/cdbg_host.h"

struct compiling;
struct entry;
struct recorded_leaf;
struct source_line;
struct stacks;
struct tree;

struct guard {
	int number; /* unique over all entries, for the whole run */
	struct entry *entry;
	char *source;	  /* "L['x'].shape", or "" */
	const char *kind; /* "TENSOR_MATCH" */
	char *text;	  /* as Dynamo has it, without the line after it */
	char *made;	  /* "x + y  # toy.py:3 in f": the line after it, or NULL */
	const char *file; /* of the innermost line that made it, not torch's own; NULL: unknown */
	int line;
	const char *function;		 /* of that line; NULL: unknown */
	const struct source_line *stack; /* outermost first, the line is stack[at]; the entry's; or NULL */
	int at;
	struct guard *part; /* owned: of symbolic shapes, its conditions where there are several */
	int nparts;
	int depth;	       /* in the tree */
	bool epilogue, python; /* python: a Python function is called to check it */
};

struct guards {
	struct guard *guard;
	int n;
	struct stacks *stacks;		/* owned: recorded by guard_lines.c during the compile; or NULL */
	struct tree *tree;		/* the tree that has these leaves, in the same order, while it lives; or NULL */
	struct recorded_leaf *recorded; /* owned: what e->edit.record tells, until they are read; or NULL */
	int nrecorded, recorded_root;	/* leaves; those of the root alone */
	const struct guard **sorted;	/* owned: guard_index.c's, NULL: not yet made */
};

/* The leaf guards of an entry in the order of the tree, read once: from the record of the calls that built them if
   there is one, else from the tree.  NULL if the tree was gone before they were read. */
const struct guards *guards_of(struct entry *e);
/* ... with their tree, whose leaves have the same order, until tree_done(); NULL: the tree is gone. */
const struct guards *guards_tree(struct entry *e, struct tree **t);
const struct guard *guards_numbered(long number); /* NULL: there is none */
void guards_release_all(void);
/* The parts of a guard, a list, as one text; the line after the first is added to made, which may be NULL.  Owned by
   the caller. */
void guard_parts(PyObject *parts, struct buf *text, char **made);
/* c->entry was made: what was noted is its. */
void guards_compiled(struct compiling *c, PyObject *guarded_code);

/* e->edit.record was made: keeps what is needed to list the guards without torch. */
void guards_note_record(struct entry *e);

/* How many leaf guards an entry has, according to Dynamo. */
int guards_count_leaves(PyObject *guard_manager); /* -1: cannot be counted */
int guards_count(struct entry *e);		  /* leaf guards it has now, -1: gone */

#endif
