/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger: what the user has changed in Dynamo's cache, put into force and taken back.  An entry's state always
   follows from the overrides in force on it, so that any of them can be undone.  Knows no command. */
#include "edit/ledger.h"
#include "torch/names.h"
#include "model/entry.h"
#include "model/func.h"
#include "guards/guard_edit.h"
#include "edit/backend.h"
#include "edit/cache_list.h"
#include "edit/clone.h"
#include "edit/edit_python.h"
#include "edit/exclusive.h"
#include "edit/insert.h"
#include "edit/rebuild.h"
#include "edit/stash.h"
#include "cmd/cmd_guard_edit.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct override *ledger;
static int count;                            /* of all that there were */

/* An entry under an override, as Dynamo made it. */
static struct held {
	struct held *next;
	struct entry *entry;
	struct slot slot;                    /* the original */
	PyObject *now;                       /* owned: the manager in the cache, NULL: the entry is not in it */
	PyObject *watched;                   /* owned list of weak references while it is out */
} *all_held;

static const char *const deed_names[] = {
	[DEED_DROP] = "drop", [DEED_FORCE] = "force", [DEED_EDIT] = "edit", [DEED_ADD] = "add",
	[DEED_DISABLE] = "disable", [DEED_DELETE] = "delete", [DEED_PREFER] = "prefer", [DEED_FORCE_ENTRY] = "always",
	[DEED_INSTALL] = "install", [DEED_EAGER] = "eager",
	[DEED_BACKEND] = "backend",
	[DEED_VAR] = "set var", [DEED_STACK] = "set stack", [DEED_JUMP] = "jump",
};

const char *deed_name(enum deed d)
{
	return deed_names[d];
}

/* ---- the list ------------------------------------------------------------------------------------------------ */

static bool in_force(const struct override *o)
{
	return !o->undone && !o->dead;
}

struct override *ledger_number(int number)
{
	struct override *o;

	for (o = ledger; o && o->number != number; o = o->next)
		;
	return o;
}

/* The override in force on each guard, by number; made again when something is put into force or taken back. */
static struct { struct override **by; size_t cap; bool made; } on;

void ledger_moved(void)
{
	on.made = false;
}

static void make_on(void)
{
	struct override *o;
	size_t was, n = 0;

	for (o = ledger; o; o = o->next)
		n = in_force(o) && (size_t)o->guard >= n ? (size_t)o->guard + 1 : n;
	was = on.cap;
	on.by = mem_grow(on.by, &on.cap, n, sizeof(*on.by));
	memset(on.by, 0, (on.cap > was ? on.cap : was) * sizeof(*on.by));
	for (o = ledger; o; o = o->next)
		if (in_force(o) && o->guard)
			on.by[o->guard] = o;
	on.made = true;
}

struct override *ledger_on(int guard)
{
	if (!on.made)
		make_on();
	return guard > 0 && (size_t)guard < on.cap ? on.by[guard] : NULL;
}

const char *ledger_guard(int guard)
{
	struct override *o = ledger_on(guard);

	return !o ? "on" : o->deed == DEED_DROP ? "dropped" : o->deed == DEED_FORCE ? "forced" : "edited";
}

enum guard_edit ledger_guard_edit(int guard)
{
	const struct override *o = ledger_on(guard);

	return !o ? GUARD_AS_MADE : o->deed == DEED_EDIT ? GUARD_CHANGED : o->deed != DEED_FORCE ? GUARD_DROPPED :
	       o->value ? GUARD_PASSES : GUARD_FAILS;
}

const char *ledger_guard_text(int guard)
{
	const struct override *o = ledger_on(guard);

	return o ? o->text : NULL;
}

int ledger_more(struct entry *e)
{
	struct override *o;
	int more = 0;

	for (o = ledger; o; o = o->next)
		if (in_force(o) && o->entry == e)
			more += (o->deed == DEED_ADD) - (o->deed == DEED_DROP);
	return more;
}

static bool has(struct entry *e, enum deed d)
{
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (in_force(o) && o->entry == e && o->deed == d)
			return true;
	return false;
}

const char *ledger_state(struct entry *e)
{
	struct override *o;
	const char *state = NULL;

	for (o = ledger; e->co && o; o = o->next)
		if (in_force(o) && aside_has(o, e->co))
			return "set aside";
	if (has(e, DEED_DELETE))
		return "deleted";
	if (has(e, DEED_DISABLE))
		return "disabled";
	for (o = ledger; o; o = o->next)
		if (in_force(o) && o->entry == e)
			state = o->deed == DEED_PREFER && !state ? "preferred" : "edited";
	return state;
}

static struct held *held_of(struct entry *e)
{
	struct held *h;

	for (h = all_held; h && h->entry != e; h = h->next)
		;
	return h;
}

bool ledger_holds(struct entry *e)
{
	return held_of(e) != NULL;
}

PyObject *ledger_original(struct entry *e)
{
	struct held *h = held_of(e);

	return h ? Py_NewRef(h->slot.manager) : clone_slot(e) ? Py_NewRef(clone_slot(e)->manager) : NULL;
}

static void held_drop(struct held *h)
{
	struct held **p;

	for (p = &all_held; *p != h; p = &(*p)->next)
		;
	*p = h->next;
	slot_release(&h->slot);
	Py_XDECREF(h->now);
	Py_XDECREF(h->watched);
	free(h);
}

/* It is in the ledger no more. */
static void override_free(struct override *o)
{
	ledger_moved();
	Py_XDECREF(o->order);
	Py_XDECREF(o->check);
	Py_XDECREF(o->counter);
	aside_free(o);
	free(o->text);
	free(o);
}

/* ---- an entry's guards as they are to be -------------------------------------------------------------------- */

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
	return PyBool_FromLong(!hand_now());
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
	PyObject *make = names_get(NAME_TREE_ROOT), *root = make ? PyObject_CallNoArgs(make) : NULL;
	PyObject *fn = PyCFunction_New(fails ? &false_def : &unless_def, NULL);

	if (root && (fails || hand_guarded()) &&
	    add_lambda(root, fn, fails ? fails : "the debugger hands Dynamo no entry") < 0)
		Py_CLEAR(root);
	Py_XDECREF(fn);
	Py_XDECREF(make);
	return root;
}

/* The manager that the overrides in force make: a new reference, NULL with err.  The original when nothing does. */
static PyObject *manager_for(struct held *h, struct err *err)
{
	static const char *const disabled = "the entry is disabled in the debugger";
	struct entry *e = h->entry;
	bool off = has(e, DEED_DISABLE), always = has(e, DEED_FORCE_ENTRY);
	PyObject *root, *why, *manager = NULL;

	if (!off && !always && !has(e, DEED_DROP) && !has(e, DEED_FORCE) && !has(e, DEED_EDIT) && !has(e, DEED_ADD))
		return Py_NewRef(h->slot.manager);
	err->text[0] = '\0';
	root = off ? inert_root(disabled) : always ? inert_root(NULL) : leaf_root(e, h->slot.manager, err);
	if (root)
		Py_XDECREF(PyObject_CallMethod(root, "attach_compile_id", "N", PyObject_Str(h->slot.id)));
	PyErr_Clear();
	why = off ? PyUnicode_FromString(disabled) : Py_NewRef(Py_None);
	if (root)
		manager = edit_call("manager", root, h->slot.manager, why);
	if (!manager && !err->text[0])
		err_set(err, "the guards of entry %s cannot be built in this torch", e->id);
	PyErr_Clear();
	Py_XDECREF(why);
	Py_XDECREF(root);
	return manager;
}

/* ---- putting into force --------------------------------------------------------------------------------------- */

void ledger_forget(struct entry *e)
{
	struct held *h = held_of(e);
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (o->entry == e && in_force(o))
			o->dead = true;
	ledger_moved();
	if (h)
		held_drop(h);
}

void ledger_recode(struct entry *e, PyObject *code)
{
	struct held *h = held_of(e);

	if (h)
		Py_XSETREF(h->slot.code, Py_NewRef(code));
}

static int gone(struct entry *e, struct err *err)
{
	bool was = held_of(e) != NULL;

	ledger_forget(e);
	return err_set(err, "entry '%s' is gone from Dynamo's cache: a reset, or what it guarded died%s", e->id,
		       was ? "; its overrides are dead" : "");
}

static bool lru_ours;                        /* we told Dynamo to keep the order of entries: of all functions, alas */

/* An entry that is to be tried first stays where it is: Dynamo moves what is used to the front, unless told not to.
   One that always matches stays there by itself. */
static void follow_lru(void)
{
	struct override *o;
	bool keep = false;

	for (o = ledger; o; o = o->next)
		keep |= in_force(o) && o->deed == DEED_PREFER;
	if (keep != lru_ours && (lru_ours || !cached_keeps_order())) {
		cached_follow_use(!keep);
		lru_ours = keep;
	}
}

static bool eager_now(struct func *f)
{
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (in_force(o) && o->deed == DEED_EAGER && o->func == f)
			return true;
	return false;
}

/* A clone is in the cache while it is installed. */
static bool is_out(struct entry *e)
{
	return has(e, DEED_DELETE) || (clone_slot(e) && !has(e, DEED_INSTALL));
}

PyObject *ledger_manager(struct entry *e)
{
	struct held *h = held_of(e);
	struct err err;

	return h ? manager_for(h, &err) : ledger_original(e);
}

static struct held *hold(struct entry *e, struct cached *c, struct err *err)
{
	const struct slot *own = clone_slot(e);
	struct held *h = held_of(e);
	size_t at = cached_find(c, e->co);

	if (at == c->n && (h ? h->now != NULL : !own)) {
		gone(e, err);
		return NULL;
	}
	if (h)
		return h;
	h = mem_alloc(sizeof(*h));
	h->entry = e;
	slot_copy(&h->slot, at < c->n ? &c->slot[at] : own);
	h->now = at < c->n ? Py_NewRef(h->slot.manager) : NULL;
	if (!h->now)
		h->watched = edit_call("watched", h->slot.manager, NULL, NULL);
	PyErr_Clear();
	h->next = all_held;
	all_held = h;
	return h;
}

/* Put the entry into the list as the overrides want it. */
static int place(struct held *h, struct cached *c, PyObject *manager, PyObject *order, bool front, struct err *err)
{
	size_t at = cached_find(c, (PyCodeObject *)h->slot.code);
	struct slot s = h->slot;

	s.manager = manager;
	if (at < c->n)
		cached_drop(c, at);
	if (is_out(h->entry))
		return 0;
	if (!h->now && !edit_alive(h->watched))
		return gone(h->entry, err);
	cached_insert(c, front ? 0 : at, &s);
	if (order)
		cached_reorder(c, order);
	return 0;
}

static void redirect(PyObject *from, PyObject *to)
{
	PyObject *r = from != to ? edit_call("redirect", from, to, NULL) : NULL;

	PyErr_Clear();
	Py_XDECREF(r);
}

static int follow_once(struct entry *e, PyObject *order, bool front, struct err *err)
{
	struct cached c;
	struct held *h;
	PyObject *manager = NULL;
	bool out = is_out(e);
	int ret = -1;

	if (!e->func->co)
		return gone(e, err);
	if (eager_now(e->func) && !cached_strategy_keeps())
		return err_set(err, "'%s' runs as written: 'undo' that first", e->func->name);
	if (backend_of(e->func))
		return err_set(err, "'%s' is compiled by another backend: 'undo %d' first", e->func->name,
			       backend_of(e->func)->number);
	if (cached_read(e->func->co, &c, err) < 0)
		return -1;
	h = hold(e, &c, err);
	manager = h ? manager_for(h, err) : NULL;
	if (manager && place(h, &c, manager, order, front, err) == 0) {
		if (out && h->now)
			Py_XSETREF(h->watched, edit_call("watched", h->now, NULL, NULL));
		PyErr_Clear();
		ret = out && !h->now ? 0 : cached_write(&c, err);
		follow_lru();
		h = held_of(e);
		if (ret == 0 && h) {
			redirect(h->now ? h->now : h->slot.manager, manager);
			Py_XSETREF(h->now, out ? NULL : Py_NewRef(manager));
			if (out)
				redirect(manager, h->slot.manager);
		}
		if (ret == 0 && eager_now(e->func))
			ret = cached_strategy_set(e->func->co, STRATEGY_EAGER, err);
	}
	h = held_of(e);
	if (h && h->now == h->slot.manager && !ledger_state(e))
		held_drop(h);
	Py_XDECREF(manager);
	cached_release(&c);
	return ret;
}

int ledger_follow(struct entry *e, PyObject *order, bool front, struct err *err)
{
	int ret = CACHED_MOVED, i;

	for (i = 0; ret == CACHED_MOVED && i < CACHED_TRIES; i++)
		ret = follow_once(e, order, front, err);
	return ret == CACHED_MOVED ? err_set(err, CACHED_BUSY, e->func->name) : ret;
}

/* ---- doing and undoing ------------------------------------------------------------------------------------------ */

struct override *override_new(enum deed deed, struct entry *e, const char *risk)
{
	struct override *o = mem_alloc(sizeof(*o));

	o->deed = deed;
	o->entry = e;
	o->func = e ? e->func : NULL;
	o->risk = risk;
	return o;
}

static void note_order(struct override *o)
{
	struct cached c;
	struct err err;

	if (o->func->co && cached_read(o->func->co, &c, &err) == 0) {
		o->order = Py_XNewRef(c.seen);
		cached_release(&c);
	}
}

static void append(struct override *const *list, int n)
{
	struct override **p;
	int i;

	for (p = &ledger; *p; p = &(*p)->next)
		;
	for (i = 0; i < n; i++) {
		*p = list[i];
		p = &list[i]->next;
		list[i]->when = (double)time(NULL);
	}
	*p = NULL;
	ledger_moved();
}

/* They could not be put into force: nothing is changed.  They are the last of the ledger. */
static void take_out(struct override *const *list, int n)
{
	struct entry *e = list[0]->entry;
	struct held *h = e ? held_of(e) : NULL;
	struct override **p;
	int i;

	for (p = &ledger; *p && *p != list[0]; p = &(*p)->next)
		;
	*p = NULL;
	for (i = 0; i < n; i++)
		override_free(list[i]);
	if (h && h->now == h->slot.manager && !ledger_state(e))
		held_drop(h);
}

static int steps;                            /* of all that there were */
static bool together;

void ledger_step(bool begins)
{
	steps += begins;
	together = begins;
}

int ledger_do(struct override *const *list, int n, struct buf *out, struct err *err)
{
	struct override *o = list[0];
	bool front = o->deed == DEED_PREFER || o->deed == DEED_FORCE_ENTRY || o->deed == DEED_INSTALL;
	int i, ret;

	append(list, n);
	if (front || o->deed == DEED_DELETE)
		note_order(o);
	ret = o->deed == DEED_EAGER ? eager_do(o, err) : o->deed == DEED_BACKEND ? backend_do(o, err) :
	      ledger_follow(o->entry, NULL, front, err);
	if (ret < 0) {
		take_out(list, n);
		return -1;
	}
	if (!together)
		steps++;
	for (i = 0; i < n; i++) {
		list[i]->number = ++count;
		list[i]->step = steps;
	}
	if (o->entry && edit_runs_now(o->entry->co))
		buf_adds(out, "its code is running now: this counts from its next call\n");
	return 0;
}

bool ledger_in_frame(const struct override *o)
{
	return o->deed >= DEED_VAR;
}

void ledger_changed(PyCodeObject *co, const char *what, const char *text)
{
	struct entry *e = model_entry(co);
	struct func *f = e ? e->func : model_func(co, false);
	struct override *o;
	int deed;

	for (deed = DEED_VAR; deed < DEED_JUMP && strcmp(deed_names[deed], what); deed++)
		;
	if (!f || !f->looked || strcmp(deed_names[deed], what))
		return;
	o = override_new((enum deed)deed, e, "value");
	o->func = f;
	o->text = mem_str(text);
	o->undone = true;
	append(&o, 1);
	o->number = ++count;
	o->step = ++steps;
}

void ledger_reset(void)
{
	struct override *o;

	for (o = ledger; o; o = o->next) {
		o->dead |= !o->undone;
		Py_CLEAR(o->order);
		aside_free(o);
	}
	ledger_moved();
	while (all_held)
		held_drop(all_held);
	clones_forget();
	follow_lru();
}

void ledger_clear(void)
{
	struct override *o;

	ledger_reset();
	while ((o = ledger)) {
		ledger = o->next;
		override_free(o);
	}
}
