/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the leaf guards of entries in Dynamo, in a tree by source, with the expected value and that in the selected
   frame. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "edit/overrides.h"
#include "guards/guard_args.h"
#include "guards/guard_eval.h"
#include "guards/guard_lines.h"
#include "guards/guard_model.h"
#include "guards/guard_text.h"
#include "model/entry.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static void add_cells(struct rows *out, const struct guard *g, const char *expected, const char *live, enum verdict v)
{
	host->rows.add(out, v == VERDICT_FAILS ? MARK_ERROR : 0);
	host->rows.num(out, "guard", g->number);
	host->rows.str(out, "entry", ROLE_NAME, g->entry->id);
	host->rows.str(out, "source", ROLE_NAME, g->source);
	host->rows.str(out, "kind", ROLE_TYPE, g->kind);
	host->rows.str(out, "expected", ROLE_VALUE, expected);
	host->rows.str(out, "live", v == VERDICT_FAILS ? ROLE_ERROR : ROLE_VALUE, live);
	if (v != VERDICT_UNKNOWN)
		host->rows.flag(out, "ok", v == VERDICT_HOLDS);
	if (g->line)
		host->rows.num(out, "line", g->line);
	host->rows.str(out, "state", ROLE_TEXT, override_guard_state(g->number));
	host->rows.str(out, "text", ROLE_TEXT, g->text);
	guards_lines(out, g);
	host->rows.str(out, "made", ROLE_DIM, g->made);
	host->rows.num(out, "depth", g->depth);
	host->rows.flag(out, "epilogue", g->epilogue);
	host->rows.flag(out, "python", g->python);
}

void guards_lines(struct rows *out, const struct guard *g)
{
	const struct source_line *outer = guard_outer(g);

	host->rows.str(out, "file", ROLE_TEXT, g->file);
	host->rows.str(out, "function", ROLE_NAME, g->function);
	host->rows.str(out, "outer_file", ROLE_TEXT, outer ? outer->file : NULL);
	if (outer)
		host->rows.num(out, "outer_line", outer->line);
	host->rows.str(out, "outer_function", ROLE_NAME, outer ? outer->function : NULL);
}

/* Each condition of a guard on symbolic shapes is a row: each has its own line. */
static void add_parts(struct rows *out, struct look *k, const struct guard *g, int leaf)
{
	enum verdict whole = k ? look_check(k, leaf) : VERDICT_UNKNOWN, v;
	struct buf expected = { 0 }, live = { 0 };
	int i;

	for (i = 0; i < g->nparts; i++) {
		expected.len = live.len = 0;
		v = k ? guard_part_check(k, &g->part[i], whole) : VERDICT_UNKNOWN;
		if (k)
			guard_part_live(k, &g->part[i], v, &expected, &live);
		else
			guard_expected(&g->part[i], &expected);
		add_cells(out, &g->part[i], expected.len ? expected.s : "", live.len ? live.s : NULL, v);
		host->rows.num(out, "part", i + 1);
	}
	buf_release(&expected);
	buf_release(&live);
}

static void guards_add_row(struct rows *out, struct look *k, const struct guard *g, int leaf)
{
	struct buf expected = { 0 }, live = { 0 };
	enum verdict v = VERDICT_UNKNOWN;

	if (g->nparts) {
		add_parts(out, k, g, leaf);
		return;
	}
	if (k) {
		v = look_check(k, leaf);
		guard_live(k, leaf, v, &expected, &live);
	} else {
		guard_expected(g, &expected);
	}
	add_cells(out, g, buf_str(&expected), live.len ? live.s : NULL, v);
	buf_release(&expected);
	buf_release(&live);
}

/* A guard that the user added: it has no number, `undo` removes it. */
static void add_condition(struct rows *out, const struct override *o)
{
	host->rows.add(out, 0);
	host->rows.str(out, "entry", ROLE_NAME, o->entry->id);
	host->rows.str(out, "source", ROLE_NAME, "");
	host->rows.str(out, "kind", ROLE_TYPE, "CONDITION");
	host->rows.str(out, "expected", ROLE_VALUE, o->text);
	host->rows.str(out, "state", ROLE_TEXT, "added");
	host->rows.str(out, "text", ROLE_TEXT, o->text);
	host->rows.num(out, "depth", 0);
	host->rows.flag(out, "epilogue", true);
	host->rows.flag(out, "python", true);
}

/* The tree is read only if there are values to check. */
static void guards_add_entry(struct rows *out, const struct view_req *req, struct entry *e)
{
	const struct guards *all = guards_of(e);
	struct look k, *look = NULL;
	struct scene scene;
	struct override *o;
	bool tried = false;
	int i;

	if (!all)
		return;
	scene_selected(e->func, &scene);
	for (i = 0; i < all->n; i++) {
		if (!host->rows.want(out, req))
			continue;
		if (!tried && scene.locals && look_start(&k, e, &scene)) {
			look = &k;
			all = k.guards;
		}
		tried = true;
		if (i < all->n)
			guards_add_row(out, look, &all->guard[i], i);
	}
	if (look)
		look_end(&k);
	scene_release(&scene);
	for (o = ledger; o; o = o->next)
		if (o->entry == e && o->kind == OVERRIDE_ADD && !o->undone && !o->dead && host->rows.want(out, req))
			add_condition(out, o);
}

/* "no guard '99': ..."; -1. */
static int guards_none(const char *number, struct err *err)
{
	return err_set(err, "no guard '%s': 'info guards' lists them", number);
}

/* One guard alone. */
static int add_one_guard(struct rows *out, const char *words, struct err *err)
{
	const struct guard *g = guards_numbered(atol(words));
	struct scene scene;
	struct look k;
	bool look;
	int i;

	if (!g)
		return guards_none(words, err);
	scene_selected(g->entry->func, &scene);
	look = scene.locals && look_start(&k, g->entry, &scene);
	for (i = 0; look && i < k.guards->n && k.guards->guard[i].number != atol(words); i++)
		;
	if (look && i < k.guards->n)
		guards_add_row(out, &k, &k.guards->guard[i], i);
	else
		guards_add_row(out, NULL, g, 0);
	if (look)
		look_end(&k);
	scene_release(&scene);
	return 0;
}

static int guards_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct selected_entries picked;
	int i;

	(void)s;
	if (req->pane)
		return guards_pane(req, out, err);
	if (*req->words && !req->words[strspn(req->words, "0123456789")])
		return host->rows.want(out, req) ? add_one_guard(out, req->words, err) : 0;
	if (select_entries(req->words, &picked, err) < 0)
		return -1;
	for (i = 0; i < picked.n; i++)
		guards_add_entry(out, req, picked.entry[i]);
	free(picked.entry);
	return 0;
}

/* ---- for people --------------------------------------------------------------------------------------------- */

const char *guards_cell(const struct rows *r, size_t row, const char *col)
{
	const struct val *v = host->rows.cell(r, row, col);

	return v && v->type == VAL_STR ? v->u.s : "";
}

long long guards_number(const struct rows *r, size_t row, const char *col)
{
	const struct val *v = host->rows.cell(r, row, col);

	return v && v->type == VAL_INT ? v->u.i : 0;
}

bool guards_is(const struct rows *r, size_t row, const char *col, bool what)
{
	const struct val *v = host->rows.cell(r, row, col);

	return v && v->type == VAL_BOOL && v->u.b == what;
}

bool guards_absent(const struct rows *r, size_t row, const char *col)
{
	const struct val *v = host->rows.cell(r, row, col);

	return !v || v->type == VAL_NULL;
}

static void head(const struct rows *rows, size_t at, struct buf *out)
{
	const char *entry = guards_cell(rows, at, "entry");
	struct entry *e = model_entry_named(entry);
	size_t i, n = 0, fail = 0, gone = 0;
	bool failed = false;

	for (i = 0; i < rows->n; i++) {
		if (strcmp(guards_cell(rows, i, "entry"), entry))
			continue;
		if (guards_number(rows, i, "part") <= 1) { /* all conditions of a guard count once */
			failed = false;
			n++;
			gone += guards_absent(rows, i, "ok");
		}
		fail += guards_is(rows, i, "ok", false) && !failed;
		failed = failed || guards_is(rows, i, "ok", false);
	}
	buf_addf(out, "%sentry %s of %s: %zu guards", at ? "\n" : "", entry, e ? qualname_entry(e) : "?", n);
	if (gone == n)
		buf_adds(out, "; no frame of it is selected, so no guard is checked\n");
	else if (!fail)
		buf_addf(out, ", %s hold\n", gone ? "all that can be checked" : "all");
	else
		buf_addf(out, ", %zu %s\n", fail, fail == 1 ? "FAILS" : "FAIL");
}

/* Rows with their heading shown above the next one. */
struct above {
	size_t row[64];
	int n;
};

/* The indentation of this row's heading: below the part of its path that is shown.  A value without guards, such as G,
   has no heading. */
static int nest(struct above *a, const struct rows *rows, size_t i)
{
	const char *source = guards_cell(rows, i, "source");
	long long depth = guards_number(rows, i, "depth");

	while (a->n && (guards_number(rows, a->row[a->n - 1], "depth") >= depth ||
			!strstr(source, guards_cell(rows, a->row[a->n - 1], "source"))))
		a->n--;
	if (a->n < (int)(sizeof(a->row) / sizeof(*a->row)))
		a->row[a->n++] = i;
	return 2 * a->n;
}

static void line(const struct rows *rows, size_t i, int indent, struct buf *out)
{
	const char *live = guards_cell(rows, i, "live");

	buf_addf(out, "%*s%4lld %-14s ", indent, "", guards_number(rows, i, "guard"), guards_cell(rows, i, "kind"));
	source_text_shown(guards_cell(rows, i, "expected"), 60, out);
	if (*live && !guards_is(rows, i, "ok", true)) {
		buf_adds(out, ", is ");
		source_text_shown(live, 60, out);
	}
	if (guards_is(rows, i, "ok", false))
		buf_adds(out, "  FAILS");
	if (strcmp(guards_cell(rows, i, "state"), "on"))
		buf_addf(out, "  [%s]", guards_cell(rows, i, "state"));
	if (guards_is(rows, i, "python", true))
		buf_adds(out, "  [Python]");
	if (guards_number(rows, i, "line"))
		buf_addf(out, "  %s:%lld", py_text_file_name(guards_cell(rows, i, "file")),
			 guards_number(rows, i, "line"));
	if (guards_number(rows, i, "outer_line"))
		buf_addf(out, " (from %s:%lld)", py_text_file_name(guards_cell(rows, i, "outer_file")),
			 guards_number(rows, i, "outer_line"));
	buf_adds(out, "\n");
}

static void guards_text(struct session *s, const struct rows *rows, struct buf *out)
{
	const char *entry = "", *was = "", *source;
	struct above above = { .n = 0 };
	int indent = 0;
	size_t i;

	(void)s;
	for (i = 0; i < rows->n; i++) {
		source = guards_cell(rows, i, "source");
		if (strcmp(guards_cell(rows, i, "entry"), entry)) {
			if (rows->n > 1)
				head(rows, i, out);
			was = "";
			above.n = indent = 0;
		}
		entry = guards_cell(rows, i, "entry");
		if (*source && strcmp(source, was)) {
			indent = nest(&above, rows, i);
			buf_addf(out, "%*s", indent, "");
			source_text_name(source, 100, out);
			buf_adds(out, "\n");
			was = source;
		}
		if (guards_is(rows, i, "epilogue", true) && (!i || guards_is(rows, i - 1, "epilogue", false))) {
			indent = 0;
			buf_adds(out, "after the tree\n");
		}
		line(rows, i, indent, out);
	}
}

static const struct view_col cols[] = {
	{ .name = "fold", .screen = true, .signs = true },
	{ .name = "heading", .screen = true, .heading = true },
	{ .name = "sign",
	  .screen = true,
	  .signs = true,
	  .help = "check it passes; cross it fails; void it is dropped; bang it is forced" },
	{ .name = "guard", .local = true, .help = "its number, the same for the whole run" },
	{ .name = "entry", .help = "entry that has it" },
	{ .name = "source", .help = "the value that it checks" },
	{ .name = "kind", .help = "kind in Dynamo; LAMBDA_GUARD is a Python function" },
	{ .name = "expected", .help = "the expected value" },
	{ .name = "live",
	  .local = true,
	  .help = "the value in the selected frame; null: gone, or rebound since the call",
	  .wide = true },
	{ .name = "ok", .local = true, .help = "does it pass now; null: unknown" },
	{ .name = "line", .help = "the innermost line that made it, outside of torch" },
	{ .name = "state", .help = "on, dropped, forced, edited; added: by the user" },
	{ .name = "text", .help = "as Dynamo has it", .machine_only = true },
	GUARD_LINES_COLS,
	{ .name = "made", .help = "the line that Dynamo shows for it", .machine_only = true },
	{ .name = "depth", .help = "how deep it is in the tree", .machine_only = true },
	{ .name = "epilogue", .help = "checked after the tree: symbolic shapes", .machine_only = true },
	{ .name = "python", .help = "it calls a Python function", .machine_only = true },
	{ .name = "part", .help = "number of its condition, from 1; null: it has one", .machine_only = true },
	{ .name = "key", .screen = true, .machine_only = true },
	{ .name = "link", .screen = true },
	{ .name = NULL },
};

static const char *const more[] = { "guard eval {guard}",
				    "guard force {guard}",
				    "guard force {guard} false",
				    "guard restore {guard}",
				    "guard why",
				    "guard cost",
				    NULL };

const struct view_ops view_guards = {
	.name = "guards",
	.args = "[ENTRY|FUNC|GUARD]",
	.help = "guards of entries, and whether they pass in the selected frame",
	.cols = cols,
	.fill = guards_fill,
	.text = guards_text,
	.action = guards_action,
	.more = more,
	.none = "no guards: nothing is compiled, or its entries were removed",
	.complete = select_complete,
};
