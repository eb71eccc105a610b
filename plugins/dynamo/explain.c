/* SPDX-License-Identifier: BSD-3-Clause */
/* `explain`: the whole story of a function in one report, made of what the views tell.  Knows no Python. */
#include "edit.h"
#include "guards.h"
#include <stdlib.h>
#include <string.h>

/* What a command says, below a heading and indented; nothing for nothing. */
static void section(struct buf *out, const char *heading, const char *line)
{
	struct buf text = { 0 };
	struct err err = { "" };
	const char *s, *end;

	if (host->show(line, &text, &err) < 0) {
		if (strncmp(err.text, "no view", 7))     /* a part that this build has not */
			host->buf_addf(out, "  %s: not to be had: %s\n", heading, err.text);
	} else if (text.s && *text.s) {
		host->buf_addf(out, "  %s:\n", heading);
		for (s = text.s; *s; s = *end ? end + 1 : end) {
			end = s;
			while (*end && *end != '\n')
				end++;
			host->buf_addf(out, end > s ? "    %.*s\n" : "%.*s\n", (int)(end - s), s);
		}
	}
	host->buf_release(&text);
}

static void section_for(struct buf *out, const char *heading, const char *command, const char *id)
{
	char *line = host->mem_fmt("%s %s", command, id);

	section(out, heading, line);
	free(line);
}

static const char *many(int n, const char *one, const char *more)
{
	return n == 1 ? one : more;
}

static void explain_breaks(struct buf *out, const struct entry *e)
{
	const struct breakage *b;

	for (b = model_breaks; b; b = b->next)
		if (b->func == e->func && b->entry && !strcmp(b->entry, e->id)) {
			host->buf_addf(out, "  The graph breaks at line %d", breaks_line(b));
			breaks_inner(b, out);
			host->buf_addf(out, ": %.*s\n", (int)strcspn(b->reason, "\n"), b->reason);
		}
}

/* Each guard as Python, in the order of the tree, with the line of the program that made it. */
static void explain_guards(struct buf *out, struct entry *e)
{
	const struct guards *all = guards_of(e);
	struct buf text = { 0 };
	const struct guard *g;
	const struct override *o;
	const char *state;
	int i;

	if (!all)
		return;
	host->buf_addf(out, "  guards:\n");
	for (i = 0; i < all->n; i++) {
		g = &all->guard[i];
		state = ledger_guard(g->number);
		text.len = 0;
		guard_python(g, &text);
		host->buf_addf(out, "    ");
		host->view_cut(out, text.len ? text.s : "# no condition", 400);
		if (g->line)
			host->buf_addf(out, "  # %s:%d", words_file(g->file), g->line);
		if (strcmp(state, "on"))
			host->buf_addf(out, "%s%s", g->line ? ", " : "  # ", state);
		host->buf_addf(out, "\n");
	}
	for (o = ledger; o; o = o->next)
		if (o->entry == e && o->deed == DEED_ADD && !o->undone && !o->dead)
			host->buf_addf(out, "    %s  # added\n", o->text);
	host->buf_release(&text);
}

static void explain_entry(struct buf *out, struct entry *e)
{
	const char *state = model_state(e);
	int guards = model_guards(e), i;

	host->buf_addf(out, "\nentry %s: %s", e->id, state);
	if (e->seconds > 0)
		host->buf_addf(out, ", compiled in %.2f s", e->seconds);
	if (guards >= 0)
		host->buf_addf(out, ", %d guard%s", guards, many(guards, "", "s"));
	host->buf_addf(out, "\n");
	if (e->before)
		host->buf_addf(out, "  It was compiled before cdbg came: how long that took is not recorded.\n");
	if (e->why) {
		host->buf_addf(out, strchr(e->id, '+') ? "  It was " :
			       "  It was compiled because no other entry fitted: ");
		host->view_cut(out, e->why, 400);
		host->buf_addf(out, "\n");
	}
	explain_guards(out, e);
	explain_breaks(out, e);
	if (e->co)
		section_for(out, "generated code", "disassemble", e->id);
	else
		host->buf_addf(out, "  Its generated code is gone.\n");
	for (i = 0; i < e->ngraphs; i++)
		if (e->graph[i].copy)
			section_for(out, "graph", "graph code", e->graph[i].name);
		else
			host->buf_addf(out, "  graph %s: its nodes are not recorded\n", e->graph[i].name);
	if (e->effects)
		section_for(out, "side effects replayed after the graph", "info side-effects", e->id);
	if (e->nresumes)
		section_for(out, "resume functions", "info resume", e->id);
}

struct list {
	struct func **f;
	size_t n, cap;
};

/* Those that are meant; with `of`: its resume functions instead.  Oldest first: the model has the newest first. */
static void choose(struct list *l, const char *words, const struct entry *e, bool roots, const struct func *of)
{
	size_t from = l->n, i;
	struct func *f;

	for (f = model_funcs; f; f = f->next) {
		if (!f->looked || (of ? f->root != of : roots && f->root))
			continue;
		if (!of && *words && (e ? e->func != f : !places_func_is(f, words)))
			continue;
		l->f = host->mem_grow(l->f, &l->cap, l->n + 1, sizeof(*l->f));
		l->f[l->n++] = f;
	}
	for (i = 0; i < (l->n - from) / 2; i++) {
		f = l->f[from + i];
		l->f[from + i] = l->f[l->n - 1 - i];
		l->f[l->n - 1 - i] = f;
	}
}

static void explain(struct buf *out, struct func *f)
{
	struct entry *e;
	int n = 0;

	for (e = model_entries; e; e = e->next)
		n += e->func == f && model_cached(e);
	host->buf_addf(out, "%s%s, %s:%d\n", out->len ? "\n" : "", f->name, f->file, f->line);
	if (f->compiles)
		host->buf_addf(out, "This is a %s optimized by Dynamo. It has %d cache entr%s.\n",
			       f->root ? "resume function" : "function", n, many(n, "y", "ies"));
	else if (f->fails)
		host->buf_addf(out, "Dynamo cannot compile this %s.\n", f->root ? "resume function" : "function");
	else
		host->buf_addf(out, "Dynamo looked at this %s and left it as it is.\n",
			       f->root ? "resume function" : "function");
	if (f->root && f->resume_line)
		host->buf_addf(out, "It goes on in %s at line %d.\n", f->root->name, f->resume_line);
	if (f->fails)
		host->buf_addf(out, "It failed %d time%s, last because: %s\n", f->fails, many(f->fails, "", "s"),
			       f->reason ? f->reason : "not recorded");
	if (f->skips)
		host->buf_addf(out, "It was skipped %d time%s, last because: %s\n", f->skips, many(f->skips, "", "s"),
			       f->reason ? f->reason : "not recorded");
	for (e = model_entries; e; e = e->next)
		if (e->func == f)
			explain_entry(out, e);
}

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct list all = { 0 };
	const struct entry *e = model_entry_named(args);
	size_t i, n;

	(void)s;
	if (!model_funcs)
		return host->err_set(err, "nothing is compiled: Dynamo has looked at no function yet");
	choose(&all, args, e, true, NULL);
	if (!all.n)
		choose(&all, args, e, false, NULL);
	for (i = 0, n = all.n; i < n; i++)
		choose(&all, "", NULL, false, all.f[i]);
	for (i = 0; i < all.n; i++)
		explain(&out->text, all.f[i]);
	free(all.f);
	return all.n ? 0 : pick_none(args, err);
}

const struct cmd_def cmd_explain[] = {
	{ .name = "explain", .args = "[FUNC|ENTRY]", .group = GROUP_DYNAMO, .flags = CMD_AFTER_EXIT,
	  .help = "the whole story of a compiled function in one report",
	  .more = "For each cache entry: its guards as Python, the generated code by region, its graphs\n"
		  "with the lines they come from, the side effects that are replayed and the\n"
		  "resume functions with the line that each goes on from; and what the\n"
		  "function was skipped for.",
	  .complete = pick_complete, .run = run },
	{ .name = NULL }
};
