/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the parts of a function's page share: numbers of items, locations, names: see page.h. */
#include "report/page.h"
#include "report/html.h"
#include "report/items.h"
#include "report/file_names.h"
#include <stdlib.h>
#include <string.h>

const char *page_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *page_name(const struct val *f)
{
	const char *name = val_text(f, "qualname");

	return name[strspn(name, " \t\r\n")] ? name : "(no name)";
}

char *page_anchor(const char *text)
{
	struct buf b = { 0 };
	char *name;

	for (; *text; text++) /* "0/0" and "0/0#2" stay apart */
		buf_addc(&b, *text == '/' ? '-' : *text == '#' ? '.' : *text);
	name = file_names_file(buf_str(&b));
	buf_release(&b);
	return name;
}

unsigned page_line(struct page *p, const char *file, long long line)
{
	return items_number(p->items, "line %s:%lld", file, line);
}

void page_join_line(struct page *p, unsigned item, const struct val *row)
{
	static const char *const files[] = { "file", "outer_file", "own_file" };
	static const char *const lines[] = { "line", "outer_line", "own_line" };
	const char *file;
	int i;

	for (i = 0; i < 3; i++) {
		file = val_text(row, files[i]);
		if (*file && val_number(row, lines[i], 0) > 0)
			items_join(p->items, item, page_line(p, file, val_number(row, lines[i], 0)));
	}
}

unsigned page_node(struct page *p, const char *graph, const char *stage, const char *name)
{
	if (!strcmp(stage, "captured"))
		return items_number(p->items, "node %s:%s", graph, name);
	return items_number(p->items, "node %s %s:%s", graph, stage, name);
}

void page_item(struct page *p, unsigned item)
{
	html(p->out, " data-i=\"%d\" tabindex=\"-1\"", (int)items_show(p->items, item));
}

void page_place(struct page *p, const char *file, long long line)
{
	if (*file && line > 0)
		html(p->out, "<span class=\"place\" title=\"%s\">%s:%l</span>", file, page_file(file), line);
}
