/* SPDX-License-Identifier: BSD-3-Clause */
/* The guards in Dynamo: walks and counts the tree of a guard manager.  Child managers and leaves die with their
   root, so they are used only while the root is held, and released before it. */
#include "guards/guard_tree.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>

/* Types cache attribute lookups only for interned names, and thousands of leaves have the same attributes read. */
PyObject *guards_call(PyObject *v, const char *method)
{
	PyObject *name = v ? PyUnicode_InternFromString(method) : NULL;
	PyObject *r = name ? PyObject_CallMethodNoArgs(v, name) : NULL;

	if (!r)
		PyErr_Clear();
	Py_XDECREF(name);
	return r;
}

/* What the walk calls again and again. */
static struct {
	PyObject *leaves, *childless, *children, *accessors, *items, *parts;
	PyObject *relational;
} names;

static PyObject *tree_call(PyObject *v, PyObject *method)
{
	PyObject *r = v ? PyObject_CallMethodNoArgs(v, method) : NULL;

	if (!r)
		PyErr_Clear();
	return r;
}

static bool find_names(void)
{
	if (!names.leaves) {
		names.leaves = PyUnicode_InternFromString("get_leaf_guards");
		names.childless = PyUnicode_InternFromString("has_no_accessors");
		names.children = PyUnicode_InternFromString("get_child_managers");
		names.accessors = PyUnicode_InternFromString("get_accessors");
		names.items = PyUnicode_InternFromString("get_key_value_managers");
		names.parts = PyUnicode_InternFromString("verbose_code_parts");
		names.relational = attrs_get(ATTR_RELATIONAL);
	}
	PyErr_Clear();
	return names.leaves && names.childless && names.children && names.accessors && names.items && names.parts;
}

static Py_ssize_t length(PyObject *list)
{
	return list && PyList_Check(list) ? PyList_GET_SIZE(list) : 0;
}

/* Guards on several values are in the tree once for each value, and counted once. */
static bool seen_before(PyObject *leaf, PyObject *seen)
{
	PyObject *parts, *key;
	int known = 0;

	if (!names.relational || !PyType_Check(names.relational) ||
	    !PyType_IsSubtype(Py_TYPE(leaf), (PyTypeObject *)names.relational))
		return false;
	parts = tree_call(leaf, names.parts);
	key = parts ? PySequence_Tuple(parts) : NULL;
	known = key ? PySet_Contains(seen, key) : 0;
	if (key && !known)
		PySet_Add(seen, key);
	Py_XDECREF(key);
	Py_XDECREF(parts);
	PyErr_Clear();
	return known > 0;
}

static void add_leaf(struct tree *t, PyObject *guard, int branch, bool epilogue)
{
	t->leaf = mem_grow(t->leaf, &t->leaves_cap, (size_t)t->nleaves + 1, sizeof(*t->leaf));
	t->leaf[t->nleaves++] = (struct leaf){ .guard = Py_NewRef(guard), .branch = branch, .epilogue = epilogue };
}

static int add_branch(struct tree *t, PyObject *manager, const struct branch *as)
{
	struct branch *b;

	t->branch = mem_grow(t->branch, &t->branches_cap, (size_t)t->nbranches + 1, sizeof(*t->branch));
	b = &t->branch[t->nbranches];
	*b = *as;
	b->depth = b->parent < 0 ? 0 : t->branch[b->parent].depth + 1;
	b->manager = Py_NewRef(manager);
	return t->nbranches++;
}

static void walk(struct tree *t, int at, PyObject *seen);

static void down(struct tree *t, PyObject *manager, const struct branch *as, PyObject *seen)
{
	if (manager && manager != Py_None)
		walk(t, add_branch(t, manager, as), seen);
}

/* Torch 2.6 has a manager of its own for dicts of a class made from dict. */
static bool of_items(PyObject *manager)
{
	const char *type = _PyType_Name(Py_TYPE(manager));

	return !strcmp(type, "DictGuardManager") || !strcmp(type, "DictSubclassGuardManager");
}

/* The managers of a dict's items, by the item's place in it. */
static void walk_items(struct tree *t, int at, PyObject *seen)
{
	PyObject *dict, *keys, *pair;
	struct branch as = { .parent = at };
	Py_ssize_t i;
	int k;

	if (!of_items(t->branch[at].manager))
		return;
	dict = tree_call(t->branch[at].manager, names.items);
	keys = dict && PyDict_Check(dict) ? PyDict_Keys(dict) : NULL;
	if (keys && PyList_Sort(keys) < 0)
		PyErr_Clear();
	for (i = 0; i < length(keys); i++) {
		pair = PyDict_GetItem(dict, PyList_GET_ITEM(keys, i));
		as.item = (int)PyLong_AsLong(PyList_GET_ITEM(keys, i));
		for (k = 0; pair && PyTuple_Check(pair) && k < 2 && k < PyTuple_GET_SIZE(pair); k++) {
			as.key = k == 0;
			down(t, PyTuple_GET_ITEM(pair, k), &as, seen);
		}
	}
	PyErr_Clear();
	Py_XDECREF(keys);
	Py_XDECREF(dict);
}

static void walk(struct tree *t, int at, PyObject *seen)
{
	PyObject *leaves, *childless, *children;
	struct branch as = { .parent = at, .item = -1 };
	Py_ssize_t i;

	if (Py_EnterRecursiveCall(" while guards are read")) {
		PyErr_Clear();
		return;
	}
	leaves = tree_call(t->branch[at].manager, names.leaves);
	for (i = 0; i < length(leaves); i++)
		if (!seen_before(PyList_GET_ITEM(leaves, i), seen))
			add_leaf(t, PyList_GET_ITEM(leaves, i), at, false);
	Py_XDECREF(leaves);
	walk_items(t, at, seen);
	childless = tree_call(t->branch[at].manager, names.childless); /* most are, and it makes no list */
	children = childless == Py_True ? NULL : tree_call(t->branch[at].manager, names.children);
	Py_XDECREF(childless);
	for (i = 0; i < length(children); i++)
		down(t, PyList_GET_ITEM(children, i), &as, seen);
	Py_XDECREF(children);
	Py_LeaveRecursiveCall();
}

/* Dynamo may have changed the order of children since the tree was read: a child is identified by its manager. */
void tree_ways(struct tree *t, int branch)
{
	PyObject *children = tree_call(t->branch[branch].manager, names.children);
	PyObject *accessors = tree_call(t->branch[branch].manager, names.accessors), *by = PyDict_New(), *key, *how;
	struct branch *b;
	Py_ssize_t i;

	for (i = 0; by && i < length(children) && i < length(accessors); i++) {
		key = PyLong_FromVoidPtr(PyList_GET_ITEM(children, i));
		if (key)
			PyDict_SetItem(by, key, PyList_GET_ITEM(accessors, i));
		Py_XDECREF(key);
	}
	for (b = t->branch; by && b < t->branch + t->nbranches; b++) {
		if (b->parent != branch || b->how)
			continue;
		key = PyLong_FromVoidPtr(b->manager);
		how = key ? PyDict_GetItemWithError(by, key) : NULL;
		b->how = Py_XNewRef(how);
		Py_XDECREF(key);
	}
	PyErr_Clear();
	Py_XDECREF(by);
	Py_XDECREF(accessors);
	Py_XDECREF(children);
}

/* A new reference; NULL: the entry was invalidated. */
static PyObject *root_of(PyObject *guard_manager)
{
	/* on torch 2.6 the replacement of a deleted manager has a tree without guards */
	PyObject *gone = attr(guard_manager, "invalidation_reason");
	PyObject *root = gone && gone != Py_None ? NULL : attr(guard_manager, "root");

	if (root == Py_None)
		Py_CLEAR(root);
	Py_XDECREF(gone);
	return root;
}

int tree_root_leaves(PyObject *guard_manager)
{
	PyObject *root = root_of(guard_manager), *leaves, *tail;
	int n;

	if (!root)
		return -1;
	leaves = guards_call(root, "get_leaf_guards");
	tail = guards_call(root, "get_epilogue_lambda_guards");
	n = (int)(length(leaves) + length(tail));
	Py_XDECREF(tail);
	Py_XDECREF(leaves);
	Py_DECREF(root);
	return n;
}

int tree_read(PyObject *guard_manager, struct tree *t)
{
	PyObject *seen = PySet_New(NULL), *tail;
	struct branch top = { .parent = -1, .item = -1 };
	Py_ssize_t i;

	memset(t, 0, sizeof(*t));
	t->root = root_of(guard_manager);
	if (!t->root || !seen || !find_names()) {
		Py_CLEAR(t->root);
		Py_XDECREF(seen);
		PyErr_Clear();
		return -1;
	}
	t->wrapper = Py_NewRef(guard_manager);
	walk(t, add_branch(t, t->root, &top), seen);
	tail = guards_call(t->root, "get_epilogue_lambda_guards");
	for (i = 0; i < length(tail); i++)
		add_leaf(t, PyList_GET_ITEM(tail, i), 0, true);
	Py_XDECREF(tail);
	Py_DECREF(seen);
	return 0;
}

void tree_release(struct tree *t)
{
	int i;

	for (i = 0; i < t->nleaves; i++)
		Py_CLEAR(t->leaf[i].guard);
	for (i = t->nbranches; i-- > 0;) {
		free(t->branch[i].name);
		Py_CLEAR(t->branch[i].how);
		Py_CLEAR(t->branch[i].manager);
	}
	free(t->leaf);
	free(t->branch);
	Py_CLEAR(t->weak_root);
	Py_CLEAR(t->weak);
	Py_CLEAR(t->root);
	Py_CLEAR(t->wrapper);
	memset(t, 0, sizeof(*t));
}

/* ---- kept from one look to the next ------------------------------------------------------------------------- */

/* The manager dies, and its root with it. */
static PyObject *dies(PyObject *self, PyObject *weak)
{
	struct tree **kept = PyCapsule_GetPointer(self, "tree");

	if (kept && *kept && (*kept)->weak == weak)
		tree_forget(kept);
	Py_RETURN_NONE;
}

static PyObject *watch_tree(PyObject *manager, struct tree **kept)
{
	static PyMethodDef method = { "dies", dies, METH_O, NULL };
	PyObject *self = PyCapsule_New(kept, "tree", NULL);
	PyObject *call = self ? PyCFunction_New(&method, self) : NULL;
	PyObject *weak = call ? PyWeakref_NewRef(manager, call) : NULL;

	Py_XDECREF(call);
	Py_XDECREF(self);
	PyErr_Clear();
	return weak;
}

static bool refers(PyObject *weak, PyObject *to)
{
	PyObject *v = weak ? PyObject_CallNoArgs(weak) : NULL;
	bool same = v && v == to && v != Py_None;

	PyErr_Clear();
	Py_XDECREF(v);
	return same;
}

void tree_keep(struct tree *t, struct tree **kept)
{
	tree_forget(kept);
	t->weak = watch_tree(t->wrapper, kept);
	t->weak_root = PyWeakref_NewRef(t->root, NULL);
	PyErr_Clear();
	if (!t->weak || !t->weak_root) {
		Py_CLEAR(t->weak);
		Py_CLEAR(t->weak_root);
		return;
	}
	*kept = t;
}

void tree_forget(struct tree **kept)
{
	struct tree *t = *kept;

	*kept = NULL;
	if (!t)
		return;
	Py_CLEAR(t->weak);
	Py_CLEAR(t->weak_root);
	t->users++; /* not from under who uses it */
	tree_done(t);
}

bool tree_use(struct tree **kept, PyObject *guard_manager)
{
	struct tree *t = *kept;
	PyObject *root = t ? attr(guard_manager, "root") : NULL;

	if (!t || !refers(t->weak, guard_manager) || !refers(t->weak_root, root)) {
		Py_XDECREF(root);
		tree_forget(kept);
		return false;
	}
	Py_XSETREF(t->wrapper, Py_NewRef(guard_manager));
	Py_XSETREF(t->root, root);
	t->users++;
	return true;
}

void tree_done(struct tree *t)
{
	PyObject *wrapper, *root;

	if (--t->users)
		return;
	if (!t->weak) {
		tree_release(t);
		free(t);
		return;
	}
	wrapper = t->wrapper;
	root = t->root;
	t->wrapper = t->root = NULL;
	Py_XDECREF(wrapper); /* the last user: release it before its root dies */
	Py_XDECREF(root);
}
