/* SPDX-License-Identifier: BSD-3-Clause */
/* View: why entries do not fit the call in the selected frame: every failing guard, and what to change. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "guards/guard_args.h"
#include "guards/guard_cause.h"
#include "guards/guard_model.h"
#include "guards/guard_refused.h"
#include "guards/guard_why.h"
#include "guards/unguarded.h"
#include "model/compiling.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/qualname.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include "torch/dynamo_torch.h"
#include <stdlib.h>
#include <string.h>

/* What a guard that held at the call finds now. */
static void put_changed(struct rows *out, const struct failing *f)
{
	char *text = mem_fmt("changed since the call%s%s", f->live && *f->live ? ": " : "", f->live ? f->live : "");

	host->rows.str(out, "live", ROLE_DIM, f->live);
	host->rows.shown(out, "live", text);
	free(text);
}

static void add_failing(struct rows *out, const struct why *w, const struct failing *f, bool nearest)
{
	const struct guard *g = f->guard;

	host->rows.add(out, nearest ? MARK_CURRENT : 0);
	host->rows.str(out, "entry", ROLE_NAME, w->entry->id);
	if (g->number)
		host->rows.num(out, "guard", g->number);
	host->rows.str(out, "text", ROLE_TEXT, g->text);
	host->rows.str(out, "expected", ROLE_VALUE, f->expected);
	if (w->dispatched)
		put_changed(out, f);
	else
		host->rows.str(out, "live", ROLE_ERROR, f->live);
	if (g->line)
		host->rows.num(out, "line", g->line);
	host->rows.str(out, "remedy", ROLE_DIM, w->dispatched ? NULL : f->remedy);
	host->rows.flag(out, "nearest", nearest);
	host->rows.str(out, "source", ROLE_NAME, g->source);
	host->rows.str(out, "kind", ROLE_TYPE, g->kind);
	guards_lines(out, g);
	host->rows.str(out, "reason", ROLE_TEXT, w->reason);
	host->rows.flag(out, "changed", w->dispatched);
}

/* An entry that does not match although no guard fails: it was removed, has another backend, or cannot be checked. */
static void add_reason(struct rows *out, const struct why *w)
{
	host->rows.add(out, 0);
	host->rows.str(out, "entry", ROLE_NAME, w->entry->id);
	host->rows.str(out, "text", ROLE_TEXT, w->reason);
	host->rows.str(out, "remedy", ROLE_DIM, why_remedy(w));
	host->rows.flag(out, "nearest", false);
	host->rows.str(out, "reason", ROLE_TEXT, w->reason);
}

static void add_all(struct rows *out, const struct view_req *req, const struct why *all, int n)
{
	int i, k, least = 0;

	for (i = 0; i < n; i++)
		if (all[i].n && !all[i].dispatched && (!least || all[i].n < least))
			least = all[i].n;
	for (i = 0; i < n; i++) {
		for (k = 0; k < all[i].n; k++)
			if (host->rows.want(out, req))
				add_failing(out, &all[i], &all[i].failing[k], all[i].n == least && !all[i].dispatched);
		if (!all[i].n && all[i].reason && host->rows.want(out, req))
			add_reason(out, &all[i]);
	}
}

/* ---- a call that ended in an exception ---------------------------------------------------------------------- */

static const struct val *failing_of(const struct val *e)
{
	const struct val *failing = val_get(e, "failing");

	return failing && failing->type == VAL_LIST && failing->u.list.n ? failing : NULL;
}

static long long count_of(const struct val *map, const char *key)
{
	const struct val *v = val_get(map, key);

	return v && v->type == VAL_INT ? v->u.i : 0;
}

/* f: a guard that failed; NULL: the entry missed for another reason. */
static void add_refused(struct rows *out, const struct val *e, const struct val *f, bool nearest)
{
	const struct guard *g = f ? guards_numbered((long)count_of(f, "guard")) : NULL;

	host->rows.add(out, nearest ? MARK_CURRENT : 0);
	host->rows.str(out, "entry", ROLE_NAME, val_text(e, "entry"));
	host->rows.str(out, "text", ROLE_TEXT, f ? val_text(f, "text") : val_text(e, "reason"));
	host->rows.str(out, "reason", ROLE_TEXT, val_text(e, "reason"));
	host->rows.flag(out, "nearest", nearest);
	if (*val_text(f ? f : e, "remedy"))
		host->rows.str(out, "remedy", ROLE_DIM, val_text(f ? f : e, "remedy"));
	if (!f)
		return;
	if (count_of(f, "guard"))
		host->rows.num(out, "guard", count_of(f, "guard"));
	host->rows.str(out, "expected", ROLE_VALUE, val_text(f, "expected"));
	host->rows.str(out, "live", ROLE_ERROR, val_text(f, "live"));
	if (count_of(f, "line"))
		host->rows.num(out, "line", count_of(f, "line"));
	host->rows.str(out, "source", ROLE_NAME, val_text(f, "source"));
	host->rows.str(out, "kind", ROLE_TYPE, val_text(f, "kind"));
	if (g) {
		guards_lines(out, g);
	} else {
		host->rows.str(out, "file", ROLE_TEXT, val_text(f, "file"));
		host->rows.str(out, "function", ROLE_NAME, val_text(f, "function"));
	}
	host->rows.flag(out, "changed", false);
}

static bool is_picked(const struct selected_entries *picked, const char *id)
{
	int i;

	for (i = 0; picked && i < picked->n; i++)
		if (!strcmp(picked->entry[i]->id, id))
			return true;
	return !picked;
}

/* The stop shows an exception that torch raised instead of compiling again: the guards as they failed at that call.
   picked: of these entries; NULL: of all.  False: the stop shows none. */
static bool fill_refused(const struct view_req *req, const struct selected_entries *picked, struct rows *out)
{
	const struct val *detail = guard_refused_of((PyObject *)host->frames.exception()), *all, *e, *failing;
	long long least = 0, n;
	size_t i, k, rows = 0;

	all = detail ? val_get(detail, "entries") : NULL;
	for (i = 0; all && i < all->u.list.n; i++) {
		n = count_of(all->u.list.item[i], "failed");
		if (n && (!least || n < least))
			least = n;
	}
	for (i = 0; all && i < all->u.list.n; i++) {
		e = all->u.list.item[i];
		failing = is_picked(picked, val_text(e, "entry")) ? failing_of(e) : NULL;
		for (k = 0; failing && k < failing->u.list.n; k++, rows++)
			if (host->rows.want(out, req))
				add_refused(out, e, failing->u.list.item[k], count_of(e, "failed") == least);
		if (failing || !is_picked(picked, val_text(e, "entry")))
			continue;
		rows++;
		if (host->rows.want(out, req))
			add_refused(out, e, NULL, false);
	}
	return rows;
}

/* ---- the selected frame's call ------------------------------------------------------------------------------- */

/* A line in rows of the pane's width: further rows are indented by two columns more than the first. */
static void add_wrapped(struct rows *out, const struct view_req *req, const char *s, size_t n, bool first)
{
	size_t room = req->width > 0 ? (size_t)req->width : n, indent = strspn(s, " ") + 2, used;
	bool again = false;
	char *line;

	indent = indent < room / 2 ? indent : 0;
	do {
		used = text_break(s, n, room - (again ? indent : 0));
		if (host->rows.want(out, req)) {
			line = mem_fmt("%*s%.*s", again ? (int)indent : 0, "", (int)used, s);
			host->rows.add(out, first && !again ? MARK_CURRENT : 0);
			host->rows.str(out, "text", first ? ROLE_CURRENT : ROLE_TEXT, line);
			free(line);
		}
		again = true;
		for (s += used, n -= used; n && *s == ' '; s++)
			n--;
	} while (n);
}

/* A stop at a graph break or an exception has its own reason; in a pane, also a recompile. After the end of the
   program, the last of these stops is used. any: each other kind of stop says what it is, too. False: the reason is
   in the guards. */
static bool fill_stop(const struct view_req *req, bool any, struct rows *out)
{
	struct buf b = { 0 };
	const char *kind = *req->words ? NULL : host->stops.text(&b), *s, *end;
	bool told = kind && (any || !strcmp(kind, "graph-break") || !strcmp(kind, "exception") ||
			     ((req->pane || !select_stopped()) && !strcmp(kind, "recompile")));
	bool first = true;

	for (s = buf_str(&b); told && *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		if (end > s)
			add_wrapped(out, req, s, (size_t)(end - s), first);
		first = false;
	}
	if (told)
		host->rows.title(out, "%s", kind);
	buf_release(&b);
	return told && !first;
}

/* What the stance changes comes first, as a row without an entry: what guards say then is not why the call runs what it
   runs.  An entry that runs was found by a lookup. */
static void add_stance(struct rows *out, const struct view_req *req, const struct why *all, int n)
{
	struct buf text = { 0 };
	bool runs = false, fails = false;
	int i;

	for (i = 0; i < n; i++) {
		runs |= all[i].runs;
		fails |= all[i].n || (all[i].reason && !all[i].remedy);
	}
	if (!fails)
		buf_adds(&text, "every guard passes; ");
	if ((!runs || stance_skips_guards()) && stance_describe(&text))
		add_wrapped(out, req, text.s, text.len, false);
	buf_release(&text);
}

/* An entry whose guards all pass, though a value without a guard has changed: the reason of a wrong result. */
static void add_change(struct why *w, const struct scene *s)
{
	struct unguarded *u = NULL;
	struct err err = { "" };
	struct buf text = { 0 };
	int n;

	if (w->n || w->reason || !w->entry)
		return;
	n = unguarded_of(w->entry, s, &u, &err);
	if (n > 0 && u[0].changed) {
		buf_adds(&text, "every guard passes, but a value without a guard has changed: ");
		unguarded_text(&u[0], &text);
		if (n > 1 && u[1].changed)
			buf_addf(&text, "; 'info unguarded %s' has the others", w->entry->id);
		w->reason = buf_detach(&text);
		w->remedy = u[0].remedy;
	}
	unguarded_free(u, n);
}

static int why_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct selected_entries picked;
	struct scene scene;
	struct why *all;
	int i, asked = 0;

	(void)s;
	if (!*req->words && !req->pane && fill_refused(req, NULL, out))
		return 0;
	if (fill_stop(req, false, out)) {
		if (req->pane)
			fill_refused(req, NULL, out);
		return 0;
	}
	if (!*req->words && !select_stopped())
		return err_set(
			err,
			"the program neither stands at a graph break, a recompile or an exception nor ended at one: "
			"'info breaks' and 'info entries' have the reasons");
	if (select_entries(req->words, &picked, err) < 0)
		return -1;
	if (!picked.n && fill_stop(req, true, out))
		return 0;
	if (!picked.n)
		return err_set(err, "nothing is compiled, so there are no guards");
	/* The running entry matches; the question is about the other entries of its function. */
	if (!*req->words && picked.n == 1)
		select_entries_of(picked.entry[0]->func, &picked);
	all = mem_alloc((size_t)picked.n * sizeof(*all) + 1);
	for (i = 0; i < picked.n; i++) {
		if (*req->words && !strcmp(model_state(picked.entry[i]), "invalidated")) {
			all[i].entry = picked.entry[i];
			all[i].reason = why_gone(picked.entry[i]);
			asked++;
			continue;
		}
		scene_selected(picked.entry[i]->func, &scene);
		if (scene.locals)
			asked++;
		/* Dynamo no longer tries entries that a reset removed; they are shown only on request. */
		if (scene.locals && (*req->words || (model_listed(picked.entry[i]) &&
						     model_in_region(picked.entry[i], (struct entry *)scene.runs)))) {
			why_of(picked.entry[i], &scene, NULL, &all[i]);
			all[i].runs = scene.runs == picked.entry[i];
			all[i].dispatched = all[i].runs && !stance_skips_guards();
			add_change(&all[i], &scene);
		}
		scene_release(&scene);
	}
	if (asked && !compiling_top()) /* a stop at a recompile says itself what a stance forbids */
		add_stance(out, req, all, picked.n);
	add_all(out, req, all, picked.n);
	for (i = 0; i < picked.n; i++)
		why_release(&all[i]);
	free(all);
	i = picked.n;
	if (i && !asked && fill_refused(req, &picked, out))
		asked = i;
	free(picked.entry);
	return i && !asked ? err_set(err, "no call to check the guards against: select a frame of the function, or "
					  "stop at one with 'catch recompile'") :
			     0;
}

/* The rows of one entry, from at; the next one begins at the returned row. */
static size_t entry_end(const struct rows *r, size_t at)
{
	size_t i = at + 1;

	while (i < r->n && !guards_absent(r, i, "entry") &&
	       !strcmp(guards_cell(r, i, "entry"), guards_cell(r, at, "entry")))
		i++;
	return i;
}

/* Do two entries miss by guards on the same values, made by the same lines, with the same remedies? */
static bool same_cause(const struct rows *r, size_t a, size_t b)
{
	static const char *const cells[] = { "source", "kind", "live", "file", "remedy" };
	const struct entry *x = model_entry_named(guards_cell(r, a, "entry")),
			   *y = model_entry_named(guards_cell(r, b, "entry"));
	size_t n = entry_end(r, a) - a, i, k;

	if (n != entry_end(r, b) - b || !x || !y || x->func != y->func)
		return false;
	for (i = 0; i < n; i++) {
		if (guards_absent(r, a + i, "expected") || guards_absent(r, b + i, "expected") ||
		    guards_is(r, a + i, "changed", true) || guards_is(r, b + i, "changed", true) ||
		    guards_is(r, a + i, "nearest", true) != guards_is(r, b + i, "nearest", true) ||
		    guards_number(r, a + i, "line") != guards_number(r, b + i, "line"))
			return false;
		for (k = 0; k < sizeof(cells) / sizeof(*cells); k++)
			if (strcmp(guards_cell(r, a + i, cells[k]), guards_cell(r, b + i, cells[k])) != 0)
				return false;
	}
	return true;
}

/* Entries that miss by one cause: the first row of each. */
struct cause {
	size_t *at;
	int n;
};

static void add_heading(const struct rows *r, const struct cause *c, struct buf *out)
{
	size_t at = c->at[0], end = entry_end(r, at), i, n = 0;
	struct entry *e = model_entry_named(guards_cell(r, at, "entry"));

	for (i = at; i < end; i++)
		n += !guards_absent(r, i, "expected");
	buf_addf(out, "%s ", c->n == 1 ? "entry" : "entries");
	for (i = 0; i < (size_t)c->n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", guards_cell(r, c->at[i], "entry"));
	buf_addf(out, " of %s: ", e ? qualname_entry(e) : "?");
	if (n && guards_is(r, at, "changed", true))
		buf_addf(out, "it runs; %zu value%s changed since the call\n", n, n == 1 ? "" : "s");
	else if (n)
		buf_addf(out, "%zu %s%s%s\n", n, n == 1 ? "guard fails" : "guards fail", c->n > 1 ? " in each" : "",
			 guards_is(r, at, "nearest", true) ? " (nearest)" : "");
	else
		buf_addf(out, "%s\n", guards_cell(r, at, "reason"));
}

/* What the k-th guard of each entry expects: once where all expect the same. */
static char *expected_by_entry(const struct rows *r, const struct cause *c, size_t k)
{
	const char *first = guards_cell(r, c->at[0] + k, "expected");
	struct buf b = { 0 };
	int i, same = 1;

	while (same < c->n && !strcmp(first, guards_cell(r, c->at[same] + k, "expected")))
		same++;
	if (same == c->n)
		return mem_str(first);
	for (i = 0; i < c->n; i++)
		buf_addf(&b, "%s%s (%s)", i ? ", " : "", guards_cell(r, c->at[i] + k, "expected"),
			 guards_cell(r, c->at[i], "entry"));
	return buf_detach(&b);
}

/* Did two guards of an entry fail for one cause, such as eval(), which changes a flag of each module? */
static bool same_failure(const struct rows *r, size_t a, size_t b)
{
	static const char *const cells[] = { "kind", "expected", "live", "remedy" };
	size_t k;

	for (k = 0; k < sizeof(cells) / sizeof(*cells); k++)
		if (strcmp(guards_cell(r, a, cells[k]), guards_cell(r, b, cells[k])) != 0)
			return false;
	return *guards_cell(r, a, "live") &&
	       guard_sources_alike(guards_cell(r, a, "kind"), guards_cell(r, a, "source"), guards_cell(r, b, "source"));
}

/* The guards of the entry that failed for the cause of this one, below it. */
static void add_same_failures(const struct rows *r, size_t i, size_t end, struct buf *out)
{
	enum { NAMES = 4 };
	size_t k, n = 0;

	for (k = i + 1; k < end; k++)
		n += same_failure(r, i, k);
	if (!n)
		return;
	buf_addf(out, "     and %zu more guard%s:", n, n == 1 ? "" : "s");
	for (k = i + 1, n = 0; k < end; k++)
		if (same_failure(r, i, k) && ++n <= NAMES) {
			buf_addf(out, "%s %lld ", n > 1 ? "," : "", guards_number(r, k, "guard"));
			source_text_name(guards_cell(r, k, "source"), 60, out);
		}
	buf_adds(out, n > NAMES ? " ...\n" : "\n");
}

/* end: that of the rows of the first entry. */
static void why_guard(const struct rows *r, const struct cause *c, size_t k, size_t end, struct buf *out)
{
	size_t i = c->at[0] + k, before;
	const char *text = guards_cell(r, i, c->n > 1 && *guards_cell(r, i, "source") ? "source" : "text");
	char *expected;

	for (before = c->at[0]; c->n == 1 && before < i; before++)
		if (same_failure(r, before, i))
			return;
	if (!guards_absent(r, i, "expected")) {
		expected = expected_by_entry(r, c, k);
		why_head(c->n > 1 ? 0 : guards_number(r, i, "guard"), text, guards_cell(r, i, "file"),
			 guards_number(r, i, "line"), out);
		if (c->n == 1)
			add_same_failures(r, i, end, out);
		why_values(expected, guards_cell(r, i, "live"), guards_is(r, i, "changed", true), out);
		free(expected);
	}
	if (*guards_cell(r, i, "remedy"))
		buf_addf(out, "     remedy   %s\n", guards_cell(r, i, "remedy"));
}

/* Every entry once, with those that follow and miss by the same cause. */
static void why_text(struct session *s, const struct rows *r, struct buf *out)
{
	bool *shown = mem_alloc(r->n * sizeof(*shown) + 1);
	struct cause c = { mem_alloc(r->n * sizeof(*c.at) + 1), 0 };
	size_t i, k, end;

	(void)s;
	for (i = 0; i < r->n; i = end) {
		end = i + 1;
		if (guards_absent(r, i, "entry")) {
			buf_addf(out, "%s\n", guards_cell(r, i, "text"));
			continue;
		}
		end = entry_end(r, i);
		if (shown[i])
			continue;
		c.at[0] = i;
		c.n = 1;
		for (k = end; k < r->n && !guards_absent(r, k, "entry"); k = entry_end(r, k))
			if (!shown[k] && same_cause(r, i, k)) {
				shown[k] = true;
				c.at[c.n++] = k;
			}
		add_heading(r, &c, out);
		for (k = 0; k < end - i; k++)
			why_guard(r, &c, k, end, out);
	}
	free(c.at);
	free(shown);
}

static const struct view_col cols[] = {
	{ .name = "entry", .help = "entry that does not match; null: text is the reason, as at a graph break" },
	{ .name = "guard", .help = "the failing guard's number; null: there is none, or another reason" },
	{ .name = "text", .help = "the guard as Dynamo has it, or the reason" },
	{ .name = "expected", .help = "the expected value" },
	{ .name = "live", .help = "the actual value" },
	{ .name = "line", .help = "the innermost line that made it, outside of torch" },
	{ .name = "remedy", .help = "what to change so that it passes", .wide = true },
	{ .name = "nearest", .help = "of the entry with the fewest failing guards" },
	{ .name = "source", .help = "the value that it checks", .machine_only = true },
	{ .name = "kind", .help = "kind in Dynamo", .machine_only = true },
	GUARD_LINES_COLS,
	{ .name = "reason", .help = "Dynamo's message: the first that fails", .machine_only = true },
	{ .name = "changed",
	  .help = "it held at the call, which the entry runs; its value has changed since",
	  .machine_only = true },
	{ .name = NULL },
};

const struct view_ops view_why = {
	.name = "why",
	.args = "[ENTRY|FUNC]",
	.help = "why the graph breaks here, or why entries do not match the selected frame's call, and what to change",
	.cols = cols,
	.fill = why_fill,
	.text = why_text,
	.none = "every guard passes",
	.wraps = true,
	.complete = select_complete,
};
