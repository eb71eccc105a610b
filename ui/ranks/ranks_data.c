/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks say, as data: see ranks_data.h. */
#include "ui/ranks/ranks_data.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "ui/json/val_json.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/divergence.h"
#include "ui/ranks/rank.h"

struct val *ranks_data_set(const struct rank_set *s)
{
	struct val *list = val_list();
	size_t i;

	for (i = 0; i < s->count; i++)
		val_push(list, val_int(s->n[i]));
	return list;
}

static void copy_members(struct val *to, const struct val *from, const char *const *but)
{
	size_t i, k;

	for (i = 0; from && from->type == VAL_MAP && i < from->u.list.n; i++) {
		for (k = 0; but[k] && strcmp(but[k], from->u.list.key[i]); k++)
			;
		if (!but[k])
			val_put(to, from->u.list.key[i], val_copy(from->u.list.item[i]));
	}
}

/* ---- replies -------------------------------------------------------------------------------- */

static bool is_ok(const struct val *v)
{
	const struct val *ok = val_get(v, "ok");

	return ok && ok->type == VAL_BOOL && ok->u.b;
}

static void fail(struct val *to, const char *why)
{
	val_put(to, "ok", val_bool(false));
	val_put(to, "error", val_str(why));
}

static void put_answer(struct val *to, struct rank *r)
{
	static const char *const ours[] = { "id", "reply", "rank", "ranks", "same", NULL };
	struct buf state = { 0 };

	if (r->answer) {
		copy_members(to, r->answer, ours);
	} else if (!rank_live(r)) {
		rank_describe(r, &state);
		fail(to, buf_str(&state));
		buf_release(&state);
	} else {
		fail(to, "no answer");
	}
	val_free(r->answer);
	r->answer = NULL;
}

/* Answers that are equal have one text as JSON. */
struct answers {
	struct val *list; /* borrowed */
	char **key;	  /* of each; owned */
	size_t cap;
};

static void add_answer(struct answers *a, struct rank *r)
{
	struct val *mine = val_map(), *ranks = NULL;
	struct buf key = { 0 };
	size_t i;

	put_answer(mine, r);
	json_add_val(&key, mine);
	for (i = 0; i < a->list->u.list.n && strcmp(a->key[i], buf_str(&key)); i++)
		;
	if (i < a->list->u.list.n) {
		ranks = a->list->u.list.item[i]->u.list.item[0];
		val_free(mine);
		buf_release(&key);
	} else {
		a->key = mem_grow(a->key, &a->cap, i + 1, sizeof(*a->key));
		a->key[i] = buf_detach(&key);
		val_push(a->list, val_map());
		ranks = val_put(a->list->u.list.item[i], "ranks", val_list());
		copy_members(a->list->u.list.item[i], mine, (const char *const[]){ NULL });
		val_free(mine);
	}
	val_push(ranks, val_int(r->number));
}

void ranks_data_replies(struct controller *c, const struct rank_set *of)
{
	struct answers a = { .key = NULL };
	bool ok = true;
	size_t i;

	if (of->count == 1) {
		val_put(c->data, "rank", val_int(of->n[0]));
		put_answer(c->data, controller_rank(c, of->n[0]));
		return;
	}
	val_put(c->data, "ranks", ranks_data_set(of));
	val_put(c->data, "ok", val_bool(true));
	a.list = val_put(c->data, "answers", val_list());
	for (i = 0; i < of->count; i++)
		add_answer(&a, controller_rank(c, of->n[i]));
	for (i = 0; i < a.list->u.list.n; i++) {
		ok = ok && is_ok(a.list->u.list.item[i]);
		free(a.key[i]);
	}
	free(a.key);
	val_put(c->data, "ok", val_bool(ok));
}

void ranks_data_looked(struct controller *c, const struct rank_set *of)
{
	struct rank *r;
	size_t i;

	for (i = 0; i < of->count; i++) {
		r = controller_rank(c, of->n[i]);
		if (r->state == RANK_RUNNING && r->look) {
			val_free(r->answer);
			r->answer = val_copy(r->look);
		}
	}
	ranks_data_replies(c, of);
}

/* ---- states ----------------------------------------------------------------------------------- */

struct val *ranks_data_member(const struct rank *r)
{
	static const char *const names[] = { "world", "local", "restart", "host", "pid", "python", "torch", NULL };
	struct val *v = val_map();
	const struct val *member;
	size_t i;

	val_put(v, "rank", val_int(r->number));
	for (i = 0; names[i]; i++) {
		member = val_get(r->hello, names[i]);
		val_put(v, names[i], member ? val_copy(member) : val_null());
	}
	return v;
}

static const char *state_name(const struct rank *r)
{
	static const char *const names[] = { "starting", "stopped", "running", "exited", "gone" };

	return r->detached ? "detached" : names[r->state];
}

static void put_copy(struct val *to, const char *key, const struct val *v)
{
	val_put(to, key, v ? val_copy(v) : val_null());
}

static void put_place(struct val *row, const struct val *place)
{
	put_copy(row, "function", val_get(place, "function"));
	put_copy(row, "file", val_get(place, "file"));
	put_copy(row, "line", val_get(place, "line"));
}

static struct val *row_of(const struct rank *r)
{
	const struct val *in = r->state == RANK_RUNNING ? val_get(r->look, "collective") : NULL;
	struct val *row = val_map();

	val_put(row, "rank", val_int(r->number));
	val_put(row, "state", val_str(state_name(r)));
	put_copy(row, "reason", r->state == RANK_STOPPED ? val_get(r->stop, "reason") : NULL);
	put_place(row, r->state == RANK_STOPPED ? val_get(r->stop, "frame") :
		       r->state == RANK_RUNNING ? val_get(r->look, "place") :
						  NULL);
	put_copy(row, "collective", val_get(in, "collective"));
	put_copy(row, "seq", val_get(in, "seq"));
	put_copy(row, "group", val_get(in, "group"));
	put_copy(row, "error", r->state == RANK_RUNNING ? val_get(r->look, "error") : NULL);
	put_copy(row, "status", r->state == RANK_EXITED ? val_get(r->stop, "status") : NULL);
	put_copy(row, "signal", r->state == RANK_EXITED ? val_get(r->stop, "signal") : NULL);
	put_copy(row, "host", val_get(r->hello, "host"));
	put_copy(row, "pid", val_get(r->hello, "pid"));
	return row;
}

void ranks_data_table(struct controller *c)
{
	struct val *rows = val_put(c->data, "rows", val_list());
	size_t i;

	val_put(c->data, "world", c->world ? val_int(c->world) : val_null());
	for (i = 0; i < c->ranks; i++)
		if (c->rank[i])
			val_push(rows, row_of(c->rank[i]));
}

struct val *ranks_data_event(const struct rank *r)
{
	static const char *const ours[] = { "event", "rank", "ranks", NULL };
	struct val *v = val_map();

	val_put(v, "event", val_str(val_text(r->stop, "event")));
	val_put(v, "rank", val_int(r->number));
	copy_members(v, r->stop, ours);
	return v;
}

/* ---- divergence --------------------------------------------------------------------------------- */

/* What they stopped for; of one that waits, where the ranks that parted are those that wait, too. */
static void put_parted(struct val *v, const struct rank *r)
{
	static const char *const none[] = { NULL };
	const struct val *in = val_get(r->look, "collective");
	struct val *detail = val_put(v, "detail", val_map());

	if (r->state == RANK_STOPPED) {
		val_put(detail, "kind", val_str(val_text(r->stop, "reason")));
		copy_members(detail, val_get(r->stop, "detail"), none);
		return;
	}
	val_put(detail, "kind", val_str("collective"));
	copy_members(detail, in, none);
	put_place(detail, val_get(r->look, "place"));
}

static bool has_collective(const struct val *list, const struct val *in)
{
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (divergence_same(list->u.list.item[i], in))
			return true;
	return false;
}

struct val *ranks_data_absent(const struct controller *c)
{
	static const char *const none[] = { NULL };
	struct rank_set members, absent;
	struct val *list = val_list(), *e;
	const struct val *in;
	size_t i;

	for (i = 0; i < c->ranks; i++) {
		in = divergence_waits_in(c->rank[i]);
		if (!in || has_collective(list, in) || !divergence_absent(c, in, &members, &absent))
			continue;
		if (absent.count && (int)members.count < c->world) {
			e = val_map();
			val_put(e, "ranks", ranks_data_set(&absent));
			copy_members(e, in, none);
			val_push(list, e);
		}
		rank_set_release(&members);
		rank_set_release(&absent);
	}
	return list;
}

struct val *ranks_data_divergence(const struct controller *c)
{
	struct rank_set parted = { .n = NULL }, waiting = { .n = NULL };
	struct val *v = val_map();
	size_t i;

	divergence_parted(c, &parted);
	for (i = 0; i < c->ranks; i++)
		if (c->rank[i] && c->rank[i]->state == RANK_RUNNING && !rank_set_has(&parted, (int)i))
			rank_set_add(&waiting, (int)i);
	val_put(v, "event", val_str("stopped"));
	val_put(v, "reason", val_str("divergence"));
	val_put(v, "ranks", ranks_data_set(&parted));
	val_put(v, "waiting", ranks_data_set(&waiting));
	val_put(v, "absent", ranks_data_absent(c));
	if (parted.count)
		put_parted(v, controller_rank(c, parted.n[0]));
	rank_set_release(&parted);
	rank_set_release(&waiting);
	return v;
}
