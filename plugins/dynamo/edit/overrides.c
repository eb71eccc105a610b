/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of overrides: what the user changed, and which of it is active on an entry or a guard.  Changes nothing
   in Dynamo. */
#include "edit/overrides.h"
#include "model/entry.h"
#include "guards/guard_edit.h"
#include "edit/stash.h"
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
