/* SPDX-License-Identifier: BSD-3-Clause */
/* The guards that a command names: by number, source, pattern, entry. */
#include "cmd/chosen_guards.h"
#include "code/dynamo_code.h"
#include "edit/dynamo_edit.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/func.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool chosen_has(const struct chosen *c, int number)
{
	return (size_t)number < c->size && c->has[number];
}

static void choose_guard(struct chosen *c, const struct guard *g)
{
	size_t was = c->size;

	if (chosen_has(c, g->number))
		return;
	if ((size_t)g->number >= c->size) {
		c->has = mem_grow(c->has, &c->size, (size_t)g->number + 1, sizeof(*c->has));
		memset(c->has + was, 0, (c->size - was) * sizeof(*c->has));
	}
	c->has[g->number] = true;
	c->g = mem_grow(c->g, &c->cap, (size_t)c->n + 1, sizeof(*c->g));
	c->g[c->n++] = g;
}

void chosen_release(struct chosen *c)
{
	free(c->has);
	free(c->g);
	memset(c, 0, sizeof(*c));
}

static int by_entry(const void *a, const void *b)
{
	const struct guard *p = *(const struct guard *const *)a, *q = *(const struct guard *const *)b;

	if (p->entry != q->entry) { /* in the order in which they were listed first */
		p = p->entry->guard.leaves->guard;
		q = q->entry->guard.leaves->guard;
	}
	return (p->number > q->number) - (p->number < q->number);
}

/* A pattern stands for a source, a text, a kind, or FUNC/KIND@SOURCE. */
static bool guard_matches(const struct guard *g, const char *pattern)
{
	char *whole = mem_fmt("%s/%s@%s", g->entry->func->name, g->kind, g->source);
	struct buf source = { 0 }, text = { 0 };
	bool yes;

	source_text_people(g->source, &source);
	source_text_people(g->text, &text);
	yes = !fnmatch(pattern, g->source, 0) || !fnmatch(pattern, g->text, 0) || !fnmatch(pattern, g->kind, 0) ||
	      !fnmatch(pattern, whole, 0) || !fnmatch(pattern, buf_str(&source), 0) ||
	      !fnmatch(pattern, buf_str(&text), 0);
	buf_release(&source);
	buf_release(&text);
	free(whole);
	return yes;
}

/* "[L['n']*" has no brackets that mean a set: a source has them itself. */
static char *quote_brackets(const char *pattern)
{
	char *out = mem_alloc(2 * strlen(pattern) + 1), *p = out;

	for (; *pattern; pattern++) {
		if (*pattern == '[')
			*p++ = '\\';
		*p++ = *pattern;
	}
	return out;
}

static void choose_pattern(struct chosen *c, const char *word, struct entry *in)
{
	char *pattern = quote_brackets(word);
	const struct guards *all;
	struct entry *e;
	struct err none;
	int i;

	for (e = model_entries; e; e = e->next) {
		all = (!in || e == in) && edit_lives(e, &none) == 0 ? guards_of(e) : NULL;
		for (i = 0; all && i < all->n; i++)
			if (guard_matches(&all->guard[i], pattern))
				choose_guard(c, &all->guard[i]);
	}
	free(pattern);
}

/* And everything reached through their values. */
static void choose_below(struct chosen *c)
{
	int i, k, end, n = c->n;
	struct sources values = { 0 };
	const struct guards *all;

	qsort(c->g, (size_t)n, sizeof(*c->g), by_entry);
	for (i = 0; i < n; i = end) {
		all = c->g[i]->entry->guard.leaves;
		for (end = i; end < n && c->g[end]->entry == c->g[i]->entry; end++)
			sources_add(&values, c->g[end]->source);
		for (k = 0; k < all->n; k++)
			if (sources_in(&values, all->guard[k].source))
				choose_guard(c, &all->guard[k]);
		sources_release(&values);
	}
}

/* The next word of the arguments; quotes inside it keep spaces. */
char *chosen_word(const char **args)
{
	const char *s = *args + strspn(*args, " \t"), *p;
	char quote = 0;

	for (p = s; *p && (quote || !isspace((unsigned char)*p)); p++)
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
	*args = p + strspn(p, " \t");
	return p > s ? mem_fmt("%.*s", (int)(p - s), s) : NULL;
}

int chosen_guards_word(struct chosen *c, const char *word, struct entry *in, struct err *err)
{
	const struct guard *g;
	struct entry *e;
	struct err none;
	int n = c->n;

	if (word[strspn(word, "0123456789")]) {
		choose_pattern(c, word, in);
		return c->n > n ? 0 :
				  err_set(err,
					  "no guard '%s': expected the number of a guard ('info guards'), "
					  "or a pattern of its source, text or kind, as in '*%s*' or "
					  "'TENSOR_MATCH'",
					  word, word);
	}
	for (e = model_entries; e && !guards_numbered(atol(word)); e = e->next)
		if (edit_lives(e, &none) == 0)
			guards_of(e); /* nobody listed them yet: they get their numbers here */
	c->numbered = true;
	g = guards_numbered(atol(word));
	if (!g)
		return err_set(err, "no guard '%s': 'info guards' lists them", word);
	if (in && g->entry != in)
		return err_set(err, "guard %s belongs to entry %s, not to %s", word, g->entry->id, in->id);
	if (edit_lives(g->entry, err) < 0)
		return -1;
	choose_guard(c, g);
	return 0;
}

/* "N ...|PATTERN [in ENTRY] [-r]" */
int chosen_by(const char *words, const char *entry, bool below, struct chosen *c, struct err *err)
{
	struct entry *in = NULL;
	char *word;
	int ret = 0;

	memset(c, 0, sizeof(*c));
	if (entry) {
		in = edit_entry(entry, err);
		ret = in ? 0 : -1;
	}
	while (ret == 0 && (word = chosen_word(&words))) {
		ret = chosen_guards_word(c, word, in, err);
		free(word);
	}
	if (ret == 0 && below)
		choose_below(c);
	if (ret == 0 && c->n)
		qsort(c->g, (size_t)c->n, sizeof(*c->g), by_entry);
	return ret;
}
