/* SPDX-License-Identifier: BSD-3-Clause */
/* How many leaf guards an entry has, according to Dynamo. */
#include "guards/guard_count.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "guards/guard_tree.h"

int guards_count_leaves(PyObject *guard_manager)
{
	struct tree t;
	int n;

	if (tree_read(guard_manager, &t) < 0)
		return -1;
	n = t.nleaves;
	tree_release(&t);
	return n;
}

int guards_count(struct entry *e)
{
	PyObject *own = entry_original(e), *manager = own ? own : model_manager(e);
	int n = manager ? guards_count_leaves(manager) + entry_more_guards(e) : e->end ? e->made.guards : -1;

	Py_XDECREF(manager);
	if (n >= 0)
		e->made.guards = n;
	return n;
}
