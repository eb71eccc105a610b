/* SPDX-License-Identifier: BSD-3-Clause */
/* `catch divergence`: see divergence.h. */
#include "ui/ranks/divergence.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/normal.h"
#include "base/val.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank.h"

static bool is_event(const struct rank *r)
{
	const char *reason = val_text(r->stop, "reason");

	return !strcmp(reason, "compile") || !strcmp(reason, "recompile") || !strcmp(reason, "graph-break");
}

/* Guards that failed, each once.  What they expect is left out: the size of a rank's share of the data, its number. */
static void add_missed(const struct val *entries, struct buf *out)
{
	const struct val *failing, *guard;
	struct buf line = { 0 };
	size_t i, k;

	for (i = 0; entries && entries->type == VAL_LIST && i < entries->u.list.n; i++) {
		failing = val_get(entries->u.list.item[i], "failing");
		for (k = 0; failing && failing->type == VAL_LIST && k < failing->u.list.n; k++) {
			guard = failing->u.list.item[k];
			buf_reset(&line);
			buf_addf(&line, "%s ", val_text(guard, "kind"));
			normal_addresses(&line, val_text(guard, *val_text(guard, "source") ? "source" : "text"));
			buf_addc(&line, '\n');
			if (!strstr(buf_str(out), buf_str(&line)))
				buf_adds(out, buf_str(&line));
		}
	}
	buf_release(&line);
}

/* What it stopped for: kind, function; the broken line.  Numbers of entries differ once a rank has compiled alone. */
static void add_key(const struct rank *r, struct buf *key)
{
	const struct val *d = val_get(r->stop, "detail");

	buf_addf(key, "%s %s %s", val_text(r->stop, "reason"), val_text(d, "function"),
		 text_path_file_name(val_text(val_get(r->stop, "frame"), "file"))); /* hosts may differ in folders */
	if (!strcmp(val_text(r->stop, "reason"), "graph-break"))
		buf_addf(key, " %s:%lld", text_path_file_name(val_text(d, "file")), val_number(d, "line", 0));
}

/* Torch's guard collectives make it compile, since another rank's guards failed: its own did not. */
static bool is_made_to(const struct rank *r)
{
	return val_get(val_get(r->stop, "detail"), "other_rank") != NULL;
}

/* Have ranks of these texts the same?  The first one is kept. */
static bool same_text(struct buf *first, struct buf *text, bool *any)
{
	bool same = !*any || !strcmp(buf_str(first), buf_str(text));

	if (!*any)
		buf_adds(first, buf_str(text));
	*any = true;
	buf_reset(text);
	return same;
}

static bool same_events(const struct controller *c)
{
	struct buf first = { 0 }, missed = { 0 }, text = { 0 };
	bool same = true, any = false, any_missed = false;
	const struct rank *r;
	size_t i;

	for (i = 0; same && i < c->ranks; i++) {
		r = c->rank[i];
		if (!r || r->state != RANK_STOPPED)
			continue;
		add_key(r, &text);
		same = same_text(&first, &text, &any);
		if (!same || is_made_to(r))
			continue;
		add_missed(val_get(val_get(r->stop, "detail"), "entries"), &text);
		same = same_text(&missed, &text, &any_missed);
	}
	buf_release(&first);
	buf_release(&missed);
	buf_release(&text);
	return same;
}

const struct val *divergence_waits_in(const struct rank *r)
{
	const struct val *in = r && r->state == RANK_RUNNING ? val_get(r->look, "collective") : NULL;

	return in && in->type == VAL_MAP ? in : NULL;
}

/* What each rank is in, as far as it is known; *waits: each that runs waits in a collective.  Addresses are left out:
   the text is compared with that of the look before. */
static void add_places(const struct controller *c, struct buf *out, bool *waits)
{
	const struct val *in;
	const struct rank *r;
	size_t i;

	*waits = true;
	for (i = 0; i < c->ranks; i++) {
		r = c->rank[i];
		if (!r)
			continue;
		buf_addf(out, "%zu %d", i, (int)r->state);
		in = divergence_waits_in(r);
		if (in)
			buf_addf(out, " %s %lld %s", val_text(in, "group"), val_number(in, "seq", 0),
				 val_text(in, "collective"));
		else if (r->state == RANK_RUNNING)
			*waits = false;
		if (in && val_number(in, "seq", -1) < 0) /* many are alike: did it wait all the time? */
			buf_addf(out, " moves %lld", val_number(r->look, "moves", 0));
		buf_addc(out, '\n');
	}
}

bool divergence_same(const struct val *a, const struct val *b)
{
	return !strcmp(val_text(a, "group"), val_text(b, "group")) &&
	       !strcmp(val_text(a, "members"), val_text(b, "members")) &&
	       !strcmp(val_text(a, "collective"), val_text(b, "collective")) &&
	       val_number(a, "seq", 0) == val_number(b, "seq", 0);
}

bool divergence_absent(const struct controller *c, const struct val *in, struct rank_set *members,
		       struct rank_set *absent)
{
	const struct val *other;
	const char *rest;
	struct err err;
	bool all;
	size_t i;

	*members = *absent = (struct rank_set){ .n = NULL };
	if (!*val_text(in, "members") || rank_set_read(members, val_text(in, "members"), &rest, &all, &err) < 0)
		return false;
	for (i = 0; i < members->count; i++) {
		other = divergence_waits_in(controller_rank(c, members->n[i]));
		if (!other || !divergence_same(in, other))
			rank_set_add(absent, members->n[i]);
	}
	return true;
}

/* Do ranks, all of which wait in collectives, wait for one that is in another one?  Where the members of the group are
   not known, another rank's must be the same. */
static bool other_collectives(const struct controller *c)
{
	const struct val *first = NULL, *in;
	struct rank_set members, absent;
	bool known, other = false;
	size_t i;

	for (i = 0; i < c->ranks && !other; i++) {
		in = divergence_waits_in(c->rank[i]);
		if (!in)
			continue;
		known = divergence_absent(c, in, &members, &absent);
		other = absent.count || (!known && first && !divergence_same(first, in)) ||
			(known && first && !*val_text(first, "members"));
		rank_set_release(&members);
		rank_set_release(&absent);
		if (!first)
			first = in;
	}
	return other;
}

static enum divergence found(struct controller *c)
{
	c->diverged = true;
	return DIVERGENCE_FOUND;
}

static int count(const struct controller *c, unsigned states)
{
	struct rank_set s = controller_in(c, states);
	int n = (int)s.count;

	rank_set_release(&s);
	return n;
}

void divergence_forget(struct controller *c)
{
	free(c->seen);
	c->seen = NULL;
}

static enum divergence look_again(struct controller *c, bool apart)
{
	struct buf now = { 0 };
	bool waits, same;

	controller_look(c);
	add_places(c, &now, &waits);
	same = c->seen && !strcmp(c->seen, buf_str(&now));
	divergence_forget(c);
	c->seen = buf_detach(&now);
	return waits && same && (apart || other_collectives(c)) ? found(c) : DIVERGENCE_WAIT;
}

/* An exception that nobody caught ends its rank: do the others wait? */
static bool is_uncaught(const struct rank *r)
{
	const struct val *dead = val_get(r->stop, "dead");

	return !strcmp(val_text(r->stop, "reason"), "exception") && dead && dead->type == VAL_BOOL && dead->u.b;
}

static void look_around(struct controller *c)
{
	struct buf places = { 0 };
	bool waits;

	controller_look(c);
	add_places(c, &places, &waits);
	c->diverged = waits;
	buf_release(&places);
}

enum divergence divergence_check(struct controller *c, bool quiet)
{
	int stopped = count(c, 1u << RANK_STOPPED), runs = count(c, 1u << RANK_STARTING | 1u << RANK_RUNNING);
	int ended = count(c, 1u << RANK_EXITED | 1u << RANK_GONE);
	size_t i;

	if (!c->watched)
		return DIVERGENCE_NONE;
	for (i = 0; i < c->ranks; i++) {
		if (!c->rank[i] || c->rank[i]->state != RANK_STOPPED || is_event(c->rank[i]))
			continue;
		if (quiet && runs && is_uncaught(c->rank[i]))
			look_around(c);
		return DIVERGENCE_NONE;
	}
	if (stopped && !runs && same_events(c) && !ended)
		return DIVERGENCE_SAME;
	if (stopped && !runs)
		return found(c);
	return quiet && runs ? look_again(c, stopped || ended) : DIVERGENCE_WAIT;
}

/* ---- who has parted --------------------------------------------------------------------------- */

/* What a rank is in, so that ranks in the same have equal texts. */
static void add_doing(const struct rank *r, struct buf *out)
{
	const struct val *in;

	buf_addf(out, "%d ", (int)r->state);
	if (r->state == RANK_STOPPED && is_event(r))
		add_key(r, out);
	if (r->state == RANK_STOPPED && is_event(r) && !is_made_to(r))
		add_missed(val_get(val_get(r->stop, "detail"), "entries"), out);
	in = divergence_waits_in(r);
	if (in)
		buf_addf(out, "%s %s %lld", val_text(in, "group"), val_text(in, "collective"),
			 val_number(in, "seq", 0));
}

void divergence_parted(const struct controller *c, struct rank_set *out)
{
	struct buf *doing = mem_alloc((c->ranks + 1) * sizeof(*doing));
	size_t i, k, like, most = 0, norm = 0;

	for (i = 0; i < c->ranks; i++)
		if (c->rank[i])
			add_doing(c->rank[i], &doing[i]);
	for (i = 0; i < c->ranks; i++) {
		for (like = 0, k = 0; c->rank[i] && k < c->ranks; k++)
			like += c->rank[k] && !strcmp(buf_str(&doing[i]), buf_str(&doing[k]));
		/* of two groups of one size the one that runs is the norm: who stopped did something */
		if (like > most || (like == most && like && c->rank[i]->state == RANK_RUNNING &&
				    c->rank[norm]->state == RANK_STOPPED)) {
			most = like;
			norm = i;
		}
	}
	for (i = 0; i < c->ranks; i++)
		if (c->rank[i] && rank_live(c->rank[i]) && strcmp(buf_str(&doing[i]), buf_str(&doing[norm])))
			rank_set_add(out, (int)i);
	for (i = 0; i < c->ranks; i++)
		buf_release(&doing[i]);
	free(doing);
}
