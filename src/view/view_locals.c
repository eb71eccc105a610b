/* SPDX-License-Identifier: BSD-3-Clause */
/* View: local variables of the selected frame.  Values are summaries: none of the program's code runs. */
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/session.h"
#include "engine/stack.h"
#include "py/interp/names.h"
#include "py/value/value.h"
#include "view/view_table.h"

enum { SUMMARY = 200 }; /* bytes of a value */

static const struct view_col cols[] = {
	{ .name = "name", .help = "as in the code" },
	{ .name = "value", .help = "a summary", .wide = true },
	{ .name = "type", .help = "its class", .drop = 1 },
	{ .name = "kind",
	  .help = "local, cell, free, kept (see info stack); symbolic "
		  "while compiling",
	  .drop = 2 },
	{ .name = NULL },
};

struct names {
	const struct view_req *req;
	struct rows *out;
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
	struct buf b = { 0 };

	if (names->hidden_by && is_bound(names->hidden_by, name))
		return;
	if ((names->req->pane && dunder(name)) || !rows_want(names->out, names->req))
		return; /* a pane has no space for __name__ and the like */
	value_show_data(v, &b, SUMMARY);
	rows_add(names->out, 0);
	rows_str(names->out, "name", ROLE_NAME, name);
	rows_str(names->out, "value", ROLE_VALUE, buf_str(&b));
	rows_str(names->out, "type", ROLE_TYPE, value_type(v));
	rows_str(names->out, "kind", ROLE_DIM, names->kind);
	buf_release(&b);
}

static void fill_fast(const struct frame *f, struct names *names)
{
	static const char *const kinds[] = { [LOCAL_FAST] = "local", [LOCAL_CELL] = "cell", [LOCAL_FREE] = "free" };
	int i, n = code_nlocals(f->code);
	struct py_obj *v;
	size_t had;

	for (i = 0; i < n; i++) {
		v = frame_local(f->fo, i);
		had = names->out->n;
		if (v)
			locals_add_name(names, code_local_name(f->code, i), v);
		if (names->out->n > had)
			rows_str(names->out, "kind", ROLE_DIM, kinds[code_local_kind(f->code, i)]);
	}
}

static void fill_symbolic(const struct val *list, struct names *names)
{
	const struct val *v;
	size_t i;

	for (i = 0; list && list->type == VAL_LIST && i < list->u.list.n; i++) {
		v = list->u.list.item[i];
		if (!rows_want(names->out, names->req))
			continue;
		rows_add(names->out, MARK_DIM);
		rows_str(names->out, "name", ROLE_NAME, val_text(v, "name"));
		rows_str(names->out, "value", ROLE_VALUE, val_text(v, "value"));
		rows_str(names->out, "type", ROLE_TYPE, val_get(v, "type") ? val_text(v, "type") : NULL);
		rows_str(names->out, "kind", ROLE_DIM, *val_text(v, "kind") ? val_text(v, "kind") : "symbolic");
	}
}

static int view_locals_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct frame *f = session_frame(s, err);
	struct names names = { .req = req, .out = out, .kind = "local" };
	struct py_obj *dict;

	if (!f)
		return -1;
	rows_title(out, "%s", f->qualname);
	if (f->fake) {
		names_each(f->fake->locals, locals_add_name, &names);
		fill_symbolic(f->fake->symbolic, &names);
		return 0;
	}
	fill_fast(f, &names);
	names.kind = "kept";
	names.hidden_by = f;
	names_each(stack_kept(s, f), locals_add_name, &names);
	names.hidden_by = NULL;
	names.kind = "local";
	dict = names_of_frame(f->fo);
	names_each(dict, locals_add_name, &names);
	py_unref(dict);
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

static void view_locals_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	if (what == ACTION_EDIT)
		buf_addf(line, "set var %s = %s", rows_text(r, row, "name"),
			 view_spelled(rows_text(r, row, "type"), rows_text(r, row, "value")) ?
				 rows_text(r, row, "value") :
				 rows_text(r, row, "name"));
	else if (what == ACTION_ENTER)
		buf_addf(line, "print %s", rows_text(r, row, "name"));
}

static const char *const more[] = { "pp {name}", "whatis {name}", "display {name}", "watch {name}", NULL };

const struct view_ops view_locals = {
	.name = "locals",
	.alias = "l",
	.help = "local variables of the selected frame",
	.cols = cols,
	.needs_stop = true,
	.fill = view_locals_fill,
	.text = view_locals_text,
	.none = "no locals",
	.action = view_locals_action,
	.more = more,
};
