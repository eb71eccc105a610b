/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the leaf guards of an entry from the record of the calls that built them, in the order of the tree.  Calls
   nothing of torch: of 10,000 guards, the objects that torch makes for them take most of the time to list them. */
#include "guards/guard_recorded.h"
#include <stdlib.h>
#include <string.h>

/* The guards that a call adds.  For most kinds torch ignores a second guard on one node.  Where this is not the same in
   all versions (neither once nor many), a record with two of them is not used. */
static const struct maker {
	const char *method, *kind;
	bool once;     /* torch ignores all but the first on a node */
	bool implied;  /* a manager of a dict's items checks it without a leaf */
	bool many;     /* a node may have several */
	bool relation; /* on several nodes; the leaf at the first of them counts */
	bool epilogue;
} makers[] = {
	{ .method = "add_equals_match_guard", .kind = "EQUALS_MATCH", .once = true },
	{ .method = "add_type_match_guard", .kind = "TYPE_MATCH", .once = true, .implied = true },
	{ .method = "add_id_match_guard", .kind = "ID_MATCH", .once = true },
	{ .method = "add_tensor_match_guard", .kind = "TENSOR_MATCH", .once = true },
	{ .method = "add_dimension_marking_guard", .kind = "DIMENSION_DYNAMIC_MARKING_GUARD" },
	{ .method = "add_length_check_guard", .kind = "LENGTH_CHECK", .once = true },
	{ .method = "add_dict_length_check_guard", .kind = "DICT_LENGTH", .once = true, .implied = true },
	{ .method = "add_dict_contains_guard", .kind = "DICT_CONTAINS", .many = true },
	{ .method = "add_set_contains_guard", .kind = "SET_CONTAINS", .many = true },
	{ .method = "add_no_hasattr_guard", .kind = "NO_HASATTR", .many = true },
	{ .method = "add_lambda_guard", .kind = "LAMBDA_GUARD", .many = true },
	{ .method = "add_epilogue_lambda_guard", .kind = "LAMBDA_GUARD", .many = true, .epilogue = true },
	{ .method = "add_true_match_guard", .kind = "TRUE_MATCH" },
	{ .method = "add_false_match_guard", .kind = "FALSE_MATCH" },
	{ .method = "add_none_match_guard", .kind = "NONE_MATCH" },
	{ .method = "add_not_none_guard", .kind = "NOT_NONE" },
	{ .method = "add_mapping_keys_guard", .kind = "MAPPING_KEYS_MATCH" },
	{ .method = "add_dispatch_key_set_guard", .kind = "DISPATCH_KEY_SET_MATCH" },
	{ .method = "add_tuple_iterator_length_guard", .kind = "TUPLE_ITERATOR_LEN" },
	{ .method = "add_range_iterator_match_guard", .kind = "RANGE_ITERATOR_MATCH" },
	{ .method = "add_float_is_nan_guard", .kind = "FLOAT_IS_NAN" },
	{ .method = "add_complex_is_nan_guard", .kind = "COMPLEX_IS_NAN" },
	{ .method = "add_default_device_guard", .kind = "DEFAULT_DEVICE" },
	{ .method = "add_global_state_guard", .kind = "GLOBAL_STATE" },
	{ .method = "add_torch_function_mode_stack_guard", .kind = "TORCH_FUNCTION_MODE_STACK" },
	{ .method = "add_dual_level_match_guard", .kind = "DUAL_LEVEL_MATCH" },
	{ .method = "install_object_aliasing_guard", .kind = "OBJECT_ALIASING", .many = true, .relation = true },
	{ .method = "install_no_tensor_aliasing_guard", .kind = "NO_TENSOR_ALIASING", .many = true, .relation = true },
	{ .method = "install_storage_overlapping_guard",
	  .kind = "STORAGE_OVERLAPPING",
	  .many = true,
	  .relation = true },
	{ .method = "install_symbolic_shape_guard", .kind = "SYMBOLIC_SHAPE_GUARD", .many = true, .relation = true },
	{ .method = NULL },
};

struct place { /* a node of the tree; -1: none */
	int parent, child, last, next;
	int leaf, leaf_last;
	int depth;
	long item;  /* of a dict, by this order; -1: the node is a child */
	bool items; /* it is a manager of a dict's items */
};

struct record_reader {
	struct place *place;
	int n;
	size_t cap;
	struct recorded_leaf *leaf;
	const struct maker **maker; /* of each leaf */
	int nleaves;
	size_t leaves_cap, makers_cap;
	PyObject *name; /* borrowed: the method of the last row */
	const struct maker *named;
	PyObject *enum_key;	/* owned */
	PyObject *manager_enum; /* borrowed: of the last node */
	bool items;
};

PyObject *guard_recorded_texts(PyObject *args)
{
	PyObject *v;
	Py_ssize_t i;

	for (i = PyTuple_GET_SIZE(args); i; i--) {
		v = PyTuple_GET_ITEM(args, i - 1);
		if (PyList_Check(v) && PyList_GET_SIZE(v) && PyUnicode_Check(PyList_GET_ITEM(v, 0)))
			return v;
	}
	return NULL;
}

static int row_int(PyObject *row, int column)
{
	return (int)PyLong_AsLong(PyTuple_GET_ITEM(row, column));
}

/* What the method of this row adds; makers' last: nothing that is known.  Rows of one method have one name object. */
static const struct maker *row_maker(struct record_reader *r, PyObject *row)
{
	PyObject *name = PyTuple_GET_ITEM(row, ROW_METHOD);
	const struct maker *m = makers;

	if (name == r->name)
		return r->named;
	while (m->method && PyUnicode_CompareWithASCIIString(name, m->method))
		m++;
	r->name = name;
	r->named = m;
	return m;
}

/* ---- nodes -------------------------------------------------------------------------------------------------- */

/* The place of a dict's item: its number, the key before the value.  -1: the node is not an item, -2: not known. */
static long item_order(PyObject *row)
{
	PyObject *name = PyTuple_GET_ITEM(row, ROW_METHOD), *args = PyTuple_GET_ITEM(row, ROW_ARGS);
	PyObject *named = PyTuple_GET_ITEM(row, ROW_NAMED), *index;
	bool key = !PyUnicode_CompareWithASCIIString(name, "get_key_manager");

	if (!key && PyUnicode_CompareWithASCIIString(name, "get_value_manager"))
		return -1;
	index = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) :
		PyDict_Check(named)    ? PyDict_GetItemString(named, "index") :
					 NULL;
	return index && PyLong_Check(index) ? 2 * PyLong_AsLong(index) + !key : -2;
}

static void keep_place(struct record_reader *r, int parent, int at)
{
	struct place *p = r->place, *up = &p[parent];
	long order = p[at].item;
	int *link = &up->child;

	if (up->last >= 0 && (order < 0 || (p[up->last].item >= 0 && p[up->last].item <= order)))
		link = &p[up->last].next;
	while (*link >= 0 && (order < 0 || (p[*link].item >= 0 && p[*link].item <= order)))
		link = &p[*link].next;
	p[at].next = *link;
	if (*link < 0)
		up->last = at;
	*link = at;
}

/* Does this call make a manager of a dict's items?  Few enums are in thousands of calls. */
static bool makes_items(struct record_reader *r, PyObject *named)
{
	PyObject *kind = PyDict_Check(named) ? PyDict_GetItemWithError(named, r->enum_key) : NULL, *name;
	const char *text;

	if (kind && kind != r->manager_enum) {
		name = PyObject_GetAttrString(kind, "name");
		text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
		r->items = text && !strncmp(text, "DICT_", 5);
		r->manager_enum = kind;
		Py_XDECREF(name);
	}
	PyErr_Clear();
	return kind && r->items;
}

static void new_place(struct record_reader *r, int parent, long item)
{
	r->place = mem_grow(r->place, &r->cap, (size_t)r->n + 1, sizeof(*r->place));
	r->place[r->n] = (struct place){ .parent = parent,
					 .child = -1,
					 .last = -1,
					 .next = -1,
					 .leaf = -1,
					 .leaf_last = -1,
					 .depth = parent < 0 ? 0 : r->place[parent].depth + 1,
					 .item = item };
	if (parent >= 0)
		keep_place(r, parent, r->n);
	r->n++;
}

/* ---- leaves ------------------------------------------------------------------------------------------------- */

static bool has_kind(const struct record_reader *r, int node, const struct maker *m)
{
	int i;

	for (i = r->place[node].leaf; i >= 0; i = r->leaf[i].next)
		if (r->maker[i] == m)
			return true;
	return false;
}

static bool add_leaf_at(struct record_reader *r, int node, const struct maker *m, PyObject *row)
{
	struct place *p = &r->place[node];
	PyObject *source = PyTuple_GET_ITEM(row, ROW_SOURCE);
	bool own = node && !m->epilogue && !m->relation && PyUnicode_Check(source) && PyUnicode_GET_LENGTH(source);

	if (m->implied && p->items)
		return true;
	if (!m->many && has_kind(r, node, m))
		return m->once;
	r->leaf = mem_grow(r->leaf, &r->leaves_cap, (size_t)r->nleaves + 1, sizeof(*r->leaf));
	r->maker = mem_grow(r->maker, &r->makers_cap, (size_t)r->nleaves + 1, sizeof(*r->maker));
	r->maker[r->nleaves] = m;
	r->leaf[r->nleaves] = (struct recorded_leaf){ .kind = m->kind,
						      .source = own ? source : NULL,
						      .parts = guard_recorded_texts(PyTuple_GET_ITEM(row, ROW_ARGS)),
						      .depth = p->depth,
						      .epilogue = m->epilogue,
						      .next = -1 };
	if (p->leaf < 0)
		p->leaf = r->nleaves;
	else
		r->leaf[p->leaf_last].next = r->nleaves;
	p->leaf_last = r->nleaves++;
	return true;
}

/* A guard on several nodes is a leaf of each of them. */
static bool add_relation(struct record_reader *r, const struct maker *m, PyObject *row)
{
	PyObject *args = PyTuple_GET_ITEM(row, ROW_ARGS), *v, *mark;
	Py_ssize_t i, k;
	long node;

	for (i = 0; i < PyTuple_GET_SIZE(args); i++) {
		v = PyTuple_GET_ITEM(args, i);
		mark = PyTuple_Check(v) && PyTuple_GET_SIZE(v) ? PyTuple_GET_ITEM(v, 0) : NULL;
		if (!mark || !PyUnicode_Check(mark) || PyUnicode_READ_CHAR(mark, 0) != 1)
			continue;
		for (k = 1; k < PyTuple_GET_SIZE(v); k++) {
			node = PyLong_AsLong(PyTuple_GET_ITEM(v, k));
			if (node < 0 || node >= r->n || !add_leaf_at(r, (int)node, m, row))
				return false;
		}
	}
	return true;
}

static bool read_row(struct record_reader *r, PyObject *row)
{
	const struct maker *m = row_maker(r, row);
	int node = row_int(row, ROW_NODE), made = row_int(row, ROW_RESULT);
	long item;

	if (m->relation)
		return add_relation(r, m, row);
	if (node < 0 || node >= r->n)
		return false;
	if (m->method)
		return add_leaf_at(r, node, m, row);
	if (made < 0) /* it changes a flag of the node, or adds a guard of an unknown kind */
		return PyUnicode_READ_CHAR(r->name, 0) == 'm';
	item = made == r->n ? item_order(row) : -1;
	if (made == r->n && item > -2)
		new_place(r, node, item);
	if (made == r->n - 1)
		r->place[made].items = makes_items(r, PyTuple_GET_ITEM(row, ROW_NAMED));
	return made < r->n;
}

/* ---- the order of the tree ---------------------------------------------------------------------------------- */

/* Guards on several values are in the tree once for each value, and counted once. */
static bool counted_before(struct record_reader *r, int i, PyObject *seen)
{
	PyObject *key;
	int known = 0;

	if (!r->maker[i]->relation || !r->leaf[i].parts)
		return false;
	key = PySequence_Tuple(r->leaf[i].parts);
	known = key ? PySet_Contains(seen, key) : 0;
	if (key && !known)
		PySet_Add(seen, key);
	Py_XDECREF(key);
	PyErr_Clear();
	return known > 0;
}

static int leaf_in_order(struct record_reader *r, PyObject *seen, struct recorded_leaf *out)
{
	int at = 0, i, n = 0;

	while (at >= 0) {
		for (i = r->place[at].leaf; i >= 0; i = r->leaf[i].next)
			if (!r->leaf[i].epilogue && !counted_before(r, i, seen))
				out[n++] = r->leaf[i];
		if (r->place[at].child >= 0) {
			at = r->place[at].child;
			continue;
		}
		while (at >= 0 && r->place[at].next < 0)
			at = r->place[at].parent;
		at = at < 0 ? -1 : r->place[at].next;
	}
	for (i = r->place[0].leaf; i >= 0; i = r->leaf[i].next)
		if (r->leaf[i].epilogue)
			out[n++] = r->leaf[i];
	return n;
}

int guards_recorded(PyObject *record, struct recorded_leaf **leaves, int *at_root)
{
	struct record_reader r = { .n = 0, .enum_key = PyUnicode_InternFromString("guard_manager_enum") };
	PyObject *seen = PySet_New(NULL);
	Py_ssize_t i;
	bool known = seen && r.enum_key;
	int n = -1, at;

	new_place(&r, -1, -1);
	for (i = 0; known && i < PyList_GET_SIZE(record); i++)
		known = read_row(&r, PyList_GET_ITEM(record, i));
	if (known) {
		*leaves = mem_alloc((size_t)r.nleaves * sizeof(**leaves) + 1);
		n = leaf_in_order(&r, seen, *leaves);
		for (*at_root = 0, at = r.place[0].leaf; at >= 0; at = r.leaf[at].next)
			++*at_root;
	}
	PyErr_Clear();
	Py_XDECREF(r.enum_key);
	Py_XDECREF(seen);
	free(r.place);
	free(r.leaf);
	free(r.maker);
	return n;
}
