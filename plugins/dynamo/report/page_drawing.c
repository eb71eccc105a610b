/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph as SVG: layers from the inputs down, each node with its operation and its line.  Made from
   the data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include "report/graph_layout.h"
#include <stdlib.h>
#include <string.h>

enum { LETTER = 7, PADDING = 10, HEIGHT = 40, GAP = 18, ROW = 74, LONGEST = 34, LONGEST_TITLE = 400 };

struct drawing {
	struct graph_layout l;
	const struct val *nodes;   /* rows of the view */
	struct buf *label, *value; /* owned, n each: what the boxes say */
};

static void find_edges(struct drawing *d)
{
	struct items names = { NULL }; /* names of nodes differ: the n-th has number n */
	const struct val *users;
	size_t i, k, to, cap = 0;

	for (i = 0; i < d->nodes->u.list.n; i++)
		items_number(&names, "%s", val_text(d->nodes->u.list.item[i], "node"));
	for (i = 0; i < d->nodes->u.list.n; i++) {
		users = data_list(d->nodes->u.list.item[i], "users");
		for (k = 0; k < users->u.list.n; k++) {
			to = items_number(&names, "%s", users->u.list.item[k]->u.s);
			if (to <= i || to >= d->nodes->u.list.n)
				continue;
			d->l.edge = mem_grow(d->l.edge, &cap, (size_t)d->l.nedges + 1, sizeof(*d->l.edge));
			d->l.edge[d->l.nedges++] = (struct graph_layout_edge){ (int)i, (int)to };
		}
	}
	items_release(&names);
}

/* "aten.add.Tensor" unchanged; a placeholder's source as a person writes it comes from the view's own words. */
static void node_title(struct drawing *d, size_t i)
{
	const struct val *n = d->nodes->u.list.item[i];
	const char *op = val_text(n, "op"), *what = val_text(n, "target"), *name = val_text(n, "node");
	struct buf full = { 0 };
	size_t width, other;

	if (!strcmp(op, "placeholder") || !strcmp(op, "get_attr") || !strcmp(op, "output") || !*what ||
	    !strcmp(name, what))
		buf_adds(&full, name);
	else
		buf_addf(&full, "%s = %s", name, what);
	host->view_cut_name(&d->label[i], buf_str(&full), LONGEST);
	full.len = 0;
	buf_addf(&full, "%s%s", !strcmp(op, "placeholder") ? "input " : "", val_text(n, "value"));
	host->view_cut(&d->value[i], buf_str(&full), LONGEST);
	width = text_width(buf_str(&d->label[i]));
	other = text_width(buf_str(&d->value[i]));
	d->l.node[i].width = LETTER * (int)(width > other ? width : other) + 2 * PADDING;
	buf_release(&full);
}

static const char *class_of(const char *op)
{
	return !strcmp(op, "placeholder") ? "input" :
	       !strcmp(op, "output")	  ? "output" :
	       !strcmp(op, "get_attr")	  ? "attr" :
					    "call";
}

static void draw_box(struct page *p, const struct drawing *d, size_t i, unsigned item)
{
	const struct val *n = d->nodes->u.list.item[i];
	const struct graph_layout_node *at = &d->l.node[i];
	struct buf title = { 0 };
	size_t cut;

	buf_addf(&title, "%s: %s %s(%s)", val_text(n, "node"), val_text(n, "op"), val_text(n, "target"),
		 val_text(n, "args"));
	cut = text_whole(buf_str(&title), title.len < LONGEST_TITLE ? title.len : LONGEST_TITLE);
	if (cut < title.len) {
		title.len = cut;
		buf_adds(&title, "\xe2\x80\xa6)");
	}
	if (*val_text(n, "value"))
		buf_addf(&title, " -> %s", val_text(n, "value"));
	if (val_number(n, "line", 0))
		buf_addf(&title, "\n%s:%lld", page_file(val_text(n, "file")), val_number(n, "line", 0));
	html(p->out, "<g class=\"node %S\"", class_of(val_text(n, "op")));
	page_item(p, item);
	html(p->out,
	     " transform=\"translate(%d %d)\"><title>%s</title><rect width=\"%d\" height=\"%d\" rx=\"6\"/>"
	     "<text x=\"%d\" y=\"16\">%s</text><text class=\"value\" x=\"%d\" y=\"32\">%s</text></g>\n",
	     at->x, at->y, buf_str(&title), at->width, HEIGHT, PADDING, buf_str(&d->label[i]), PADDING,
	     buf_str(&d->value[i]));
	buf_release(&title);
}

static void edges(struct page *p, const struct drawing *d)
{
	const struct graph_layout_node *a, *b;
	int i, x1, x2, y1, y2, bend;

	for (i = 0; i < d->l.nedges; i++) {
		a = &d->l.node[d->l.edge[i].from];
		b = &d->l.node[d->l.edge[i].to];
		x1 = a->x + a->width / 2;
		x2 = b->x + b->width / 2;
		y1 = a->y + HEIGHT;
		y2 = b->y - 2;
		bend = (y2 - y1) / 2 < 60 ? (y2 - y1) / 2 : 60;
		buf_addf(p->out, "<path%s d=\"M%d %dC%d %d %d %d %d %d\"/>\n",
			 b->layer > a->layer + 1 ? " class=\"long\"" : "", x1, y1, x1, y1 + bend, x2, y2 - bend, x2,
			 y2);
	}
}

void page_drawing(struct page *p, const char *graph, const char *stage, const struct val *nodes)
{
	struct drawing d = { .nodes = nodes };
	size_t i, n = nodes->u.list.n;

	d.l.n = (int)n;
	d.l.node = mem_alloc((n + 1) * sizeof(*d.l.node));
	d.label = mem_alloc((n + 1) * sizeof(*d.label));
	d.value = mem_alloc((n + 1) * sizeof(*d.value));
	for (i = 0; i < n; i++)
		node_title(&d, i);
	find_edges(&d);
	d.l.height = HEIGHT;
	d.l.gap = GAP;
	d.l.row = ROW;
	graph_layout_place(&d.l);
	html(p->out,
	     "<div class=\"tools\" role=\"toolbar\" aria-label=\"Zoom\"><button type=\"button\" "
	     "data-zoom=\"in\" aria-label=\"Zoom in\">+</button><button type=\"button\" data-zoom=\"out\" "
	     "aria-label=\"Zoom out\">\xe2\x88\x92</button><button type=\"button\" data-zoom=\"fit\">fit</button>"
	     "<button type=\"button\" data-zoom=\"one\">1:1</button></div>\n<div class=\"drawing\" tabindex=\"0\" "
	     "role=\"group\" aria-label=\"Graph %s, %s: %z nodes\" data-group=\"nodes\"><svg "
	     "xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<g "
	     "class=\"edges\">\n",
	     graph, stage, n, d.l.total_width, d.l.total_height, d.l.total_width, d.l.total_height);
	edges(p, &d);
	html(p->out, "</g>\n");
	for (i = 0; i < n; i++) {
		draw_box(p, &d, i, page_node(p, graph, stage, val_text(nodes->u.list.item[i], "node")));
		buf_release(&d.label[i]);
		buf_release(&d.value[i]);
	}
	html(p->out, "</svg></div>\n");
	free(d.l.node);
	free(d.l.edge);
	free(d.label);
	free(d.value);
}
