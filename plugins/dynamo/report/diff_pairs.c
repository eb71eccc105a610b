/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds functions and entries of one report in another: see diff_pairs.h. */
#include "report/diff_pairs.h"
#include "report/data.h"
#include "report/diff_body.h"
#include "report/diff_nodes.h"
#include "report/page.h"
#include "report/stable_text.h"
#include <stdlib.h>
#include <string.h>

/* A function of one of the reports. */
struct candidate {
	const struct val *f;
	const char *name, *file; /* borrowed */
	struct body body;
	struct candidate *mate; /* in the other report; NULL: none yet */
	char *renamed;		/* moves to the pair */
	double best;		/* how near the nearest is, from 0 to 1 */
	struct candidate *near; /* the nearest of the other report; NULL: none, or several */
};

static struct candidate *read_candidates(const struct val *functions)
{
	struct candidate *all = mem_alloc(functions->u.list.n * sizeof(*all) + 1);
	size_t i;

	for (i = 0; i < functions->u.list.n; i++) {
		all[i].f = functions->u.list.item[i];
		all[i].name = val_text(all[i].f, "qualname");
		all[i].file = page_file(val_text(all[i].f, "file"));
		body_read(all[i].f, &all[i].body);
	}
	return all;
}

static void free_candidates(struct candidate *all, size_t n)
{
	while (n)
		body_release(&all[--n].body);
	free(all);
}

static void join_pair(struct candidate *x, struct candidate *y)
{
	x->mate = y;
	y->mate = x;
}

static bool same_body(const struct candidate *x, const struct candidate *y)
{
	return x->body.n == y->body.n && body_same(&x->body, &y->body, y->body.n) == y->body.n;
}

static void match_names(struct candidate *a, size_t na, struct candidate *b, size_t nb, bool whole)
{
	size_t i, k;

	for (i = 0; i < na; i++)
		for (k = 0; !a[i].mate && k < nb; k++)
			if (!b[k].mate && !strcmp(a[i].name, b[k].name) && !strcmp(a[i].file, b[k].file) &&
			    (!whole || same_body(&a[i], &b[k])))
				join_pair(&a[i], &b[k]);
}

/* ---- renamed functions ------------------------------------------------------------------------------------- */

static long long operations(const struct val *e)
{
	const struct val *graphs = data_list(e, "graphs");
	long long n = 0;
	size_t i;

	for (i = 0; i < graphs->u.list.n; i++)
		n += val_number(graphs->u.list.item[i], "operations", 0);
	return n;
}

static bool same_graph(const struct val *a, const struct val *b)
{
	char *change = operations(a) == operations(b) ? diff_operators(a, b, "captured") : mem_str("");

	if (!change)
		change = diff_node(a, b, "captured");
	free(change);
	return !change;
}

static bool same_graphs(const struct val *f, const struct val *g)
{
	enum { LEAST = 3 };
	const struct val *from = data_list(f, "entry"), *to = data_list(g, "entry");
	long long n = 0;
	size_t i;

	if (from->u.list.n != to->u.list.n)
		return false;
	for (i = 0; i < from->u.list.n; i++)
		n += operations(from->u.list.item[i]);
	if (n < LEAST)
		return false;
	for (i = 0; i < from->u.list.n; i++)
		if (!same_graph(from->u.list.item[i], to->u.list.item[i]))
			return false;
	return true;
}

/* 0: different functions; 1: alike but for the name. */
static double nearness(const struct candidate *x, const struct candidate *y)
{
	enum { LEAST = 4 };
	const size_t longer = x->body.n > y->body.n ? x->body.n : y->body.n;
	size_t least = (longer * 3 + 3) / 4;

	if (strcmp(x->file, y->file) != 0)
		return 0;
	if (!longer)
		return same_graphs(x->f, y->f) ? 1 : 0;
	if (least < LEAST)
		least = longer < LEAST ? longer : LEAST;
	return (double)body_same(&x->body, &y->body, least) / (double)longer;
}

static void note_near(struct candidate *x, struct candidate *y, double near)
{
	if (near > x->best)
		x->near = y;
	else if (near == x->best)
		x->near = NULL;
	if (near > x->best)
		x->best = near;
}

static char *how_renamed(const struct candidate *x, const struct candidate *y)
{
	const size_t longer = x->body.n > y->body.n ? x->body.n : y->body.n;
	const size_t same = body_same(&x->body, &y->body, 0);

	if (!longer)
		return mem_str("its graphs are the same");
	if (same == longer)
		return mem_str("its source is the same");
	return mem_fmt("%zu of %zu lines of its source are the same", same, longer);
}

static void match_renamed(struct candidate *a, size_t na, struct candidate *b, size_t nb)
{
	double near;
	size_t i, k;

	for (i = 0; i < na; i++)
		for (k = 0; !a[i].mate && k < nb; k++) {
			near = b[k].mate ? 0 : nearness(&a[i], &b[k]);
			if (near > 0) {
				note_near(&a[i], &b[k], near);
				note_near(&b[k], &a[i], near);
			}
		}
	for (i = 0; i < na; i++)
		if (!a[i].mate && a[i].near && a[i].near->near == &a[i]) {
			join_pair(&a[i], a[i].near);
			a[i].mate->renamed = how_renamed(&a[i], a[i].mate);
		}
}

void pairs_find(const struct val *before, const struct val *after, struct pairs *out)
{
	const struct val *from = data_list(before, "functions"), *to = data_list(after, "functions");
	struct candidate *a = read_candidates(from), *b = read_candidates(to);
	const size_t na = from->u.list.n, nb = to->u.list.n;
	size_t i;

	match_names(a, na, b, nb, true);
	match_names(a, na, b, nb, false);
	match_renamed(a, na, b, nb);
	out->pair = mem_alloc((na + nb) * sizeof(*out->pair) + 1);
	out->n = 0;
	for (i = 0; i < na; i++)
		if (!a[i].mate)
			out->pair[out->n++].from = a[i].f;
	for (i = 0; i < nb; i++)
		out->pair[out->n++] = (struct pair){
			.from = b[i].mate ? b[i].mate->f : NULL,
			.to = b[i].f,
			.renamed = b[i].renamed,
		};
	free_candidates(a, na);
	free_candidates(b, nb);
}

void pairs_release(struct pairs *p)
{
	while (p->n)
		free(p->pair[--p->n].renamed);
	free(p->pair);
}

/* Is it G['name'] with more after it?  Where that begins; NULL: no. */
static const char *after_global(const char *source, const char *name)
{
	const size_t n = strlen(name);

	if (strncmp(source, "G['", 3) || strncmp(source + 3, name, n) || strncmp(source + 3 + n, "']", 2))
		return NULL;
	return source + 3 + n + 2;
}

bool pairs_same_source(const struct pairs *p, const char *from, const char *to)
{
	const bool global = !strncmp(from, "G['", 3) && !strncmp(to, "G['", 3);
	const char *x, *y;
	size_t i;

	for (i = 0; global && i < p->n; i++) {
		if (!p->pair[i].renamed)
			continue;
		x = after_global(from, val_text(p->pair[i].from, "function"));
		y = x ? after_global(to, val_text(p->pair[i].to, "function")) : NULL;
		if (y && !strcmp(x, y))
			return true;
	}
	return stable_same(from, to);
}

/* ---- entries ------------------------------------------------------------------------------------------- */

/* Line numbers change: the text of the line counts if the source exists, else how far it is from the first. */
static uint64_t resume_place(const struct val *f, const struct val *e)
{
	const long long line = val_number(e, "resume_line", 0);
	uint64_t text;

	if (!val_get(e, "resume_number"))
		return 0;
	text = body_line(f, line);
	return text ? text : (uint64_t)(line - val_number(f, "line", 0)) + 1;
}

struct entry_place *entry_places(const struct val *f)
{
	const struct val *list = data_list(f, "entry");
	struct entry_place *place = mem_alloc(list->u.list.n * sizeof(*place) + 1);
	size_t i, k, first;

	for (i = 0; i < list->u.list.n; i++) {
		place[i].line = resume_place(f, list->u.list.item[i]);
		for (k = 0, first = i; k < i; k++)
			if (data_same_code(list->u.list.item[k], list->u.list.item[i])) {
				first = first < k ? first : k;
				place[i].rank++;
			}
		for (k = 0; k < first; k++)
			place[i].nth += place[k].line == place[i].line && !place[k].rank;
	}
	return place;
}

const struct val *entry_at_place(const struct val *f, const struct entry_place *of, const struct entry_place *place)
{
	const struct val *list = data_list(f, "entry");
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (of[i].line == place->line && of[i].nth == place->nth && of[i].rank == place->rank)
			return list->u.list.item[i];
	return NULL;
}
