/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the calls by which Dynamo builds an entry's guards while it compiles, so that replay.c can build the same
   guards again.  Tensors are replaced by stand-ins without elements.  Knows no command. */
#include "edit/dynamo_edit.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "model/compiling.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <string.h>

static PyObject *patched; /* owned list of (owner, name, original, ours); NULL: nothing is recorded */
static PyObject *shared;  /* owned dict: the stand-ins that all records share, by their properties */
static _Thread_local int paused;

/* C holds a record, so the garbage collector can free no part of it; containers that belong to the record alone need
   not be visited by each collection, nor count as objects of the program.  Returns v. */
static PyObject *untrack(PyObject *v)
{
	if (v && PyObject_GC_IsTracked(v))
		PyObject_GC_UnTrack(v);
	return v;
}

/* ---- noting ------------------------------------------------------------------------------------------------- */

/* self is (name, original).  The call itself is not changed; if it cannot be recorded, the record ends. */
static PyObject *noted(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *r = PyObject_Vectorcall(PyTuple_GET_ITEM(self, 1), args, (size_t)n, names), *list, *named, *row;
	struct compiling *c = r && !paused ? compiling_top() : NULL;
	Py_ssize_t i, k = names ? PyTuple_GET_SIZE(names) : 0;

	if (!c || !c->parts.calls)
		return r;
	list = PyTuple_New(n);
	named = k ? PyDict_New() : Py_NewRef(Py_None);
	for (i = 0; list && i < n; i++)
		PyTuple_SET_ITEM(list, i, Py_NewRef(args[i]));
	for (i = 0; named && i < k; i++)
		PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[n + i]);
	row = list && named ? PyTuple_Pack(4, PyTuple_GET_ITEM(self, 0), list, named, r) : NULL;
	if (!row || PyList_Append(c->parts.calls, row) < 0) {
		PyErr_Clear();
		Py_CLEAR(c->parts.calls);
	}
	Py_XDECREF(row);
	Py_XDECREF(named);
	Py_XDECREF(list);
	return r;
}

static PyMethodDef noted_def = { "cdbg_noted", (PyCFunction)(void (*)(void))noted, METH_FASTCALL | METH_KEYWORDS,
				 NULL };

static void record_patch(PyObject *owner, PyObject *name, PyObject *original, bool method)
{
	PyObject *callable = method && PyInstanceMethod_Check(original) ? PyInstanceMethod_GET_FUNCTION(original) :
									  original;
	PyObject *self = untrack(PyTuple_Pack(2, name, callable)),
		 *fn = self ? PyCFunction_New(&noted_def, self) : NULL;
	PyObject *ours = fn && method ? PyInstanceMethod_New(fn) : Py_XNewRef(fn), *row = NULL;

	if (ours)
		row = untrack(PyTuple_Pack(4, owner, name, original, ours));
	if (row && PyObject_SetAttr(owner, name, ours) == 0)
		PyList_Append(patched, row);
	PyErr_Clear();
	Py_XDECREF(row);
	Py_XDECREF(ours);
	Py_XDECREF(fn);
	Py_XDECREF(self);
}

static void patch_class(enum attr_id id)
{
	PyObject *cls = attrs_get(id), *dict = cls ? PyObject_GetAttrString(cls, "__dict__") : NULL;
	PyObject *items = dict ? PyMapping_Items(dict) : NULL, *name;
	const char *s;
	Py_ssize_t i;

	for (i = 0; items && i < PyList_GET_SIZE(items); i++) {
		name = PyTuple_GET_ITEM(PyList_GET_ITEM(items, i), 0);
		s = PyUnicode_AsUTF8(name);
		if (s &&
		    (!strncmp(s, "add_", 4) || py_text_ends_with(s, "_manager") || !strncmp(s, "mark_tag_safe", 13)) &&
		    strcmp(s, "clone_manager"))
			record_patch(cls, name, PyTuple_GET_ITEM(PyList_GET_ITEM(items, i), 1), true);
	}
	PyErr_Clear();
	Py_XDECREF(items);
	Py_XDECREF(dict);
	Py_XDECREF(cls);
}

static void patch_functions(void)
{
	PyObject *name = PyUnicode_FromString("torch._dynamo.guards"), *m = name ? PyImport_GetModule(name) : NULL;
	PyObject *items = m ? PyMapping_Items(PyModule_GetDict(m)) : NULL, *key, *v;
	const char *s;
	Py_ssize_t i;

	for (i = 0; items && i < PyList_GET_SIZE(items); i++) {
		key = PyTuple_GET_ITEM(PyList_GET_ITEM(items, i), 0);
		v = PyTuple_GET_ITEM(PyList_GET_ITEM(items, i), 1);
		s = PyUnicode_AsUTF8(key);
		if (s && PyCFunction_Check(v) && !strncmp(s, "install_", 8) && py_text_ends_with(s, "_guard"))
			record_patch(m, key, v, false);
	}
	PyErr_Clear();
	Py_XDECREF(items);
	Py_XDECREF(m);
	Py_XDECREF(name);
}

void record_pause(bool on)
{
	paused += on ? 1 : -1;
}

void record_stop(void)
{
	PyObject *row, *there;
	Py_ssize_t i;

	for (i = patched ? PyList_GET_SIZE(patched) : 0; i; i--) {
		row = PyList_GET_ITEM(patched, i - 1);
		there = PyObject_GetAttr(PyTuple_GET_ITEM(row, 0), PyTuple_GET_ITEM(row, 1));
		PyErr_Clear();
		if (PyModule_Check(PyTuple_GET_ITEM(row, 0)) ? there == PyTuple_GET_ITEM(row, 3) : there != NULL)
			PyObject_SetAttr(PyTuple_GET_ITEM(row, 0), PyTuple_GET_ITEM(row, 1), PyTuple_GET_ITEM(row, 2));
		PyErr_Clear();
		Py_XDECREF(there);
	}
	Py_CLEAR(patched);
	Py_CLEAR(shared);
}

void record_switch(struct session *s)
{
	bool on = host->talk.option_number("guard-record") != 0;

	(void)s;
	if (!on || !attrs_have(ATTR_TREE_ROOT)) {
		record_stop();
		return;
	}
	if (patched)
		return;
	patched = PyList_New(0);
	shared = PyDict_New();
	patch_class(ATTR_TREE_ROOT);
	patch_class(ATTR_TREE_NODE);
	patch_class(ATTR_TREE_DICT);
	patch_functions();
}

PyObject *record_begin(void)
{
	PyObject *list = patched ? PyList_New(0) : NULL;

	PyErr_Clear();
	return list;
}

/* ---- keeping ------------------------------------------------------------------------------------------------ */

/* The state of one record while it is made. */
struct keeping {
	PyObject *nodes;	 /* owned: address of a manager -> its number */
	PyObject *made;		 /* owned: stand-ins of this record alone */
	PyObject *node, *tensor; /* owned classes */
};

/* The nodes of this tree by address.  A child manager keeps its address as long as its root lives. */
static Py_ssize_t node_of(PyObject *nodes, PyObject *manager, bool add)
{
	PyObject *key = PyLong_FromVoidPtr(manager), *at = key ? PyDict_GetItemWithError(nodes, key) : NULL, *v;
	Py_ssize_t i = at ? PyLong_AsSsize_t(at) : -1;

	if (!at && add && key) {
		i = PyDict_GET_SIZE(nodes);
		v = PyLong_FromSsize_t(i);
		if (!v || PyDict_SetItem(nodes, key, v) < 0)
			i = -1;
		Py_XDECREF(v);
	}
	PyErr_Clear();
	Py_XDECREF(key);
	return i;
}

/* An argument that is kept as it is; a list is copied. */
static PyObject *keep_arg(PyObject *v)
{
	return PyList_CheckExact(v) ? untrack(PySequence_List(v)) : Py_NewRef(v);
}

/* Managers among arguments become ("node", i), lists of them ("nodes", i, ...).  NULL: one is not part of the tree. */
static PyObject *number_arg(struct keeping *k, PyObject *v)
{
	Py_ssize_t i, n, at;
	PyObject *out, *m;

	if (PyObject_TypeCheck(v, (PyTypeObject *)k->node)) {
		at = node_of(k->nodes, v, false);
		return at < 0 ? NULL : Py_BuildValue("(sn)", "\1node", at);
	}
	n = PyList_Check(v) ? PyList_GET_SIZE(v) : 0;
	if (!n || !PyObject_TypeCheck(PyList_GET_ITEM(v, 0), (PyTypeObject *)k->node))
		return keep_arg(v);
	out = PyTuple_New(n + 1);
	if (out)
		PyTuple_SET_ITEM(out, 0, PyUnicode_FromString("\1nodes"));
	for (i = 0; out && i < n; i++) {
		m = PyList_GET_ITEM(v, i);
		at = node_of(k->nodes, m, false);
		if (at < 0)
			Py_CLEAR(out);
		else
			PyTuple_SET_ITEM(out, i + 1, PyLong_FromSsize_t(at));
	}
	return out;
}

/* The stand-in for values with this key; a function of edit.py makes it if there is none yet.  Takes the key. */
static PyObject *standin_of(PyObject *made, PyObject *key, const char *maker, PyObject *v)
{
	PyObject *s = key ? Py_XNewRef(PyDict_GetItemWithError(made, key)) : NULL;

	if (!s && !PyErr_Occurred() && (s = edit_call(maker, v, NULL, NULL)) && key)
		PyDict_SetItem(made, key, s);
	Py_XDECREF(key);
	return s;
}

/* A class of the program must not be kept alive: its stand-ins belong to this record alone. */
static PyObject *tensor_standin(struct keeping *k, PyObject *v)
{
	PyObject *dtype = attr(v, "dtype"), *device = attr(v, "device");
	PyObject *grad = attr(v, "requires_grad"), *key = NULL, *t;

	if (dtype && device && grad)
		key = PyTuple_Pack(4, Py_TYPE(v), dtype, device, grad);
	t = standin_of(shared && (PyObject *)Py_TYPE(v) == k->tensor ? shared : k->made, key, "tensor", v);
	Py_XDECREF(grad);
	Py_XDECREF(device);
	Py_XDECREF(dtype);
	return t;
}

static bool is_plain_value(PyObject *v)
{
	PyTypeObject *t = Py_TYPE(v);

	return t == &PyLong_Type || t == &PyFloat_Type || t == &PyBool_Type || t == &PyUnicode_Type || v == Py_None ||
	       t == &PyBytes_Type || t == &PyComplex_Type || v == Py_Ellipsis;
}

/* What replaces the value that a node is built from: edit.py makes it for containers and tensors; otherwise a weak
   reference where that is possible. */
static PyObject *standin(struct keeping *k, PyObject *v)
{
	PyObject *s;

	if (is_plain_value(v))
		return Py_NewRef(v);
	if (PyType_IsSubtype(Py_TYPE(v), (PyTypeObject *)k->tensor))
		return tensor_standin(k, v);
	if (shared && (PyDict_CheckExact(v) || PyTuple_CheckExact(v) || PyList_CheckExact(v)))
		return standin_of(shared, Py_BuildValue("(On)", Py_TYPE(v), PyObject_Size(v)), "standin", v);
	if (PyDict_Check(v) || PyTuple_Check(v) || PyList_CheckExact(v) || PyAnySet_Check(v))
		return edit_call("standin", v, NULL, NULL);
	s = PyWeakref_NewRef(v, NULL);
	if (s)
		return s;
	PyErr_Clear();
	return Py_NewRef(v);
}

/* The arguments without the manager itself.  They keep no object of the program alive that Dynamo does not keep
   alive, too. */
static PyObject *clean_args(struct keeping *k, const char *method, PyObject *args)
{
	Py_ssize_t n = PyTuple_GET_SIZE(args), i;
	PyObject *out = PyTuple_New(n - 1), *v, *kept;
	bool tensor = !strcmp(method, "add_tensor_match_guard"), keys = !strcmp(method, "add_mapping_keys_guard");

	for (i = 1; out && i < n; i++) {
		v = PyTuple_GET_ITEM(args, i);
		if (i == 1 && (tensor || keys))
			kept = tensor ? tensor_standin(k, v) : edit_call("keys", v, NULL, NULL);
		else
			kept = tensor && PyList_Check(v) ? untrack(PySequence_List(v)) : keep_arg(v);
		if (!kept)
			Py_CLEAR(out);
		else
			PyTuple_SET_ITEM(out, i - 1, kept);
	}
	return untrack(out);
}

static PyObject *clean_named(struct keeping *k, PyObject *named)
{
	PyObject *out, *v, *kept;

	v = named == Py_None ? NULL : PyDict_GetItemString(named, "example_value");
	if (!v)
		return Py_NewRef(named);
	out = PyDict_Copy(named);
	kept = out ? standin(k, v) : NULL;
	if (out && (!kept || PyDict_SetItemString(out, "example_value", kept) < 0))
		Py_CLEAR(out);
	Py_XDECREF(kept);
	return out;
}

/* The row for one call on a node of the tree; NULL without an exception: the node belongs to another tree. */
static PyObject *keep_method(struct keeping *k, PyObject *call)
{
	PyObject *name = PyTuple_GET_ITEM(call, 0), *args = PyTuple_GET_ITEM(call, 1), *r = PyTuple_GET_ITEM(call, 3);
	PyObject *manager = PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : NULL, *out = NULL, *list;
	PyObject *named, *source;
	Py_ssize_t node = manager ? node_of(k->nodes, manager, false) : -1, result = -1;
	bool makes = PyObject_TypeCheck(r, (PyTypeObject *)k->node);

	if (node < 0)
		return NULL;
	if (makes)
		result = node_of(k->nodes, r, true);
	list = clean_args(k, PyUnicode_AsUTF8(name), args);
	named = list ? clean_named(k, PyTuple_GET_ITEM(call, 2)) : NULL;
	source = makes ? Py_NewRef(Py_None) : PyObject_CallMethod(manager, "get_source", NULL);
	if (list && named && source)
		out = untrack(Py_BuildValue("(nOOOnO)", node, name, list, untrack(named), result, source));
	else if (!PyErr_Occurred())
		PyErr_SetString(PyExc_RuntimeError, "no record");
	Py_XDECREF(source);
	Py_XDECREF(named);
	Py_XDECREF(list);
	return out;
}

static PyObject *keep_function(struct keeping *k, PyObject *call)
{
	PyObject *args = PyTuple_GET_ITEM(call, 1), *list = PyTuple_New(PyTuple_GET_SIZE(args)), *v, *out = NULL;
	Py_ssize_t i;

	for (i = 0; list && i < PyTuple_GET_SIZE(args); i++) {
		v = number_arg(k, PyTuple_GET_ITEM(args, i));
		if (!v)
			Py_CLEAR(list);
		else
			PyTuple_SET_ITEM(list, i, v);
	}
	if (list)
		out = untrack(Py_BuildValue("(nOOOns)", (Py_ssize_t)-1, PyTuple_GET_ITEM(call, 0), untrack(list),
					    untrack(PyTuple_GET_ITEM(call, 2)), (Py_ssize_t)-1, ""));
	Py_XDECREF(list);
	return out;
}

PyObject *record_finish(PyObject *calls, PyObject *manager)
{
	struct keeping k = {
		.nodes = PyDict_New(),
		.made = PyDict_New(),
		.node = attrs_get(ATTR_TREE_NODE),
		.tensor = attrs_get(ATTR_TENSOR),
	};
	PyObject *root = PyObject_GetAttrString(manager, "root"), *call, *row, *out = NULL;
	const char *name;
	Py_ssize_t i;

	record_pause(true);
	if (root && k.nodes && k.made && k.node && k.tensor && PyList_GET_SIZE(calls))
		out = untrack(PyList_New(0));
	if (out)
		node_of(k.nodes, root, true);
	for (i = 0; out && i < PyList_GET_SIZE(calls); i++) {
		call = PyList_GET_ITEM(calls, i);
		name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(call, 0));
		row = name && !strncmp(name, "install_", 8) ? keep_function(&k, call) : keep_method(&k, call);
		if ((row && PyList_Append(out, row) < 0) || PyErr_Occurred())
			Py_CLEAR(out);
		Py_XDECREF(row);
	}
	if (out && !PyList_GET_SIZE(out))
		Py_CLEAR(out);
	PyErr_Clear();
	record_pause(false);
	Py_XDECREF(k.tensor);
	Py_XDECREF(k.node);
	Py_XDECREF(k.made);
	Py_XDECREF(k.nodes);
	Py_XDECREF(root);
	return out;
}

/* Finds rows of a record: the call that made a guard, and the nodes that can have guards of a kind. */

static bool says(PyObject *args, const struct guard *g)
{
	PyObject *parts = guard_recorded_texts(args);
	struct buf text = { 0 };
	bool yes;

	if (!parts)
		return false;
	guard_parts(parts, &text, NULL);
	yes = !strcmp(buf_str(&text), g->text);
	buf_release(&text);
	return yes;
}

static bool is_whole(const char *method)
{
	return !strncmp(method, "install_", 8);
}

static void index_row(PyObject *index, PyObject *key, Py_ssize_t i)
{
	PyObject *list = PyDict_GetItemWithError(index, key), *number = PyLong_FromSsize_t(i);

	Py_XINCREF(list);
	if (!list && (list = PyList_New(0)))
		PyDict_SetItem(index, key, list);
	if (list && number)
		PyList_Append(list, number);
	Py_XDECREF(number);
	Py_XDECREF(list);
}

PyObject *record_index(PyObject *record)
{
	PyObject *index = PyDict_New(), *row, *source;
	const char *method;
	Py_ssize_t i;

	for (i = 0; index && i < PyList_GET_SIZE(record); i++) {
		row = PyList_GET_ITEM(record, i);
		method = PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, ROW_METHOD));
		source = PyTuple_GET_ITEM(row, ROW_SOURCE);
		if (!method || source == Py_None || (!is_whole(method) && strncmp(method, "add_", 4)))
			continue;
		index_row(index, is_whole(method) ? Py_None : source, i);
		if (!is_whole(method) && record_index_node(row) == 0)
			index_row(index, Py_True, i);
	}
	PyErr_Clear();
	return index;
}

PyObject *record_index_rows(PyObject *index, const char *source)
{
	PyObject *key = !source ? Py_NewRef(Py_None) : *source ? PyUnicode_FromString(source) : Py_NewRef(Py_True);
	PyObject *list = index && key ? PyDict_GetItemWithError(index, key) : NULL;

	PyErr_Clear();
	Py_XDECREF(key);
	return list;
}

static int alike_before(const struct guard *g)
{
	int n, i, before = 0;
	const struct guard *const *same = guards_about(g->entry, g->source, &n);

	for (i = 0; i < n && same[i] != g; i++)
		before += !strcmp(same[i]->text, g->text);
	return before;
}

static Py_ssize_t row_at(PyObject *list, Py_ssize_t i)
{
	return list && i < PyList_GET_SIZE(list) ? PyLong_AsSsize_t(PyList_GET_ITEM(list, i)) : PY_SSIZE_T_MAX;
}

/* A guard is identified by its kind, its value and its text; equal ones by their order. */
Py_ssize_t record_index_find(PyObject *record, PyObject *index, const struct guard *g)
{
	PyObject *own = record_index_rows(index, g->source), *wholes = record_index_rows(index, NULL), *row;
	Py_ssize_t i = 0, k = 0, at;
	int before = alike_before(g);
	const char *method;

	for (; (at = row_at(own, i)) != PY_SSIZE_T_MAX || row_at(wholes, k) != PY_SSIZE_T_MAX;) {
		if (row_at(wholes, k) < at)
			at = row_at(wholes, k++);
		else
			i++;
		row = PyList_GET_ITEM(record, at);
		method = PyUnicode_AsUTF8(PyTuple_GET_ITEM(row, ROW_METHOD));
		if (g->epilogue == !!strstr(method, "epilogue") && says(PyTuple_GET_ITEM(row, ROW_ARGS), g) &&
		    (is_whole(method) || before-- == 0))
			return at;
	}
	PyErr_Clear();
	return -1;
}

Py_ssize_t record_index_node(PyObject *row)
{
	return PyLong_AsSsize_t(PyTuple_GET_ITEM(row, ROW_NODE));
}

bool record_index_takes_lambdas(PyObject *record, Py_ssize_t node)
{
	PyObject *row, *named, *kind, *name;
	const char *text;
	Py_ssize_t i;
	bool takes = true;

	for (i = 0; i < PyList_GET_SIZE(record); i++) {
		row = PyList_GET_ITEM(record, i);
		named = PyTuple_GET_ITEM(row, ROW_NAMED);
		if (named == Py_None || PyLong_AsSsize_t(PyTuple_GET_ITEM(row, ROW_RESULT)) != node)
			continue;
		kind = PyDict_GetItemString(named, "guard_manager_enum");
		name = kind ? PyObject_GetAttrString(kind, "name") : NULL;
		text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
		takes = !text || strncmp(text, "DICT_", 5);
		Py_XDECREF(name);
		break;
	}
	PyErr_Clear();
	return takes;
}
