/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the lines of a file, or of a decompiled function, at which a breakpoint stops. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/loc.h"
#include "engine/session.h"
#include "engine/source.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "line", .help = "of the file, or of the decompiled source" },
	{ .name = "function", .help = "whose code stops there" },
	{ .name = "text", .help = "as in the file", .wide = true },
	{ .name = "file", .help = "file of the line; null: decompiled", .machine_only = true },
	{ .name = NULL },
};

struct filling {
	struct session *s;
	const struct view_req *req;
	struct rows *out;
	bool python;
};

static void lines_add(void *arg, int line, struct code *c)
{
	struct filling *f = arg;
	const char *file = f->python ? NULL : code_file(c);

	if (!rows_want(f->out, f->req))
		return;
	rows_add(f->out, 0);
	rows_int(f->out, "line", line);
	rows_str(f->out, "function", ROLE_NAME, code_qualname(c));
	rows_str(f->out, "text", ROLE_TEXT, file ? source_line(f->s, file, line) : NULL);
	rows_str(f->out, "file", ROLE_TEXT, file);
}

/* "FILE", "FILE:A" or "FILE:A-B", and the same of FUNC@python, as a location and its last line; owned by the caller. */
static char *first_location(const char *words, int *to)
{
	const char *colon = strrchr(words, ':'), *end;
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	*to = INT_MAX;
	if (!*words)
		return mem_str("1");
	if (!digits)
		return mem_fmt("%s:1", words);
	end = colon + 1 + digits;
	if (*end == '-')
		*to = end[1] ? atoi(end + 1) : INT_MAX;
	else
		*to = atoi(colon + 1);
	return mem_strn(words, (size_t)(end - words));
}

static int view_lines_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct filling f = { .s = s, .req = req, .out = out };
	int to, rc;
	char *text = first_location(req->words, &to);
	struct loc *l = loc_parse(s, text, err);

	free(text);
	if (!l)
		return -1;
	f.python = l->type == LOC_PYTHON;
	rows_title(out, "%s", f.python ? l->func ? l->func : "" : l->file);
	rc = loc_lines(s, l, to, lines_add, &f, err);
	loc_free(l);
	return rc;
}

static void view_lines_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const char *file = rows_text(r, row, "file");

	if (*file && (what == ACTION_BREAK || what == ACTION_TOGGLE))
		buf_addf(line, "break %s:%lld", file, rows_number(r, row, "line", 0));
	else if (*file && what == ACTION_ENTER)
		buf_addf(line, "list %s:%lld", file, rows_number(r, row, "line", 0));
}

const struct view_ops view_lines = {
	.name = "lines",
	.args = "[FILE[:N[-N]] | FUNC@python[:N[-N]]]",
	.help = "the lines at which a breakpoint stops, of a file or of decompiled code",
	.cols = cols,
	.fill = view_lines_fill,
	.none = "no line has code here",
	.action = view_lines_action,
};
