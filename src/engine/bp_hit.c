/* SPDX-License-Identifier: BSD-3-Clause */
/* Which breakpoint or catchpoint stops at this armed instruction, or at this event?  Knows no command and no front
   end. */
#include <string.h>
#include "engine/arm.h"
#include "engine/bp.h"

static bool wants_stop(struct session *s, struct bp *b, struct hook_thread *t, const struct scope *sc, char **trouble)
{
	return !b->dead && bp_condition(s, b, t, sc, trouble) && !b->dead && bp_count(b);
}

/* The oldest breakpoint is reported; a temporary one that stops at the same time is deleted too. */
static struct bp *first_of(struct session *s, struct bp *found, struct bp *b)
{
	if (!found)
		return b;
	if (b->temporary)
		bp_delete(s, b);
	return found;
}

static struct bp *release_but(struct bp **held, int n, struct bp *found)
{
	int i;

	for (i = 0; i < n; i++)
		if (!bp_drop(held[i]) && found == held[i])
			found = NULL;
	return found;
}

static bool event_happens(const struct bp *b, struct py_frame *f, struct code *c, int index)
{
	return b->type != BP_CATCH || !b->kind->happens || b->kind->happens(b->words, f, c, index);
}

struct bp *bp_hit(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, int index,
		  char **trouble)
{
	struct scope sc = { .frame = f, .at_event = true };
	struct bp *here[ARM_MOST], *found = NULL;
	int i, n = arm_find(c, index, f, here);

	/* A condition runs the program's code, which may let another thread delete breakpoints. */
	for (i = 0; i < n; i++)
		bp_hold(here[i]);
	for (i = 0; i < n; i++)
		if (here[i]->enabled && event_happens(here[i], f, c, index) && wants_stop(s, here[i], t, &sc, trouble))
			found = first_of(s, found, here[i]);
	return release_but(here, n, found);
}

static bool event_fits(const struct bp *b, const struct event *ev)
{
	const char *name = ev->top ? ev->top->function : ev->code ? code_name(ev->code) : "";

	if (b->kind != ev->kind || !b->enabled)
		return false;
	if (b->kind->matches)
		return b->kind->matches(ev, b->words);
	return !*b->words || !strcmp(b->words, name);
}

struct bp *bp_caught(struct session *s, struct event *ev, char **trouble)
{
	struct scope sc = { .frame = ev->frame, .at_event = ev->at_event };
	struct bp *wants[ARM_MOST], *b, *found = NULL;
	int i, n = 0;

	if (ev->top) {
		sc.locals = ev->top->locals;
		sc.globals = ev->top->globals;
	}
	for (b = bp_first(s); b && n < ARM_MOST; b = b->next)
		if (b->type == BP_CATCH && event_fits(b, ev)) {
			bp_hold(b);
			wants[n++] = b;
		}
	for (i = 0; i < n; i++)
		if (wants_stop(s, wants[i], ev->thread, &sc, trouble))
			found = first_of(s, found, wants[i]);
	found = release_but(wants, n, found);
	if (found)
		ev->number = found->number;
	return found;
}
