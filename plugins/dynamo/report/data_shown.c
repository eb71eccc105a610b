/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that only the process with the program has, so that pages can be made anywhere: values as a person writes them,
   and the lines of source files around what compiling made of them.  See data.h. */
#include "code/dynamo_code.h"
#include "report/data.h"
#include <stdlib.h>
#include <string.h>

/* ---- values as a person writes them ------------------------------------------------------------------------ */

/* "KEY_shown" beside KEY, where it differs. */
static void put_shown(struct val *row, const char *key)
{
	const char *text = val_text(row, key);
	struct buf b = { 0 };
	char *name;

	if (!source_text_marks(text, &b))
		source_text_people(text, &b);
	if (strcmp(buf_str(&b), text) != 0) {
		name = mem_fmt("%s_shown", key);
		val_put(row, name, val_str(buf_str(&b)));
		free(name);
	}
	buf_release(&b);
}

static void put_shown_rows(const struct val *rows)
{
	static const char *const keys[] = { "source", "expected", "live" };
	size_t i, k;

	for (i = 0; i < rows->u.list.n; i++)
		for (k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			put_shown(rows->u.list.item[i], keys[k]);
}

void data_shown(struct val *entry)
{
	put_shown(entry, "recompiled_because");
	put_shown_rows(data_list(entry, "guards"));
	put_shown_rows(data_list(entry, "why"));
}

/* ---- lines of source ---------------------------------------------------------------------------------------- */

enum { AROUND = 2 }; /* lines before and after */

struct place {
	const char *file; /* borrowed from the tree */
	long long line;
};

struct places_of {
	struct place *place; /* owned */
	size_t n, cap;
	const struct val *f; /* the function: its own lines are in the tree */
};

static void note_place(struct places_of *p, const char *file, long long line)
{
	const long long first = val_number(p->f, "line", 0);
	const bool own = !strcmp(file, val_text(p->f, "file")) && line >= first &&
			 line < first + (long long)data_list(p->f, "source")->u.list.n;

	if (!*file || line < 1 || line > 1 << 30 || own)
		return;
	p->place = mem_grow(p->place, &p->cap, p->n + 1, sizeof(*p->place));
	p->place[p->n++] = (struct place){ file, line };
}

static void note_rows(struct places_of *p, const struct val *rows)
{
	static const char *const names[][2] = { { "file", "line" },
						{ "outer_file", "outer_line" },
						{ "own_file", "own_line" } };
	size_t i, k;

	for (i = 0; i < rows->u.list.n; i++)
		for (k = 0; k < sizeof(names) / sizeof(*names); k++)
			note_place(p, val_text(rows->u.list.item[i], names[k][0]),
				   val_number(rows->u.list.item[i], names[k][1], 0));
}

static void note_function(struct places_of *p, const struct val *f)
{
	const struct val *entries = data_list(f, "entry");
	size_t i;

	p->f = f;
	note_rows(p, data_list(f, "lines"));
	note_rows(p, data_list(f, "breaks"));
	for (i = 0; i < entries->u.list.n; i++) {
		note_rows(p, data_list(entries->u.list.item[i], "guards"));
		note_rows(p, data_list(entries->u.list.item[i], "effects"));
	}
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

/* A run of lines that follow each other: their texts. */
static struct val *source_run(struct val *list, const char *file, long long first)
{
	struct val *run = val_push(list, val_map());

	val_put(run, "file", val_str(file));
	val_put(run, "first", val_int(first));
	return val_put(run, "lines", val_list());
}

struct val *data_sources(const struct val *functions)
{
	struct places_of all = { NULL };
	struct val *list = val_list(), *run = NULL;
	const char *file = "", *text;
	long long at = 0, line;
	size_t i;

	for (i = 0; i < functions->u.list.n; i++)
		note_function(&all, functions->u.list.item[i]);
	if (all.n)
		qsort(all.place, all.n, sizeof(*all.place), by_place);
	for (i = 0; i < all.n; i++) {
		if (strcmp(file, all.place[i].file) != 0) {
			file = all.place[i].file;
			at = 0;
		}
		for (line = all.place[i].line - AROUND; line <= all.place[i].line + AROUND; line++) {
			text = line > at && line > 0 ? host->files.line(file, (int)line) : NULL;
			if (!text)
				continue;
			if (!at || line > at + 1)
				run = source_run(list, file, line);
			val_push(run, val_str(text));
			at = line;
		}
	}
	free(all.place);
	return list;
}
