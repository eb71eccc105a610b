/* SPDX-License-Identifier: BSD-3-Clause */
/* What changed among the nodes of a stage: see diff_nodes.h.  Knows the data tree only. */
#include "report/diff_nodes.h"
#include "report/data.h"
#include "report/stable_text.h"
#include <stdlib.h>
#include <string.h>

enum { NAMED = 4, MANY = 1500 };

/* The nodes of a stage, one after the other, over all graphs of an entry; NULL: there are no more. */
static const struct val *nth_node(const struct val *e, const char *stage, int n)
{
	const struct val *graphs = data_list(e, "graphs"), *stages, *nodes;
	size_t i, k;

	for (i = 0; i < graphs->u.list.n; i++) {
		stages = data_list(graphs->u.list.item[i], "stages");
		for (k = 0; k < stages->u.list.n; k++) {
			if (strcmp(val_text(stages->u.list.item[k], "stage"), stage))
				continue;
			nodes = data_list(stages->u.list.item[k], "nodes");
			if ((size_t)n < nodes->u.list.n)
				return nodes->u.list.item[n];
			n -= (int)nodes->u.list.n;
		}
	}
	return NULL;
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

char *diff_node(const struct val *a, const struct val *b, const char *stage)
{
	static const char *const facts[] = { "target", "args", "value" };
	const struct val *x, *y;
	char *is, *was, *text;
	size_t k;
	int i;

	for (i = 0; (x = nth_node(a, stage, i)) && (y = nth_node(b, stage, i)); i++)
		for (k = 0; k < sizeof(facts) / sizeof(*facts); k++) {
			if (stable_same(val_text(x, facts[k]), val_text(y, facts[k])) || !known(x, y, facts[k]))
				continue;
			was = node_words(x);
			is = node_words(y);
			if (node_is(x, "placeholder") && node_is(y, "placeholder"))
				text = mem_fmt("the input %s %s instead of %s", val_text(y, "node"),
					       val_text(y, "value"), val_text(x, "value"));
			else
				text = mem_fmt("%s %s instead of %s", val_text(y, "node"), is, was);
			free(was);
			free(is);
			return text;
		}
	return NULL;
}

/* How many nodes of the stage do what this one does; an input is like another. */
static int nodes_like(const struct val *e, const char *stage, const struct val *node, int most)
{
	const struct val *x;
	int i, n = 0;

	for (i = 0; i < most && (x = nth_node(e, stage, i)); i++)
		n += node_is(node, "placeholder") ? node_is(x, "placeholder") :
						    stable_same(val_text(x, "target"), val_text(node, "target"));
	return n;
}

/* Adds to the text what b has more of than a. */
static void more_of(const struct val *a, const struct val *b, const char *stage, const char *word, struct buf *out)
{
	const struct val *node;
	int i, more, n = 0;

	for (i = 0; (node = nth_node(b, stage, i)); i++) {
		if (nodes_like(b, stage, node, i))
			continue;
		more = nodes_like(b, stage, node, MANY) - nodes_like(a, stage, node, MANY);
		if (more <= 0 || n++ > NAMED)
			continue;
		buf_addf(out, "%s%s", n > 1 ? ", " : out->len ? "; " : "", n > 1 ? "" : word);
		buf_adds(out, n > NAMED ? "..." : node_is(node, "placeholder") ? "input" : val_text(node, "target"));
		if (more > 1 && n <= NAMED)
			buf_addf(out, " (%d)", more);
	}
}

char *diff_operators(const struct val *a, const struct val *b, const char *stage)
{
	struct buf out = { 0 };

	if (nth_node(a, stage, MANY) || nth_node(b, stage, MANY))
		return NULL;
	more_of(a, b, stage, "added ", &out);
	more_of(b, a, stage, "gone ", &out);
	return out.len ? buf_detach(&out) : NULL;
}
