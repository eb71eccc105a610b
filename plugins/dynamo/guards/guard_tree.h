/* SPDX-License-Identifier: BSD-3-Clause */
/* The guards in Dynamo: walks and counts the tree of a guard manager.  Child managers and leaves die with their
   root, so they are used only while the root is held, and released before it. */
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

/* 0, or -1: this manager has no tree, because its entry was invalidated. */
int tree_read(PyObject *guard_manager, struct tree *t);
void tree_release(struct tree *t);
/* The number of leaves of the root alone, epilogue included; -1: this manager has no tree. */
int tree_root_leaves(PyObject *guard_manager);
/* Keeps the nodes below this tree's root, but not the root: they are released before the manager dies, which sets
   *kept to NULL. */
void tree_keep(struct tree *t, struct tree **kept);
/* Uses a kept tree again if it still belongs to this manager.  False: it does not, and is released. */
bool tree_use(struct tree **kept, PyObject *guard_manager);
/* Reads the accessors by which each child of this branch is reached.  They are not read with the tree, because a
   list does not need them. */
void tree_ways(struct tree *t, int branch);
void tree_done(struct tree *t); /* no more in use; freed unless it is kept */
void tree_forget(struct tree **kept);
/* A method without arguments: a new reference, NULL without an exception. */
PyObject *guards_call(PyObject *v, const char *method);

#endif
