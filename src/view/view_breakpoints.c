/* SPDX-License-Identifier: BSD-3-Clause */
/* View: breakpoints, catchpoints and watchpoints. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/procs.h"
#include "engine/pending.h"
#include "engine/session.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "number", .help = "what delete, enable and the like accept" },
	{ .name = "type", .help = "breakpoint, logpoint, catchpoint, watchpoint" },
	{ .name = "where", .help = "location, kind of event, or expression" },
	{ .name = "enabled", .help = "false: disabled" },
	{ .name = "hits", .local = true, .help = "how often it was reached with its condition true" },
	{ .name = "condition", .help = "it stops only if this is true" },
	{ .name = "ignore", .help = "hits that are still ignored" },
	{ .name = "temporary", .help = "deleted at its first stop", .machine_only = true },
	{ .name = "places", .help = "instructions where it is set; 0: pending", .machine_only = true },
	{ .name = "notes", .help = "notes on its locations", .machine_only = true },
	{ .name = "pending", .help = "what a pending location waits for", .machine_only = true },
	{ .name = "message", .help = "what a logpoint writes", .machine_only = true },
	{ .name = "commands", .help = "commands that run when it stops", .machine_only = true },
	{ .name = NULL },
};

static void breakpoints_add_row(struct session *s, const struct bp *b, const struct view_req *req, struct rows *out)
{
	struct val *list = val_list();
	struct buf notes = { 0 }, where = { 0 };
	char *why = NULL;
	int i;

	rows_add(out, b->enabled ? 0 : MARK_DIM);
	rows_int(out, "number", b->number);
	rows_str(out, "type", ROLE_TYPE, bp_type_name(b));
	bp_where(s, b, &where);
	rows_str(out, "where", ROLE_TEXT, buf_str(&where));
	rows_bool(out, "enabled", b->enabled);
	rows_int(out, "hits", b->hits);
	rows_str(out, "condition", ROLE_TEXT, b->cond ? expr_text(b->cond) : NULL);
	rows_int(out, "ignore", b->ignore);
	rows_bool(out, "temporary", b->temporary);
	if (b->type == BP_BREAK)
		rows_int(out, "places", b->recorded ? b->nrecorded : b->places.n);
	bp_notes(b, &notes);
	if (b->type == BP_CATCH && b->kind->notes)
		b->kind->notes(b->words, &notes);
	if (s->exited && !b->hits)
		buf_addf(&notes, "not hit before the program ended%s\n",
			 b->type == BP_BREAK && procs_left_children() ?
				 ", in this process: cdbg does not follow children" :
				 "");
	while (notes.len && notes.s[notes.len - 1] == '\n')
		notes.s[--notes.len] = '\0';
	rows_str(out, "notes", ROLE_DIM, notes.len ? notes.s : NULL);
	if (b->type == BP_BREAK && !b->places.n && !b->recorded && !req->pane)
		why = pending_why(s, b->loc);
	rows_str(out, "pending", ROLE_DIM, why);
	free(why);
	rows_str(out, "message", ROLE_TEXT, b->log ? message_text(b->log) : NULL);
	for (i = 0; b->commands && b->commands[i]; i++)
		val_push(list, val_str(b->commands[i]));
	rows_val(out, "commands", ROLE_DIM, list);
	buf_release(&notes);
	buf_release(&where);
}

static int view_breakpoints_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct bp *b;

	(void)err;
	for (b = bp_first(s); b; b = b->next)
		if (!b->dead && rows_want(out, req))
			breakpoints_add_row(s, b, req, out);
	return 0;
}

static bool yes(const struct rows *r, size_t row, const char *col)
{
	const struct val *v = rows_cell(r, row, col);

	return v && v->type == VAL_BOOL && v->u.b;
}

static void indented(struct buf *out, const char *lines)
{
	size_t n;

	for (; *lines; lines += n + (lines[n] == '\n')) {
		n = strcspn(lines, "\n");
		buf_addf(out, "        %.*s\n", (int)n, lines);
	}
}

static void details(const struct rows *r, size_t i, struct buf *out)
{
	const struct val *commands = rows_cell(r, i, "commands");
	long long hits = rows_number(r, i, "hits", 0), ignore = rows_number(r, i, "ignore", 0);
	bool logs = !strcmp(rows_text(r, i, "type"), "logpoint");
	size_t k;

	if (*rows_text(r, i, "condition"))
		buf_addf(out, "        %s only if %s\n", logs ? "write" : "stop", rows_text(r, i, "condition"));
	if (logs) {
		buf_adds(out, "        write ");
		message_quote(rows_text(r, i, "message"), out);
		buf_addc(out, '\n');
	}
	if (hits)
		buf_addf(out, "        already hit %lld time%s\n", hits, hits == 1 ? "" : "s");
	if (ignore >= BP_NEVER)
		buf_adds(out, "        ignore all hits: it has stopped once\n");
	else if (ignore)
		buf_addf(out, "        ignore next %lld hit%s\n", ignore, ignore == 1 ? "" : "s");
	indented(out, rows_text(r, i, "notes"));
	indented(out, rows_text(r, i, "pending"));
	for (k = 0; commands && k < commands->u.list.n; k++)
		buf_addf(out, "            %s\n", commands->u.list.item[k]->u.s);
}

static void view_breakpoints_text(struct session *s, const struct rows *r, struct buf *out)
{
	size_t i;

	(void)s;
	buf_adds(out, "Num  Type        Disp  Enb  What\n");
	for (i = 0; i < r->n; i++) {
		buf_addf(out, "%-4lld %-11s %-5s %-4s %s\n", rows_number(r, i, "number", 0), rows_text(r, i, "type"),
			 yes(r, i, "temporary") ? "del" : "keep", yes(r, i, "enabled") ? "y" : "n",
			 rows_text(r, i, "where"));
		details(r, i, out);
	}
}

static void view_breakpoints_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	long long number = rows_number(r, row, "number", 0);

	if (what == ACTION_TOGGLE)
		buf_addf(line, "%s %lld", yes(r, row, "enabled") ? "disable" : "enable", number);
	else if (what == ACTION_BREAK)
		buf_addf(line, "delete %lld", number);
	else if (what == ACTION_EDIT)
		buf_addf(line, "condition %lld %s", number, rows_text(r, row, "condition"));
}

static const char *const more[] = { "delete {number}", "ignore {number} ", NULL };

const struct view_ops view_breakpoints = {
	.name = "breakpoints",
	.gone = true,
	.alias = "b br break",
	.help = "breakpoints, catchpoints and watchpoints",
	.cols = cols,
	.fill = view_breakpoints_fill,
	.text = view_breakpoints_text,
	.none = "no breakpoints",
	.action = view_breakpoints_action,
	.more = more,
};
