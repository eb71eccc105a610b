/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the leaf guards of an entry from the record of the calls that built them, in the order of the tree.  Calls
   nothing of torch: of 10,000 guards, the objects that torch makes for them take most of the time to list them. */
#ifndef DYNAMO_GUARDS_GUARD_RECORDED_H
#define DYNAMO_GUARDS_GUARD_RECORDED_H
#include "torch/cdbg_host.h"

/* The columns of a row of a record: the number of the node whose method is called (-1: a function is), the method's
   name, its arguments, named arguments or None, the number of the node that it makes (-1: none), the source of a
   guard's node (None: it makes no guard).  Among the arguments of a function, ("\1node", N) stands for the node N,
   and ("\1nodes", N, ...) for a list of nodes. */
enum { ROW_NODE, ROW_METHOD, ROW_ARGS, ROW_NAMED, ROW_RESULT, ROW_SOURCE };

struct recorded_leaf {
	const char *kind; /* the name of its class in torch */
	PyObject *source; /* borrowed from the record; NULL: it has none of its own */
	PyObject *parts;  /* borrowed: its texts, a list; NULL: none */
	int depth;
	bool epilogue;
	int next; /* guard_recorded.c's: the next leaf of the node */
};

/* The number of leaves, owned by the caller; -1: the record has a call whose result only torch knows.  at_root: the
   number of leaves that the root has, to compare with the tree. */
int guards_recorded(PyObject *record, struct recorded_leaf **leaves, int *at_root);
/* The texts of a guard among the arguments of a call: the last list of them.  Borrowed, or NULL. */
PyObject *guard_recorded_texts(PyObject *args);

#endif
