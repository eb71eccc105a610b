/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks say, folded: see ranks_show.h. */
#include "ui/ranks/ranks_show.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/normal.h"
#include "base/val.h"
#include "base/visible.h"
#include "ui/json/look.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank.h"
#include "ui/ranks/ranks_data.h"

/* Ranks that say the same. */
struct same {
	struct same *next;
	char *text, *key; /* as the first of them says it, and normalised */
	struct rank_set ranks;
};

/* known: what says that texts are the same, or "" */
static struct same *same_as(struct same **list, const char *text, const char *known)
{
	struct buf key = { 0 };
	struct same *s;

	normal_addresses(&key, *known ? known : text);
	for (; (s = *list) && strcmp(s->key, buf_str(&key)); list = &s->next)
		;
	if (!s) {
		s = *list = mem_alloc(sizeof(*s));
		s->text = mem_str(text);
		s->key = mem_str(buf_str(&key));
	}
	buf_release(&key);
	return s;
}

/* Of one line behind the ranks, of more below them. */
static void show_same(const struct same *s, bool prefix, struct buf *out)
{
	size_t n = strlen(s->text);
	bool lines;

	while (n && s->text[n - 1] == '\n')
		n--;
	lines = memchr(s->text, '\n', n) != NULL;
	if (prefix) {
		buf_addc(out, '[');
		rank_set_text(&s->ranks, out);
		buf_adds(out, lines ? "]\n" : "] ");
	}
	if (n || prefix)
		visible_add(out, s->text, n, true);
	if (n || prefix)
		buf_addc(out, '\n');
}

static const char *nothing_known(const struct rank *r)
{
	(void)r;
	return "";
}

static void fold(const struct controller *c, const struct rank_set *of,
		 void (*describe)(const struct rank *r, struct buf *out), const char *(*known)(const struct rank *r),
		 bool prefix, struct buf *out)
{
	struct same *list = NULL, *s;
	struct buf text = { 0 };
	const struct rank *r;
	size_t i;

	for (i = 0; i < of->count; i++) {
		r = controller_rank(c, of->n[i]);
		if (!r)
			continue;
		buf_reset(&text);
		describe(r, &text);
		rank_set_add(&same_as(&list, buf_str(&text), known(r))->ranks, of->n[i]);
	}
	prefix = prefix || (list && list->next);
	while ((s = list)) {
		list = s->next;
		show_same(s, prefix, out);
		rank_set_release(&s->ranks);
		free(s->text);
		free(s->key);
		free(s);
	}
	buf_release(&text);
}

void ranks_show_folded(const struct controller *c, const struct rank_set *of,
		       void (*describe)(const struct rank *r, struct buf *out), bool prefix, struct buf *out)
{
	fold(c, of, describe, nothing_known, prefix, out);
}

void ranks_show_table(const struct controller *c, struct buf *out)
{
	struct rank_set all = controller_in(c, ~0u);

	ranks_show_folded(c, &all, rank_describe, true, out);
	if (!all.count)
		buf_adds(out, "no rank has joined: " RANKS_ARE "\n");
	else if ((size_t)c->world > all.count)
		buf_addf(out, "%zu of %d ranks have joined\n", all.count, c->world);
	rank_set_release(&all);
}

/* Of the entry that is nearest to fit, the first guard that failed: which line of the program made it. */
static void add_guard(const struct val *detail, struct buf *out)
{
	const struct val *entries = val_get(detail, "entries"), *failing, *guard = NULL, *e;
	const char *entry = "";
	size_t least = (size_t)-1, i;

	for (i = 0; entries && entries->type == VAL_LIST && i < entries->u.list.n; i++) {
		e = entries->u.list.item[i];
		failing = val_get(e, "failing");
		if (!failing || failing->type != VAL_LIST || !failing->u.list.n || failing->u.list.n >= least)
			continue;
		least = failing->u.list.n;
		guard = failing->u.list.item[0];
		entry = val_text(e, "entry");
	}
	if (guard && val_number(guard, "guard", 0) && *val_text(guard, "file"))
		buf_addf(out, "guard %lld of %s was made by %s:%lld\n", val_number(guard, "guard", 0), entry,
			 text_path_file_name(val_text(guard, "file")), val_number(guard, "line", 0));
}

static void describe_stop(const struct rank *r, struct buf *out)
{
	const char *text = val_text(r->stop, "text");

	if (*text)
		buf_adds(out, text);
	else
		rank_describe(r, out);
	if (*text && !strcmp(val_text(r->stop, "reason"), "recompile"))
		add_guard(val_get(r->stop, "detail"), out);
}

static void describe_note(const struct rank *r, struct buf *out)
{
	size_t i;

	for (i = 0; i < r->notes->u.list.n; i++)
		buf_addf(out, "%s%s", i ? "\n" : "", r->notes->u.list.item[i]->u.s);
}

/* "rank 3 is not in all_reduce seq 3 of ranks 2-3" */
static void show_absent(const struct controller *c, struct buf *out)
{
	struct val *list = ranks_data_absent(c);
	struct rank_set ranks;
	struct buf line = { 0 };
	size_t i, k;

	for (i = 0; i < list->u.list.n; i++) {
		const struct val *e = list->u.list.item[i], *n = val_get(e, "ranks");

		ranks = (struct rank_set){ .n = NULL };
		for (k = 0; k < n->u.list.n; k++)
			rank_set_add(&ranks, (int)n->u.list.item[k]->u.i);
		buf_adds(&line, ranks.count > 1 ? "ranks " : "rank ");
		rank_set_text(&ranks, &line);
		buf_adds(&line, ranks.count > 1 ? " are not in " : " is not in ");
		look_add_collective(&line, e);
		buf_addc(&line, '\n');
		rank_set_release(&ranks);
	}
	visible_add(out, buf_str(&line), line.len, true);
	buf_release(&line);
	val_free(list);
}

/* Those that did not stop; the stops follow as news. */
static void show_divergence(struct controller *c, struct buf *out)
{
	struct rank_set others = controller_in(c, 1u << RANK_RUNNING | 1u << RANK_EXITED | 1u << RANK_GONE);

	buf_adds(out, "divergence: the ranks have parted\n");
	ranks_show_folded(c, &others, rank_describe, true, out);
	show_absent(c, out);
	rank_set_release(&others);
	c->diverged = false;
}

size_t ranks_show_waiting(const struct controller *c)
{
	size_t n = 0, i;

	for (i = 0; i < c->ranks; i++)
		n += c->rank[i] && (c->rank[i]->fresh || c->rank[i]->notes->u.list.n);
	return n;
}

void ranks_show_news(struct controller *c, struct buf *out)
{
	struct rank_set stopped = { .n = NULL }, noted = { .n = NULL };
	struct rank *r;
	size_t i;

	for (i = 0; i < c->ranks; i++) {
		r = c->rank[i];
		if (r && r->notes->u.list.n)
			rank_set_add(&noted, (int)i);
		if (r && r->fresh)
			rank_set_add(&stopped, (int)i);
	}
	if (c->diverged)
		show_divergence(c, out);
	ranks_show_folded(c, &noted, describe_note, true, out);
	ranks_show_folded(c, &stopped, describe_stop, true, out);
	for (i = 0; i < c->ranks; i++) {
		r = c->rank[i];
		if (!r)
			continue;
		r->fresh = false;
		val_free(r->notes);
		r->notes = val_list();
	}
	rank_set_release(&stopped);
	rank_set_release(&noted);
}

static void describe_reply(const struct rank *r, struct buf *out)
{
	const struct val *ok = val_get(r->answer, "ok");

	if (r->fd < 0)
		rank_describe(r, out);
	else if (!r->answer)
		buf_adds(out, "no answer");
	else if (ok && ok->type == VAL_BOOL && ok->u.b)
		buf_adds(out, val_text(r->answer, "text"));
	else
		buf_addf(out, "error: %s", val_text(r->answer, "error"));
}

/* Of rows: they are equal but for what is measured. */
static const char *reply_key(const struct rank *r)
{
	return val_text(r->answer, "same");
}

void ranks_show_replies(struct controller *c, const struct rank_set *of, bool prefix, struct buf *out)
{
	if (c->data)
		ranks_data_replies(c, of);
	else
		fold(c, of, describe_reply, reply_key, prefix, out);
}
