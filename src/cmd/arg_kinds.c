/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of arguments, and what completes views and names of the selected frame.  Knows no command. */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/session.h"
#include "py/code/code.h"
#include "py/interp/lookup.h"
#include "py/interp/names.h"
#include "py/value/value.h"
#include "view/view.h"

void cmd_complete_view(struct session *s, const char *args, const char *word, struct val *list)
{
	const char *space = strchr(args, ' ');
	char *name = mem_strn(args, space ? (size_t)(space - args) : 0);
	const struct view_ops *v = space ? view_find(name, NULL) : NULL;
	int i;

	free(name);
	args = space ? space + strspn(space, " ") : args;
	if (v && v->complete)
		v->complete(s, args, word, list);
	else if (v && v->args && strstr(v->args, "FUNC"))
		cmd_complete_location(s, args, word, list);
	for (i = 0; !space && (v = view_at(i)); i++)
		val_push(list, val_str(v->name));
}

enum { ATTRIBUTE_TEXT = 50 };

struct naming {
	struct val *list;
	const char *word;
	size_t stem;	      /* length of "x." in the word: names follow it */
	char *want;	      /* the first name of it */
	struct py_obj *found; /* owned: its value */
};

static void complete_name(void *arg, const char *name, struct py_obj *value)
{
	struct naming *n = arg;
	const char *part = n->word + n->stem;
	struct buf b = { 0 };
	char *whole;

	if (strncmp(name, part, strlen(part)) || (*name == '_' && *part != '_'))
		return;
	whole = mem_fmt("%.*s%s", (int)n->stem, n->word, name);
	if (n->stem && value)
		value_show_data(value, &b, ATTRIBUTE_TEXT);
	if (b.len)
		cmd_candidate(n->list, whole, b.s);
	else
		val_push(n->list, val_str(whole));
	buf_release(&b);
	free(whole);
}

static void find_name(void *arg, const char *name, struct py_obj *value)
{
	struct naming *n = arg;

	if (!n->found && !strcmp(name, n->want))
		n->found = py_ref(value);
}

/* The names that an expression in the selected frame can use; after a dot the attributes of the value, as far as dicts
   have them. */
void cmd_complete_name(struct session *s, const char *args, const char *word, struct val *list)
{
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;
	const char *dot = strrchr(word, '.'), *p;
	struct naming n = { .list = list, .word = word, .stem = dot ? (size_t)(dot + 1 - word) : 0 };
	struct py_obj *inner;

	(void)args;
	if (!f || !f->fo)
		return;
	if (!dot) {
		names_visible(f->fo, complete_name, &n);
		return;
	}
	n.want = mem_strn(word, strcspn(word, "."));
	names_visible(f->fo, find_name, &n);
	for (p = word + strlen(n.want); n.found && p != dot; p += strlen(n.want)) {
		p++;
		free(n.want);
		n.want = mem_strn(p, strcspn(p, "."));
		inner = lookup_member(n.found, n.want);
		py_unref(n.found);
		n.found = inner;
	}
	if (n.found)
		lookup_members(n.found, complete_name, &n);
	py_unref(n.found);
	free(n.want);
}

static void add_row_cell(const struct rows *r, size_t row, int c, struct buf *out)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)c].v;

	if (!v || (v->type != VAL_STR && v->type != VAL_INT))
		return;
	buf_adds(out, !out->len ? "" : !strcmp(r->ops->cols[c].name, "line") ? ":" : " ");
	if (v->type == VAL_INT)
		buf_addf(out, "%lld", v->u.i);
	else
		buf_adds(out, strcmp(r->ops->cols[c].name, "file") ? v->u.s : path_file_name(v->u.s));
}

void cmd_complete_rows(struct session *s, const char *view, const char *name, const char *about, struct val *list)
{
	const struct view_ops *v = view_find(view, NULL);
	struct rows *r = v ? view_rows(s, v, "", NULL) : NULL;
	struct buf text = { 0 }, more = { 0 };
	size_t i;
	int c;

	for (i = 0; r && i < r->n; i++) {
		buf_reset(&text);
		buf_reset(&more);
		for (c = 0; c < r->ncols; c++)
			if (!strcmp(r->ops->cols[c].name, name))
				add_row_cell(r, i, c, &text);
			else if (strstr(about, r->ops->cols[c].name))
				add_row_cell(r, i, c, &more);
		if (text.len)
			cmd_candidate(list, text.s, buf_str(&more));
	}
	rows_free(r);
	buf_release(&text);
	buf_release(&more);
}

static int check_count(const char *text, struct err *err)
{
	long count;

	return cmd_count(text, &count, err);
}

const struct cmd_kind cmd_kinds[] = {
	{ .name = "N", .flags = KIND_WORD, .check = check_count },
	{ .name = "EXPR", .flags = KIND_TEXT, .complete = cmd_complete_name },
	{ .name = "VALUE", .flags = KIND_TEXT },
	{ .name = "TEXT", .flags = KIND_TEXT },
	{ .name = "FUNC", .complete = cmd_complete_location },
	{ .name = "LOCATION", .complete = cmd_complete_location },
	{ .name = "VIEW", .flags = KIND_WORD, .complete = cmd_complete_view },
	{ .name = NULL },
};
