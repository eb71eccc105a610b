/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of overrides: what the user changed, and which of it is active on an entry or a guard.  Changes nothing
   in Dynamo. */
#include "edit/overrides.h"
#include "edit/dynamo_edit.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "guards/guard_edit.h"
#include "edit/stash.h"
#include "model/func.h"
#include <stdlib.h>
#include <string.h>

struct override *ledger;

static const char *const kind_names[] = {
	[OVERRIDE_DROP] = "drop",	[OVERRIDE_FORCE] = "force",	   [OVERRIDE_EDIT] = "edit",
	[OVERRIDE_ADD] = "add",		[OVERRIDE_DISABLE] = "disable",	   [OVERRIDE_DELETE] = "delete",
	[OVERRIDE_PREFER] = "prefer",	[OVERRIDE_FORCE_ENTRY] = "always", [OVERRIDE_INSTALL] = "install",
	[OVERRIDE_EAGER] = "eager",	[OVERRIDE_BACKEND] = "backend",	   [OVERRIDE_VAR] = "set var",
	[OVERRIDE_STACK] = "set stack", [OVERRIDE_JUMP] = "jump",
};

const char *override_kind_name(enum override_kind d)
{
	return kind_names[d];
}

bool override_in_force(const struct override *o)
{
	return !o->undone && !o->dead;
}

struct override *override_numbered(int number)
{
	struct override *o;

	for (o = ledger; o && o->number != number; o = o->next)
		;
	return o;
}

/* The active override on each guard, by the guard's number; rebuilt when an override is applied or reverted. */
static struct {
	struct override **by;
	size_t cap;
	bool made;
} on;

void overrides_changed(void)
{
	on.made = false;
}

static void make_on(void)
{
	struct override *o;
	size_t was, n = 0;

	for (o = ledger; o; o = o->next)
		n = override_in_force(o) && (size_t)o->guard >= n ? (size_t)o->guard + 1 : n;
	was = on.cap;
	on.by = mem_grow(on.by, &on.cap, n, sizeof(*on.by));
	if (on.by)
		memset(on.by, 0, (on.cap > was ? on.cap : was) * sizeof(*on.by));
	for (o = ledger; o; o = o->next)
		if (override_in_force(o) && o->guard)
			on.by[o->guard] = o;
	on.made = true;
}

struct override *override_on(int guard)
{
	if (!on.made)
		make_on();
	return guard > 0 && (size_t)guard < on.cap ? on.by[guard] : NULL;
}

const char *override_guard_state(int guard)
{
	struct override *o = override_on(guard);

	return !o ? "on" : o->kind == OVERRIDE_DROP ? "dropped" : o->kind == OVERRIDE_FORCE ? "forced" : "edited";
}

enum guard_edit override_guard_edit(int guard)
{
	const struct override *o = override_on(guard);

	return !o			 ? GUARD_AS_MADE :
	       o->kind == OVERRIDE_EDIT	 ? GUARD_CHANGED :
	       o->kind != OVERRIDE_FORCE ? GUARD_DROPPED :
	       o->value			 ? GUARD_PASSES :
					   GUARD_FAILS;
}

const char *override_guard_text(int guard)
{
	const struct override *o = override_on(guard);

	return o ? o->text : NULL;
}

int override_more_guards(struct entry *e)
{
	struct override *o;
	int more = 0;

	for (o = ledger; o; o = o->next)
		if (override_in_force(o) && o->entry == e)
			more += (o->kind == OVERRIDE_ADD) - (o->kind == OVERRIDE_DROP);
	return more;
}

bool override_has(struct entry *e, enum override_kind d)
{
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (override_in_force(o) && o->entry == e && o->kind == d)
			return true;
	return false;
}

const char *override_entry_state(struct entry *e)
{
	struct override *o;
	const char *state = NULL;

	for (o = ledger; e->co && o; o = o->next)
		if (override_in_force(o) && stash_has(o, e->co))
			return "removed";
	if (override_has(e, OVERRIDE_DELETE))
		return "deleted";
	if (override_has(e, OVERRIDE_DISABLE))
		return "disabled";
	for (o = ledger; o; o = o->next)
		if (override_in_force(o) && o->entry == e)
			state = o->kind == OVERRIDE_PREFER && !state ? "preferred" : "edited";
	return state;
}

/* For an override that is no longer in the ledger. */
void override_free(struct override *o)
{
	overrides_changed();
	Py_XDECREF(o->kept.order);
	Py_XDECREF(o->kept.check);
	Py_XDECREF(o->kept.counter);
	stash_free(o);
	free(o->text);
	free(o);
}

struct override *override_new(enum override_kind kind, struct entry *e, const char *risk)
{
	struct override *o = mem_alloc(sizeof(*o));

	o->kind = kind;
	o->entry = e;
	o->func = e ? e->func : NULL;
	o->risk = risk;
	return o;
}

void override_append(struct override *const *list, int n)
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
	overrides_changed();
}

bool override_in_frame(const struct override *o)
{
	return o->kind >= OVERRIDE_VAR;
}

/* An override as the command line that makes it.  Changes nothing. */

/* A pattern also matches guards of functions with the same name in other files. */
static int entries_of(const struct func *f)
{
	struct entry *e;
	int n = 0;

	for (e = model_entries; e; e = e->next)
		n += !strcmp(e->func->name, f->name) && e->co;
	return n;
}

/* By its function where that is enough. */
static const char *name_of(const struct override *o, bool here)
{
	return !here && entries_of(o->func) == 1 ? o->func->name : o->entry->id;
}

static void override_guard_line(const struct override *o, bool here, struct buf *out)
{
	const struct guard *g = guards_numbered(o->guard);
	const char *verb = o->kind == OVERRIDE_DROP ? "drop" : o->kind == OVERRIDE_FORCE ? "force" : "edit";

	if (!g)
		return;
	if (here)
		buf_addf(out, "guard %s %d", verb, o->guard);
	else
		buf_addf(out, "guard %s %s/%s@%s", verb, o->func->name, g->kind, g->source);
	if (here || entries_of(o->func) > 1)
		buf_addf(out, " in %s", o->entry->id);
	if (o->kind == OVERRIDE_FORCE)
		buf_addf(out, o->value ? " true" : " false");
	if (o->kind == OVERRIDE_EDIT)
		buf_addf(out, " to %s", o->text);
}

void override_line(const struct override *o, bool here, struct buf *out)
{
	switch (o->kind) {
	case OVERRIDE_DROP:
	case OVERRIDE_FORCE:
	case OVERRIDE_EDIT:
		override_guard_line(o, here, out);
		break;
	case OVERRIDE_ADD:
		buf_addf(out, "guard add %s %s", name_of(o, here), o->text);
		break;
	case OVERRIDE_DISABLE:
	case OVERRIDE_DELETE:
	case OVERRIDE_PREFER:
		buf_addf(out, "entry %s %s", override_kind_name(o->kind), name_of(o, here));
		break;
	case OVERRIDE_FORCE_ENTRY:
		buf_addf(out, "entry force %s", name_of(o, here));
		break;
	case OVERRIDE_EAGER:
		buf_addf(out, "eager %s", o->func->name);
		break;
	case OVERRIDE_BACKEND:
		buf_addf(out, "set backend %s for %s", o->text, o->func->name);
		break;
	case OVERRIDE_INSTALL:
		if (here)
			buf_addf(out, "entry install %s", o->entry->id);
		else
			buf_addf(out, "# entry install %s: 'entry save' keeps its code", o->entry->id);
		break;
	case OVERRIDE_VAR:
	case OVERRIDE_STACK:
	case OVERRIDE_JUMP:
		buf_addf(out, "# %s: changed a frame that no longer exists", override_kind_name(o->kind));
		break;
	}
}
