/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of one function, and functions that its parts share: see page.h. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include <stdlib.h>
#include <string.h>

/* ---- navigation -------------------------------------------------------------------------------------------------- */

static void contents(struct page *p)
{
	const struct val *list = data_list(p->f, "entry");
	char *id;
	size_t i;

	html(p->out,
	     "<nav class=\"contents\" aria-label=\"On this page\">\n<p><a "
	     "href=\"../index.html\">\xe2\x86\x90 Summary</a></p>\n<ul>\n<li><a href=\"#story\">What happened</a>"
	     "</li>\n<li><a href=\"#source\">Source</a></li>\n");
	if (page_has_sides(p))
		html(p->out, "<li><a href=\"#sides\">Entries side by side</a></li>\n");
	for (i = 0; i < list->u.list.n; i++) {
		id = page_anchor(val_text(list->u.list.item[i], "entry"));
		html(p->out, "<li><a href=\"#entry-%s\">Entry %s</a>%S</li>\n", id,
		     val_text(list->u.list.item[i], "entry"),
		     *val_text(list->u.list.item[i], "resume_function") ? " <small>resume</small>" : "");
		free(id);
	}
	html(p->out, "</ul>\n<p class=\"keys\"><kbd>\xe2\x86\x91</kbd> <kbd>\xe2\x86\x93</kbd> move, <kbd>Enter"
		     "</kbd> select, <kbd>n</kbd> next mark, <kbd>Esc</kbd> clear</p>\n</nav>\n");
}

static void page_overrides(struct page *p)
{
	const struct val *list = data_list(p->root, "overrides"), *o;
	size_t i, n = 0;

	for (i = 0; i < list->u.list.n; i++) {
		o = list->u.list.item[i];
		if (strcmp(val_text(o, "function"), val_text(p->f, "function")))
			continue;
		if (!n++) {
			html(p->out, "<section aria-labelledby=\"overrides\">\n<h2 id=\"overrides\">Overrides</h2>\n");
			html_table(p->out, "wide", "Overrides of this function", NULL,
				   "##|Entry|Action|What|State|Risk");
		}
		html(p->out, "<tr><td>%l<td>%s<td>%s<td><code>%s</code><td>%s<td>%s</tr>\n",
		     val_number(o, "override", 0), val_text(o, "entry"), val_text(o, "action"), val_text(o, "text"),
		     val_text(o, "state"), val_text(o, "risk"));
	}
	if (n)
		html(p->out, "</tbody></table></div>\n</section>\n");
}

/* Why nothing was compiled: the first line, then all of it in a part that opens. */
static void page_reason(struct page *p)
{
	const char *reason = val_text(p->f, "reason");
	const size_t n = strcspn(reason, "\n");
	char *first;

	if (!*reason)
		return;
	first = mem_strn(reason, n);
	html(p->out, "<div class=\"reason\">%s: <span class=\"pre\">%s</span>", val_text(p->f, "status"), first);
	free(first);
	if (reason[n])
		html(p->out, "<details><summary>The whole message of torch</summary><pre>%s</pre></details>", reason);
	html(p->out, "</div>\n");
}

void page_function(const struct val *root, const struct val *f, struct buf *out)
{
	struct items items = { NULL };
	struct page page = { .out = out, .items = &items, .root = root, .f = f };
	const struct val *entries = data_list(f, "entry");
	struct val *links;
	size_t i;

	html_begin(out, page_name(f), "../");
	html(out, "<div class=\"frame\">\n");
	contents(&page);
	html(out, "<main id=\"main\">\n<h1>%s</h1>\n<p class=\"sub\">%s:%l</p>\n", page_name(f), val_text(f, "file"),
	     val_number(f, "line", 0));
	page_reason(&page);
	for (i = 0; i < entries->u.list.n; i++)
		items_join_all(&items, data_list(entries->u.list.item[i], "links"));
	page_story(&page);
	page_source(&page);
	page_sides(&page);
	for (i = 0; i < entries->u.list.n; i++)
		page_entry(&page, entries->u.list.item[i]);
	page_overrides(&page);
	html(out, "</main>\n</div>\n<div id=\"status\" role=\"status\" aria-live=\"polite\"></div>\n<script "
		  "type=\"application/json\" id=\"links\">");
	links = items_links(&items);
	html_json(out, links);
	html(out, "</script>\n");
	html_end(out, "../");
	val_free(links);
	items_release(&items);
}
