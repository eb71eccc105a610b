/* SPDX-License-Identifier: BSD-3-Clause */
/* View: graph breaks, in the order they were compiled. */
#include "code/select.h"
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "show/dynamo_show.h"
#include <string.h>

static int breaks_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct breakage *b;
	struct buf inner = { 0 };
	struct selection meant;

	(void)s;
	if (select_find(req->words, &meant, err) < 0)
		return -1;
	for (b = model_breaks; b; b = b->next) {
		if (meant.id ? !b->entry || strcmp(b->entry, meant.id->id) : !select_has_func(&meant, b->func))
			continue;
		host->rows.add(out, 0);
		host->rows.num(out, "break", b->number);
		host->rows.str(out, "function", ROLE_NAME, b->func->name);
		host->rows.str(out, "file", ROLE_TEXT, b->file);
		host->rows.num(out, "line", b->line);
		host->rows.str(out, "reason", ROLE_TEXT, b->reason);
		host->rows.str(out, "kind", ROLE_DIM, b->kind);
		if (b->nodes >= 0)
			host->rows.num(out, "nodes", b->nodes);
		host->rows.str(out, "resume", ROLE_NAME, b->end.resume);
		host->rows.str(out, "entry", ROLE_NAME, b->entry);
		host->rows.flag(out, "skipped", b->end.skipped);
		host->rows.flag(out, "failed", b->end.failed);
		host->rows.str(out, "state", ROLE_TEXT, breaks_state(b));
		host->rows.str(out, "stack", ROLE_VALUE, b->symbolic);
		host->rows.flag(out, "whole", b->whole);
		host->rows.str(out, "own_file", ROLE_TEXT, breaks_file(b));
		host->rows.num(out, "own_line", breaks_line(b));
		inner.len = 0;
		breaks_inner(b, &inner);
		host->rows.str(out, "inner", ROLE_TEXT, inner.len ? inner.s : NULL);
		host->rows.str(out, "qualname", ROLE_NAME, qualname_func(b->func));
	}
	select_release(&meant);
	buf_release(&inner);
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "break", .local = true, .help = "its number" },
	{ .name = "function", .help = "the function that was compiled" },
	{ .name = "file", .help = "where the graph broke" },
	{ .name = "line", .help = "the innermost line of the program" },
	{ .name = "nodes", .help = "nodes of the graph so far" },
	{ .name = "resume", .help = "the resume functions that continue after it" },
	{ .name = "reason", .help = "the message of torch" },
	{ .name = "kind", .help = "torch's classification of it", .machine_only = true },
	{ .name = "entry", .help = "the entry that was compiled", .machine_only = true },
	{ .name = "skipped", .help = "the frame runs in eager mode because of it", .machine_only = true },
	{ .name = "failed", .help = "compiling the frame then raised an exception", .machine_only = true },
	{ .name = "state",
	  .help = "resumed: continues in resume functions; skipped: the frame runs in eager mode; "
		  "failed: compiling it raised an exception; null: the rest runs in eager mode",
	  .machine_only = true },
	{ .name = "stack", .help = "the symbolic stack then, bottom first", .wide = true },
	{ .name = "whole", .help = "the stack includes the operands of the instruction", .machine_only = true },
	{ .name = "own_file", .help = "the instruction of the function, if a callee broke", .machine_only = true },
	{ .name = "own_line", .help = "its line", .machine_only = true },
	{ .name = "inner", .help = "the calls from there to the break", .machine_only = true },
	{ .name = "qualname",
	  .help = "the function with its class; of a decorator's wrapper: the wrapped function",
	  .machine_only = true },
	{ .name = NULL },
};

enum { STACK = 12, WHOLE, OWN_FILE, QUALNAME = 17 };

static void breaks_text(struct session *s, const struct rows *r, struct buf *out);

static const char *const more[] = { "break {file}:{line}", "explain {function}", NULL };

const struct view_ops view_breaks = {
	.name = "breaks",
	.args = "[FUNC]",
	.help = "graph breaks: where, and why",
	.cols = cols,
	.fill = breaks_fill,
	.text = breaks_text,
	.none = "no graph break",
	.action = row_action_line,
	.more = more,
	.complete = select_complete,
};

static const char *breaks_cell(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_STR && v->u.s ? v->u.s : "";
}

static long long breaks_number(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_INT ? v->u.i : 0;
}

static bool is_true(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_BOOL && v->u.b;
}

/* The text of torch has several lines: the first names the break, and the hints follow. */
static void breaks_text(struct session *s, const struct rows *r, struct buf *out)
{
	const char *reason, *end;
	size_t i;

	(void)s;
	for (i = 0; i < r->n; i++) {
		buf_addf(out, "%lld  %s at %s:%lld%s", breaks_number(r, i, 0), breaks_cell(r, i, QUALNAME),
			 breaks_cell(r, i, OWN_FILE), breaks_number(r, i, OWN_FILE + 1),
			 breaks_cell(r, i, OWN_FILE + 2));
		if (host->rows.cell(r, i, "nodes") && host->rows.cell(r, i, "nodes")->type == VAL_INT)
			buf_addf(out, ", %lld nodes so far", breaks_number(r, i, 4));
		if (*breaks_cell(r, i, 5))
			buf_addf(out, ", resumes in %s\n", breaks_cell(r, i, 5));
		else
			buf_addf(out, is_true(r, i, 9)	? "; the whole function runs in eager mode\n" :
				      is_true(r, i, 10) ? "; the compile ends with an exception\n" :
							  "; the rest runs in eager mode\n");
		if (*breaks_cell(r, i, STACK)) {
			buf_addf(out,
				 is_true(r, i, WHOLE) ?
					 "     symbolic stack: " :
					 "     symbolic stack, without the operands taken ('catch graph-break' keeps "
					 "them): ");
			host->rows.cut(out, breaks_cell(r, i, STACK), 200);
			buf_adds(out, "\n");
		}
		for (reason = breaks_cell(r, i, 6); *reason; reason = *end ? end + 1 : end) {
			end = reason;
			while (*end && *end != '\n')
				end++;
			if (end > reason)
				buf_addf(out, "     %.*s\n", (int)(end - reason), reason);
		}
	}
}
