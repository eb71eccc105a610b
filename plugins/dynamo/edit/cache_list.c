/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Dynamo's cache of one function as a list, changes the list and writes it back.  Knows no guard, and not how
   Dynamo is made to accept an entry. */
#include "edit/cache_list.h"
#include "edit/dynamo_edit.h"
#include "model/entry.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>

/* ---- the list --------------------------------------------------------------------------------------------- */

void cache_slot_copy(struct cache_slot *to, const struct cache_slot *from)
{
	*to = *from;
	Py_XINCREF(to->code);
	Py_XINCREF(to->manager);
	Py_XINCREF(to->id);
	Py_XINCREF(to->note);
	Py_XINCREF(to->backend);
}

void cache_slot_release(struct cache_slot *s)
{
	Py_CLEAR(s->code);
	Py_CLEAR(s->manager);
	Py_CLEAR(s->id);
	Py_CLEAR(s->note);
	Py_CLEAR(s->backend);
}

void cache_list_release(struct cache_list *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		cache_slot_release(&c->slot[i]);
	free(c->slot);
	Py_XDECREF(c->seen);
	memset(c, 0, sizeof(*c));
}

size_t cache_list_find(const struct cache_list *c, PyCodeObject *generated)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->slot[i].code == (PyObject *)generated)
			return i;
	return c->n;
}

void cache_list_insert(struct cache_list *c, size_t at, const struct cache_slot *s)
{
	c->slot = mem_grow(c->slot, &c->cap, c->n + 1, sizeof(*c->slot));
	at = at > c->n ? c->n : at;
	memmove(&c->slot[at + 1], &c->slot[at], (c->n - at) * sizeof(*c->slot));
	cache_slot_copy(&c->slot[at], s);
	c->n++;
}

void cache_list_drop(struct cache_list *c, size_t at)
{
	cache_slot_release(&c->slot[at]);
	memmove(&c->slot[at], &c->slot[at + 1], (c->n - at - 1) * sizeof(*c->slot));
	c->n--;
}

static void cache_list_move(struct cache_list *c, size_t from, size_t to)
{
	struct cache_slot s = c->slot[from];

	memmove(&c->slot[from], &c->slot[from + 1], (c->n - from - 1) * sizeof(*c->slot));
	memmove(&c->slot[to + 1], &c->slot[to], (c->n - 1 - to) * sizeof(*c->slot));
	c->slot[to] = s;
}

void cache_list_reorder(struct cache_list *c, PyObject *order)
{
	Py_ssize_t k;
	size_t i;

	for (k = 0; k < PyList_GET_SIZE(order); k++) {
		i = cache_list_find(c, (PyCodeObject *)PyList_GET_ITEM(order, k));
		if (i < c->n)
			cache_list_move(c, i, c->n - 1);
	}
}

/* If this version of torch does not report it, it was recorded when the entry was compiled. */
static PyObject *backend_in(PyObject *item, PyObject *code)
{
	struct entry *e = attrs_have(ATTR_ENTRY_BACKEND) ? NULL : model_entry((PyCodeObject *)code);

	return attrs_have(ATTR_ENTRY_BACKEND) ? attr(item, "backend") : e ? Py_XNewRef(e->edit.backend) : NULL;
}

/* Reads the parts of an entry.  The entry object itself is released at once, because Dynamo frees what it
   points to. */
static int read_cached(PyObject *item, struct cache_list *out, struct err *err)
{
	PyObject *group = attr(item, "isolate_recompiles_id"), *code = attr(item, "code");
	bool apart = group && PyLong_Check(group) && PyLong_AsLong(group) >= 0;
	struct cache_slot s = { 0 };

	Py_XDECREF(group);
	if (apart || !code || code == Py_None) {
		Py_XDECREF(code);
		return apart ? err_set(err, "entries of this function are isolated (isolate_recompiles): they "
					    "cannot be inserted") :
			       0;
	}
	s.code = code;
	s.manager = attr(item, "guard_manager");
	s.id = attr(item, "compile_id");
	s.note = attr(item, "trace_annotation");
	s.backend = backend_in(item, code);
	if (s.manager && s.id && s.note && s.backend)
		cache_list_insert(out, out->n, &s);
	else
		err_set(err, "this version of torch does not report the backend of entries compiled before cdbg was "
			     "loaded");
	apart = !s.manager || !s.id || !s.note || !s.backend;
	cache_slot_release(&s);
	return apart ? -1 : 0;
}

int cache_list_read(PyCodeObject *original, struct cache_list *out, struct err *err)
{
	PyObject *list_of = attrs_get(ATTR_ENTRY_LIST);
	PyObject *list = list_of ? PyObject_CallOneArg(list_of, (PyObject *)original) : NULL;
	PyObject *it = list ? PyObject_GetIter(list) : NULL, *item;
	int ret = it ? 0 : err_set(err, "this version of torch has a cache that cdbg cannot read");
	size_t i;

	memset(out, 0, sizeof(*out));
	out->co = original;
	while (it && (item = PyIter_Next(it))) {
		if (ret == 0)
			ret = read_cached(item, out, err);
		Py_DECREF(item);
	}
	out->seen = PyList_New((Py_ssize_t)out->n);
	for (i = 0; out->seen && i < out->n; i++)
		PyList_SET_ITEM(out->seen, (Py_ssize_t)i, Py_NewRef(out->slot[i].code));
	PyErr_Clear();
	Py_XDECREF(it);
	Py_XDECREF(list);
	Py_XDECREF(list_of);
	if (ret < 0)
		cache_list_release(out);
	return ret;
}

/* ---- writing ------------------------------------------------------------------------------------------------- */

/* Dynamo puts a new entry first, and moves an entry that is used to the front.  If told to keep the order, it puts
   a new entry last. */
static bool keeps_order;

void cache_list_follow_use(bool on)
{
	PyObject *set = attrs_get(ATTR_LRU), *r = set ? PyObject_CallOneArg(set, on ? Py_True : Py_False) : NULL;

	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(set);
}

bool cache_list_keeps_order(void)
{
	return keeps_order;
}

static int may_write(PyCodeObject *co, struct err *err)
{
	return !(co->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) ?
		       0 :
		       err_set(err, "entries of a generator cannot be inserted");
}

bool cache_list_moved(const struct cache_list *c)
{
	struct cache_list there;
	struct err err;
	Py_ssize_t i;
	bool moved = false;

	if (!c->seen || cache_list_read(c->co, &there, &err) < 0)
		return false;
	moved = there.n != (size_t)PyList_GET_SIZE(c->seen);
	for (i = 0; !moved && i < PyList_GET_SIZE(c->seen); i++)
		moved = cache_list_find(&there, (PyCodeObject *)PyList_GET_ITEM(c->seen, i)) == there.n;
	cache_list_release(&there);
	return moved;
}

int cache_list_is(const struct cache_list *c)
{
	struct cache_list there;
	struct err err;
	bool same = true, back = true;
	size_t i;

	if (cache_list_read(c->co, &there, &err) < 0)
		return 0;
	for (i = 0; there.n == c->n && i < c->n; i++) {
		same &= there.slot[i].code == c->slot[i].code && there.slot[i].manager == c->slot[i].manager;
		back &= there.slot[c->n - 1 - i].code == c->slot[i].code;
	}
	same &= there.n == c->n;
	back &= there.n == c->n;
	cache_list_release(&there);
	return same ? 1 : back ? -1 : 0;
}

/* *is: does the cache contain this list now? */
static int write_list(const struct cache_list *c, int *is, struct err *err)
{
	struct cache_list again = *c;
	int ret = insert_list(c, keeps_order, is, err);

	again.seen = NULL;
	if (ret == 0 && *is < 0) {
		keeps_order = !keeps_order;
		ret = insert_list(&again, keeps_order, is, err);
	}
	return ret;
}

enum { RESTORE_TRIES = 16 };

int cache_list_write(const struct cache_list *c, struct err *err)
{
	struct cache_list before;
	struct err second;
	int ret, is = 0, i;

	if (may_write(c->co, err) < 0 || cache_list_read(c->co, &before, err) < 0)
		return -1;
	ret = write_list(c, &is, err);
	if (ret == 0 && is <= 0) {
		Py_CLEAR(before.seen);
		is = 0;
		/* What failed may have been memory that is there again: nothing else can bring the entries back. */
		for (i = 0; i < RESTORE_TRIES && is <= 0; i++)
			if (write_list(&before, &is, &second) < 0)
				is = 0;
		ret = err_set(
			err,
			is > 0 ?
				"Dynamo did not accept these entries: the cache is unchanged" :
				"Dynamo accepted neither these entries nor the old ones: the next calls compile again");
	}
	cache_list_release(&before);
	host->code.appeared();
	return ret;
}
