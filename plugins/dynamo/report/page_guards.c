/* SPDX-License-Identifier: BSD-3-Clause */
/* The guards of an entry as a table, with what each costs and the line that made it.  Made from the data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include "code/source_text.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 2000 };

static double dearest(const struct val *list)
{
	double most = 0, ns;
	size_t i;

	for (i = 0; i < list->u.list.n; i++) {
		ns = data_real(list->u.list.item[i], "ns");
		most = ns > most ? ns : most;
	}
	return most;
}

static void cost(struct page *p, const struct val *g, double most)
{
	const struct val *ns = val_get(g, "ns");

	html(p->out, "<td class=\"num chart\">");
	if (ns && ns->type != VAL_NULL) {
		html_bar(p->out, most > 0 ? data_real(g, "ns") / most : 0, "cost");
		html_seconds(p->out, data_real(g, "ns") * 1e-9);
	} else {
		html(p->out, "<span class=\"dim\">\xe2\x80\x93</span>");
	}
	html(p->out, "</td>");
}

static void guard_row(struct page *p, const struct val *e, const struct val *g, double most)
{
	unsigned item = val_get(g, "guard") ?
				items_number(p->items, "guard %lld", val_number(g, "guard", 0)) :
				items_number(p->items, "condition %s:%s", val_text(e, "entry"), val_text(g, "text"));
	struct buf source = { 0 }, expected = { 0 };

	source_people(val_text(g, "source"), &source);
	if (!source_marks(val_text(g, "expected"), &expected))
		source_people(val_text(g, "expected"), &expected);
	items_join(p->items, item, items_number(p->items, "entry %s", val_text(e, "entry")));
	page_join_line(p, item, g);
	html(p->out, "<tr");
	page_item(p, item);
	html(p->out, "><td class=\"num\">");
	if (val_get(g, "guard"))
		html(p->out, "%l", val_number(g, "guard", 0));
	html(p->out,
	     "<td title=\"%s\"><code>%s</code><td><small>%s</small>%S<td title=\"%s\"><code "
	     "class=\"wrap\">%s</code>",
	     val_text(g, "source"), buf_str(&source), val_text(g, "kind"),
	     data_true(g, "python") ? " <span class=\"chip effect\">Python</span>" : "", val_text(g, "text"),
	     buf_str(&expected));
	if (*val_text(g, "state") && strcmp(val_text(g, "state"), "on"))
		html(p->out, " <span class=\"tag\">%s</span>", val_text(g, "state"));
	cost(p, g, most);
	html(p->out, "<td>");
	page_place(p, val_text(g, "file"), val_number(g, "line", 0));
	if (val_number(g, "outer_line", 0)) {
		html(p->out, " <small>from</small> ");
		page_place(p, val_text(g, "outer_file"), val_number(g, "outer_line", 0));
	}
	html(p->out, "</tr>\n");
	buf_release(&source);
	buf_release(&expected);
}

void page_guards(struct page *p, const struct val *e)
{
	const struct val *list = data_list(e, "guards");
	double most = dearest(list);
	char *name, *caption;
	size_t i;

	if (!list->u.list.n) {
		html(p->out, "<p class=\"empty\">No guards are known of this entry.</p>\n");
		return;
	}
	name = page_anchor(val_text(e, "entry"));
	html(p->out, "<h3>Guards <a class=\"file\" href=\"entry-%s.guards.py\">entry-%s.guards.py</a></h3>\n", name,
	     name);
	caption = mem_fmt("Guards of entry %s", val_text(e, "entry"));
	html_table(p->out, "wide guards", caption, "guards", "##|Value|Kind|Expected|#Cost|Made at");
	for (i = 0; i < list->u.list.n && i < MOST_ROWS; i++)
		guard_row(p, e, list->u.list.item[i], most);
	html_table_end(p->out);
	if (i < list->u.list.n)
		html(p->out, "<p class=\"empty\">%z more guards are in the file.</p>\n", list->u.list.n - i);
	free(caption);
	free(name);
}
