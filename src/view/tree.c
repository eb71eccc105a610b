/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of values with what is in them: see tree.h.  Runs none of the program's code, but for the forms repr and str,
   which the user chose for a row. */
#include "view/tree.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/session.h"
#include "engine/stop.h"
#include "engine/variable.h"
#include "py/value/children.h"
#include "py/value/value.h"

enum { SUMMARY = 200 }; /* bytes of a value */
enum { GROUP = 100 };	/* rows below one row: more are put into groups */

/* ---- the words of the request ------------------------------------------------------------------------- */

/* The entry KEY or KEY=TEXT after `list` ("fold:"): the text after the key, or NULL. */
static const char *word_of(const struct tree *t, const char *list, const char *key)
{
	const char *p = strstr(t->req->words, list);
	size_t n = strlen(key);

	for (p = p ? p + strlen(list) : NULL; p && *p && *p != ' '; p += *p == ',') {
		if (!strncmp(p, key, n) && strchr(",= ", p[n]))
			return p + n;
		p += strcspn(p, ", ");
	}
	return NULL;
}

/* A text as a part of a key: nothing in it ends a word of the request. */
static void add_to_key(struct buf *out, const char *s)
{
	for (; *s; s++)
		if (strchr(" ,%:=\t\n", *s) || (unsigned char)*s < 32)
			buf_addf(out, "%%%02x", (unsigned)(unsigned char)*s);
		else
			buf_addc(out, *s);
}

static char *row_key(const char *parent, const char *label)
{
	struct buf b = { 0 };

	if (parent)
		buf_adds(&b, parent);
	add_to_key(&b, label);
	return buf_detach(&b);
}

/* What the user asked for holds for one stop. */
static char *asked_key(const char *parent, const char *label)
{
	char *key = row_key(parent, label), *all = mem_fmt("%s@%lu", key, stop_number());

	free(key);
	return all;
}

/* ---- children ------------------------------------------------------------------------------------------ */

struct kept_child {
	char *label, *suffix, *text; /* owned */
	const char *kind;
	struct py_obj *v; /* owned */
	bool warn;
};

/* Children of one value, text_copy: what a row shows may run the program's code, which changes values. */
struct kept_children {
	const struct tree *t;
	struct kept_child *at;
	size_t n, cap, total;
};

static char *text_copy(const char *s)
{
	return s ? mem_str(s) : NULL;
}

static void keep_child(struct child_sink *k, const struct child *c)
{
	struct kept_children *all = k->arg;

	all->at = mem_grow(all->at, &all->cap, all->n + 1, sizeof(*all->at));
	all->at[all->n++] = (struct kept_child){
		.label = text_copy(c->label),
		.suffix = text_copy(c->suffix),
		.text = text_copy(c->text),
		.kind = c->kind,
		.v = c->v ? py_ref(c->v) : NULL,
		.warn = c->warn,
	};
}

static bool was_asked(const struct child_sink *k, const char *label)
{
	const struct kept_children *all = k->arg;
	char *key;
	bool asked;

	if (!k->key)
		return false;
	key = asked_key(k->key, label);
	asked = word_of(all->t, "fold:", key) != NULL;
	free(key);
	return asked;
}

static void keep_children(struct kept_children *all, const struct tree *t, struct py_obj *v, const char *key,
			  size_t from, size_t to)
{
	struct child_sink sink = { .from = from, .to = to, .key = key, .asked = was_asked, .add = keep_child };

	memset(all, 0, sizeof(*all));
	all->t = t;
	sink.arg = all;
	variable_children(t->s, v, &sink);
	all->total = sink.total;
}

static void release_children(struct kept_children *all)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		free(all->at[i].label);
		free(all->at[i].suffix);
		free(all->at[i].text);
		py_unref(all->at[i].v);
	}
	free(all->at);
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static void put_value(struct tree *t, const struct tree_row *row)
{
	const char *format = row->v && t->req->pane ? word_of(t, "format:", row->key) : NULL;
	struct buf b = { 0 };
	char *name = NULL;

	if (format && *format == '=') {
		format++;
		name = mem_strn(format, strcspn(format, ", "));
	}
	if (row->text)
		buf_adds(&b, row->text);
	else if (row->v && !(name && children_show(row->v, name, &b, SUMMARY)))
		value_show_data(row->v, &b, SUMMARY);
	rows_str(t->out, "value", ROLE_VALUE, buf_str(&b));
	free(name);
	buf_release(&b);
}

static void put_row(struct tree *t, const struct tree_row *row, bool open, bool parts)
{
	rows_add(t->out, row->marks);
	rows_str(t->out, "name", ROLE_NAME, row->name);
	put_value(t, row);
	rows_str(t->out, "type", ROLE_TYPE, row->v ? value_type(row->v) : NULL);
	rows_str(t->out, "kind", ROLE_DIM, row->kind);
	rows_str(t->out, "path", ROLE_TEXT, row->path);
	rows_bool(t->out, "parts", parts);
	if (row->v && children_items(row->v) >= 0)
		rows_int(t->out, "items", children_items(row->v));
	if (!t->req->pane)
		return;
	rows_int(t->out, "depth", row->depth);
	rows_str(t->out, "fold", ROLE_TEXT, open ? "open" : parts ? "shut" : "");
	rows_str(t->out, "key", ROLE_TEXT, row->key);
	rows_str(t->out, "formats", ROLE_TEXT, row->v ? children_formats(row->v) : "");
}

static void put_child(struct tree *t, const struct kept_child *c, const char *key, const char *path, int depth)
{
	bool ask = c->kind && !strcmp(c->kind, CHILD_ASK);
	char *own = ask ? asked_key(key, c->label) : row_key(key, c->suffix && *c->suffix ? c->suffix : c->label);
	char *expr = c->suffix && path ? mem_fmt("%s%s", path, c->suffix) : NULL;
	struct tree_row row = {
		.name = c->label,
		.kind = c->kind,
		.path = expr,
		.key = own,
		.text = c->text,
		.v = c->v,
		.marks = c->warn ? MARK_ERROR :
			 ask	 ? MARK_DIM :
				   0,
		.depth = depth,
	};

	tree_put(t, &row);
	free(expr);
	free(own);
}

/* One row for each `step` children, which is opened to see them. */
static void put_ranges(struct tree *t, struct py_obj *v, const char *key, const char *path, int depth, size_t from,
		       size_t to);

static void put_range(struct tree *t, struct py_obj *v, const char *key, const char *path, int depth, size_t from,
		      size_t to, size_t step)
{
	char *own = mem_fmt("%s{%zu/%zu}", key, from, step), *name = mem_fmt("%zu..%zu", from, to - 1);
	bool open = word_of(t, "fold:", own) != NULL;
	struct tree_row row = { .name = name, .kind = "group", .key = own, .text = "", .depth = depth };

	if (rows_want(t->out, t->req))
		put_row(t, &row, open, true);
	if (open)
		put_ranges(t, v, key, path, depth + 1, from, to);
	free(name);
	free(own);
}

static void put_ranges(struct tree *t, struct py_obj *v, const char *key, const char *path, int depth, size_t from,
		       size_t to)
{
	struct kept_children all;
	size_t i, step = GROUP;

	if (to - from > GROUP) {
		while ((to - from + step - 1) / step > GROUP)
			step *= GROUP;
		for (i = from; i < to; i += step)
			put_range(t, v, key, path, depth, i, to - i > step ? i + step : to, step);
		return;
	}
	keep_children(&all, t, v, key, from, to);
	for (i = 0; i < all.n; i++)
		put_child(t, &all.at[i], key, path, depth);
	release_children(&all);
}

/* All that is below a row. */
static void put_below(struct tree *t, const struct tree_row *row)
{
	struct tree_row none = { .name = "", .text = "no items, no attributes", .key = "", .marks = MARK_DIM };
	struct kept_children count;

	keep_children(&count, t, row->v, row->key, 0, 0);
	release_children(&count);
	none.depth = row->depth + 1;
	if (count.total)
		put_ranges(t, row->v, row->key, row->path, row->depth + 1, 0, count.total);
	else if (rows_want(t->out, t->req))
		put_row(t, &none, false, false);
}

void tree_put(struct tree *t, const struct tree_row *row)
{
	bool open = t->req->pane && row->v && word_of(t, "fold:", row->key), parts;

	if (rows_want(t->out, t->req)) {
		parts = row->v && variable_has_children(t->s, row->v);
		open &= parts;
		put_row(t, row, open, parts);
	} else {
		open = open && variable_has_children(t->s, row->v);
	}
	if (open)
		put_below(t, row);
}

size_t tree_put_parts(struct tree *t, struct py_obj *v, const char *path, size_t from, size_t to)
{
	struct kept_children all;
	size_t i;

	keep_children(&all, t, v, NULL, from, to);
	for (i = 0; i < all.n; i++)
		put_child(t, &all.at[i], "", path, 0);
	release_children(&all);
	return all.total;
}

char *tree_key(const char *name)
{
	return row_key(NULL, name);
}

size_t tree_words(const struct view_req *req)
{
	const char *fold = strstr(req->words, "fold:"), *format = strstr(req->words, "format:");
	size_t n = strlen(req->words);

	n = fold && (size_t)(fold - req->words) < n ? (size_t)(fold - req->words) : n;
	n = format && (size_t)(format - req->words) < n ? (size_t)(format - req->words) : n;
	while (n && req->words[n - 1] == ' ')
		n--;
	return n;
}

/* ---- actions ------------------------------------------------------------------------------------------------- */

static void tree_edit(const struct rows *r, size_t row, struct buf *line)
{
	const char *path = rows_text(r, row, "path"), *value = rows_text(r, row, "value");
	bool spelled = view_spelled(rows_text(r, row, "type"), value);

	if (!*path)
		return;
	if (path[strcspn(path, ".[(")])
		buf_addf(line, "!%s = %s", path, spelled ? value : path);
	else
		buf_addf(line, "set var %s = %s", path, spelled ? value : path);
}

void tree_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	bool folds = *rows_text(r, row, "fold") || !strcmp(rows_text(r, row, "kind"), CHILD_ASK);

	if (what == ACTION_EDIT)
		tree_edit(r, row, line);
	else if (folds && (what == ACTION_ENTER || what == ACTION_TOGGLE))
		buf_addf(line, "tui fold %s", rows_text(r, row, "key"));
	else if (what == ACTION_ENTER && *rows_text(r, row, "path") && !strcmp(rows_text(r, row, "kind"), CHILD_VALUES))
		buf_addf(line, "view %s", rows_text(r, row, "path"));
	else if (what == ACTION_ENTER && *rows_text(r, row, "path"))
		buf_addf(line, "print %s", rows_text(r, row, "path"));
}
