/* SPDX-License-Identifier: BSD-3-Clause */
/* The graphs of an entry: the captured one, later stages, and kernels.  Made from the data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include "report/file_names.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_AT_ONCE = 300, MOST_DRAWN = 20000 };

/* Nodes of later stages are related by their lines; views know those of the captured graph. */
static void join_stages(struct page *p, const struct val *e, const char *graph, const char *stage,
			const struct val *nodes)
{
	unsigned item;
	size_t i;

	for (i = 0; i < nodes->u.list.n; i++) {
		item = page_node(p, graph, stage, val_text(nodes->u.list.item[i], "node"));
		page_join_line(p, item, nodes->u.list.item[i]);
		items_join(p->items, item, items_number(p->items, "entry %s", val_text(e, "entry")));
	}
}

static void nodes_table(struct page *p, const char *graph, const char *stage, const struct val *nodes)
{
	const bool late = nodes->u.list.n > MOST_AT_ONCE;
	const struct val *n;
	size_t i;

	html(p->out, "<details><summary>Nodes as a table</summary>\n%S", late ? "<template data-again>\n" : "");
	html_table(p->out, "listing", "Nodes of the graph", "nodes", "Node|Op|Target|Arguments|Value|Line");
	for (i = 0; i < nodes->u.list.n; i++) {
		n = nodes->u.list.item[i];
		html(p->out, "<tr");
		page_item(p, page_node(p, graph, stage, val_text(n, "node")));
		html(p->out,
		     "><td><code>%s</code><td>%s<td><code>%s</code><td><code class=\"wrap\">%s</code><td>"
		     "<code>%s</code><td>",
		     val_text(n, "node"), val_text(n, "op"), val_text(n, "target"), val_text(n, "args"),
		     val_text(n, "value"));
		page_place(p, val_text(n, "file"), val_number(n, "line", 0));
		html(p->out, "</tr>\n");
	}
	html_table_end(p->out);
	html(p->out, "%S</details>\n", late ? "</template>\n" : "");
}

static void kernels(struct page *p, const char *graph, const struct val *stage)
{
	const struct val *list = data_list(stage, "kernels"), *k, *nodes;
	unsigned item;
	size_t i, j;

	if (!list->u.list.n)
		html(p->out, "<p class=\"empty\">It has no kernel of its own.</p>\n");
	else
		html(p->out, "<ol class=\"kernels\" data-group=\"kernels\">\n");
	for (i = 0; i < list->u.list.n; i++) {
		k = list->u.list.item[i];
		nodes = data_list(k, "nodes");
		item = items_number(p->items, "kernel %s %s:%s:%zu", graph, val_text(stage, "stage"),
				    val_text(k, "kernel"), i);
		html(p->out, "<li");
		page_item(p, item);
		html(p->out, "><code>%s</code> <small>%s</small>", val_text(k, "kernel"), val_text(k, "language"));
		for (j = 0; j < nodes->u.list.n; j++) {
			html(p->out, "%S<code>%s</code>", j ? ", " : " computes ", nodes->u.list.item[j]->u.s);
			items_join(p->items, item, page_node(p, graph, "captured", nodes->u.list.item[j]->u.s));
		}
		if (*val_text(k, "file"))
			html(p->out, " <a class=\"file\" href=\"%s\">source</a>", val_text(k, "file"));
		html(p->out, "</li>\n");
	}
	if (list->u.list.n)
		html(p->out, "</ol>\n");
}

static void stage(struct page *p, const struct val *e, const char *graph, const struct val *s, bool first)
{
	const struct val *nodes = val_get(s, "nodes");
	const char *name = val_text(s, "stage");
	size_t n = nodes ? nodes->u.list.n : data_list(s, "kernels")->u.list.n;
	bool later = n > MOST_AT_ONCE || !first;

	html(p->out, "<details class=\"stage%S\"%S><summary>%s <small>%z %S</small></summary>\n", later ? " later" : "",
	     first && !later ? " open" : "", name, n,
	     nodes ? (n == 1 ? "node" : "nodes") : (n == 1 ? "kernel" : "kernels"));
	if (*val_text(s, "file"))
		html(p->out, "<p><a class=\"file\" href=\"%s\">%s</a></p>\n", val_text(s, "file"), val_text(s, "file"));
	if (later && nodes)
		html(p->out, "<template>\n");
	if (nodes) {
		join_stages(p, e, graph, name, nodes);
		if (n <= MOST_DRAWN)
			page_drawing(p, graph, name, nodes);
		else
			html(p->out, "<p class=\"empty\">It has too many nodes to be drawn.</p>\n");
		nodes_table(p, graph, name, nodes);
	} else {
		kernels(p, graph, s);
	}
	if (later && nodes)
		html(p->out, "</template>\n<noscript><p>The file has its nodes; drawing them needs JavaScript.</p>"
			     "</noscript>\n");
	html(p->out, "</details>\n");
}

void page_graphs(struct page *p, const struct val *e)
{
	const struct val *list = data_list(e, "graphs"), *stages, *g;
	size_t i, k;

	for (i = 0; i < list->u.list.n; i++) {
		g = list->u.list.item[i];
		stages = data_list(g, "stages");
		html(p->out, "<h3>Graph <code>%s</code></h3>\n", val_text(g, "graph"));
		if (!stages->u.list.n)
			html(p->out, "<p class=\"empty\">Its nodes are not recorded: it was compiled before cdbg "
				     "was loaded.</p>\n");
		for (k = 0; k < stages->u.list.n; k++)
			stage(p, e, val_text(g, "graph"), stages->u.list.item[k], k == 0);
	}
}
