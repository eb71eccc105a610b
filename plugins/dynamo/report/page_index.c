/* SPDX-License-Identifier: BSD-3-Clause */
/* The first page of a report: what was compiled, how often, why again, and what it costs.  Made from the data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include <stdlib.h>
#include <string.h>

static void figure_card(struct buf *out, const char *number, const char *label, const char *kind)
{
	html(out, "<div class=\"card %S\"><dt>%s</dt><dd>%s</dd></div>\n", kind, label, number);
}

static void count_card(struct buf *out, const struct val *sum, const char *key, const char *label, const char *warn)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", val_number(sum, key, 0));
	figure_card(out, text, label, strcmp(text, "0") ? warn : "");
}

static void seconds_card(struct buf *out, double seconds, const char *label)
{
	struct buf b = { 0 };

	html_seconds(&b, seconds);
	figure_card(out, buf_str(&b), label, "");
	buf_release(&b);
}

static void cards(struct buf *out, const struct val *root)
{
	const struct val *sum = val_get(root, "summary");

	html(out, "<dl class=\"cards\">\n");
	count_card(out, sum, "functions", "functions", "");
	count_card(out, sum, "entries", "entries", "");
	count_card(out, sum, "breaks", "graph breaks", "warn");
	count_card(out, sum, "recompiles", "recompiles", "warn");
	count_card(out, sum, "graphs", "graphs", "");
	count_card(out, sum, "guards", "guards", "");
	seconds_card(out, data_real(sum, "seconds"), "compile time");
	if (data_real(sum, "check_ns") > 0)
		seconds_card(out, data_real(sum, "check_ns") * 1e-9, "one check of all guards");
	html(out, "</dl>\n");
}

static double sum_of(const struct val *f, const char *key)
{
	const struct val *list = data_list(f, "entry");
	double sum = 0;
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		sum += data_real(list->u.list.item[i], key);
	return sum;
}

static double most_of(const struct val *functions, const char *key)
{
	double most = 0, one;
	size_t i;

	for (i = 0; i < functions->u.list.n; i++) {
		one = sum_of(functions->u.list.item[i], key);
		most = one > most ? one : most;
	}
	return most;
}

static void link_to(struct buf *out, const struct val *f, const char *anchor)
{
	html(out, "<a href=\"");
	html_url(out, val_text(f, "folder"));
	html(out, "/index.html%s%s\">%s</a>", *anchor ? "#" : "", anchor, val_text(f, "qualname"));
}

static void measured(struct buf *out, double value, double most, double unit, const char *kind)
{
	html(out, "<td class=\"num chart\">");
	if (value > 0) {
		html_bar(out, most > 0 ? value / most : 0, kind);
		html_seconds(out, value * unit);
	} else {
		html(out, "<span class=\"dim\">\xe2\x80\x93</span>");
	}
	html(out, "</td>");
}

static void functions(struct buf *out, const struct val *list)
{
	double seconds = most_of(list, "seconds"), ns = most_of(list, "check_ns");
	const struct val *f, *entries;
	size_t i;

	html(out, "<section aria-labelledby=\"functions\">\n<h2 id=\"functions\">Functions</h2>\n");
	if (!list->u.list.n)
		html(out, "<p class=\"empty\">Nothing was compiled: Dynamo has looked at no function.</p>\n");
	else
		html_table(out, "wide", NULL, "Function|Where|Status|#Entries|#Breaks|#Compile time|#Guard check");
	for (i = 0; i < list->u.list.n; i++) {
		f = list->u.list.item[i];
		entries = data_list(f, "entry");
		html(out, "<tr><th scope=\"row\">");
		link_to(out, f, "");
		html(out,
		     "</th><td title=\"%s\">%s:%l<td><span class=\"tag %s\">%s</span><td class=\"num\">%z<td "
		     "class=\"num\">%z",
		     val_text(f, "file"), page_file(val_text(f, "file")), val_number(f, "line", 0),
		     val_text(f, "status"), val_text(f, "status"), entries->u.list.n, data_list(f, "breaks")->u.list.n);
		measured(out, sum_of(f, "seconds"), seconds, 1, "time");
		measured(out, sum_of(f, "check_ns"), ns, 1e-9, "cost");
		html(out, "</tr>\n");
	}
	if (list->u.list.n)
		html_table_end(out);
	html(out, "</section>\n");
}

static void breaks(struct buf *out, const struct val *list)
{
	const struct val *f, *b;
	size_t i, k, n = 0;

	for (i = 0; i < list->u.list.n; i++) {
		f = list->u.list.item[i];
		for (k = 0; k < data_list(f, "breaks")->u.list.n; k++) {
			b = data_list(f, "breaks")->u.list.item[k];
			if (!n++)
				html(out, "<section aria-labelledby=\"breaks\">\n<h2 id=\"breaks\">Graph breaks"
					  "</h2>\n<ol class=\"plain\">\n");
			html(out, "<li>");
			link_to(out, f, "story");
			html(out,
			     " at <span title=\"%s\">%s:%l</span>%s<details><summary>%s</summary><pre>%s"
			     "</pre></details></li>\n",
			     val_text(b, "file"), page_file(val_text(b, "file")), val_number(b, "line", 0),
			     val_text(b, "inner"), *val_text(b, "kind") ? val_text(b, "kind") : "reason",
			     val_text(b, "reason"));
		}
	}
	if (n)
		html(out, "</ol>\n</section>\n");
}

static void recompiles(struct buf *out, const struct val *list)
{
	const struct val *f, *e;
	size_t i, k, n = 0;
	char *id, *anchor;

	for (i = 0; i < list->u.list.n; i++) {
		f = list->u.list.item[i];
		for (k = 0; k < data_list(f, "entry")->u.list.n; k++) {
			e = data_list(f, "entry")->u.list.item[k];
			if (!*val_text(e, "recompiled_because"))
				continue;
			if (!n++) {
				html(out, "<section aria-labelledby=\"recompiles\">\n<h2 "
					  "id=\"recompiles\">Recompiles</h2>\n");
				html_table(out, "wide", NULL, "Function|Entry|Why no other entry fitted|#Time");
			}
			id = page_anchor(val_text(e, "entry"));
			anchor = mem_fmt("entry-%s", id);
			html(out, "<tr><th scope=\"row\">");
			link_to(out, f, anchor);
			html(out, "</th><td>%s<td><pre>%s</pre><td class=\"num\">", val_text(e, "entry"),
			     val_text(e, "recompiled_because"));
			html_seconds(out, data_real(e, "seconds"));
			html(out, "</tr>\n");
			free(anchor);
			free(id);
		}
	}
	if (n)
		html(out, "</tbody></table></div>\n</section>\n");
}

static void excluded(struct buf *out, const struct val *list)
{
	const struct val *f;
	size_t i;

	if (!list->u.list.n)
		return;
	html(out, "<section aria-labelledby=\"excluded\">\n<h2 id=\"excluded\">Not compiled by a rule</h2>\n");
	html_table(out, "", NULL, "Function|Where|Rule");
	for (i = 0; i < list->u.list.n; i++) {
		f = list->u.list.item[i];
		html(out, "<tr><th scope=\"row\">%s</th><td title=\"%s\">%s:%l<td>%s</tr>\n", val_text(f, "function"),
		     val_text(f, "file"), page_file(val_text(f, "file")), val_number(f, "line", 0),
		     val_text(f, "reason"));
	}
	html(out, "</tbody></table></div>\n</section>\n");
}

static void overrides(struct buf *out, const struct val *list)
{
	const struct val *o;
	size_t i;

	if (!list->u.list.n)
		return;
	html(out, "<section aria-labelledby=\"overrides\">\n<h2 id=\"overrides\">Overrides</h2>\n");
	html_table(out, "", NULL, "##|Function|Entry|Action|What|State");
	for (i = 0; i < list->u.list.n; i++) {
		o = list->u.list.item[i];
		html(out, "<tr><td>%l<td>%s<td>%s<td>%s<td><code>%s</code><td>%s</tr>\n", val_number(o, "override", 0),
		     val_text(o, "function"), val_text(o, "entry"), val_text(o, "action"), val_text(o, "text"),
		     val_text(o, "state"));
	}
	html(out, "</tbody></table></div>\n</section>\n");
}

void page_index(const struct val *root, struct buf *out)
{
	const struct val *list = data_list(root, "functions");

	html_begin(out, "cdbg report", "");
	html(out,
	     "<main id=\"main\" class=\"single\">\n<h1>What torch.compile made</h1>\n<p class=\"sub\">"
	     "<code>%s</code> on CPython %s, torch %s</p>\n",
	     val_text(root, "program"), val_text(root, "python"), val_text(root, "torch"));
	cards(out, root);
	functions(out, list);
	breaks(out, list);
	recompiles(out, list);
	overrides(out, data_list(root, "overrides"));
	excluded(out, data_list(root, "excluded"));
	html(out, "</main>\n");
	html_end(out, "");
}
