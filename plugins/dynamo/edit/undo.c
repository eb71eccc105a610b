/* SPDX-License-Identifier: BSD-3-Clause */
/* Reverts overrides: one by its number, those of the last command, or all of them at a detach. ledger.c decides
   what an entry becomes without them. */
#include "edit/backend.h"
#include "edit/dynamo_edit.h"
#include "edit/ledger.h"
#include "edit/overridden.h"
#include "edit/overrides.h"
#include "edit/stash.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/func.h"
#include <stdlib.h>
#include <string.h>

static bool in_force(const struct override *o)
{
	return !o->undone && !o->dead;
}

static int may_undo(const struct override *o, struct err *err)
{
	if (override_in_frame(o))
		return err_set(err, "cannot undo override %d: it changed a running frame", o->number);
	if (o->undone)
		return err_set(err, "override %d is already undone", o->number);
	if (o->dead)
		return err_set(err, "cannot undo override %d: its entry no longer exists", o->number);
	return 0;
}

static int undo_later(struct override *const *list, int n, struct buf *out, struct err *err)
{
	char *line;
	int i, ret = 0;

	for (i = 0; ret == 0 && i < n; i++) {
		line = mem_fmt("undo %d", list[i]->number);
		ret = after_compile_run(list[i]->func, line, out, err);
		free(line);
	}
	return ret;
}

static int undo_these(struct override *const *list, int n, struct buf *out, struct err *err)
{
	enum { MOST = 10 }; /* listed one by one */
	struct override *o = list[0];
	int i, ret = 0;

	for (i = 0; ret == 0 && i < n; i++)
		ret = may_undo(list[i], err);
	if (ret == 0 && !o->func->co) {
		o->dead = true;
		ret = err_set(err, "cannot undo override %d: its function no longer exists", o->number);
	}
	if (ret < 0)
		return -1;
	if (after_compile_waits(o->func))
		return undo_later(list, n, out, err);
	for (i = 0; i < n; i++)
		list[i]->undone = true;
	overrides_changed();
	ret = o->kind == OVERRIDE_EAGER	  ? stash_eager_undo(o, err) :
	      o->kind == OVERRIDE_BACKEND ? backend_undo(o, err) :
					    overridden_follow(o->entry, o->kept.order, false, err);
	for (i = 0; i < n; i++) {
		o = list[i];
		o->undone = ret == 0;
		o->dead |= ret < 0 && o->entry && !overridden_is(o->entry);
		if (ret < 0)
			continue;
		Py_CLEAR(o->kept.order);
		if (i < MOST)
			buf_addf(out, "override %d undone: %s%s%s\n", o->number, override_kind_name(o->kind),
				 o->entry ? " in entry " : " ", o->entry ? o->entry->id : o->func->name);
	}
	if (ret == 0 && n > MOST)
		buf_addf(out, "and %d more in entry %s, to override %d\n", n - MOST, o->entry->id, o->number);
	overrides_changed();
	return ret;
}

/* Is the guard on one of these values, or on a value reached through one? */
static bool together(const struct override *o, struct override *const *list, int n, struct sources *values)
{
	const struct guard *g = guards_numbered(o->guard), *h;
	int i;

	if (!g || !in_force(o) || o->entry != list[0]->entry)
		return false;
	for (i = 0; i < n; i++) {
		h = guards_numbered(list[i]->guard);
		if (h && strstr(h->source, g->source))
			return true;
	}
	return sources_in(values, g->source) != NULL;
}

/* Without a record all guards of a value were removed together, so they are restored together. */
int undo_overrides(struct override *const *list, int n, struct buf *out, struct err *err)
{
	struct override **all = NULL, *o = list[0];
	struct sources values = { 0 };
	const struct guard *g;
	size_t cap = 0;
	int i, k = 0, ret;

	if (!o->entry || !o->guard || o->entry->edit.record)
		return undo_these(list, n, out, err);
	for (i = 0; i < n; i++) {
		g = guards_numbered(list[i]->guard);
		list[i]->picked = true;
		if (g)
			sources_add(&values, g->source);
	}
	for (o = ledger; o; o = o->next)
		if (o->picked || together(o, list, n, &values)) {
			all = mem_grow(all, &cap, (size_t)k + 1, sizeof(*all));
			all[k++] = o;
		}
	for (i = 0; i < n; i++)
		list[i]->picked = false;
	ret = undo_these(all, k, out, err);
	sources_release(&values);
	free(all);
	return ret;
}

/* ---- a command's --------------------------------------------------------------------------------------------- */

/* Reverts together the active overrides of a step that are on the same entry (or function) as this one; step 0: of
   any step. */
static int undo_like(struct override *first, int step, struct buf *out, struct err *err)
{
	struct override **list = NULL, *o;
	bool guards = first->guard || first->kind == OVERRIDE_ADD;
	size_t cap = 0;
	int n = 0, ret;

	for (o = first; o; o = o->next)
		if (o == first || (guards && in_force(o) && o->entry == first->entry && (!step || o->step == step) &&
				   (o->guard || o->kind == OVERRIDE_ADD))) {
			list = mem_grow(list, &cap, (size_t)n + 1, sizeof(*list));
			list[n++] = o;
		}
	ret = undo_overrides(list, n, out, err);
	free(list);
	return ret;
}

int undo_last_step(struct buf *out, struct err *err)
{
	struct override *o, *next;
	struct err first = { "" };
	int step = 0, done = 0, failed = 0;

	for (o = ledger; o; o = o->next)
		if (in_force(o))
			step = o->step;
	if (!step)
		return err_set(err, "nothing to undo");
	for (o = ledger; o; o = next) {
		next = o->next;
		if (!in_force(o) || o->step != step)
			continue;
		if (undo_like(o, step, out, failed ? err : &first) == 0)
			done++;
		else
			failed++;
		for (next = o->next; next && !(in_force(next) && next->step == step && next->entry != o->entry);)
			next = next->next;
	}
	if (failed)
		return err_set(err, "%s%s", first.text,
			       done ? "; the command's changes to other entries are undone" : "");
	return 0;
}

/* For a detach.  Restores everything as Dynamo made it. */
void undo_stop(void)
{
	struct buf out = { 0 };
	struct override *o;
	struct err err;

	for (o = ledger; o; o = o->next)
		if (in_force(o) && (after_compile_waits(o->func) || undo_like(o, 0, &out, &err) < 0) && o->entry)
			overridden_forget(o->entry); /* no stop comes any more at which it could be done */
	buf_release(&out);
	ledger_clear();
}
