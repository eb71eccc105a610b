/* SPDX-License-Identifier: BSD-3-Clause */
/* View: local variables of the selected frame, a tree in a pane: there, displayed and watched expressions are its first
   rows.  Values are summaries: none of the program's code runs, but for displayed expressions. */
#include <string.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/bp.h"
#include "engine/display.h"
#include "engine/past.h"
#include "engine/session.h"
#include "engine/stack.h"
#include "engine/variable.h"
#include "engine/watch.h"
#include "py/interp/names.h"
#include "py/value/children.h"
#include "view/tree.h"
#include "view/view_table.h"

enum { PARTS_MOST = 1000 }; /* that are listed of a value where none are asked for */

static const struct view_col cols[] = {
	TREE_COLS,
	{ .name = "kind",
	  .help = "local, cell, free, kept (see info stack); symbolic "
		  "while compiling; item, attribute and the like of a part; display 1, watch 1",
	  .drop = 2 },
	TREE_HIDDEN_COLS,
	{ .name = NULL },
};

struct names {
	struct tree tree;
	const char *kind;
	const struct frame *hidden_by; /* names that are bound locals of this one are left out; NULL: none */
};

static bool is_bound(const struct frame *f, const char *name)
{
	int i, n = code_nlocals(f->code);

	for (i = 0; i < n; i++)
		if (!strcmp(code_local_name(f->code, i), name))
			return frame_local(f->fo, i) != NULL;
	return false;
}

static bool dunder(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strncmp(name, "__", 2) && !strcmp(name + n - 2, "__");
}

static void locals_add_name(void *arg, const char *name, struct py_obj *v)
{
	struct names *names = arg;
	struct tree_row row = { .name = name, .kind = names->kind, .path = name, .v = v };
	char *key;

	if (names->hidden_by && is_bound(names->hidden_by, name))
		return;
	if (names->tree.req->pane && dunder(name))
		return; /* a pane has no space for __name__ and the like */
	key = tree_key(name);
	row.key = key;
	tree_put(&names->tree, &row);
	free(key);
}

static void fill_fast(const struct frame *f, struct names *names)
{
	static const char *const kinds[] = { [LOCAL_FAST] = "local", [LOCAL_CELL] = "cell", [LOCAL_FREE] = "free" };
	int i, n = code_nlocals(f->code);
	struct py_obj *v;

	for (i = 0; i < n; i++) {
		v = frame_local(f->fo, i);
		names->kind = kinds[code_local_kind(f->code, i)];
		if (v)
			locals_add_name(names, code_local_name(f->code, i), v);
	}
}

static void fill_symbolic(const struct val *list, struct names *names)
{
	struct rows *out = names->tree.out;
	const struct val *v;
	size_t i;

	for (i = 0; list && list->type == VAL_LIST && i < list->u.list.n; i++) {
		v = list->u.list.item[i];
		if (!rows_want(out, names->tree.req))
			continue;
		rows_add(out, MARK_DIM);
		rows_str(out, "name", ROLE_NAME, val_text(v, "name"));
		rows_str(out, "value", ROLE_VALUE, val_text(v, "value"));
		rows_str(out, "type", ROLE_TYPE, val_get(v, "type") ? val_text(v, "type") : NULL);
		rows_str(out, "kind", ROLE_DIM, *val_text(v, "kind") ? val_text(v, "kind") : "symbolic");
	}
}

/* An expression that is displayed or watched. */
static void put_expression(struct tree *t, const char *what, int number, const char *text, struct py_obj *v,
			   const char *trouble)
{
	char *kind = mem_fmt("%s %d", what, number), *key = mem_fmt("{%s%d}", what, number);
	char *path = text[strcspn(text, " +-*/%<>=!&|^~,:")] ? mem_fmt("(%s)", text) : mem_str(text);
	struct buf shown = { 0 };
	struct tree_row row = { .name = text, .kind = kind, .path = path, .key = key, .v = v };

	if (!v) {
		buf_addf(&shown, "<%s>", visible(trouble));
		row.text = shown.s;
		row.marks = MARK_DIM;
	}
	tree_put(t, &row);
	buf_release(&shown);
	free(path);
	free(key);
	free(kind);
}

static void fill_expressions(struct tree *t)
{
	const char *trouble;
	struct err err = { "" };
	struct display *d;
	struct py_obj *v;
	struct bp *b;
	int number;

	for (d = display_first(t->s); d; d = d->next) {
		v = display_object(t->s, d, &trouble);
		put_expression(t, "display", d->number, display_expr(d), v, trouble);
		py_unref(v);
	}
	for (b = bp_first(t->s); b; b = bp_after(t->s, number)) {
		number = b->number;
		if (b->type != BP_WATCH || !b->watch)
			continue;
		bp_hold(b);
		v = watch_object(t->s, b, &err);
		put_expression(t, "watch", number, b->words, v, err.text);
		py_unref(v);
		bp_drop(b);
	}
}

/* Of the past: what the record has. */
static void fill_past(const struct frame *f, const struct view_req *req, struct rows *out)
{
	static const char *const kinds[] = { [LOCAL_FAST] = "local", [LOCAL_CELL] = "cell", [LOCAL_FREE] = "free" };
	const struct record_value *v;
	struct buf b = { 0 };
	const char *name;
	int i;

	for (i = 0; (name = past_local_name(f->past, i)); i++) {
		v = past_local(f->past, i);
		if ((v && !strcmp(past_value_kind(v), "null")) || !rows_want(out, req))
			continue;
		buf_reset(&b);
		if (v)
			past_value_text(v, &b);
		else
			buf_addc(&b, '?');
		rows_add(out, v ? 0 : MARK_DIM);
		rows_str(out, "name", ROLE_NAME, name);
		rows_str(out, "value", ROLE_VALUE, buf_str(&b));
		rows_str(out, "type", ROLE_TYPE, v ? past_value_type(v) : NULL);
		rows_str(out, "kind", ROLE_DIM, kinds[past_local_kind(f->past, i)]);
	}
	buf_release(&b);
}

static void fill_variables(struct session *s, struct frame *f, struct names *names)
{
	struct py_obj *dict;

	if (f->fake) {
		names_each(f->fake->locals, locals_add_name, names);
		fill_symbolic(f->fake->symbolic, names);
		return;
	}
	fill_fast(f, names);
	names->kind = "kept";
	names->hidden_by = f;
	names_each(stack_kept(s, f), locals_add_name, names);
	names->hidden_by = NULL;
	names->kind = "local";
	dict = names_of_frame(f->fo);
	names_each(dict, locals_add_name, names);
	py_unref(dict);
}

/* "big[100:200]": the numbers of the parts; false: the path has none.  *n: the bytes before them. */
static bool part_numbers(const char *path, size_t *n, size_t *from, size_t *to)
{
	const char *open = strrchr(path, '['), *p = open ? open + 1 : "";

	*n = strlen(path);
	if (!open || path[*n - 1] != ']' || strspn(p, "0123456789:") != strlen(p) - 1 || !strchr(p, ':'))
		return false;
	*from = (size_t)strtoull(p, NULL, 10);
	p = strchr(p, ':') + 1;
	*to = *p == ']' ? SIZE_MAX : (size_t)strtoull(p, NULL, 10);
	*n = (size_t)(open - path);
	return true;
}

/* Of many parts the first are listed. */
static void put_more(struct tree *t, const char *path, size_t total)
{
	struct buf b = { 0 };

	if (!rows_want(t->out, t->req))
		return;
	buf_addf(&b, "%zu more: 'info locals %s[%d:%d]'", total - PARTS_MOST, path, PARTS_MOST, 2 * PARTS_MOST);
	rows_add(t->out, MARK_DIM);
	rows_str(t->out, "name", ROLE_NAME, "...");
	rows_str(t->out, "value", ROLE_VALUE, b.s);
	rows_str(t->out, "kind", ROLE_DIM, "more");
	rows_bool(t->out, "parts", false);
	buf_release(&b);
}

/* What is in the value of an expression that the program's code is not needed for. */
static int fill_parts(struct tree *t, const char *path, size_t len, struct err *err)
{
	size_t n, from = 0, to = SIZE_MAX, total;
	char *text = mem_strn(path, len);
	bool some = part_numbers(text, &n, &from, &to);
	struct py_obj *v;
	int ret = -1;

	text[n] = '\0';
	v = variable_find(t->s, text, n, err);
	if (v) {
		rows_title(t->out, "%.*s", (int)len, path);
		total = tree_put_parts(t, v, text, from, some ? to : PARTS_MOST);
		if (!some && total > PARTS_MOST)
			put_more(t, text, total);
		ret = total || (some && children_items(v) >= 0) ?
			      0 :
			      err_set(err, "'%s' has no parts: 'print %s' shows it", text, text);
	}
	free(text);
	py_unref(v);
	return ret;
}

static int view_locals_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct frame *f = session_frame(s, err);
	struct names names = { .tree = { .s = s, .req = req, .out = out }, .kind = "local" };
	size_t n = tree_words(req);

	if (!f || (n && session_present(s, err) < 0))
		return -1;
	if (n)
		return fill_parts(&names.tree, req->words, n, err);
	rows_title(out, "%s", f->qualname);
	if (f->past) {
		fill_past(f, req, out);
		return 0;
	}
	if (req->pane)
		fill_expressions(&names.tree);
	fill_variables(s, f, &names);
	return 0;
}

static void view_locals_text(struct session *s, const struct rows *r, struct buf *out)
{
	struct buf b = { 0 };
	size_t i, w, width = 0, hidden = 0;
	const char *name, *kind;

	(void)s;
	for (i = 0; i < r->n; i++) {
		w = text_width(visible(rows_text(r, i, "name")));
		if (w > width && w <= 24)
			width = w;
	}
	for (i = 0; i < r->n; i++) {
		name = visible(rows_text(r, i, "name"));
		kind = rows_text(r, i, "kind");
		if (dunder(name)) {
			hidden++;
			continue;
		}
		buf_reset(&b);
		buf_adds(&b, name);
		buf_pad(&b, width, 0);
		buf_adds(&b, " = ");
		view_cut(&b, rows_text(r, i, "value"), 100);
		if (strcmp(kind, "local"))
			buf_addf(&b, "  (%s)", kind);
		buf_addf(out, "%s\n", buf_str(&b));
	}
	if (hidden)
		buf_addf(out, "(%zu names like __name__ omitted)\n", hidden);
	buf_release(&b);
}

static const char *const more[] = { "print {path}",    "pp {path}", "whatis {path}", "display {path}", "watch {path}",
				    "tui format next", NULL };

const struct view_ops view_locals = {
	.name = "locals",
	.alias = "l",
	.args = "[EXPR]",
	.help = "local variables of the selected frame, or the parts of a value",
	.cols = cols,
	.gone = true,
	.needs_stop = true,
	.fill = view_locals_fill,
	.text = view_locals_text,
	.none = "no locals",
	.action = tree_action,
	.more = more,
};
