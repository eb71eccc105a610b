/* SPDX-License-Identifier: BSD-3-Clause */
/* A function's source with marks for the result of Dynamo for each line; and lines of what was inlined.  From the
   data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include <stdlib.h>
#include <string.h>

enum { AROUND = 2, MOST_INLINED = 2000, MOST_LINES = 3000 };

struct mark {
	const char *file; /* borrowed from the tree */
	long long line;
	int nodes, guards, breaks, effects, evaluated, missed;
};

struct marks {
	struct mark *mark; /* owned */
	size_t n, cap;
};

static struct mark *mark_at(struct marks *m, const char *file, long long line)
{
	size_t i;

	for (i = m->n; i-- > 0;) /* rows of one line are neighbours */
		if (m->mark[i].line == line && !strcmp(m->mark[i].file, file))
			return &m->mark[i];
	m->mark = mem_grow(m->mark, &m->cap, m->n + 1, sizeof(*m->mark));
	m->mark[m->n] = (struct mark){ .file = file, .line = line };
	return &m->mark[m->n++];
}

enum what { GUARDS, EFFECTS };

static void mark_note(struct marks *m, const struct val *row, const char *file, const char *line, enum what what)
{
	const char *name = val_text(row, file);
	long long at = val_number(row, line, 0);
	struct mark *k;

	if (!*name || at <= 0)
		return;
	k = mark_at(m, name, at);
	k->guards += what == GUARDS;
	k->effects += what == EFFECTS;
}

/* The innermost line and the function's own line above it. */
static void note_all(struct marks *m, const struct val *rows, enum what what)
{
	size_t i;

	for (i = 0; i < rows->u.list.n; i++) {
		mark_note(m, rows->u.list.item[i], "file", "line", what);
		if (val_number(rows->u.list.item[i], "outer_line", 0) > 0)
			mark_note(m, rows->u.list.item[i], "outer_file", "outer_line", what);
	}
}

static void collect_marks(const struct val *f, struct marks *m)
{
	const struct val *entries = data_list(f, "entry"), *lines = data_list(f, "lines"), *row;
	struct mark *k;
	size_t i;

	for (i = 0; i < lines->u.list.n; i++) {
		row = lines->u.list.item[i];
		k = mark_at(m, val_text(row, "file"), val_number(row, "line", 0));
		k->nodes = (int)val_number(row, "nodes", 0);
		k->breaks = (int)val_number(row, "breaks", 0);
		k->evaluated = (int)val_number(row, "evaluated", 0);
		k->missed = (int)val_number(row, "missed", 0);
	}
	for (i = 0; i < entries->u.list.n; i++) {
		note_all(m, data_list(entries->u.list.item[i], "guards"), GUARDS);
		note_all(m, data_list(entries->u.list.item[i], "effects"), EFFECTS);
	}
}

static void chip(struct buf *out, int n, const char *one, const char *many, const char *kind)
{
	if (n)
		html(out, "<span class=\"chip %S\">%d %S</span>", kind, n, n == 1 ? one : many);
}

static void source_row(struct page *p, const char *file, long long line, const char *text, const struct mark *m)
{
	unsigned item = page_line(p, file, line);

	html(p->out, "<tr class=\"%S\"", m && m->breaks ? "breaks" : m && m->nodes ? "graphed" : "");
	if (m || !strcmp(file, val_text(p->f, "file")))
		page_item(p, item);
	html(p->out, "><td class=\"no\">%l</td><td class=\"src\"><code>", line);
	html_python(p->out, text);
	html(p->out, "</code></td><td class=\"marks\">");
	if (m) {
		chip(p->out, m->breaks, "graph break", "graph breaks", "break");
		chip(p->out, m->nodes, "node", "nodes", "node");
		if (m->missed && !m->nodes && !m->breaks)
			html(p->out, "<span class=\"chip\">not reached</span>");
		else if (m->evaluated && !m->nodes && !m->breaks)
			html(p->out, "<span class=\"chip\">evaluated</span>");
		chip(p->out, m->guards, "guard", "guards", "guard");
		chip(p->out, m->effects, "side effect", "side effects", "effect");
	}
	html(p->out, "</td></tr>\n");
}

static int by_place(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

static const struct mark *mark_find(const struct marks *m, const char *file, long long line)
{
	const struct mark key = { .file = file, .line = line };

	return m->n ? bsearch(&key, m->mark, m->n, sizeof(*m->mark), by_place) : NULL;
}

static bool near_mark(const struct marks *m, const char *file, long long line)
{
	long long at;

	for (at = line - AROUND; at <= line + AROUND; at++)
		if (mark_find(m, file, at))
			return true;
	return false;
}

/* Marks of one file, neighbours: the function's own lines divide its file. */
struct group {
	const struct mark *mark; /* borrowed, by line */
	size_t n;
	int weight; /* graph breaks and nodes of the file */
};

/* Files with most of the graph first: the model before the library that calls it. */
static int by_weight(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : by_place(x->mark, y->mark);
}

/* The marks outside the function, file by file.  The caller frees the groups. */
static struct group *group_files(struct page *p, const struct marks *m, size_t *n)
{
	long long first = val_number(p->f, "line", 0),
		  last = first + (long long)data_list(p->f, "source")->u.list.n - 1;
	const char *own = val_text(p->f, "file");
	const struct mark *k;
	struct group *list = NULL;
	size_t i, cap = 0;

	for (i = *n = 0; i < m->n; i++) {
		k = &m->mark[i];
		if (!strcmp(k->file, own) && k->line >= first && k->line <= last)
			continue;
		if (!*n || list[*n - 1].mark + list[*n - 1].n != k || strcmp(list[*n - 1].mark->file, k->file)) {
			list = mem_grow(list, &cap, *n + 1, sizeof(*list));
			list[(*n)++] = (struct group){ .mark = k };
		}
		list[*n - 1].n++;
		list[*n - 1].weight += k->nodes + k->breaks;
	}
	for (i = 1; i < *n; i++)
		if (!strcmp(list[i - 1].mark->file, list[i].mark->file))
			list[i - 1].weight = list[i].weight += list[i - 1].weight;
	if (*n)
		qsort(list, *n, sizeof(*list), by_weight);
	return list;
}

/* "modeling_bert.py"; with its folder where another file has that name. */
static const char *group_name(const struct group *list, size_t n, size_t of)
{
	const char *path = list[of].mark->file, *name = page_file(path), *folder = name, *other;
	size_t i;

	for (i = 0; i < n; i++) {
		other = list[i].mark->file;
		if (!strcmp(page_file(other), name) && strcmp(other, path))
			break;
	}
	if (i < n && name > path + 1)
		for (folder = name - 1; folder > path && folder[-1] != '/'; folder--)
			;
	return folder;
}

/* Lines of other functions in one file, each with the lines around it; at most `most` rows.  Returns how many. */
static size_t inlined_lines(struct page *p, const struct marks *m, const struct group *g, size_t most, size_t *left)
{
	const char *file = g->mark->file, *text;
	long long at = 0, line;
	size_t i, rows = 0;

	for (i = 0; i < g->n && rows < most; i++)
		for (line = g->mark[i].line - AROUND; line <= g->mark[i].line + AROUND; line++) {
			if (line <= at || line < 1 || !(text = host->source_line(file, (int)line)))
				continue;
			if (at && line > at + 1)
				html(p->out, "<tr class=\"gap\"><td colspan=\"3\">\xe2\x8b\xaf</td></tr>\n");
			source_row(p, file, line, text, mark_find(m, file, line));
			at = line;
			rows++;
		}
	*left += g->n - i;
	return rows;
}

static void inlined(struct page *p, const struct marks *m)
{
	struct group *list;
	size_t i, n, rows = 0, left = 0;

	list = group_files(p, m, &n);
	for (i = 0; i < n; i++) {
		if (rows >= MOST_INLINED) {
			left += list[i].n;
			continue;
		}
		html(p->out, "<h3 title=\"%s\">Inlined from %s</h3>\n", list[i].mark->file, group_name(list, n, i));
		html_table(p->out, "source", "Lines of functions that were inlined", "lines",
			   "#Line|Source|#Made from it");
		rows += inlined_lines(p, m, &list[i], MOST_INLINED - rows, &left);
		html_table_end(p->out);
	}
	if (left)
		html(p->out, "<p class=\"empty\">%z more places are in index.json.</p>\n", left);
	free(list);
}

/* The lines of the function; of a very long one, those after MOST_LINES that nothing marks are left out. */
static void lines(struct page *p, const struct marks *m)
{
	const struct val *list = data_list(p->f, "source"), *row;
	const char *file = val_text(p->f, "file");
	long long line;
	size_t i, hidden = 0;

	html_table(p->out, "source", "Source of the function", "lines", "#Line|Source|#Made from it");
	for (i = 0; i < list->u.list.n; i++) {
		row = list->u.list.item[i];
		line = val_number(row, "line", 0);
		if (i >= MOST_LINES && !near_mark(m, file, line)) {
			hidden++;
			continue;
		}
		source_row(p, file, line, val_text(row, "text"), mark_find(m, file, line));
	}
	html_table_end(p->out);
	if (hidden)
		html(p->out, "<p class=\"empty\">%z lines that nothing marks are left out; index.json has them.</p>\n",
		     hidden);
}

void page_source(struct page *p)
{
	struct marks m = { NULL };

	collect_marks(p->f, &m);
	if (m.n)
		qsort(m.mark, m.n, sizeof(*m.mark), by_place);
	html(p->out, "<section aria-labelledby=\"source\">\n<h2 id=\"source\">Source</h2>\n");
	if (data_list(p->f, "source")->u.list.n)
		lines(p, &m);
	else
		html(p->out,
		     "<p class=\"empty\">The source of this function cannot be read: there is no file %s."
		     "</p>\n",
		     val_text(p->f, "file"));
	inlined(p, &m);
	html(p->out, "</section>\n");
	free(m.mark);
}
