/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the guards of an entry as its overrides require: the tree again from its record, without the dropped
   guards and with the added ones.  Counts the calls that only an override let in.  Knows no command and no cache. */
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "edit/rebuild.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "guards/guard_tree.h"
#include "model/entry.h"
#include "model/func.h"
#include <stdlib.h>

enum { COUNTED = 16 }; /* the most dropped guards of an entry whose effect is counted: each costs a call */

static bool applies_to(const struct override *o, const struct entry *e)
{
	return o->entry == e && !o->undone && !o->dead;
}

/* ---- calls that only an override let in ---------------------------------------------------------------------- */

struct counter {
	PyObject *check; /* owned: the dropped guard itself */
	bool missed;	 /* in the current lookup */
	long served;
};

static struct counter *counter_of(PyObject *capsule)
{
	return PyCapsule_GetPointer(capsule, "cdbg.counter");
}

static void counter_free(PyObject *capsule)
{
	struct counter *c = counter_of(capsule);

	Py_XDECREF(c->check);
	free(c);
}

/* Replaces the guard: always passes, and notes whether the guard would have failed. */
static PyObject *would_miss(PyObject *self, PyObject *value)
{
	struct counter *c = counter_of(self);
	PyObject *r = PyObject_CallOneArg(c->check, value);

	c->missed = r != Py_True;
	PyErr_Clear();
	Py_XDECREF(r);
	Py_RETURN_TRUE;
}

/* The last guard: now the entry serves this call, unless the call only inserts another entry. self: a tuple of
   counters. */
static PyObject *serves(PyObject *self, PyObject *locals)
{
	struct counter *c;
	Py_ssize_t i;

	(void)locals;
	for (i = 0; i < PyTuple_GET_SIZE(self); i++) {
		c = counter_of(PyTuple_GET_ITEM(self, i));
		c->served += c->missed && !condition_tried() && !insert_call_running();
		c->missed = false;
	}
	return PyBool_FromLong(!insert_call_running());
}

static PyMethodDef would_miss_def = { "cdbg_would_miss", would_miss, METH_O, NULL };
static PyMethodDef serves_def = { "cdbg_serves", serves, METH_O, NULL };

long rebuild_served(const struct override *o)
{
	return o->kept.counter ? counter_of(o->kept.counter)->served : -1;
}

/* NULL without an exception: this guard cannot be evaluated alone. */
static PyObject *counter_new(PyObject *row)
{
	PyObject *root = replay_one(PyTuple_GET_ITEM(row, ROW_METHOD), PyTuple_GET_ITEM(row, ROW_ARGS));
	PyObject *check = root ? PyObject_GetAttrString(root, "check") : NULL;
	PyObject *capsule = NULL;
	struct counter *c;

	if (check) {
		c = mem_alloc(sizeof(*c));
		c->check = check;
		capsule = PyCapsule_New(c, "cdbg.counter", counter_free);
	}
	PyErr_Clear();
	Py_XDECREF(root);
	return capsule;
}

/* ---- calls that put a function into a tree ------------------------------------------------------------------ */

static int add_to(PyObject *root, PyObject *call)
{
	PyObject *fn = call ? PyObject_GetAttr(root, PyTuple_GET_ITEM(call, 0)) : NULL;
	PyObject *r = fn ? PyObject_Call(fn, PyTuple_GET_ITEM(call, 1), NULL) : NULL;

	Py_XDECREF(r);
	Py_XDECREF(fn);
	Py_XDECREF(call);
	return r ? 0 : -1;
}

static PyObject *lambda_call(PyObject *fn, const char *text, bool behind)
{
	const char *method = behind ? "add_epilogue_lambda_guard" : "add_lambda_guard";
	PyObject *args = fn ? edit_lambda_args(fn, text) : NULL;

	return args ? Py_BuildValue("(sN)", method, args) : NULL;
}

static PyObject *holds_not(PyObject *self, PyObject *value)
{
	(void)self;
	(void)value;
	Py_RETURN_FALSE;
}

static PyMethodDef holds_not_def = { "cdbg_holds_not", holds_not, METH_O, NULL };

/* Does this value pass the edited guard? */
static bool rebuild_passes(const struct override *o, PyObject *value)
{
	PyObject *call, *root, *r;
	Py_ssize_t i;
	bool holds = true;

	for (i = 0; holds && i < PyList_GET_SIZE(o->kept.check); i++) {
		call = PyList_GET_ITEM(o->kept.check, i);
		root = replay_one(PyTuple_GET_ITEM(call, 0), PyTuple_GET_ITEM(call, 1));
		r = root ? PyObject_CallMethod(root, "check", "O", value) : NULL;
		holds = r == Py_True;
		PyErr_Clear();
		Py_XDECREF(r);
		Py_XDECREF(root);
	}
	return holds;
}

bool rebuild_guard_passes(int guard, PyObject *value)
{
	return rebuild_passes(override_on(guard), value);
}

/* ---- with a record -------------------------------------------------------------------------------------------- */

/* The calls that replace the one that built the override's guard: a new list. */
static PyObject *instead(struct override *o, const struct guard *g, PyObject *row, int counted)
{
	PyObject *list = o->kind == OVERRIDE_EDIT ? PySequence_List(o->kept.check) : PyList_New(0), *fn, *call;
	bool off = o->kind == OVERRIDE_DROP || o->kind == OVERRIDE_EDIT || o->value;

	if (off && !o->kept.counter && counted < COUNTED && record_index_node(row) >= 0 &&
	    record_index_takes_lambdas(g->entry->edit.record, record_index_node(row)))
		o->kept.counter = counter_new(row);
	if (list && off && o->kept.counter) {
		fn = PyCFunction_New(&would_miss_def, o->kept.counter);
		call = lambda_call(fn, "counted by the debugger", g->epilogue);
		if (call)
			PyList_Append(list, call);
		Py_XDECREF(call);
		Py_XDECREF(fn);
	}
	return list;
}

static void put_edit(PyObject *edits, Py_ssize_t i, PyObject *list)
{
	PyObject *key = PyLong_FromSsize_t(i);

	if (list && key)
		PyDict_SetItem(edits, key, list);
	Py_XDECREF(key);
}

/* Dynamo adds some guards more than once, and its trees keep the first of a kind only: the other calls must be left
   out, too. */
static void put_others_out(PyObject *edits, PyObject *record, PyObject *index, Py_ssize_t i, const struct guard *g)
{
	PyObject *row = PyList_GET_ITEM(record, i), *rows = record_index_rows(index, g->source), *other, *nothing;
	int alike = 0, j, n;
	const struct guard *const *same = guards_about(g->entry, g->source, &n);
	Py_ssize_t k, at;

	for (j = 0; j < n; j++)
		alike += same[j]->kind == g->kind;
	for (k = 0; alike == 1 && record_index_node(row) >= 0 && rows && k < PyList_GET_SIZE(rows); k++) {
		at = PyLong_AsSsize_t(PyList_GET_ITEM(rows, k));
		other = PyList_GET_ITEM(record, at);
		if (at == i || record_index_node(other) != record_index_node(row) ||
		    PyUnicode_Compare(PyTuple_GET_ITEM(other, ROW_METHOD), PyTuple_GET_ITEM(row, ROW_METHOD)))
			continue;
		nothing = PyList_New(0);
		put_edit(edits, at, nothing);
		Py_XDECREF(nothing);
	}
}

static PyObject *edits_of(struct entry *e, struct err *err)
{
	PyObject *edits = PyDict_New(), *index = record_index(e->edit.record), *list;
	const struct guard *g;
	struct override *o;
	int counted = 0;
	Py_ssize_t i;

	for (o = ledger; edits && o; o = o->next) {
		if (!applies_to(o, e) || !o->guard)
			continue;
		g = guards_numbered(o->guard);
		i = g ? record_index_find(e->edit.record, index, g) : -1;
		if (i < 0) {
			err_set(err, "guard %d is not in the record of entry %s", o->guard, e->id);
			Py_CLEAR(edits);
			break;
		}
		list = instead(o, g, PyList_GET_ITEM(e->edit.record, i), counted);
		counted += o->kept.counter != NULL;
		put_edit(edits, i, list);
		put_others_out(edits, e->edit.record, index, i, g);
		Py_XDECREF(list);
	}
	Py_XDECREF(index);
	return edits;
}

PyObject *rebuild_without(struct entry *e, const struct guard *const *g, int n, struct err *err)
{
	PyObject *edits = PyDict_New(), *index = e->edit.record ? record_index(e->edit.record) : NULL, *nothing,
		 *root = NULL;
	Py_ssize_t at = index ? 0 : -1;
	int i;

	for (i = 0; at >= 0 && i < n; i++) {
		at = record_index_find(e->edit.record, index, g[i]);
		nothing = at >= 0 ? PyList_New(0) : NULL;
		put_edit(edits, at, nothing);
		if (nothing)
			put_others_out(edits, e->edit.record, index, at, g[i]);
		Py_XDECREF(nothing);
	}
	if (at >= 0)
		root = replay_all(e->edit.record, edits, err);
	PyErr_Clear();
	Py_XDECREF(index);
	Py_XDECREF(edits);
	return root;
}

/* ---- without: whole nodes can be left out --------------------------------------------------------------------- */

static PyObject *keep_node(PyObject *self, PyObject *node)
{
	PyObject *source = guards_call(node, "get_source");
	int out = source ? PySet_Contains(self, source) : 0;

	PyErr_Clear();
	Py_XDECREF(source);
	return PyBool_FromLong(out <= 0);
}

static PyMethodDef keep_def = { "cdbg_keep", keep_node, METH_O, NULL };

/* Without a record only all guards of a value can be removed.  Collects those values, and checks that the edit
   covers all guards on each of them and on what is reached through it. */
static int whole_values(struct entry *e, struct sources *out, struct err *err)
{
	const struct guard *g;
	struct override *o;
	const char *source;
	int i, n;

	for (o = ledger; o; o = o->next) {
		g = applies_to(o, e) && o->guard ? guards_numbered(o->guard) : NULL;
		if (!g)
			continue;
		if (o->kind == OVERRIDE_EDIT)
			return err_set(err,
				       "cannot edit the guards of entry %s: it has no record of how they were "
				       "built ('set guard-record on' before it compiles)",
				       e->id);
		if (g->epilogue || !*g->source)
			return err_set(err,
				       "cannot edit guard %d: it is not about one value, and entry %s has no "
				       "record of how its guards were built ('set guard-record on' before it "
				       "compiles)",
				       g->number, e->id);
		sources_add(out, g->source);
	}
	for (i = 0; i < e->guard.leaves->n; i++) {
		g = &e->guard.leaves->guard[i];
		source = override_on(g->number) ? NULL : sources_in(out, g->source);
		if (source)
			return err_set(err,
				       "cannot drop single guards of entry %s, which has no record of how they "
				       "were built: 'guard drop -r %d' drops all of %s",
				       e->id, guards_about(e, source, &n)[0]->number, source);
	}
	return 0;
}

static PyObject *clone_without(struct entry *e, PyObject *manager, struct err *err)
{
	PyObject *out = PySet_New(NULL), *root = PyObject_GetAttrString(manager, "root"), *keep, *source, *r = NULL;
	struct sources values = { 0 };
	const struct guard *g;
	struct override *o;
	int ret = whole_values(e, &values, err);

	for (o = ledger; ret == 0 && o; o = o->next) {
		g = applies_to(o, e) && o->guard ? guards_numbered(o->guard) : NULL;
		source = g ? PyUnicode_FromString(g->source) : NULL;
		if (source)
			PySet_Add(out, source);
		Py_XDECREF(source);
	}
	keep = out ? PyCFunction_New(&keep_def, out) : NULL;
	if (ret == 0 && root && keep)
		r = PyObject_CallMethod(root, "clone_manager", "O", keep);
	if (ret == 0 && !r)
		err_set(err, "this version of torch does not allow copying the guards of entry %s", e->id);
	PyErr_Clear();
	sources_release(&values);
	Py_XDECREF(keep);
	Py_XDECREF(root);
	Py_XDECREF(out);
	return r;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

/* Conditions are added after all other guards, so that values already have the expected types; counters
   come last. */
static int add_own(struct entry *e, PyObject *root)
{
	PyObject *counters = PyList_New(0), *self, *fn;
	struct override *o;
	int ret = counters ? 0 : -1;

	for (o = ledger; ret == 0 && o; o = o->next) {
		if (!applies_to(o, e))
			continue;
		if (o->kind == OVERRIDE_ADD) {
			ret = add_to(root, lambda_call(o->kept.check, o->text, true));
		} else if (o->kind == OVERRIDE_FORCE && !o->value) {
			fn = PyCFunction_New(&holds_not_def, NULL);
			ret = add_to(root, lambda_call(fn, o->text, false));
			Py_XDECREF(fn);
		} else if (o->kept.counter) {
			ret = PyList_Append(counters, o->kept.counter);
		}
	}
	if (ret == 0 && (PyList_GET_SIZE(counters) || insert_call_guarded())) {
		self = PyList_AsTuple(counters);
		fn = self ? PyCFunction_New(&serves_def, self) : NULL;
		ret = add_to(root, lambda_call(fn, "counted by the debugger", true));
		Py_XDECREF(fn);
		Py_XDECREF(self);
	}
	Py_XDECREF(counters);
	return ret;
}

PyObject *rebuild_root(struct entry *e, PyObject *manager, struct err *err)
{
	PyObject *edits = NULL, *root = NULL;

	if (e->edit.record) {
		edits = edits_of(e, err);
		root = edits && PyDict_GET_SIZE(edits) ? replay_nodes(e->edit.record, edits, manager) : NULL;
		if (edits && !root)
			root = replay_all(e->edit.record, edits, err);
	} else {
		root = clone_without(e, manager, err);
	}
	if (root && add_own(e, root) < 0) {
		err_set(err, "this version of torch does not allow building the guards of entry %s", e->id);
		Py_CLEAR(root);
	}
	PyErr_Clear();
	Py_XDECREF(edits);
	return root;
}
