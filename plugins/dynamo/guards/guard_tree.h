/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards as Dynamo holds them: a guard manager's tree, walked and counted.  Child managers and leaves die with their
   root: they are used while that is held, and dropped before it goes. */
#ifndef DYNAMO_GUARDS_GUARD_TREE_H
#define DYNAMO_GUARDS_GUARD_TREE_H
#include "torch/cdbg_host.h"

struct way;

struct branch {		       /* a place in the tree: one value that is looked at */
	int parent, depth;     /* parent -1: the root */
	PyObject *manager;     /* owned */
	PyObject *how;	       /* owned: the accessor that leads here, once tree_ways() was asked */
	int item;	       /* or this item of the parent, a dict, -1: none */
	bool key;	       /* ... its key, not its value */
	const struct way *way; /* how the accessor finds a value, once asked for */
	char *name;	       /* ... and by what name, owned */
};

struct leaf {
	PyObject *guard; /* owned */
	int branch;
	bool epilogue; /* checked after the whole tree: symbolic shapes */
};

struct tree {
	PyObject *wrapper, *root;   /* owned while it is used: they keep alive what is below */
	PyObject *weak, *weak_root; /* owned: its object while it is not in use; NULL: it is not kept */
	int users;
	struct branch *branch;
	struct leaf *leaf;
	int nbranches, nleaves;
	size_t branches_cap, leaves_cap;
};

/* 0, or -1: this manager has no tree, its entry was invalidated. */
int tree_read(PyObject *guard_manager, struct tree *t);
void tree_release(struct tree *t);
/* Keeps what is below this tree's root, not the root: it goes before the manager does, and *kept is NULL then. */
void tree_keep(struct tree *t, struct tree **kept);
/* A tree that was kept is this manager's still: now it is in use.  False: it is not, and is forgotten. */
bool tree_use(struct tree **kept, PyObject *guard_manager);
/* How each child of this branch is reached from it: their accessors.  Not read with the tree: a list does not need
   them. */
void tree_ways(struct tree *t, int branch);
void tree_done(struct tree *t); /* no more in use; freed unless it is kept */
void tree_forget(struct tree **kept);
/* A method without arguments: a new reference, NULL without an exception. */
PyObject *guards_call(PyObject *v, const char *method);

#endif
