/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of arguments, and what completes views and names of the selected frame.  Knows no command. */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/session.h"
#include "engine/variable.h"
#include "py/code/code.h"
#include "py/interp/lookup.h"
#include "py/value/children.h"
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
	else if (v && v->args && strstr(v->args, "EXPR"))
		cmd_complete_name(s, args, word, list);
	else if (v && v->args && strstr(v->args, "FUNC"))
		cmd_complete_location(s, args, word, list);
	for (i = 0; !space && (v = view_at(i)); i++)
		val_push(list, val_str(v->name));
}

enum { ATTRIBUTE_TEXT = 50, ITEMS_MOST = 1000 };

struct naming {
	struct val *list;
	const char *word;
	size_t stem; /* length of the expression in the word that names follow: "x." or "x" before "[" */
};

/* A candidate is the word up to the stem, then this text. */
static void name_candidate(const struct naming *n, const char *text, struct py_obj *value, bool described)
{
	const char *part = n->word + n->stem;
	struct buf b = { 0 };
	char *whole;

	if (strncmp(text, part, strlen(part)))
		return;
	whole = mem_fmt("%.*s%s", (int)n->stem, n->word, text);
	if (described && value)
		value_show_data(value, &b, ATTRIBUTE_TEXT);
	if (b.len)
		cmd_candidate(n->list, whole, b.s);
	else
		val_push(n->list, val_str(whole));
	buf_release(&b);
	free(whole);
}

static void complete_name(void *arg, const char *name, struct py_obj *value)
{
	const struct naming *n = arg;

	if (*name != '_' || n->word[n->stem] == '_')
		name_candidate(n, name, value, n->stem > 0);
}

static void complete_child(struct child_sink *k, const struct child *c)
{
	const struct naming *n = k->arg;

	if (!c->suffix)
		return;
	if (*c->suffix == '.' && n->stem && n->word[n->stem - 1] == '.')
		complete_name(k->arg, c->suffix + 1, c->v);
	else if (*c->suffix == '[' && n->word[n->stem] == '[')
		name_candidate(n, c->suffix, c->v, true);
}

/* Where the part begins that is to be completed: after the last dot, or at the bracket that is not closed. */
static size_t stem_of(const char *word)
{
	size_t i, stem = 0, open = 0;
	int deep = 0;
	char quote = 0;

	for (i = 0; word[i]; i++) {
		if (quote) {
			quote = word[i] == quote ? 0 : quote;
		} else if (word[i] == '\'' || word[i] == '"') {
			quote = word[i];
		} else if (word[i] == '[') {
			open = deep++ ? open : i;
		} else if (word[i] == ']') {
			deep--;
		} else if (word[i] == '.' && !deep) {
			stem = i + 1;
		}
	}
	return deep > 0 ? open : stem;
}

/* The names that an expression in the selected frame can use; after a dot the attributes of the value, after a bracket
   its keys, as far as they are known without running the program's code. */
void cmd_complete_name(struct session *s, const char *args, const char *word, struct val *list)
{
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;
	struct naming n = { .list = list, .word = word, .stem = stem_of(word) };
	struct child_sink sink = { .to = ITEMS_MOST, .add = complete_child, .arg = &n };
	struct py_obj *v;
	struct err none;

	(void)args;
	if (!f)
		return;
	if (!n.stem) {
		variable_names(f, complete_name, &n);
		return;
	}
	v = variable_find(s, word, n.stem - (word[n.stem - 1] == '.'), &none);
	if (!v)
		return;
	variable_children(s, v, &sink);
	if (word[n.stem - 1] == '.')
		lookup_members(v, complete_name, &n);
	py_unref(v);
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
		buf_adds(out, strcmp(r->ops->cols[c].name, "file") ? v->u.s : text_path_file_name(v->u.s));
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
