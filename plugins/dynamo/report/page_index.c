/* SPDX-License-Identifier: BSD-3-Clause */
/* The first page of a report: the compiled functions, how often and why they were compiled, and the time.  Made from
   the data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include <stdlib.h>
#include <string.h>

/* to: the section that a click on the label leads to; NULL: none. */
static void figure_card(struct buf *out, const char *number, const char *label, const char *kind, const char *to)
{
	html(out, "<div class=\"card %S\"><dt>", kind);
	if (to)
		html(out, "<a href=\"#%S\">%s</a>", to, label);
	else
		html(out, "%s", label);
	html(out, "</dt><dd>%s</dd></div>\n", number);
}

static void count_card(struct buf *out, const struct val *sum, const char *key, const char *label, const char *to)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", val_number(sum, key, 0));
	figure_card(out, text, label, to && strcmp(to, "functions") && strcmp(text, "0") ? "warn" : "", to);
}

static void seconds_card(struct buf *out, double seconds, const char *label)
{
	struct buf b = { 0 };

	html_seconds(&b, seconds);
	figure_card(out, buf_str(&b), label, "", NULL);
	buf_release(&b);
}

static void cards(struct buf *out, const struct val *root)
{
	const struct val *sum = val_get(root, "summary");

	html(out, "<dl class=\"cards\">\n");
	count_card(out, sum, "functions", "functions", "functions");
	count_card(out, sum, "entries", "entries", NULL);
	count_card(out, sum, "breaks", "graph breaks", val_number(sum, "functions", 0) ? "breaks" : NULL);
	count_card(out, sum, "recompiles", "recompiles", val_number(sum, "functions", 0) ? "recompiles" : NULL);
	count_card(out, sum, "graphs", "graphs", NULL);
	count_card(out, sum, "guards", "guards", NULL);
	seconds_card(out, data_real(sum, "seconds"), "compile time");
	seconds_card(out, data_real(sum, "check_ns") * 1e-9, "all guards, once");
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
	html(out, "/index.html%s%s\">%s</a>", *anchor ? "#" : "", anchor, page_name(f));
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

static void index_section(struct buf *out, const char *id, const char *title)
{
	html(out, "<section aria-labelledby=\"%S\">\n<h2 id=\"%S\">%S</h2>\n", id, id, title);
}

/* Has it anything to show but its source? */
static bool is_compiled(const struct val *f)
{
	return data_list(f, "entry")->u.list.n || data_list(f, "breaks")->u.list.n;
}

static int by_seconds(const void *a, const void *b)
{
	const struct val *const *x = a, *const *y = b;
	double xs = sum_of(*x, "seconds"), ys = sum_of(*y, "seconds");

	return xs != ys ? (xs < ys ? 1 : -1) : *x < *y ? -1 : *x > *y;
}

static void function_row(struct buf *out, const struct val *f, double seconds, double ns)
{
	html(out, "<tr><th scope=\"row\">");
	link_to(out, f, "");
	html(out,
	     "</th><td title=\"%s\">%s:%l<td><span class=\"tag %s\">%s</span><td class=\"num\">%z<td "
	     "class=\"num\">%z",
	     val_text(f, "file"), page_file(val_text(f, "file")), val_number(f, "line", 0), val_text(f, "status"),
	     val_text(f, "status"), data_list(f, "entry")->u.list.n, data_list(f, "breaks")->u.list.n);
	measured(out, sum_of(f, "seconds"), seconds, 1, "time");
	measured(out, sum_of(f, "check_ns"), ns, 1e-9, "cost");
	html(out, "</tr>\n");
}

/* Functions that Dynamo looked at and left alone: closed, below the others. */
static void uncompiled(struct buf *out, const struct val *list, size_t n)
{
	const struct val *f;
	size_t i;

	html(out, "<details><summary>%z function%S that Dynamo looked at ran without being compiled</summary>\n", n,
	     n == 1 ? "" : "s");
	html_table(out, "wide", "Functions that ran without being compiled", NULL, "Function|Where|Status|Why");
	for (i = 0; i < list->u.list.n; i++) {
		f = list->u.list.item[i];
		if (is_compiled(f))
			continue;
		html(out, "<tr><th scope=\"row\">");
		link_to(out, f, "");
		html(out, "</th><td title=\"%s\">%s:%l<td><span class=\"tag %s\">%s</span><td class=\"wrap\">%s</tr>\n",
		     val_text(f, "file"), page_file(val_text(f, "file")), val_number(f, "line", 0),
		     val_text(f, "status"), val_text(f, "status"), val_text(f, "reason"));
	}
	html_table_end(out);
	html(out, "</details>\n");
}

/* What took most time to compile comes first. */
static void functions(struct buf *out, const struct val *list)
{
	double seconds = most_of(list, "seconds"), ns = most_of(list, "check_ns");
	const struct val **compiled = mem_alloc((list->u.list.n + 1) * sizeof(*compiled));
	size_t i, n = 0;

	for (i = 0; i < list->u.list.n; i++)
		if (is_compiled(list->u.list.item[i]))
			compiled[n++] = list->u.list.item[i];
	index_section(out, "functions", "Functions");
	if (n) {
		qsort(compiled, n, sizeof(*compiled), by_seconds);
		html_table(out, "wide functions", "Functions", NULL,
			   "Function|Where|Status|#Entries|#Breaks|#Compile time|#One check of its guards");
		for (i = 0; i < n; i++)
			function_row(out, compiled[i], seconds, ns);
		html_table_end(out);
	} else {
		html(out, "<p class=\"empty\">Nothing was compiled%S</p>\n",
		     list->u.list.n ? "." : ": Dynamo has looked at no function.");
	}
	if (n < list->u.list.n)
		uncompiled(out, list, list->u.list.n - n);
	html(out, "</section>\n");
	free(compiled);
}

static bool same_break(const struct val *a, const struct val *b)
{
	return val_number(a, "line", 0) == val_number(b, "line", 0) &&
	       !strcmp(val_text(a, "file"), val_text(b, "file")) &&
	       !strcmp(val_text(a, "reason"), val_text(b, "reason"));
}

/* The number of breaks of a function that are equal to its i-th; 0: an earlier one counts it. */
static int times_of(const struct val *breaks, size_t i)
{
	const struct val *b = breaks->u.list.item[i];
	size_t k;
	int n = 0;

	for (k = 0; k < breaks->u.list.n; k++) {
		if (!same_break(breaks->u.list.item[k], b))
			continue;
		if (k < i)
			return 0;
		n++;
	}
	return n;
}

static void one_break(struct buf *out, const struct val *f, const struct val *b, int times)
{
	const char *file = *val_text(b, "own_file") ? val_text(b, "own_file") : val_text(b, "file"), *text;
	long long line = val_number(b, "own_line", val_number(b, "line", 0));

	html(out, "<li>");
	link_to(out, f, "story");
	html(out, " at <span title=\"%s\">%s:%l</span>%s", file, page_file(file), line, val_text(b, "inner"));
	if (times > 1)
		html(out, ", %d times", times);
	text = line > 0 ? host->source_line(file, (int)line) : NULL;
	if (text) {
		html(out, "<pre class=\"line\">");
		html_python(out, text + strspn(text, " \t"));
		html(out, "</pre>");
	}
	page_break_reason(out, b);
	html(out, "</li>\n");
}

static void breaks(struct buf *out, const struct val *list)
{
	const struct val *own;
	size_t i, k;
	int n = 0, times;

	index_section(out, "breaks", "Graph breaks");
	for (i = 0; i < list->u.list.n; i++) {
		own = data_list(list->u.list.item[i], "breaks");
		for (k = 0; k < own->u.list.n; k++) {
			times = times_of(own, k);
			if (!times)
				continue;
			if (!n++)
				html(out, "<ol class=\"plain\">\n");
			one_break(out, list->u.list.item[i], own->u.list.item[k], times);
		}
	}
	html(out, n ? "</ol>\n</section>\n" :
		      "<p class=\"empty\">None: each function was compiled as a whole.</p>\n</section>\n");
}

/* Seconds that the slowest entry took to compile. */
static double most_seconds(const struct val *functions)
{
	const struct val *own;
	double most = 0, one;
	size_t i, k;

	for (i = 0; i < functions->u.list.n; i++) {
		own = data_list(functions->u.list.item[i], "entry");
		for (k = 0; k < own->u.list.n; k++) {
			one = data_real(own->u.list.item[k], "seconds");
			most = one > most ? one : most;
		}
	}
	return most;
}

static void one_recompile(struct buf *out, const struct val *f, const struct val *e, double most)
{
	char *id = page_anchor(val_text(e, "entry")), *anchor = mem_fmt("entry-%s", id);
	struct page page = { .out = out };

	html(out, "<tr><th scope=\"row\">");
	link_to(out, f, anchor);
	html(out, "</th><td>%s<td>", val_text(e, "entry"));
	page_why(&page, e);
	page_remedies(&page, e);
	measured(out, data_real(e, "seconds"), most, 1, "time");
	html(out, "</tr>\n");
	free(anchor);
	free(id);
}

static void recompiles(struct buf *out, const struct val *list)
{
	const struct val *own, *one;
	double most = most_seconds(list);
	size_t i, k, n = 0, told = 0;

	index_section(out, "recompiles", "Recompiles");
	for (i = 0; i < list->u.list.n; i++) {
		own = data_list(list->u.list.item[i], "entry");
		for (k = 0; k < own->u.list.n; k++) {
			if (!*val_text(own->u.list.item[k], "recompiled_because"))
				continue;
			if (!n++)
				html_table(out, "wide recompiles", "Recompiles", NULL,
					   "Function|Entry|Guards that did not hold, and what to change|#Compile time");
			one_recompile(out, list->u.list.item[i], own->u.list.item[k], most);
			told += data_remedies(own->u.list.item[k], &one, 1);
		}
	}
	if (n)
		html_table_end(out);
	else
		html(out, "<p class=\"empty\">None: no guard of an entry failed.</p>\n");
	if (n && !told)
		html(out, "%S", page_no_remedy);
	html(out, "</section>\n");
}

static void excluded(struct buf *out, const struct val *list)
{
	const struct val *f;
	size_t i;

	if (!list->u.list.n)
		return;
	index_section(out, "excluded", "Functions that Dynamo skips by rule");
	html(out, "<details><summary>%z function%S, most of them in torch itself</summary>\n", list->u.list.n,
	     list->u.list.n == 1 ? "" : "s");
	html_table(out, "wide", "Functions that Dynamo skips by rule", NULL, "Function|Where|Rule");
	for (i = 0; i < list->u.list.n; i++) {
		f = list->u.list.item[i];
		html(out, "<tr><th scope=\"row\">%s</th><td title=\"%s\">%s:%l<td>%s</tr>\n", val_text(f, "function"),
		     val_text(f, "file"), page_file(val_text(f, "file")), val_number(f, "line", 0),
		     val_text(f, "reason"));
	}
	html_table_end(out);
	html(out, "</details></section>\n");
}

static void overrides(struct buf *out, const struct val *list)
{
	const struct val *o;
	size_t i;

	if (!list->u.list.n)
		return;
	index_section(out, "overrides", "Overrides");
	html_table(out, "wide", "Overrides", NULL, "##|Function|Entry|Action|What|State");
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

	html_begin(out, *val_text(root, "program") ? val_text(root, "program") : "torch.compile", "");
	html(out,
	     "<main id=\"main\" class=\"single\">\n<h1>What torch.compile did</h1>\n<p class=\"sub\">"
	     "<code>%s</code> on CPython %s, torch %s</p>\n",
	     val_text(root, "program"), val_text(root, "python"), val_text(root, "torch"));
	page_lead(out, root);
	cards(out, root);
	page_words(out);
	functions(out, list);
	if (list->u.list.n) {
		breaks(out, list);
		recompiles(out, list);
	}
	overrides(out, data_list(root, "overrides"));
	excluded(out, data_list(root, "excluded"));
	html(out, "</main>\n");
	html_end(out, "");
}
