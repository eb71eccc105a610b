/* SPDX-License-Identifier: BSD-3-Clause */
/* `explain` of more than a person reads: see explain_short.h.  Each section has a share of the lines, counts equal
   causes and names the command that lists the rest. */
#include "code/dynamo_code.h"
#include "guards/guard_model.h"
#include "guards/miss_cause.h"
#include "guards/unguarded.h"
#include "model/breaks.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/qualname.h"
#include "show/explain_short.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* Lines of each section; headings and the lines that name commands are not counted. */
enum { BREAK_LINES = 66, CAUSE_LINES = 54, REASON_LINES = 24, FUNC_LINES = 24, GUARD_LINES = 8 };
enum { PLACES = 4, COLUMNS = 160 };

struct counted_place {
	char *text;
	int n;
};

/* What happened several times for the same cause. */
struct cause {
	char *key, *text, *more; /* owned; more: lines that explain it, or "" */
	struct counted_place *place;
	size_t nplaces, places_cap;
	int n, order;
};

struct causes {
	struct cause *item;
	size_t n, cap;
	int all;
};

static struct cause *cause_find(struct causes *c, const char *key)
{
	size_t i;

	c->all++;
	for (i = 0; i < c->n; i++)
		if (!strcmp(c->item[i].key, key))
			return &c->item[i];
	c->item = mem_grow(c->item, &c->cap, c->n + 1, sizeof(*c->item));
	c->item[c->n] = (struct cause){ .key = mem_str(key), .order = (int)c->n };
	return &c->item[c->n++];
}

static void cause_add_place(struct cause *c, const char *text)
{
	size_t i;

	c->n++;
	for (i = 0; i < c->nplaces && strcmp(c->place[i].text, text) != 0; i++)
		;
	if (i == c->nplaces) {
		c->place = mem_grow(c->place, &c->places_cap, i + 1, sizeof(*c->place));
		c->place[c->nplaces++] = (struct counted_place){ .text = mem_str(text) };
	}
	c->place[i].n++;
}

static void causes_release(struct causes *c)
{
	size_t i;

	for (; c->n; c->n--) {
		struct cause *one = &c->item[c->n - 1];

		for (i = 0; i < one->nplaces; i++)
			free(one->place[i].text);
		free(one->place);
		free(one->key);
		free(one->text);
		free(one->more);
	}
	free(c->item);
}

static int compare_causes(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : (x->order > y->order) - (x->order < y->order);
}

static int compare_counted(const void *a, const void *b)
{
	const struct counted_place *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->text, y->text);
}

static int lines_in(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static const char *plural(long long n)
{
	return n == 1 ? "" : "s";
}

/* The most frequent first; how many did not fit into `most` lines is returned. */
static size_t causes_show(struct causes *c, int most, struct buf *out)
{
	struct buf text = { 0 };
	size_t i, k, shown = 0;

	if (c->n)
		qsort(c->item, c->n, sizeof(*c->item), compare_causes);
	for (i = 0; i < c->n; i++) {
		struct cause *one = &c->item[i];

		text.len = 0;
		buf_addf(&text, "  %d x ", one->n);
		host->rows.cut(&text, one->text, COLUMNS);
		buf_adds(&text, "\n");
		qsort(one->place, one->nplaces, sizeof(*one->place), compare_counted);
		buf_adds(&text, "      in ");
		for (k = 0; k < one->nplaces && k < PLACES; k++) {
			buf_adds(&text, k ? ", " : "");
			host->rows.cut_name(&text, one->place[k].text, COLUMNS / PLACES * 2);
			if (one->place[k].n > 1)
				buf_addf(&text, " (%d times)", one->place[k].n);
		}
		if (k < one->nplaces)
			buf_addf(&text, " and %zu more place%s", one->nplaces - k,
				 plural((long long)(one->nplaces - k)));
		buf_addf(&text, "\n%s", one->more ? one->more : "");
		most -= lines_in(text.s);
		if (most < 0)
			break;
		buf_adds(out, text.s);
		shown++;
	}
	buf_release(&text);
	return c->n - shown;
}

/* The last line of a section: how many of its `what` did not fit, and the commands that list all. */
static void add_tail(struct buf *out, const struct causes *all, size_t left, const char *what, const char *commands)
{
	if (left)
		buf_addf(out, "  %zu more %s%s: %s\n", left, what, plural((long long)left), commands);
	else if (all->n)
		buf_addf(out, "  %s\n", commands);
}

static bool is_chosen(const struct explained *x, const struct func *one)
{
	size_t n = x->n;

	while (n && x->f[n - 1] != one)
		n--;
	return n;
}

static bool entry_is_chosen(const struct explained *x, const struct entry *e)
{
	return is_chosen(x, e->func) && (!x->only || x->only == e || x->only->func != e->func);
}

static bool break_is_chosen(const struct explained *x, const struct breakage *b)
{
	return is_chosen(x, b->func) && (!x->only || x->only->func != b->func || breaks_of(b, x->only));
}

/* ---- graph breaks ---------------------------------------------------------------------------------------- */

/* The next line of a text, without the spaces around it; NULL: it has ended. */
static const char *line_next(const char **s, int *n)
{
	const char *begin = *s + strspn(*s, " \n");

	*n = (int)strcspn(begin, "\n");
	*s = begin + *n;
	return *n ? begin : NULL;
}

/* Torch's explanation and hints, a line each. */
static void add_hints(const char *reason, struct buf *out)
{
	enum { MOST = 4 };
	const char *line;
	int n, shown = 0;

	while (shown < MOST && (line = line_next(&reason, &n)))
		if (py_text_begins_with(line, "Explanation: ") || py_text_begins_with(line, "Hint: ")) {
			char *whole = mem_strn(line, (size_t)n);

			buf_adds(out, "      ");
			host->rows.cut(out, whole, COLUMNS);
			buf_adds(out, "\n");
			free(whole);
			shown++;
		}
}

/* Breaks of one reason in torch's words are equal: its first line, and the explanation. */
static void short_breaks(struct buf *out, const struct explained *x)
{
	struct buf key = { 0 }, place = { 0 }, more = { 0 };
	struct causes all = { 0 };
	const struct breakage *b;
	struct cause *one;
	const char *line, *s;
	size_t left;
	int len;

	for (b = model_breaks; b; b = b->next) {
		if (!break_is_chosen(x, b))
			continue;
		key.len = place.len = more.len = 0;
		for (s = b->reason; (line = line_next(&s, &len));)
			if (!key.len || py_text_begins_with(line, "Explanation: "))
				buf_addf(&key, "%s%.*s", key.len ? "\n" : "", len, line);
		one = cause_find(&all, buf_str(&key));
		if (!one->text) {
			add_hints(b->reason, &more);
			one->text = mem_strn(buf_str(&key), strcspn(buf_str(&key), "\n"));
			one->more = mem_str(buf_str(&more));
		}
		buf_addf(&place, "%s at %s:%d", qualname_func(model_root(b->func)), py_text_file_name(b->file),
			 b->line);
		cause_add_place(one, place.s);
	}
	if (all.n)
		buf_addf(out, "\ngraph breaks: %d, for %zu reason%s\n", all.all, all.n, plural((long long)all.n));
	left = causes_show(&all, BREAK_LINES, out);
	add_tail(out, &all, left, "reason", "'info breaks' lists all, 'info breaks FUNC' a function's");
	buf_release(&key);
	buf_release(&place);
	buf_release(&more);
	causes_release(&all);
}

/* ---- compiles -------------------------------------------------------------------------------------------- */

/* Two compiles have one cause if guards of one kind on one source failed, with values of their own; without a guard,
   if the reasons are the same but for numbers. */
static void add_cause_key(const struct miss_cause *m, struct buf *out)
{
	const char *s;

	if (m->guard && *m->guard->source) {
		buf_addf(out, "%s of %s: %s", m->guard->kind, m->guard->source, m->remedy ? m->remedy : "");
		return;
	}
	for (s = m->text; *s; s++)
		if (*s < '0' || *s > '9')
			buf_addc(out, *s);
		else if (!out->len || out->s[out->len - 1] != '#')
			buf_addc(out, '#');
}

static void add_cause(struct causes *all, struct entry *e)
{
	struct buf key = { 0 }, text = { 0 };
	struct miss_cause m = { NULL };
	struct cause *one;

	miss_cause_of(e, &m);
	add_cause_key(&m, &key);
	one = cause_find(all, key.s);
	if (!one->text) {
		source_text_shown(m.text, COLUMNS, &text);
		one->text = mem_str(text.s);
		one->more = m.remedy ? mem_fmt("      remedy: %s\n", m.remedy) : NULL;
	}
	cause_add_place(one, qualname_func(model_root(e->func)));
	free(m.text);
	buf_release(&text);
	buf_release(&key);
}

static void short_recompiles(struct buf *out, const struct explained *x)
{
	struct causes all = { 0 };
	struct entry *e;
	size_t left;

	for (e = model_entries; e; e = e->next)
		if (e->made.why && !strchr(e->id, '+') && entry_is_chosen(x, e))
			add_cause(&all, e);
	if (all.n)
		buf_addf(out,
			 "\ncompiled again: %d time%s, for %zu cause%s; the guard of an earlier entry that failed:\n",
			 all.all, plural(all.all), all.n, plural((long long)all.n));
	left = causes_show(&all, CAUSE_LINES, out);
	add_tail(out, &all, left, "cause",
		 "'info entries' lists each entry with its cause, 'info entries FUNC' a function's");
	causes_release(&all);
}

/* ---- not compiled ---------------------------------------------------------------------------------------- */

static void short_failures(struct buf *out, const struct explained *x)
{
	struct causes all = { 0 };
	struct cause *one;
	const char *s, *line;
	char *first, *key;
	size_t i, left;
	int len;

	for (i = 0; i < x->n; i++) {
		if (!x->f[i]->seen.fails && !x->f[i]->seen.skips)
			continue;
		s = x->f[i]->seen.reason ? x->f[i]->seen.reason : "the reason is not recorded";
		line = line_next(&s, &len);
		first = line ? mem_strn(line, (size_t)len) : mem_str("the reason is not recorded");
		key = mem_fmt("%s: %s", x->f[i]->seen.fails ? "failed" : "skipped", first);
		one = cause_find(&all, key);
		if (!one->text)
			one->text = mem_str(key);
		cause_add_place(one, qualname_func(x->f[i]));
		free(key);
		free(first);
	}
	if (all.n)
		buf_addf(out, "\nnot compiled: %d function%s\n", all.all, plural(all.all));
	left = causes_show(&all, REASON_LINES, out);
	add_tail(out, &all, left, "reason", "'info compiled' lists all functions");
	causes_release(&all);
}

/* ---- functions and guards -------------------------------------------------------------------------------- */

/* A function with its resume functions. */
struct share {
	struct func *root;
	struct entry *first; /* of its entries */
	double seconds;
	int entries, cached, order;
	long long guards;
};

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->seconds < y->seconds || x->seconds > y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static int compare_by_guards(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->guards != y->guards)
		return x->guards < y->guards ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Owned by the caller. */
static struct share *shares_of(const struct explained *x, size_t *count)
{
	struct share *all = mem_alloc(x->n * sizeof(*all) + 1);
	struct entry *e;
	size_t i, k, used = 0;
	int guards;

	for (i = 0; i < x->n; i++) {
		for (k = 0; k < used && all[k].root != model_root(x->f[i]); k++)
			;
		if (k == used)
			all[used++] = (struct share){ .root = model_root(x->f[i]), .order = (int)k };
	}
	for (e = model_entries; e; e = e->next) {
		if (!is_chosen(x, e->func))
			continue;
		for (k = 0; all[k].root != model_root(e->func); k++)
			;
		guards = guards_count(e);
		if (!all[k].first || (all[k].first->func->root && !e->func->root))
			all[k].first = e;
		all[k].seconds += e->made.seconds;
		all[k].entries++;
		all[k].cached += model_cached(e);
		all[k].guards += guards > 0 ? guards : 0;
	}
	*count = used;
	return all;
}

static void short_functions(struct buf *out, struct share *all, size_t n)
{
	size_t i;

	qsort(all, n, sizeof(*all), compare_shares);
	buf_addf(out, "\nfunctions with their resume functions: %zu, by the time of their compiles\n", n);
	for (i = 0; i < n && i < FUNC_LINES; i++) {
		buf_addf(out, "  %8.2f s  %d entr%s, %d in the cache, %lld guard%s: ", all[i].seconds, all[i].entries,
			 all[i].entries == 1 ? "y" : "ies", all[i].cached, all[i].guards, plural(all[i].guards));
		host->rows.cut_name(out, qualname_func(all[i].root), COLUMNS / 2);
		buf_addf(out, " at %s:%d", py_text_file_name(all[i].root->file), all[i].root->line);
		if (all[i].first)
			buf_addf(out, ", 'explain %s'", all[i].first->id);
		buf_adds(out, "\n");
	}
	if (i < n)
		buf_addf(out, "  %zu more: 'info compiled'\n", n - i);
}

static void short_guards(struct buf *out, struct share *all, size_t n)
{
	long long sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += all[i].guards;
	if (!sum)
		return;
	qsort(all, n, sizeof(*all), compare_by_guards);
	buf_addf(out, "\nguards: %lld; the functions with most of them\n", sum);
	for (i = 0; i < n && i < GUARD_LINES && all[i].guards && all[i].first; i++) {
		buf_addf(out, "  %6lld  ", all[i].guards);
		host->rows.cut_name(out, qualname_func(all[i].root), COLUMNS / 2);
		buf_addf(out, ": 'info guards %s'\n", all[i].first->id);
	}
}

/* What no guard notices, in the first entries that Dynamo may still use. */
static void short_changes(struct buf *out, const struct explained *x)
{
	enum { MOST_ENTRIES = 16 };
	struct buf text = { 0 }, one = { 0 };
	struct entry *e;
	int n = 0;

	for (e = model_entries; e && n < MOST_ENTRIES; e = e->next) {
		if (!entry_is_chosen(x, e) || !model_listed(e))
			continue;
		n++;
		one.len = 0;
		if (unguarded_changes(e, "  ", &one))
			buf_addf(&text, "  entry %s of %s:\n%s", e->id, qualname_entry(e), one.s);
	}
	if (text.len)
		buf_addf(out, "\nchanged since it was compiled, and no guard notices:\n%s", text.s);
	buf_release(&one);
	buf_release(&text);
}

void explain_short_causes(struct buf *out, const struct explained *x)
{
	size_t before = out->len;

	short_breaks(out, x);
	short_recompiles(out, x);
	short_changes(out, x);
	if (out->len == before)
		buf_adds(out, "\nno graph break, and no function is compiled again\n");
}

void explain_short(struct buf *out, const struct explained *x)
{
	size_t count, i, entries = 0;
	struct share *all = shares_of(x, &count);
	struct entry *first = NULL;

	for (i = 0; i < count; i++) {
		entries += (size_t)all[i].entries;
		first = first ? first : all[i].first;
	}
	buf_addf(out, "%zu function%s with %zu cache entr%s, in short", count, plural((long long)count), entries,
		 entries == 1 ? "y" : "ies");
	if (first)
		buf_addf(out, ": 'explain FUNC' shows all about one, 'explain %s' about that entry", first->id);
	buf_adds(out, "\n");
	short_breaks(out, x);
	short_recompiles(out, x);
	short_changes(out, x);
	short_failures(out, x);
	short_functions(out, all, count);
	short_guards(out, all, count);
	free(all);
}
