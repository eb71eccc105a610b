/* SPDX-License-Identifier: BSD-3-Clause */
/* What a dropped or changed guard may cost: the risk in one word, the line that made the guard, the graph nodes
   that read its value.  Changes nothing. */
#include "code/dynamo_code.h"
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "guards/guard_text.h"
#include "model/entry.h"
#include "model/graph.h"
#include "torch/py_text.h"
#include <string.h>

/* ---- the risk in a word ----------------------------------------------------------------------------------------- */

static const struct {
	const char *kind, *risk;
} risks[] = {
	{ "TENSOR_MATCH", "shape" },
	{ "DIMENSION", "shape" },
	{ "DYNAMIC_INDICES", "shape" },
	{ "SHAPE", "shape" },
	{ "LENGTH", "shape" },
	{ "RANGE_ITERATOR", "shape" },
	{ "MAPPING_KEYS", "shape" },
	{ "ALIASING", "alias" },
	{ "OVERLAPPING", "alias" },
	{ "ID_MATCH", "identity" },
	{ "DICT_VERSION", "identity" },
	{ "GLOBAL_STATE", "global state" },
	{ "DEFAULT_DEVICE", "global state" },
	{ "MODE_STACK", "global state" },
	{ "DUAL_LEVEL", "global state" },
	{ "TYPE_MATCH", "type" },
	{ "NONE", "type" },
	{ "NOT_NONE", "type" },
	{ "HASATTR", "type" },
	{ "DISPATCH_KEY", "type" },
};

/* Another guard of the entry on the same value that is stricter: it refuses whatever this one refuses. */
static bool redundant(const struct guard *g)
{
	static const char *const imply_type[] = {
		"TENSOR_MATCH", "ID_MATCH", "EQUALS_MATCH", "TRUE_MATCH", "FALSE_MATCH",
	};
	int n, k;
	const struct guard *const *same = guards_about(g->entry, g->source, &n), *h;
	bool type = strstr(g->kind, "TYPE_MATCH") || !strcmp(g->kind, "NOT_NONE");
	size_t i;

	for (k = 0; *g->source && k < n; k++) {
		h = same[k];
		if (h == g || override_on(h->number))
			continue;
		if (!strcmp(h->text, g->text) && !strcmp(h->kind, g->kind))
			return true;
		for (i = 0; type && i < sizeof(imply_type) / sizeof(*imply_type); i++)
			if (!strcmp(h->kind, imply_type[i]))
				return true;
	}
	return false;
}

const char *impact_risk(const struct guard *g)
{
	size_t i;

	if (redundant(g))
		return "safe";
	if (g->epilogue)
		return "shape";
	if (g->python && !*g->source)
		return "global state";
	for (i = 0; i < sizeof(risks) / sizeof(*risks); i++)
		if (strstr(g->kind, risks[i].kind))
			return risks[i].risk;
	return "value";
}

/* ---- graph nodes that read the value ---------------------------------------------------------------------------- */

/* Is one of the sources reached through the other? "L['m']" and "L['m'].weight" are, in either order. */
static bool same_source(const char *a, const char *b)
{
	return *a && *b && (strstr(a, b) || strstr(b, a));
}

static void tell_nodes(const struct guard *g, struct buf *out)
{
	enum { MOST = 6 };
	int i, k, n, users[MOST], j, told = 0, all = 0;
	const struct nodes *nodes;

	for (i = 0; i < g->entry->made.ngraphs; i++) {
		nodes = g->entry->made.graph[i].copy;
		for (k = 0; nodes && !g->entry->made.graph[i].part && k < nodes->n; k++) {
			if (!nodes->node[k].source || !same_source(nodes->node[k].source, g->source))
				continue;
			n = graphs_users(nodes, k, users, MOST);
			for (j = 0; j < n && j < MOST && told < MOST; j++)
				buf_addf(out, "%s%s", told++ ? ", " : "  read in the graph by ",
					 nodes->node[users[j]].name);
			all += n;
		}
	}
	if (all > told)
		buf_addf(out, " and %d more", all - told);
	if (told)
		buf_adds(out, "\n");
	else
		buf_adds(out, "  no node of the graph reads it: the graph has constants computed from it\n");
}

static void tell_guard(const struct guard *g, struct buf *out)
{
	struct buf expected = { 0 };

	guard_expected(g, &expected);
	buf_addf(out, "guard %d %s ", g->number, g->kind);
	source_text_name(g->source, 100, out);
	buf_adds(out, *g->source ? ": " : "");
	source_text_shown(expected.s ? expected.s : g->text, 60, out);
	buf_addf(out, "; risk: %s\n", impact_risk(g));
	buf_release(&expected);
}

void impact_tell(const struct guard *const *g, int n, const char *now, struct buf *out)
{
	int i, most = n < 10 ? n : 10;

	for (i = 0; i < most; i++) {
		tell_guard(g[i], out);
		if (g[i]->line)
			buf_addf(out, "  made by %s:%d\n", py_text_file_name(g[i]->file), g[i]->line);
		else if (g[i]->made)
			buf_addf(out, "  made by %s\n", g[i]->made);
		if (*g[i]->source)
			tell_nodes(g[i], out);
	}
	if (n > most)
		buf_addf(out, "and %d more guards\n", n - most);
	call_prediction_add(g, n, now, out);
}
