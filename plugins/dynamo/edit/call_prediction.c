/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts which entry would take which calls if some guards of an entry are dropped or changed.  Uses guards only: no
   value of a call is kept.  Changes nothing. */
#include "edit/cache_list.h"
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/func.h"
#include "observe/dynamo_observe.h"
#include <stdlib.h>
#include <string.h>

/* The change to an entry. */
struct change {
	struct entry *entry;
	const struct guard *const *gone; /* by number */
	int n;
	const char *now; /* the text of the guard that replaces them, or NULL */
};

/* The calls that one entry serves, and the entry that changes. */
enum fit {
	FIT_ALL,  /* it would serve each of these calls */
	FIT_SOME, /* the calls that pass a guard that their own entry lacks */
	FIT_NONE, /* their own entry expects another value */
};

static bool is_changed(const struct change *c, const struct guard *g)
{
	int low = 0, high = c->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (c->gone[mid]->number < g->number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->n && c->gone[low]->number == g->number;
}

/* Names that Dynamo makes for an entry differ only in a number between entries: "G['__builtins_dict___2']['len']". */
static bool alike(const char *a, const char *b)
{
	while (*a && *a == *b) {
		if (!strncmp(a, "___", 3)) {
			a += 3 + strspn(a + 3, "0123456789");
			b += 3 + strspn(b + 3, "0123456789");
		} else {
			a++;
			b++;
		}
	}
	return !*a && !*b;
}

/* Does the entry have such a guard? *at: where to look first, since the entries of a function have their guards in
   the same order. */
static bool has_same(const struct guards *all, const char *source, const char *text, int *at)
{
	const struct guard *g;
	int i;

	for (i = 0; i < all->n; i++) {
		g = &all->guard[(*at + i) % all->n];
		if (alike(g->text, text) && alike(g->source, source)) {
			*at = (*at + i + 1) % all->n;
			return true;
		}
	}
	return false;
}

/* Does the other entry expect a constant at this source that differs from the one in this text? */
static bool other_constant(const struct guards *other, const char *source, const char *text)
{
	int i, n = 0;
	const struct guard *const *same = other->n ? guards_about(other->guard->entry, source, &n) : NULL;

	for (i = 0; i < n; i++)
		if (!strcmp(same[i]->kind, "EQUALS_MATCH") && !alike(same[i]->text, text))
			return true;
	return false;
}

/* Do calls that `other` serves pass the remaining guards of the changed entry? *why: the first guard that
   may fail. */
static enum fit calls_fit(const struct change *c, const struct guards *other, const struct guard **why)
{
	const struct guards *all = guards_of(c->entry);
	const struct guard *g;
	const char *text;
	enum fit fit = FIT_ALL, this;
	enum { ENOUGH = 8 }; /* not in the expected place: search all of them */
	int at = 0, missing = 0;

	for (g = all->guard; fit != FIT_NONE && missing < ENOUGH && g < all->guard + all->n; g++) {
		text = !is_changed(c, g) ? g->text : c->now;
		if (!text || override_on(g->number) || has_same(other, g->source, text, &at))
			continue;
		this = strstr(text, " == ") && !strcmp(g->kind, "EQUALS_MATCH") &&
				       other_constant(other, g->source, text) ?
			       FIT_NONE :
			       FIT_SOME;
		missing++;
		if (fit == FIT_ALL || this == FIT_NONE)
			*why = g;
		fit = this;
	}
	return fit;
}

/* ---- by the entry that serves them ------------------------------------------------------------------------------- */

static bool never_matches(struct entry *e)
{
	const char *state = override_entry_state(e);

	return state && !strcmp(state, "disabled");
}

static void tell_served(const struct change *c, struct entry *o, struct buf *out)
{
	const struct guards *other = guards_of(o);
	const struct guard *g = NULL;
	enum fit fit = other ? calls_fit(c, other, &g) : FIT_SOME;

	buf_addf(out, "calls served by %s: ", o->id);
	if (fit == FIT_ALL)
		buf_addf(out, "entry %s would take them if it is tried first\n", c->entry->id);
	else if (fit == FIT_NONE)
		buf_addf(out, "kept apart from entry %s by guard %d\n", c->entry->id, g->number);
	else if (g)
		buf_addf(out, "entry %s would take those that pass guard %d\n", c->entry->id, g->number);
	else
		buf_adds(out, "its guards are no longer known\n");
}

/* ---- the last calls, replayed ------------------------------------------------------------------------------------ */

/* The entries in the order in which they are tried; one that is used moves to the front, as in Dynamo. */
static void to_front(struct entry **tried, struct entry *e)
{
	struct entry *was = e, *next;

	if (cache_list_keeps_order())
		return;
	for (; *tried != e; tried++) {
		next = *tried;
		*tried = was;
		was = next;
	}
	*tried = was;
}

/* Which entry would now serve a call that `served` has served?  *perhaps: the changed entry might, if it comes
   earlier.  NULL: perhaps no entry. */
static struct entry *taker(const struct change *c, struct entry *const *tried, int n, struct entry *served,
			   bool *perhaps)
{
	const struct guards *other = guards_of(served);
	const struct guard *why;
	enum fit fit = other ? calls_fit(c, other, &why) : FIT_SOME;
	int i;

	*perhaps = false;
	for (i = 0; i < n; i++) {
		if (never_matches(tried[i]))
			continue;
		if (tried[i] == c->entry && fit == FIT_SOME)
			*perhaps = true;
		else if (tried[i] == c->entry ? fit == FIT_ALL : tried[i] == served)
			return tried[i];
	}
	return NULL;
}

/* A note on how reliable such a prediction is, printed once after it. */
static void tell_whence(struct buf *out)
{
	buf_addf(out, "  predicted from guards, not from the values of those calls%s\n",
		 lookup_counted()   ? "" :
		 lookup_countable() ? "; it covers calls that compiled, with 'set count on' all calls" :
				      "; it covers calls that compiled (all calls need another version of torch)");
}

static void tell_again(const struct change *c, struct entry **tried, int n, struct buf *out)
{
	struct func *f = c->entry->func;
	unsigned i, many = f->calls.ncalls < LAST_CALLS ? f->calls.ncalls : LAST_CALLS, times = 0;
	char *was = NULL, *now;
	struct entry *served, *e;
	bool perhaps;

	buf_addf(out, "replay of the last %u call%s: ", many, many == 1 ? "" : "s");
	for (i = f->calls.ncalls - many; i != f->calls.ncalls; i++) {
		served = f->calls.call[i % LAST_CALLS];
		e = taker(c, tried, n, served, &perhaps);
		now = mem_fmt("%s -> %s%s%s", served->id, perhaps ? c->entry->id : "", perhaps ? " or " : "",
			      e ? e->id : "a new one");
		if (e && !perhaps)
			to_front(tried, e);
		if (was && strcmp(was, now)) {
			buf_addf(out, times > 1 ? "%s (%u times), " : "%s, ", was, times);
			times = 0;
		}
		times++;
		free(was);
		was = now;
	}
	buf_addf(out, times > 1 ? "%s (%u times)\n" : "%s\n", was, times);
	free(was);
}

/* Did it report replayed calls? */
static bool predict_entry(struct entry *e, const struct guard *const *gone, int n, const char *now, struct buf *out)
{
	struct change c = { .entry = e, .gone = gone, .n = n, .now = now };
	enum { MOST = 8 };
	struct entry **tried;
	int many = model_tried(e->func, &tried), i, in = -1, others = 0;
	bool again = false;

	for (i = 0; i < many; i++)
		if (tried[i] == e)
			in = i;
	if (in < 0 || never_matches(e)) {
		buf_addf(out, "no call takes entry %s while it is %s\n", e->id,
			 in < 0 ? "not in the cache" : "disabled");
	} else {
		for (i = 0; i < many && others < MOST; i++)
			if (i != in && !never_matches(tried[i])) {
				tell_served(&c, tried[i], out);
				others++;
			}
		if (!others)
			buf_addf(out, "calls that would compile a new entry may take %s\n", e->id);
		again = e->func->calls.ncalls > 0;
		if (again)
			tell_again(&c, tried, many, out);
	}
	free(tried);
	return again;
}

void call_prediction_add(const struct guard *const *gone, int n, const char *now, struct buf *out)
{
	enum { MOST = 8 };
	int i, of, entries = 0;
	bool again = false;

	for (i = 0; i < n; i += of) {
		for (of = 1; i + of < n && gone[i + of]->entry == gone[i]->entry; of++)
			;
		if (entries++ < MOST)
			again |= predict_entry(gone[i]->entry, gone + i, of, now, out);
	}
	if (entries > MOST)
		buf_addf(out, "and what %d more entries would take\n", entries - MOST);
	if (again)
		tell_whence(out);
}
