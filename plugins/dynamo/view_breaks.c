/* SPDX-License-Identifier: BSD-3-Clause */
/* View: graph breaks, in the order they were compiled. */
#include "dynamo.h"

static int fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct breakage *b;

	(void)s;
	(void)err;
	for (b = model_breaks; b; b = b->next) {
		if (*req->words && !places_func_is(b->func, req->words))
			continue;
		host->rows_add(out, 0);
		host->rows_int(out, "break", b->number);
		host->rows_str(out, "function", ROLE_NAME, b->func->name);
		host->rows_str(out, "file", ROLE_TEXT, b->file);
		host->rows_int(out, "line", b->line);
		host->rows_str(out, "reason", ROLE_TEXT, b->reason);
		host->rows_str(out, "kind", ROLE_DIM, b->kind);
		if (b->nodes >= 0)
			host->rows_int(out, "nodes", b->nodes);
		host->rows_str(out, "resume", ROLE_NAME, b->resume);
		host->rows_str(out, "entry", ROLE_NAME, b->entry);
		host->rows_bool(out, "skipped", b->skipped);
		host->rows_str(out, "stack", ROLE_VALUE, b->symbolic);
	}
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "break", .help = "its number" },
	{ .name = "function", .help = "what was being compiled" },
	{ .name = "file", .help = "where the graph broke" },
	{ .name = "line", .help = "the innermost line of the user's" },
	{ .name = "nodes", .help = "nodes of the graph so far" },
	{ .name = "resume", .help = "the resume functions that go on behind it" },
	{ .name = "reason", .help = "torch's own words" },
	{ .name = "kind", .help = "what torch files it under", .machine_only = true },
	{ .name = "entry", .help = "the entry that was being made", .machine_only = true },
	{ .name = "skipped", .help = "the frame runs as it is written because of it", .machine_only = true },
	{ .name = "stack", .help = "the symbolic stack then, bottom first", .wide = true },
	{ .name = NULL }
};

static void text(struct session *s, const struct rows *r, struct buf *out);

const struct view_ops view_breaks = {
	.name = "breaks", .args = "[FUNC]", .help = "graph breaks: where, and why",
	.cols = cols, .fill = fill, .text = text, .none = "no graph break",
	.action = follow_line,
	.complete = pick_complete,
};

static const char *cell(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_STR && v->u.s ? v->u.s : "";
}

static long long number(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_INT ? v->u.i : 0;
}

static bool skipped(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_BOOL && v->u.b;
}

/* torch's words take several lines: the first tells what, and so do the hints, for who reads on. */
static void text(struct session *s, const struct rows *r, struct buf *out)
{
	const char *reason, *end;
	size_t i;

	(void)s;
	for (i = 0; i < r->n; i++) {
		host->buf_addf(out, "%lld  %s at %s:%lld, %lld nodes so far", number(r, i, 0), cell(r, i, 1),
			       cell(r, i, 2), number(r, i, 3), number(r, i, 4));
		if (*cell(r, i, 5))
			host->buf_addf(out, ", goes on in %s\n", cell(r, i, 5));
		else
			host->buf_addf(out, skipped(r, i, 9) ? "; the frame is skipped\n" :
				       "; the rest runs as it is written\n");
		if (*cell(r, i, 10)) {
			host->buf_addf(out, "     symbolic stack: ");
			host->view_cut(out, cell(r, i, 10), 200);
			host->buf_addf(out, "\n");
		}
		for (reason = cell(r, i, 6); *reason; reason = *end ? end + 1 : end) {
			end = reason;
			while (*end && *end != '\n')
				end++;
			if (end > reason)
				host->buf_addf(out, "     %.*s\n", (int)(end - reason), reason);
		}
	}
}
