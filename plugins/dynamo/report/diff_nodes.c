/* SPDX-License-Identifier: BSD-3-Clause */
/* What changed among the nodes of a stage: see diff_nodes.h.  Knows the data tree only. */
#include "report/diff_nodes.h"
#include "report/data.h"
#include "report/stable_text.h"
#include <stdlib.h>
#include <string.h>

enum { NAMED = 4 };

/* The nodes of a stage, one after the other, over all graphs of an entry. */
struct node_list {
	const struct val **node; /* owned; the nodes are the entry's */
	size_t n, cap;
};

static void list_nodes(const struct val *e, const char *stage, struct node_list *out)
{
	const struct val *graphs = data_list(e, "graphs"), *stages, *nodes;
	size_t i, k;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < graphs->u.list.n; i++) {
		stages = data_list(graphs->u.list.item[i], "stages");
		for (k = 0; k < stages->u.list.n; k++) {
			nodes = data_list(stages->u.list.item[k], "nodes");
			if (strcmp(val_text(stages->u.list.item[k], "stage"), stage) || !nodes->u.list.n)
				continue;
			out->node = mem_grow(out->node, &out->cap, out->n + nodes->u.list.n, sizeof(*out->node));
			memcpy(out->node + out->n, nodes->u.list.item, nodes->u.list.n * sizeof(*out->node));
			out->n += nodes->u.list.n;
		}
	}
}

/* A graph that came from inductor's cache lacks the values of some nodes: only what both have is compared. */
static bool known(const struct val *x, const struct val *y, const char *fact)
{
	return strcmp(fact, "value") || (*val_text(x, fact) && *val_text(y, fact));
}

static bool node_is(const struct val *node, const char *op)
{
	return !strcmp(val_text(node, "op"), op);
}

static char *node_words(const struct val *node)
{
	if (node_is(node, "placeholder"))
		return mem_fmt("the input %s", val_text(node, "value"));
	return mem_fmt("%s(%s) %s", val_text(node, "target"), val_text(node, "args"), val_text(node, "value"));
}

/* What the node is and what it was, if they differ; owned by the caller; NULL: they are alike. */
static char *node_change(const struct val *x, const struct val *y)
{
	static const char *const facts[] = { "target", "args", "value" };
	char *is, *was, *text;
	size_t k;

	for (k = 0; k < sizeof(facts) / sizeof(*facts); k++) {
		if (stable_same(val_text(x, facts[k]), val_text(y, facts[k])) || !known(x, y, facts[k]))
			continue;
		if (node_is(x, "placeholder") && node_is(y, "placeholder"))
			return mem_fmt("the input %s %s instead of %s", val_text(y, "node"), val_text(y, "value"),
				       val_text(x, "value"));
		was = node_words(x);
		is = node_words(y);
		text = mem_fmt("%s %s instead of %s", val_text(y, "node"), is, was);
		free(was);
		free(is);
		return text;
	}
	return NULL;
}

char *diff_node(const struct val *a, const struct val *b, const char *stage)
{
	struct node_list from, to;
	char *text = NULL;
	size_t i;

	list_nodes(a, stage, &from);
	list_nodes(b, stage, &to);
	for (i = 0; !text && i < from.n && i < to.n; i++)
		text = node_change(from.node[i], to.node[i]);
	free(from.node);
	free(to.node);
	return text;
}

/* ---- operators ----------------------------------------------------------------------------------------------- */

struct op_count {
	char *key;	 /* what its nodes do, as text that two processes share; owned */
	const char *say; /* borrowed */
	size_t first;	 /* the first node that does it */
	int n;		 /* how many do */
};

/* Operators of a stage, by their keys. */
struct op_counts {
	struct op_count *op; /* owned */
	size_t n;
};

static int by_key(const void *a, const void *b)
{
	const struct op_count *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : x->first < y->first ? -1 : x->first > y->first;
}

static int by_first(const void *a, const void *b)
{
	const struct op_count *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* One for each node, sorted; then those of one key become one.  An input is like another. */
static void count_operators(const struct val *e, const char *stage, struct op_counts *out)
{
	struct node_list list;
	struct op_count *o, *last = NULL;
	size_t i;

	list_nodes(e, stage, &list);
	out->op = mem_alloc(list.n * sizeof(*out->op) + 1);
	out->n = 0;
	for (i = 0; i < list.n; i++) {
		o = &out->op[i];
		o->say = node_is(list.node[i], "placeholder") ? "input" : val_text(list.node[i], "target");
		o->key = node_is(list.node[i], "placeholder") ? mem_str("\1input") : stable_text(o->say);
		o->first = i;
		o->n = 1;
	}
	if (list.n)
		qsort(out->op, list.n, sizeof(*out->op), by_key);
	for (i = 0; i < list.n; i++) {
		o = &out->op[i];
		if (last && !strcmp(last->key, o->key)) {
			last->n++;
			free(o->key);
		} else {
			last = &out->op[out->n++];
			*last = *o;
		}
	}
	free(list.node);
}

static void operators_release(struct op_counts *all)
{
	while (all->n)
		free(all->op[--all->n].key);
	free(all->op);
}

/* Adds to the text what b has more of than a, in the order of b's nodes. */
static void more_of(const struct op_counts *a, const struct op_counts *b, const char *word, struct buf *out)
{
	struct op_count *more = mem_alloc(b->n * sizeof(*more) + 1);
	size_t i, named, k = 0, n = 0;

	for (i = 0; i < b->n; i++) {
		while (k < a->n && strcmp(a->op[k].key, b->op[i].key) < 0)
			k++;
		more[n] = b->op[i];
		if (k < a->n && !strcmp(a->op[k].key, b->op[i].key))
			more[n].n -= a->op[k].n;
		n += more[n].n > 0;
	}
	if (n)
		qsort(more, n, sizeof(*more), by_first);
	named = n < NAMED ? n : NAMED;
	for (i = 0; i < named; i++) {
		buf_addf(out, "%s%s%s", i ? ", " : out->len ? "; " : "", i ? "" : word, more[i].say);
		if (more[i].n > 1)
			buf_addf(out, " (%d)", more[i].n);
	}
	if (n > named)
		buf_adds(out, ", ...");
	free(more);
}

char *diff_operators(const struct val *a, const struct val *b, const char *stage)
{
	struct op_counts from, to;
	struct buf out = { 0 };

	count_operators(a, stage, &from);
	count_operators(b, stage, &to);
	more_of(&from, &to, "added ", &out);
	more_of(&to, &from, "gone ", &out);
	operators_release(&from);
	operators_release(&to);
	return out.len ? buf_detach(&out) : NULL;
}
