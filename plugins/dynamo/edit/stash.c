/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes the entries of a function and of its resume functions from the cache, and restores them; also runs a function
   in eager mode.  Knows no command. */
#include "edit/cache_list.h"
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "edit/stash.h"
#include "model/func.h"
#include <stdlib.h>

struct stash { /* the entries of one code object */
	struct stash *next;
	struct func *func;
	struct cache_list had;
	PyObject *watched; /* owned: for each entry a list of weak references to what it guards */
};

static void stash_note(struct override *o, struct func *f, const struct cache_list *had)
{
	struct stash *a = mem_alloc(sizeof(*a));
	PyObject *watched;
	size_t i;

	a->func = f;
	a->had = *had;
	a->watched = PyList_New(0);
	for (i = 0; a->watched && i < had->n; i++) {
		watched = edit_call("watched", had->slot[i].manager, NULL, NULL);
		PyErr_Clear();
		PyList_Append(a->watched, watched ? watched : Py_None);
		Py_XDECREF(watched);
	}
	a->next = o->kept.stash;
	o->kept.stash = a;
}

/* An entry that guards an object that has died is not restored. */
static int stash_put_back(const struct stash *a, struct err *err)
{
	struct cache_list back = { .co = a->func->co };
	size_t i;
	int ret;

	if (!back.co)
		return 0;
	for (i = 0; i < a->had.n; i++)
		if (a->watched && edit_alive(PyList_GET_ITEM(a->watched, (Py_ssize_t)i)))
			cache_list_insert(&back, back.n, &a->had.slot[i]);
	ret = cache_list_write(&back, err);
	cache_list_release(&back);
	return ret;
}

static void forget_last(struct override *o)
{
	struct stash *a = o->kept.stash;

	o->kept.stash = a->next;
	cache_list_release(&a->had);
	Py_XDECREF(a->watched);
	free(a);
}

static int take_one(struct override *o, struct func *f, struct err *err)
{
	struct cache_list had;
	int ret = cache_list_read(f->co, &had, err);

	if (ret < 0)
		return -1;
	stash_note(o, f, &had);
	ret = cache_list_write(&(struct cache_list){ .co = f->co, .seen = o->kept.stash->had.seen }, err);
	if (ret == CACHE_LIST_MOVED)
		forget_last(o);
	return ret;
}

int stash_take(struct override *o, struct err *err)
{
	struct err again;
	struct func *f;
	struct stash *a;
	int ret = 0, i;

	for (f = model_funcs; ret == 0 && f; f = f->next) {
		if (model_root(f) != o->func || !f->co || !f->seen.compiles)
			continue;
		ret = CACHE_LIST_MOVED;
		for (i = 0; ret == CACHE_LIST_MOVED && i < CACHE_LIST_TRIES; i++)
			ret = take_one(o, f, err);
		if (ret == CACHE_LIST_MOVED)
			ret = err_set(err, CACHED_BUSY, f->name);
	}
	for (a = o->kept.stash; ret < 0 && a; a = a->next)
		stash_put_back(a, &again);
	return ret;
}

int stash_back(struct override *o, struct err *err)
{
	struct stash *a;
	int ret = 0;

	for (a = o->kept.stash; a; a = a->next)
		if (stash_put_back(a, err) < 0)
			ret = -1;
	return ret;
}

size_t stash_count(const struct override *o, const struct func *f)
{
	struct stash *a;
	size_t n = 0;

	for (a = o->kept.stash; a; a = a->next)
		n += !f || a->func == f ? a->had.n : 0;
	return n;
}

bool stash_has(const struct override *o, PyCodeObject *generated)
{
	struct stash *a;

	for (a = o->kept.stash; a; a = a->next)
		if (cache_list_find(&a->had, generated) < a->had.n)
			return true;
	return false;
}

void stash_free(struct override *o)
{
	while (o->kept.stash)
		forget_last(o);
}

/* ---- eager --------------------------------------------------------------------------------------------------- */

int stash_eager_do(struct override *o, struct err *err)
{
	if (insert_strategy(o->func->co, &o->kept.was, err) < 0)
		return -1;
	if (!insert_strategy_keeps() && stash_take(o, err) < 0)
		return -1;
	return insert_strategy_set(o->func->co, STRATEGY_EAGER, err);
}

int stash_eager_undo(struct override *o, struct err *err)
{
	if (!o->kept.stash)
		return insert_strategy_set(o->func->co, o->kept.was, err);
	if (insert_strategy_set(o->func->co, STRATEGY_ASKS, err) < 0 || stash_back(o, err) < 0)
		return -1;
	return o->kept.was == STRATEGY_ASKS ? 0 : insert_strategy_set(o->func->co, o->kept.was, err);
}
