/* SPDX-License-Identifier: BSD-3-Clause */
/* View: a code object decompiled to Python, one line in each row.  Knows no Dynamo: plugins report what can be
   folded. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/plug.h"
#include "engine/python_lines.h"
#include "engine/region_name.h"
#include "engine/source.h"
#include "view/view_table.h"
#include "view/target.h"

static const struct view_col cols[] = {
	{ .name = "line", .help = "number of the line of this text" },
	{ .name = "text", .help = "the line, as Python" },
	{ .name = "user_line", .help = "the user's line of the statement" },
	{ .name = "region", .help = "kind of the region of generated code", .drop = 1 },
	{ .name = "offset", .help = "offset of its first instruction", .machine_only = true },
	{ .name = "index", .help = "its first instruction", .machine_only = true },
	{ .name = "end", .help = "the instruction after its last one", .machine_only = true },
	{ .name = "breakpoint", .help = "number of the breakpoint set here", .machine_only = true },
	{ .name = "place", .help = "as break accepts it", .machine_only = true },
	{ .name = "syntax", .screen = true },
	{ .name = NULL }
};

/* The first of the code's breakpoints that stops at this line; 0: none. */
static int line_breakpoint(struct session *s, struct target *t, const int *table, int number)
{
	struct bp *b;
	int i;

	for (b = bp_first(s); b; b = b->next)
		for (i = 0; b->enabled && !b->dead && i < b->places.n; i++)
			if (b->places.place[i].code == t->code && table[b->places.place[i].index] == number)
				return b->number;
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

struct python_text {
	struct target t;
	const char *words; /* as they were typed, without options */
	struct dec_source *d;
	int *table; /* by instruction: its line */
	int current;
};

/* What break accepts for this line. */
static void put_python_place(const struct python_text *p, int number, struct rows *out)
{
	char *place = mem_fmt("%s@python:%d", p->words, number);

	rows_str(out, "place", ROLE_DIM, place);
	free(place);
}

static void python_add_row(struct session *s, struct python_text *p, int i, const char *text, struct rows *out)
{
	const struct dec_line *l = &p->d->line[i];
	struct code *c = p->t.code;
	const struct region *r = l->from >= 0 ? plug_region(s, c, l->from) : NULL;
	int line = l->from >= 0 ? stack_line(s, c, l->from) : 0, number = line_breakpoint(s, &p->t, p->table, i + 1);

	rows_add(out, (i + 1 == p->current ? MARK_CURRENT : 0) | (number ? MARK_BREAK : 0));
	rows_int(out, "line", i + 1);
	rows_str(out, "text", ROLE_TEXT, text);
	if (line)
		rows_int(out, "user_line", line);
	if (r)
		rows_str(out, "region", ROLE_DIM, region_name(r->kind));
	if (l->from >= 0) {
		rows_int(out, "offset", c->instr[l->from].offset);
		rows_int(out, "index", l->from);
		rows_int(out, "end", l->to + 1);
	}
	if (number)
		rows_int(out, "breakpoint", number);
	put_python_place(p, i + 1, out);
}

static int add_lines(struct session *s, struct python_text *p, const struct view_req *req, struct rows *out,
		     struct err *err)
{
	char *whole, *line, *next; /* whole: for the colours of a pane */
	int i;

	if (!p->d)
		return err_set(err, "interrupted: '%s' is not decompiled", code_name(p->t.code));
	p->table = python_line_table(p->d, p->t.code);
	p->current = python_line_shown(p->d, p->t.code, p->t.index);
	whole = req->pane ? mem_str(p->d->text) : NULL;
	for (i = 0, line = p->d->text; i < p->d->n; i++, line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!rows_want(out, req))
			continue;
		python_add_row(s, p, i, line, out);
		if (whole)
			rows_str(out, "syntax", ROLE_DIM, source_text_syntax(s, whole, i + 1));
	}
	rows_title(out, "%s, as Python", p->t.title);
	free(whole);
	free(p->table);
	return 0;
}

static int view_python_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct python_text p = { .words = req->words };
	bool whole = !strncmp(p.words, "-a", 2) && (!p.words[2] || p.words[2] == ' ');
	int rc;

	if (whole)
		p.words += 2 + strspn(p.words + 2, " ");
	if (target_find(s, p.words, &p.t, err) < 0)
		return -1;
	p.d = python_source(s, p.t.code, whole);
	rc = add_lines(s, &p, req, out, err);
	dec_source_free(p.d);
	target_release(&p.t);
	return rc;
}

/* The source alone, so that it can be copied; the next instruction's line is marked. */
static void view_python_text(struct session *s, const struct rows *rows, struct buf *out)
{
	size_t i;

	(void)s;
	for (i = 0; i < rows->n; i++)
		buf_addf(out, "%s %s\n",
			 rows->mark[i] & MARK_CURRENT ? "=>" :
			 rows->mark[i] & MARK_BREAK   ? "* " :
							"  ",
			 rows_text(rows, i, "text"));
}

static void view_python_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	long long number = rows_number(r, row, "breakpoint", 0);

	if ((what == ACTION_TOGGLE || what == ACTION_BREAK) && number)
		buf_addf(line, "delete %lld", number);
	else if (what == ACTION_TOGGLE || what == ACTION_BREAK)
		buf_addf(line, "break %s", rows_text(r, row, "place"));
	else if (what == ACTION_RUN_TO)
		buf_addf(line, "advance %s", rows_text(r, row, "place"));
}

const struct view_ops view_python = {
	.name = "python",
	.args = "[-a] [FUNC|ENTRY]",
	.help = "the code of the selected frame, a function or an entry, as Python source",
	.cols = cols,
	.fill = view_python_fill,
	.text = view_python_text,
	.action = view_python_action,
	.none = "no source",
};
