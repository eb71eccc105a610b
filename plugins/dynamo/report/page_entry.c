/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry on its function's page: regions, Python, guards, bytecode, side effects.  Made from the data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 3000 };

static void file_link(struct page *p, const char *id, const char *suffix)
{
	char *name = page_anchor(id);

	html(p->out, "<a class=\"file\" href=\"entry-%s%S\">entry-%s%S</a> ", name, suffix, name, suffix);
	free(name);
}

/* A table whose caption names the entry: captions of one page differ. */
static void entry_table(struct page *p, const struct val *e, const char *kind, const char *what, const char *group,
			const char *heads)
{
	char *caption = mem_fmt("%s of entry %s", what, val_text(e, "entry"));

	html_table(p->out, kind, caption, group, heads);
	free(caption);
}

/* The region of an instruction; NULL: none. */
static const struct val *region_at(const struct val *e, long long index)
{
	const struct val *list = data_list(e, "regions");
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (val_number(list->u.list.item[i], "start", 0) <= index &&
		    index < val_number(list->u.list.item[i], "end", 0))
			return list->u.list.item[i];
	return NULL;
}

static unsigned region_item(struct page *p, const struct val *r)
{
	return items_number(p->items, "region %s", val_text(r, "id"));
}

static char *kind_class(const char *kind)
{
	char *s = mem_str(kind), *q;

	for (q = s; *q; q++)
		*q = *q == ' ' ? '-' : *q;
	return s;
}

/* Their numbers are in the first column of the bytecode. */
static void region_instructions(struct page *p, long long first, long long last)
{
	if (first < last)
		html(p->out, " <small class=\"dim\">instructions %l\xe2\x80\x93%l</small></li>\n", first, last);
	else
		html(p->out, " <small class=\"dim\">instruction %l</small></li>\n", first);
}

static void regions(struct page *p, const struct val *e)
{
	const struct val *list = data_list(e, "regions"), *r;
	unsigned item;
	long long line;
	size_t i;
	char *kind;

	if (!list->u.list.n)
		return;
	html(p->out, "<h3>Regions</h3>\n<ol class=\"regions\" data-group=\"regions\">\n");
	for (i = 0; i < list->u.list.n; i++) {
		r = list->u.list.item[i];
		item = region_item(p, r);
		kind = kind_class(val_text(r, "region"));
		html(p->out, "<li class=\"region-%s\"", kind);
		page_item(p, item);
		html(p->out, "><b>%s</b> <span>%s</span>", val_text(r, "region"), val_text(r, "text"));
		line = val_number(r, "line", 0);
		if (line)
			html(p->out, " <small>line %l%s,</small>", line, val_text(r, "inner"));
		for (; line && line <= val_number(r, "last_line", val_number(r, "line", 0)); line++)
			items_join(p->items, item, page_line(p, val_text(p->f, "file"), line));
		items_join(p->items, item, items_number(p->items, "entry %s", val_text(e, "entry")));
		region_instructions(p, val_number(r, "start", 0), val_number(r, "end", 1) - 1);
		free(kind);
	}
	html(p->out, "</ol>\n");
}

/* The instruction at this offset; rows are in its order. */
static long long instruction_at(const struct val *code, long long offset)
{
	size_t low = 0, high = code->u.list.n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (val_number(code->u.list.item[mid], "offset", 0) < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return (long long)low;
}

static void python(struct page *p, const struct val *e)
{
	const struct val *list = data_list(e, "python"), *row, *r;
	unsigned item;
	size_t i;

	html(p->out, "<h3>Generated code as Python ");
	file_link(p, val_text(e, "entry"), ".py");
	html(p->out, "</h3>\n");
	entry_table(p, e, "source", "Generated code", "python", "#Line|Python|#Region and line of the source");
	for (i = 0; i < list->u.list.n && i < MOST_ROWS; i++) {
		row = list->u.list.item[i];
		item = items_number(p->items, "python %s:%zu", val_text(e, "entry"), i);
		r = val_get(row, "offset") ?
			    region_at(e, instruction_at(data_list(e, "code"), val_number(row, "offset", 0))) :
			    NULL;
		if (r)
			items_join(p->items, item, region_item(p, r));
		if (val_number(row, "user_line", 0))
			items_join(p->items, item,
				   page_line(p, val_text(p->f, "file"), val_number(row, "user_line", 0)));
		html(p->out, "<tr");
		page_item(p, item);
		html(p->out, "><td class=\"no\">%z</td><td class=\"src\"><code>", i + 1);
		html_python(p->out, val_text(row, "text"));
		html(p->out, "</code></td><td class=\"marks\"><small>%s</small>", val_text(row, "region"));
		if (val_number(row, "user_line", 0))
			html(p->out, " <span class=\"chip line\">line %l</span>", val_number(row, "user_line", 0));
		html(p->out, "</td></tr>\n");
	}
	html_table_end(p->out);
	if (i < list->u.list.n)
		html(p->out, "<p class=\"empty\">%z more lines are in the file.</p>\n", list->u.list.n - i);
}

static void code(struct page *p, const struct val *e)
{
	const struct val *list = data_list(e, "code"), *row, *r;
	unsigned item;
	size_t i;

	html(p->out, "<details class=\"code\"><summary>Bytecode: %z instructions</summary>\n<p>", list->u.list.n);
	file_link(p, val_text(e, "entry"), ".dis");
	html(p->out, "</p>\n");
	html(p->out, "<template>\n");
	entry_table(p, e, "listing", "Bytecode", "code", "##|#Offset|Instruction|Argument|Region|#Line");
	for (i = 0; i < list->u.list.n && i < MOST_ROWS; i++) {
		row = list->u.list.item[i];
		item = items_number(p->items, "instruction %s:%zu", val_text(e, "entry"), i);
		r = region_at(e, (long long)i);
		if (r)
			items_join(p->items, item, region_item(p, r));
		html(p->out, "<tr");
		page_item(p, item);
		html(p->out,
		     "><td class=\"num\">%z<td class=\"num\">%l<td><code>%s</code><td><code>%s</code>"
		     "<td>%s<td class=\"num\">",
		     i, val_number(row, "offset", 0), val_text(row, "opname"), val_text(row, "arg"),
		     val_text(row, "region"));
		if (val_number(row, "line", 0))
			html(p->out, "%l", val_number(row, "line", 0));
		html(p->out, "</tr>\n");
	}
	html_table_end(p->out);
	if (i < list->u.list.n)
		html(p->out, "<p class=\"empty\">%z more instructions are in the file.</p>\n", list->u.list.n - i);
	html(p->out,
	     "</template>\n<noscript><p>Showing it here needs JavaScript; the file has all of it.</p></noscript>\n"
	     "</details>\n");
}

static void effects(struct page *p, const struct val *e)
{
	const struct val *list = data_list(e, "effects"), *row;
	unsigned item;
	size_t i;

	if (!list->u.list.n)
		return;
	html(p->out, "<h3>Side effects replayed after the graph</h3>\n<ul class=\"effects\" data-group=\"effects\">\n");
	for (i = 0; i < list->u.list.n; i++) {
		row = list->u.list.item[i];
		item = items_number(p->items, "effect %s:%zu", val_text(e, "entry"), i);
		page_join_line(p, item, row);
		html(p->out, "<li");
		page_item(p, item);
		html(p->out, "><code>%s</code> <small>%s</small> ", val_text(row, "target"), val_text(row, "kind"));
		page_place(p, val_text(row, "file"), val_number(row, "line", 0));
		html(p->out, "</li>\n");
	}
	html(p->out, "</ul>\n");
}

static void facts(struct page *p, const struct val *e)
{
	html(p->out, "<p class=\"facts\"><span class=\"tag %s\">%s</span>", val_text(e, "state"), val_text(e, "state"));
	if (*val_text(e, "backend"))
		html(p->out, " backend <b>%s</b>", val_text(e, "backend"));
	if (data_real(e, "seconds") > 0) {
		html(p->out, ", compiled in <b>");
		html_seconds(p->out, data_real(e, "seconds"));
		html(p->out, "</b>");
	}
	if (data_real(e, "check_ns") > 0) {
		html(p->out, ", its guards are checked in <b>");
		html_seconds(p->out, data_real(e, "check_ns") * 1e-9);
		html(p->out, "</b>");
	}
	html(p->out, "</p>\n");
	if (*val_text(e, "recompiled_because"))
		page_why_no_entry(p, e);
}

void page_entry(struct page *p, const struct val *e)
{
	const char *id = val_text(e, "entry");
	char *name = page_anchor(id);

	html(p->out, "<section class=\"entry\" aria-labelledby=\"entry-%s\">\n<h2 id=\"entry-%s\"", name, name);
	page_item(p, items_number(p->items, "entry %s", id));
	html(p->out, ">Entry %s", id);
	if (val_number(e, "resume_line", 0))
		html(p->out, " <small>resumes at line %l</small>", val_number(e, "resume_line", 0));
	else if (*val_text(e, "resume_function"))
		html(p->out, " <small>of a resume function</small>");
	html(p->out, "</h2>\n");
	facts(p, e);
	regions(p, e);
	if (data_list(e, "python")->u.list.n)
		python(p, e);
	else
		html(p->out, "<p class=\"empty\">Its generated code was gone before the report was written. Run "
			     "the program with <code>python -m cdbg --report DIR</code>, or <code>set report-keep on"
			     "</code> before it compiles.</p>\n");
	page_guards(p, e);
	page_graphs(p, e);
	effects(p, e);
	if (data_list(e, "code")->u.list.n)
		code(p, e);
	html(p->out, "</section>\n");
	free(name);
}
