/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an entry: that in Dynamo's cache, and what the user's edits changed, as edit/ reports it. */
#include "model/entry_state.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include <string.h>

static const char *no_state(struct entry *e)
{
	(void)e;
	return NULL;
}

static PyObject *no_manager(struct entry *e)
{
	(void)e;
	return NULL;
}

static int none_more(struct entry *e)
{
	(void)e;
	return 0;
}

static const struct entry_edits none = {
	.state = no_state,
	.original = no_manager,
	.manager = no_manager,
	.more_guards = none_more,
};
static const struct entry_edits *edits = &none;

void entry_edits_register(const struct entry_edits *by)
{
	edits = by;
}

const char *entry_edited(struct entry *e)
{
	return edits->state(e);
}

PyObject *entry_original(struct entry *e)
{
	return edits->original(e);
}

int entry_more_guards(struct entry *e)
{
	return edits->more_guards(e);
}

const char *model_state(struct entry *e)
{
	const char *edited = e->end ? NULL : entry_edited(e);
	PyObject *code = NULL;
	bool dead;

	if (e->end)
		return e->end;
	/* its code may be held by a clone, or be one */
	dead = e->co && entry_in_cache(e, "code", &code) > 0 && code == Py_None;
	Py_XDECREF(code);
	if (dead || edited)
		return dead ? "invalidated" : edited;
	if (e->edit.clone)
		return "edited";
	return e->made.fresh || (e->co && entry_in_cache(e, NULL, NULL) != 0) ? "live" : "invalidated";
}

int entry_not_fresh(const struct entry *e, struct err *err)
{
	if (!e->made.fresh)
		return 0;
	return err_set(err,
		       "entry '%s' was just compiled, and Dynamo puts it into its cache when this stop ends: 'stepi' "
		       "goes to its code, where that works",
		       e->id);
}

bool model_cached(struct entry *e)
{
	const char *state = model_state(e);

	if (!strcmp(state, "live"))
		return true;
	if (!strcmp(state, "invalidated") || !strcmp(state, "deleted"))
		return false;
	/* the state of an edited entry does not show it: a clone may not be in the cache; after the end the cache
	   cannot be read */
	return e->end ? !strchr(e->id, '+') : model_order(e) > 0;
}

PyObject *model_manager(struct entry *e)
{
	PyObject *manager = Py_XNewRef(e->made.fresh ? e->guard.manager : e->guard.held);

	if (!manager && e->co && !e->end)
		entry_in_cache(e, "guard_manager", &manager);
	if (!manager && e->edit.clone)
		manager = edits->manager(e);
	return manager;
}
