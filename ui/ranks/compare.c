/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that some ranks have and others do not: see compare.h. */
#include "ui/ranks/compare.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank.h"
#include "ui/ranks/ranks_data.h"
#include "ui/ranks/ranks_show.h"
#include "view/view.h"

enum { MOST_SHOWN = 100, WIDEST = 240, FIRST_SLOTS = 1024 };

/* A text that some rank has. */
struct line {
	char *text;
	size_t hash;
	struct rank_set only, missing; /* ranks that have more, or fewer, of it than the norm */
};

/* The rows of a rank: indexes of lines, ascending. */
struct had {
	int rank;
	size_t *line, n;
	size_t same_as; /* the first with equal rows */
	size_t like;	/* of the first: how many are equal */
};

struct comparison {
	struct line *line;
	size_t n, cap;
	size_t *slot, slots; /* a hash table: an index of line, plus 1; at most half full */
	struct had *had;     /* of the ranks that answered with lines, ascending */
	size_t nhad, capacity;
	struct rank_set left; /* those that did not */
};

/* ---- the lines ------------------------------------------------------------------------------ */

static size_t hash_of(const char *text)
{
	size_t h = 5381;

	for (; *text; text++)
		h = h * 33 + (unsigned char)*text;
	return h ^ h >> 15;
}

static size_t *slot_of(const struct comparison *k, const char *text, size_t hash)
{
	size_t i = hash & (k->slots - 1);
	const struct line *l;

	for (; k->slot[i]; i = (i + 1) & (k->slots - 1)) {
		l = &k->line[k->slot[i] - 1];
		if (l->hash == hash && !strcmp(l->text, text))
			break;
	}
	return &k->slot[i];
}

static void more_slots(struct comparison *k)
{
	size_t i;

	free(k->slot);
	k->slots = k->slots ? k->slots * 2 : FIRST_SLOTS;
	k->slot = mem_alloc(k->slots * sizeof(*k->slot));
	for (i = 0; i < k->n; i++)
		*slot_of(k, k->line[i].text, k->line[i].hash) = i + 1;
}

static size_t line_of(struct comparison *k, const char *text)
{
	size_t hash = hash_of(text), *slot;

	if (k->n * 2 >= k->slots)
		more_slots(k);
	slot = slot_of(k, text, hash);
	if (!*slot) {
		k->line = mem_grow(k->line, &k->cap, k->n + 1, sizeof(*k->line));
		k->line[k->n] = (struct line){ .text = mem_str(text), .hash = hash };
		*slot = ++k->n;
	}
	return *slot - 1;
}

/* ---- what each rank has ---------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static bool equal(const struct had *a, const struct had *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->line, b->line, a->n * sizeof(*a->line)));
}

/* Takes the lines out of its answer.  False: it gave none. */
static bool take(struct comparison *k, struct rank *r)
{
	const struct val *lines = r->answer ? val_get(r->answer, "lines") : NULL;
	struct had *h;
	size_t i;

	if (!lines || lines->type != VAL_LIST)
		return false;
	k->had = mem_grow(k->had, &k->capacity, k->nhad + 1, sizeof(*k->had));
	h = &k->had[k->nhad];
	*h = (struct had){ .rank = r->number, .line = mem_alloc((lines->u.list.n + 1) * sizeof(*h->line)) };
	for (i = 0; i < lines->u.list.n; i++)
		if (lines->u.list.item[i]->type == VAL_STR)
			h->line[h->n++] = line_of(k, lines->u.list.item[i]->u.s);
	qsort(h->line, h->n, sizeof(*h->line), ascending);
	while (!equal(&k->had[h->same_as], h))
		h->same_as++;
	k->had[h->same_as].like++;
	k->nhad++;
	val_free(r->answer);
	r->answer = NULL;
	return true;
}

static void ask(struct comparison *k, struct controller *c, const struct rank_set *of, const char *view)
{
	struct rank_set stopped = { .n = NULL };
	struct rank *r;
	char *line = mem_fmt("info %s", view);
	size_t i;

	for (i = 0; i < of->count; i++) {
		r = controller_rank(c, of->n[i]);
		if (r->state == RANK_STOPPED)
			rank_set_add(&stopped, of->n[i]);
	}
	controller_ask(c, &stopped, line, "lines");
	for (i = 0; i < of->count; i++)
		if (!rank_set_has(&stopped, of->n[i]) || !take(k, controller_rank(c, of->n[i])))
			rank_set_add(&k->left, of->n[i]);
	rank_set_release(&stopped);
	free(line);
}

/* ---- the differences -------------------------------------------------------------------------- */

static size_t norm_of(const struct comparison *k)
{
	size_t i, best = 0;

	for (i = 1; i < k->nhad; i++)
		if (k->had[i].like > k->had[best].like)
			best = i;
	return best;
}

static void add_once(struct rank_set *s, int rank)
{
	if (!s->count || s->n[s->count - 1] != rank)
		rank_set_add(s, rank);
}

/* Both ascending. */
static void differ(struct comparison *k, const struct had *h, const struct had *norm)
{
	size_t i = 0, j = 0;

	while (i < h->n || j < norm->n)
		if (j >= norm->n || (i < h->n && h->line[i] < norm->line[j]))
			add_once(&k->line[h->line[i++]].only, h->rank);
		else if (i >= h->n || norm->line[j] < h->line[i])
			add_once(&k->line[norm->line[j++]].missing, h->rank);
		else
			i++, j++;
}

static void show_ranks(struct buf *out, const char *what, const struct rank_set *s, const char *text)
{
	struct buf seen = { 0 };

	buf_adds(out, what);
	rank_set_text(s, out);
	buf_adds(out, ": ");
	visible_add(&seen, text, strlen(text), false);
	view_cut(out, buf_str(&seen), WIDEST);
	buf_addc(out, '\n');
	buf_release(&seen);
}

static void show_lines(const struct comparison *k, struct buf *out)
{
	const struct line *l;
	size_t i, shown = 0, more = 0;

	for (i = 0; i < k->n; i++) {
		l = &k->line[i];
		if (!l->only.count && !l->missing.count)
			continue;
		if (shown++ >= MOST_SHOWN) {
			more++;
			continue;
		}
		if (l->only.count)
			show_ranks(out, "only ", &l->only, l->text);
		if (l->missing.count)
			show_ranks(out, "missing in ", &l->missing, l->text);
	}
	if (more)
		buf_addf(out, "... %zu more rows differ: 'rank N info VIEW' shows all rows of a rank\n", more);
}

static const char *rows_word(size_t n)
{
	return n == 1 ? "row" : "rows";
}

/* Of a machine: a row a text that some have and others do not. */
static void put(const struct comparison *k, struct val *data, const struct rank_set *like, size_t nrows)
{
	struct val *norm = val_put(data, "norm", val_map()), *rows = val_put(data, "rows", val_list()), *row;
	const struct line *l;
	size_t i, which;

	val_put(norm, "ranks", ranks_data_set(like));
	val_put(norm, "rows", val_int((long long)nrows));
	for (i = 0; i < k->n; i++) {
		l = &k->line[i];
		for (which = 0; which < 2; which++) {
			if (!(which ? l->missing.count : l->only.count))
				continue;
			row = val_push(rows, val_map());
			val_put(row, "ranks", ranks_data_set(which ? &l->missing : &l->only));
			val_put(row, "missing", val_bool(which));
			val_put(row, "text", val_str(l->text));
		}
	}
}

static void show(struct comparison *k, struct val *data, struct buf *out)
{
	size_t i, at = norm_of(k);
	const struct had *norm = &k->had[at];
	struct rank_set like = { .n = NULL };

	for (i = 0; i < k->nhad; i++)
		if (k->had[i].same_as == at)
			rank_set_add(&like, k->had[i].rank);
		else
			differ(k, &k->had[i], norm);
	if (data) {
		put(k, data, &like, norm->n);
	} else if (k->nhad == 1) {
		buf_addf(out, "only rank %d was asked: %zu %s\n", norm->rank, norm->n, rows_word(norm->n));
	} else if (like.count == k->nhad) {
		buf_addf(out, "all %zu ranks agree: %zu %s\n", k->nhad, norm->n, rows_word(norm->n));
	} else {
		buf_adds(out, "compared with ");
		rank_set_text(&like, out);
		buf_addf(out, ": %zu %s\n", norm->n, rows_word(norm->n));
		show_lines(k, out);
	}
	rank_set_release(&like);
}

static void describe_left(const struct rank *r, struct buf *out)
{
	if (r->state == RANK_RUNNING)
		buf_adds(out, "is not compared: it runs; 'interrupt' stops it");
	else if (r->state != RANK_STOPPED)
		rank_describe(r, out);
	else if (!r->answer)
		buf_adds(out, "no answer");
	else if (*val_text(r->answer, "error"))
		buf_addf(out, "error: %s", val_text(r->answer, "error"));
	else
		buf_adds(out, "error: this has no rows to compare; 'info' lists the views");
}

/* ---- the command ------------------------------------------------------------------------------- */

static void release(struct comparison *k)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		free(k->line[i].text);
		rank_set_release(&k->line[i].only);
		rank_set_release(&k->line[i].missing);
	}
	for (i = 0; i < k->nhad; i++)
		free(k->had[i].line);
	free(k->line);
	free(k->slot);
	free(k->had);
	rank_set_release(&k->left);
}

/* RANKS, or all that have joined; *text: behind them. */
static int read_ranks(const struct controller *c, const char **text, struct rank_set *of, struct err *err)
{
	size_t i, n = strcspn(*text, " \t");
	bool all = !isdigit((unsigned char)**text) && !(n == 3 && !strncmp(*text, "all", n));

	if (!all && rank_set_read(of, *text, text, &all, err) < 0)
		return -1;
	*text += strspn(*text, " \t");
	if (all)
		*of = controller_in(c, ~0u);
	for (i = 0; i < of->count; i++)
		if (!controller_rank(c, of->n[i]))
			return err_set(err, "there is no rank %d: 'ranks' lists them", of->n[i]);
	return of->count ? 0 : err_set(err, "no rank has joined yet: 'ranks' lists them");
}

static void show_left(struct comparison *k, struct controller *c, struct buf *out)
{
	struct buf why = { 0 };
	struct val *list, *v;
	size_t i;

	if (!c->data) {
		ranks_show_folded(c, &k->left, describe_left, true, out);
		return;
	}
	if (!k->nhad) {
		val_put(c->data, "ok", val_bool(false));
		val_put(c->data, "error", val_str("no rank has rows to compare"));
	}
	list = val_put(c->data, "left", val_list());
	for (i = 0; i < k->left.count; i++) {
		v = val_push(list, val_map());
		buf_reset(&why);
		describe_left(controller_rank(c, k->left.n[i]), &why);
		val_put(v, "rank", val_int(k->left.n[i]));
		val_put(v, "text", val_str(buf_str(&why)));
	}
	buf_release(&why);
}

int compare_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	struct comparison k = { .n = 0 };
	struct rank_set of = { .n = NULL };
	int ret = read_ranks(c, &args, &of, err);

	if (ret == 0 && !*args)
		ret = err_set(err, "'compare' needs a view: 'compare guards 0/1', or 'compare 0-3 locals'");
	if (ret == 0) {
		ask(&k, c, &of, args);
		if (k.nhad)
			show(&k, c->data, out);
		show_left(&k, c, out);
	}
	release(&k);
	rank_set_release(&of);
	return ret;
}
