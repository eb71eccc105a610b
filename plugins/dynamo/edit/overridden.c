/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries with overrides: keeps the entry that Dynamo made, and puts into Dynamo's cache the entry that the active
   overrides require.  Knows no command. */
#include "edit/backend.h"
#include "edit/cache_list.h"
#include "edit/clone.h"
#include "edit/dynamo_edit.h"
#include "edit/overridden.h"
#include "edit/overrides.h"
#include "edit/rebuild.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "torch/attrs.h"
#include <stdlib.h>

/* An entry with overrides. */
static struct overridden {
	struct overridden *next;
	struct entry *entry;
	struct cache_slot slot; /* the entry as Dynamo made it */
	PyObject *now;		/* owned: the manager in the cache, NULL: the entry is not in it */
	PyObject *watched;	/* owned list of weak references while it is out */
} * all_overridden;

static struct overridden *overridden_of(struct entry *e)
{
	struct overridden *h;

	for (h = all_overridden; h && h->entry != e; h = h->next)
		;
	return h;
}

bool overridden_is(struct entry *e)
{
	return overridden_of(e) != NULL;
}

PyObject *overridden_original(struct entry *e)
{
	struct overridden *h = overridden_of(e);

	return h ? Py_NewRef(h->slot.manager) : clone_slot(e) ? Py_NewRef(clone_slot(e)->manager) : NULL;
}

static void overridden_drop(struct overridden *h)
{
	struct overridden **p;

	for (p = &all_overridden; *p != h; p = &(*p)->next)
		;
	*p = h->next;
	cache_slot_release(&h->slot);
	Py_XDECREF(h->now);
	Py_XDECREF(h->watched);
	free(h);
}

static PyObject *false_guard(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	Py_RETURN_FALSE;
}

static PyObject *unless_handed(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return PyBool_FromLong(!insert_call_running());
}

static PyMethodDef false_def = { "cdbg_false", false_guard, METH_VARARGS, NULL };
static PyMethodDef unless_def = { "cdbg_unless_handed", unless_handed, METH_VARARGS, NULL };

static int add_lambda(PyObject *root, PyObject *fn, const char *text)
{
	PyObject *args = fn ? edit_lambda_args(fn, text) : NULL;
	PyObject *add = args ? PyObject_GetAttrString(root, "add_lambda_guard") : NULL;
	PyObject *r = add ? PyObject_Call(add, args, NULL) : NULL;

	Py_XDECREF(r);
	Py_XDECREF(add);
	Py_XDECREF(args);
	return r ? 0 : -1;
}

static PyObject *inert_root(const char *fails)
{
	PyObject *make = attrs_get(ATTR_TREE_ROOT), *root = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *fn = PyCFunction_New(fails ? &false_def : &unless_def, NULL);

	if (root && (fails || insert_call_guarded()) &&
	    add_lambda(root, fn, fails ? fails : "the debugger gives Dynamo no entry") < 0)
		Py_CLEAR(root);
	Py_XDECREF(fn);
	Py_XDECREF(make);
	return root;
}

/* The guard manager that the active overrides require, which is the original one if none changes guards: a new
   reference; NULL with err. */
static PyObject *manager_for(struct overridden *h, struct err *err)
{
	static const char *const disabled = "the entry is disabled in the debugger";
	struct entry *e = h->entry;
	bool off = override_has(e, OVERRIDE_DISABLE), always = override_has(e, OVERRIDE_FORCE_ENTRY);
	PyObject *root, *why, *manager = NULL;

	if (!off && !always && !override_has(e, OVERRIDE_DROP) && !override_has(e, OVERRIDE_FORCE) &&
	    !override_has(e, OVERRIDE_EDIT) && !override_has(e, OVERRIDE_ADD))
		return Py_NewRef(h->slot.manager);
	err->text[0] = '\0';
	root = off ? inert_root(disabled) : always ? inert_root(NULL) : rebuild_root(e, h->slot.manager, err);
	if (root)
		Py_XDECREF(PyObject_CallMethod(root, "attach_compile_id", "N", PyObject_Str(h->slot.id)));
	PyErr_Clear();
	why = off ? PyUnicode_FromString(disabled) : Py_NewRef(Py_None);
	if (root)
		manager = edit_call("manager", root, h->slot.manager, why);
	if (!manager && !err->text[0])
		err_set(err, "this version of torch does not allow building the guards of entry %s", e->id);
	PyErr_Clear();
	Py_XDECREF(why);
	Py_XDECREF(root);
	return manager;
}

void overridden_forget(struct entry *e)
{
	struct overridden *h = overridden_of(e);
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (o->entry == e && override_in_force(o))
			o->dead = true;
	overrides_changed();
	if (h)
		overridden_drop(h);
}

void overridden_recode(struct entry *e, PyObject *code)
{
	struct overridden *h = overridden_of(e);

	if (h)
		Py_XSETREF(h->slot.code, Py_NewRef(code));
}

static int gone(struct entry *e, struct err *err)
{
	bool was = overridden_of(e) != NULL;

	if (entry_not_fresh(e, err) < 0)
		return -1;
	overridden_forget(e);
	return err_set(err,
		       "entry '%s' is no longer in Dynamo's cache: a reset, or an object that it guards was "
		       "freed%s",
		       e->id, was ? "; its overrides have no effect" : "");
}

static bool lru_ours; /* cdbg made Dynamo keep the order of entries, for all functions */

/* Keeps a preferred entry in its place: Dynamo moves a used entry to the front unless told not to.  An entry that
   always matches needs no such care, because it is always the one that is used. */
void overridden_follow_order(void)
{
	struct override *o;
	bool keep = false;

	for (o = ledger; o; o = o->next)
		keep |= override_in_force(o) && o->kind == OVERRIDE_PREFER;
	if (keep != lru_ours && (lru_ours || !cache_list_keeps_order())) {
		cache_list_follow_use(!keep);
		lru_ours = keep;
	}
}

static bool eager_now(struct func *f)
{
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (override_in_force(o) && o->kind == OVERRIDE_EAGER && o->func == f)
			return true;
	return false;
}

/* Must the entry be absent from the cache?  A clone is in the cache only while it is installed. */
static bool is_out(struct entry *e)
{
	return override_has(e, OVERRIDE_DELETE) || (clone_slot(e) && !override_has(e, OVERRIDE_INSTALL));
}

PyObject *overridden_manager(struct entry *e)
{
	struct overridden *h = overridden_of(e);
	struct err err;

	return h ? manager_for(h, &err) : overridden_original(e);
}

static struct overridden *hold(struct entry *e, struct cache_list *c, struct err *err)
{
	const struct cache_slot *own = clone_slot(e);
	struct overridden *h = overridden_of(e);
	size_t at = cache_list_find(c, e->co);

	if (at == c->n && (h ? h->now != NULL : !own)) {
		gone(e, err);
		return NULL;
	}
	if (h)
		return h;
	h = mem_alloc(sizeof(*h));
	h->entry = e;
	cache_slot_copy(&h->slot, at < c->n ? &c->slot[at] : own);
	h->now = at < c->n ? Py_NewRef(h->slot.manager) : NULL;
	if (!h->now)
		h->watched = edit_call("watched", h->slot.manager, NULL, NULL);
	PyErr_Clear();
	h->next = all_overridden;
	all_overridden = h;
	return h;
}

/* Puts the entry into the list as its overrides require. */
static int place_entry(struct overridden *h, struct cache_list *c, PyObject *manager, PyObject *order, bool front,
		       struct err *err)
{
	size_t at = cache_list_find(c, (PyCodeObject *)h->slot.code);
	struct cache_slot s = h->slot;

	s.manager = manager;
	if (at < c->n)
		cache_list_drop(c, at);
	if (is_out(h->entry))
		return 0;
	if (!h->now && !edit_alive(h->watched))
		return gone(h->entry, err);
	cache_list_insert(c, front ? 0 : at, &s);
	if (order)
		cache_list_reorder(c, order);
	return 0;
}

static void redirect_reference(PyObject *from, PyObject *to)
{
	PyObject *r = from != to ? edit_call("redirect", from, to, NULL) : NULL;

	PyErr_Clear();
	Py_XDECREF(r);
}

static int follow_once(struct entry *e, PyObject *order, bool front, struct err *err)
{
	struct cache_list c;
	struct overridden *h;
	PyObject *manager = NULL;
	bool out = is_out(e);
	int ret = -1;

	if (!e->func->co)
		return gone(e, err);
	if (eager_now(e->func) && !insert_strategy_keeps())
		return err_set(err, "'%s' runs in eager mode: 'undo' that first", e->func->name);
	if (backend_of(e->func))
		return err_set(err, "'%s' is compiled by another backend: 'undo %d' first", e->func->name,
			       backend_of(e->func)->number);
	if (cache_list_read(e->func->co, &c, err) < 0)
		return -1;
	h = hold(e, &c, err);
	manager = h ? manager_for(h, err) : NULL;
	if (manager && place_entry(h, &c, manager, order, front, err) == 0) {
		if (out && h->now)
			Py_XSETREF(h->watched, edit_call("watched", h->now, NULL, NULL));
		PyErr_Clear();
		ret = out && !h->now ? 0 : cache_list_write(&c, err);
		overridden_follow_order();
		h = overridden_of(e);
		if (ret == 0 && h) {
			redirect_reference(h->now ? h->now : h->slot.manager, manager);
			Py_XSETREF(h->now, out ? NULL : Py_NewRef(manager));
			if (out)
				redirect_reference(manager, h->slot.manager);
		}
		if (ret == 0 && eager_now(e->func))
			ret = insert_strategy_set(e->func->co, STRATEGY_EAGER, err);
	}
	overridden_settle(e);
	Py_XDECREF(manager);
	cache_list_release(&c);
	return ret;
}

int overridden_follow(struct entry *e, PyObject *order, bool front, struct err *err)
{
	int ret = CACHE_LIST_MOVED, i;

	for (i = 0; ret == CACHE_LIST_MOVED && i < CACHE_LIST_TRIES; i++)
		ret = follow_once(e, order, front, err);
	return ret == CACHE_LIST_MOVED ? err_set(err, CACHED_BUSY, e->func->name) : ret;
}

void overridden_settle(struct entry *e)
{
	struct overridden *h = e ? overridden_of(e) : NULL;

	if (h && h->now == h->slot.manager && !override_entry_state(e))
		overridden_drop(h);
}

void overridden_forget_all(void)
{
	while (all_overridden)
		overridden_drop(all_overridden);
}
