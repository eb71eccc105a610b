/* SPDX-License-Identifier: BSD-3-Clause */
/* View: what Dynamo read while it compiled and no guard covers, changed values first. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "guards/guard_args.h"
#include "guards/unguarded.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/qualname.h"
#include "model/reads.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static void put_shown(struct rows *out, const char *source)
{
	struct buf b = { 0 };

	source_text_name(source, 60, &b);
	host->rows.shown(out, "source", buf_str(&b));
	buf_release(&b);
}

static void unguarded_row(struct rows *out, const struct entry *e, const struct unguarded *u, bool all)
{
	static const char *const kinds[] = {
		[READ_VALUE] = "value",	      [READ_HOOKS] = "hooks", [READ_CODE] = "code",
		[READ_CONSTANT] = "constant", [READ_CLASS] = "class", [READ_SETTING] = "setting",
	};
	char *group = mem_fmt("%s%s%s", u->group, *u->library ? " in " : "", u->library);

	host->rows.add(out, u->changed ? MARK_ERROR : 0);
	host->rows.str(out, "entry", ROLE_NAME, e->id);
	host->rows.str(out, "source", ROLE_NAME, u->source);
	put_shown(out, u->source);
	host->rows.str(out, "was", ROLE_VALUE, u->was);
	host->rows.str(out, "is", u->changed ? ROLE_ERROR : ROLE_VALUE, u->is);
	if (u->read->line)
		host->rows.num(out, "line", u->read->line);
	host->rows.str(out, "why", ROLE_TEXT, u->why);
	host->rows.str(out, "remedy", ROLE_DIM, u->changed || u->read->kind == READ_CONSTANT ? u->remedy : NULL);
	host->rows.flag(out, "changed", u->changed);
	host->rows.flag(out, "unread", u->unread);
	host->rows.str(out, "kind", ROLE_TYPE, kinds[u->read->kind]);
	host->rows.str(out, "group", ROLE_TEXT, group);
	host->rows.str(out, "file", ROLE_TEXT, u->read->file);
	host->rows.str(out, "function", ROLE_NAME, u->read->function);
	host->rows.flag(out, "all", all);
	free(group);
}

static int add_unguarded(struct rows *out, const struct view_req *req, struct entry *e, bool all, struct err *err)
{
	struct unguarded *u = NULL;
	struct scene scene;
	int i, n;

	scene_selected(e->func, &scene);
	n = unguarded_of(e, &scene, &u, err);
	for (i = 0; i < n; i++)
		if (host->rows.want(out, req))
			unguarded_row(out, e, &u[i], all);
	unguarded_free(u, n);
	scene_release(&scene);
	return n < 0 ? -1 : 0;
}

/* Parts that this torch lacks: what is listed is not all. */
static void say_missing(struct rows *out)
{
	if (!attrs_have(ATTR_BUILD))
		host->rows.title(out, "not on this torch: values that were read; only code and hooks are listed");
	else if (!attrs_have(ATTR_CONSTANT_RESULT))
		host->rows.title(out, "not on this torch: results that were taken once");
}

static int unguarded_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const char *words = req->words;
	const bool all = select_option_all(&words), one = *words;
	struct selected_entries picked;
	struct err first = { "" };
	int i, asked = 0, failed = 0;

	(void)s;
	if (select_entries(words, &picked, err) < 0)
		return -1;
	for (i = 0; i < picked.n; i++) {
		if (!one && !model_listed(picked.entry[i]))
			continue;
		asked++;
		if (add_unguarded(out, req, picked.entry[i], all, failed ? err : &first) < 0)
			failed++;
	}
	say_missing(out);
	free(picked.entry);
	return asked && failed == asked ? err_set(err, "%s", first.text) : 0;
}

/* ---- for people ------------------------------------------------------------------------------------------------ */

static void text_changed(const struct rows *r, size_t i, struct buf *out)
{
	const char *file = guards_cell(r, i, "file"), *is = guards_cell(r, i, "is");
	const bool gone = !strcmp(is, "not there any more");
	struct buf source = { 0 };

	source_text_name(guards_cell(r, i, "source"), 70, &source);
	buf_addf(out, "  %s was %s, %s%s\n     ", buf_str(&source), guards_cell(r, i, "was"), gone ? "and is " : "is ",
		 is);
	if (guards_number(r, i, "line"))
		buf_addf(out, "read at %s:%lld in %s; ", py_text_file_name(file), guards_number(r, i, "line"),
			 guards_cell(r, i, "function"));
	buf_addf(out, "no guard: %s\n     %s\n", guards_cell(r, i, "why"), guards_cell(r, i, "remedy"));
	buf_release(&source);
}

static void text_one(const struct rows *r, size_t i, struct buf *out)
{
	struct buf source = { 0 };

	source_text_name(guards_cell(r, i, "source"), 70, &source);
	buf_addf(out, "    %s is %s", buf_str(&source), guards_cell(r, i, "was"));
	if (guards_number(r, i, "line"))
		buf_addf(out, "  %s:%lld", py_text_file_name(guards_cell(r, i, "file")), guards_number(r, i, "line"));
	buf_adds(out, "\n");
	buf_release(&source);
}

static bool same_group(const struct rows *r, size_t a, size_t b)
{
	return !guards_is(r, b, "changed", true) && !strcmp(guards_cell(r, a, "entry"), guards_cell(r, b, "entry")) &&
	       !strcmp(guards_cell(r, a, "group"), guards_cell(r, b, "group"));
}

/* The rows of this one's group, which is the first of them, in one line; with -a each below it. */
static void text_group(const struct rows *r, size_t at, size_t end, struct buf *out)
{
	struct buf source = { 0 };
	size_t i, n = 0;

	for (i = at; i < end; i++)
		n += same_group(r, at, i);
	source_text_name(guards_cell(r, at, "source"), 40, &source);
	buf_addf(out, "  %5zu %-34s %s%s; no guard: %s\n", n, guards_cell(r, at, "group"), buf_str(&source),
		 n > 1 ? ", ..." : "", guards_cell(r, at, "why"));
	for (i = at; i < end && guards_is(r, at, "all", true); i++)
		if (same_group(r, at, i))
			text_one(r, i, out);
	buf_release(&source);
}

/* What may have changed unseen: values of a call that is not the selected frame's, those behind code of the program,
   and results that were taken once. */
static void text_unread(const struct rows *r, size_t at, size_t end, struct buf *out)
{
	enum { MOST = 4 };
	bool of_call = false;
	size_t i, n = 0;

	for (i = at; i < end; i++) {
		if (!guards_is(r, i, "unread", true))
			continue;
		of_call = of_call || strstr(guards_cell(r, i, "source"), "L['");
		if (n < MOST)
			buf_adds(out, n ? ", " : "  cannot be read again here, and may have changed: ");
		if (n++ < MOST)
			source_text_name(guards_cell(r, i, "source"), 40, out);
	}
	if (n > MOST)
		buf_addf(out, " and %zu more", n - MOST);
	if (n)
		buf_addf(out, "%s\n", of_call ? "; 'info unguarded' in a call has its values" : "");
}

static void text_entry(const struct rows *r, size_t at, size_t end, struct buf *out)
{
	struct entry *e = model_entry_named(guards_cell(r, at, "entry"));
	const struct reads *reads = e ? e->made.reads : NULL;
	size_t i, k, changed = 0, unread = 0;

	for (i = at; i < end; i++) {
		changed += guards_is(r, i, "changed", true);
		unread += guards_is(r, i, "unread", true);
	}
	buf_addf(out, "entry %s of %s: ", guards_cell(r, at, "entry"), e ? qualname_entry(e) : "?");
	if (changed)
		buf_addf(out, "%zu value%s that it read changed, and no guard notices\n", changed,
			 changed == 1 ? "" : "s");
	else
		buf_addf(out, "nothing that it read without a guard has changed%s\n",
			 unread ? ", as far as it can be read again" : "");
	for (i = at; i < end; i++)
		if (guards_is(r, i, "changed", true))
			text_changed(r, i, out);
	text_unread(r, at, end, out);
	if (changed < end - at)
		buf_addf(out, "  without a guard and unchanged: %zu of %d reads", end - at - changed - unread,
			 reads ? reads->n : 0);
	if (changed < end - at && reads && e->made.seconds > 0)
		buf_addf(out, "; to note them took %.2f ms, %.2g %% of the compile", reads->seconds * 1e3,
			 100 * reads->seconds / e->made.seconds);
	if (changed < end - at)
		buf_adds(out, "\n");
	for (i = at; i < end; i++) {
		for (k = at; k < i && (guards_is(r, k, "changed", true) || !same_group(r, k, i)); k++)
			;
		if (k == i && !guards_is(r, i, "changed", true))
			text_group(r, i, end, out);
	}
}

static void unguarded_people(struct session *s, const struct rows *r, struct buf *out)
{
	size_t at, end;

	(void)s;
	for (at = 0; at < r->n; at = end) {
		for (end = at + 1; end < r->n && !strcmp(guards_cell(r, at, "entry"), guards_cell(r, end, "entry"));
		     end++)
			;
		text_entry(r, at, end, out);
	}
}

static const struct view_col cols[] = {
	{ .name = "entry", .help = "the entry that was compiled with it" },
	{ .name = "source", .help = "where Dynamo read it, \"L['self'].scale\"; of a method its class and its name" },
	{ .name = "was", .help = "the value while it compiled" },
	{ .name = "is", .help = "the value now, if it changed" },
	{ .name = "line", .help = "the user's line that read it" },
	{ .name = "why", .help = "why there is no guard" },
	{ .name = "remedy", .help = "what to do" },
	{ .name = "changed", .help = "has it changed since?", .machine_only = true },
	{ .name = "unread",
	  .help = "it cannot be read again without running code of the program",
	  .machine_only = true },
	{ .name = "kind", .help = "value, hooks, code, constant, class, setting", .machine_only = true },
	{ .name = "group", .help = "what it is folded with for people", .machine_only = true },
	{ .name = "file", .help = "of the line", .machine_only = true },
	{ .name = "function", .help = "of the line", .machine_only = true },
	{ .name = "all", .screen = true, .machine_only = true }, /* with -a */
	{ .name = NULL },
};

const struct view_ops view_unguarded = {
	.name = "unguarded",
	.args = "[-a] [FUNC|ENTRY]",
	.help = "what Dynamo read while it compiled and no guard covers, changed values first; -a: each of them",
	.cols = cols,
	.fill = unguarded_fill,
	.text = unguarded_people,
	.none = "nothing is compiled, or every value that was read has a guard",
	.complete = select_complete,
};
