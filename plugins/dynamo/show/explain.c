/* SPDX-License-Identifier: BSD-3-Clause */
/* `explain`: all about a function in one report, made from the rows of the views. Knows no Python. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "edit/overrides.h"
#include "guards/guard_lines.h"
#include "guards/guard_model.h"
#include "guards/guard_text.h"
#include "guards/guard_why.h"
#include "guards/unguarded.h"
#include "model/breaks.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "show/can_blame.h"
#include "show/dynamo_show.h"
#include "show/explain_short.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* Adds the output of a command, indented below a heading; adds nothing if it is empty. */
static void section(struct buf *out, const char *heading, const char *line)
{
	struct buf text = { 0 };
	struct err err = { "" };
	const char *s, *end;

	if (host->rows.command(line, &text, &err) < 0) {
		if (strncmp(err.text, "no view", 7)) /* a part that this build has not */
			buf_addf(out, "  %s: not available: %s\n", heading, err.text);
	} else if (text.s && *text.s) {
		buf_addf(out, "  %s:\n", heading);
		for (s = text.s; *s; s = *end ? end + 1 : end) {
			end = s;
			while (*end && *end != '\n')
				end++;
			buf_addf(out, end > s ? "    %.*s\n" : "%.*s\n", (int)(end - s), s);
		}
	}
	buf_release(&text);
}

static void section_for(struct buf *out, const char *heading, const char *command, const char *id)
{
	char *line = mem_fmt("%s %s", command, id);

	section(out, heading, line);
	free(line);
}

static const char *many(int n, const char *one, const char *more)
{
	return n == 1 ? one : more;
}

/* Breaks that belong to no entry: those that were errors, and those of the compile that is under way. */
static void explain_failures(struct buf *out, const struct func *f)
{
	const struct compiling *c = compiling_top();
	const struct breakage *b;
	const char *line, *end;
	bool now;

	for (b = model_breaks; b; b = b->next) {
		now = f->seen.compiling && !model_entry_named(b->entry) &&
		      (!b->end.skipped || (c && c->id && !strcmp(c->id, b->entry)));
		if (b->func != f || !(b->end.failed || now))
			continue;
		buf_addf(out, "%s at line %d",
			 b->end.failed ? "The graph breaks, which is an error here," : "The graph breaks",
			 breaks_line(b));
		breaks_inner(b, out);
		buf_addf(out, "%s:\n", b->end.skipped ? ", so that the whole function runs in eager mode" : "");
		for (line = b->reason; *line; line = *end ? end + 1 : end) {
			end = line + strcspn(line, "\n");
			if (end > line)
				buf_addf(out, "  %.*s\n", (int)(end - line), line);
		}
	}
}

static void explain_breaks(struct buf *out, const struct entry *e)
{
	const struct breakage *b;

	for (b = model_breaks; b; b = b->next)
		if (breaks_of(b, e)) {
			buf_addf(out, "  The graph breaks at line %d", breaks_line(b));
			breaks_inner(b, out);
			buf_addf(out, ": %.*s\n", (int)strcspn(b->reason, "\n"), b->reason);
		}
}

/* Writes it as Python, or as a comment if that is shorter. */
static void add_guard(const struct guard *g, const char *python, struct buf *out)
{
	struct buf marks = { 0 };

	if (source_text_marks(python, &marks)) {
		buf_adds(out, "# ");
		source_text_name(g->source, 200, out);
		buf_addf(out, ": %s", marks.s);
	} else {
		source_text_shown(python, 400, out);
	}
	buf_release(&marks);
}

static void explain_guard(struct buf *out, const struct guard *g)
{
	const char *state = override_guard_state(g->number);
	const struct source_line *outer = guard_outer(g);
	struct buf text = { 0 };

	guard_python(g, &text);
	buf_adds(out, "    ");
	add_guard(g, text.len ? text.s : "# no condition", out);
	if (g->line)
		buf_addf(out, "  # %s:%d", py_text_file_name(g->file), g->line);
	if (outer)
		buf_addf(out, " (from %s:%d)", py_text_file_name(outer->file), outer->line);
	if (strcmp(state, "on"))
		buf_addf(out, "%s%s", g->line ? ", " : "  # ", state);
	buf_adds(out, "\n");
	buf_release(&text);
}

/* Each guard as Python, in the order of the tree, with the line of the program that made it. */
static void list_guards(struct buf *out, const struct guards *all)
{
	int i, k;

	for (i = 0; i < all->n; i++) {
		for (k = 0; k < all->guard[i].nparts; k++)
			explain_guard(out, &all->guard[i].part[k]);
		if (!k)
			explain_guard(out, &all->guard[i]);
	}
}

/* Nobody reads a hundred guards: those that the user edited or added, and how many there are. */
static void explain_guards(struct buf *out, struct entry *e, bool each)
{
	const struct guards *all = guards_of(e);
	const struct override *o;
	int i;

	if (!all)
		return;
	buf_addf(out, "  guards: %d", all->n);
	if (each)
		buf_adds(out, "\n");
	else
		buf_addf(out, ": 'info guards %s' lists them, 'explain -g %s' as Python\n", e->id, e->id);
	if (each)
		list_guards(out, all);
	for (i = 0; !each && i < all->n; i++)
		if (strcmp(override_guard_state(all->guard[i].number), "on"))
			explain_guard(out, &all->guard[i]);
	for (o = ledger; o; o = o->next)
		if (o->entry == e && o->kind == OVERRIDE_ADD && !o->undone && !o->dead)
			buf_addf(out, "    %s  # added\n", o->text);
}

/* What no guard notices. */
static void explain_changes(struct buf *out, struct entry *e)
{
	struct buf text = { 0 };

	if (unguarded_changes(e, "    ", &text))
		buf_addf(out, "  changed since it was compiled, and no guard notices:\n%s", text.s);
	buf_release(&text);
}

enum { SOURCE_LINES = 24 };

/* Nobody reads an explanation for what only the compiler needs: a line that such statements are folded into. */
static bool is_folded(const char *s, size_t n)
{
	static const char folded[] = "# calls of profiler hooks";

	for (; n && *s == ' '; s++, n--)
		;
	return n == sizeof(folded) - 1 && !memcmp(s, folded, n);
}

/* The beginning of the generated code as Python. */
static void explain_source(struct buf *out, const char *id)
{
	struct buf text = { 0 }, line = { 0 };
	struct err err = { "" };
	const char *s;
	size_t n;
	int shown = 0, more = 0;

	buf_addf(&line, "decompile %s", id);
	if (host->rows.command(line.s, &text, &err) < 0) {
		if (strncmp(err.text, "no view", 7)) /* a part that this build has not */
			buf_addf(out, "  generated code as Python: not available: %s\n", err.text);
		goto out;
	}
	for (s = text.s; s && *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		if (!n || is_folded(s, n))
			continue;
		if (shown == SOURCE_LINES) {
			more++;
			continue;
		}
		if (!shown++)
			buf_adds(out, "  generated code as Python:\n");
		buf_addf(out, "    %.*s\n", (int)n, s);
	}
	if (more)
		buf_addf(out, "       ... %d more line%s: 'decompile %s'\n", more, many(more, "", "s"), id);
out:
	buf_release(&text);
	buf_release(&line);
}

/* DistributedDataParallel's optimizer compiles a graph in parts, so that gradients of one are reduced while others run.
   */
static void explain_parts(struct buf *out, const struct entry *e, struct graph *whole)
{
	struct graph *part = NULL;
	int n = 0;

	while ((part = graphs_next_part(e, whole, part))) {
		if (!n++)
			buf_addf(out, "  DistributedDataParallel compiles graph %s in parts:\n", whole->name);
		buf_addf(out, "    %-10s %d node%s", strrchr(part->name, '.') + 1, part->nodes,
			 many(part->nodes, "", "s"));
		if (part->copy)
			buf_addf(out, ", %d parameter%s, %lld bytes", part->copy->split.parameters,
				 many(part->copy->split.parameters, "", "s"), part->copy->split.bytes);
		buf_adds(out, "\n");
	}
}

static void explain_entry(struct buf *out, struct entry *e, bool guards_each)
{
	const char *state = model_state(e);
	int guards = guards_count(e), i;

	buf_addf(out, "\nentry %s: %s", e->id, state);
	if (e->made.seconds > 0)
		buf_addf(out, ", compiled in %.2f s", e->made.seconds);
	if (guards >= 0)
		buf_addf(out, ", %d guard%s", guards, many(guards, "", "s"));
	buf_adds(out, "\n");
	if (e->made.before)
		buf_adds(out, "  It was compiled before cdbg was loaded: its compile time is not recorded.\n");
	if (e->made.why) {
		buf_addf(out, strchr(e->id, '+') ? "  It was " : "  It was compiled because no other entry matched: ");
		source_text_shown(e->made.why, 400, out);
		buf_adds(out, "\n");
	}
	explain_breaks(out, e);
	if (e->co) {
		explain_source(out, e->id);
		section_for(out, "generated code", "disassemble", e->id);
	} else {
		buf_adds(out, "  Its generated code was freed.\n");
	}
	for (i = 0; i < e->made.ngraphs; i++)
		if (!e->made.graph[i].part)
			explain_parts(out, e, &e->made.graph[i]);
	for (i = 0; i < e->made.ngraphs; i++)
		if (e->made.graph[i].copy)
			section_for(out, "graph", "graph code", e->made.graph[i].name);
		else
			buf_addf(out, "  graph %s: its nodes are not recorded\n", e->made.graph[i].name);
	if (e->made.effects)
		section_for(out, "side effects replayed after the graph", "info side-effects", e->id);
	if (e->made.nresumes)
		section_for(out, "resume functions", "info resume", e->id);
	explain_guards(out, e, guards_each);
	explain_changes(out, e);
}

/* ---- which functions and entries ---------------------------------------------------------------------------- */

struct story {
	struct selection meant; /* the words, or the current function */
	bool invalid;		/* with entries that are invalidated */
	bool guards;		/* each guard */
	struct func **f;	/* owned */
	size_t n, cap;
};

static bool func_is_listed(const struct story *t, const struct func *f)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->f[i] == f)
			return true;
	return false;
}

static void add_func(struct story *t, struct func *f)
{
	if (func_is_listed(t, f))
		return;
	t->f = mem_grow(t->f, &t->cap, t->n + 1, sizeof(*t->f));
	t->f[t->n++] = f;
}

/* True if one of the selected entries continues in this resume function. */
static bool goes_on_in(const struct story *t, const struct func *of, const struct func *resume)
{
	const struct entry *e;
	int i;

	for (e = model_entries; e; e = e->next)
		for (i = 0; e->func == of && select_has_entry(&t->meant, e) && i < e->made.nresumes; i++)
			if (e->made.resume[i].func == resume)
				return true;
	return false;
}

/* The selected functions, or, with `of`, the resume functions of that one.  Oldest first: the model has the
   newest first. */
static void choose_funcs(struct story *t, bool roots, const struct func *of)
{
	size_t from = t->n, i;
	struct func *f;

	for (f = model_funcs; f; f = f->next) {
		if (!f->seen.looked || (of ? f->root != of : roots && f->root))
			continue;
		if (of ? !t->meant.nfuncs && !t->meant.all && !goes_on_in(t, of, f) : !select_has_func(&t->meant, f))
			continue;
		add_func(t, f);
	}
	for (i = 0; i < (t->n - from) / 2; i++) {
		f = t->f[from + i];
		t->f[from + i] = t->f[t->n - 1 - i];
		t->f[t->n - 1 - i] = f;
	}
}

static bool entry_is_shown(const struct story *t, struct entry *e, bool chosen)
{
	return (!chosen || select_has_entry(&t->meant, e)) &&
	       (t->invalid || e == t->meant.id || strcmp(model_state(e), "invalidated"));
}

/* The recompile under way: the entries do not have its cause yet. */
static void explain_again(struct buf *out, const struct func *f)
{
	const struct compiling *top = compiling_top();
	const struct val *missed = top && top->func == f ? top->parts.missed : NULL;

	buf_adds(out, "It is being compiled again");
	if (missed) {
		buf_adds(out, ": ");
		why_describe(missed, out);
	}
	if (missed)
		buf_addf(out, "; see 'guard why %s'", qualname_func((struct func *)f));
	buf_adds(out, "\n");
}

/* What the function is, and why it was not compiled, if so.  chosen: itself is selected, not the one that it
   resumes. */
static void explain_func(struct buf *out, const struct story *t, struct func *f, bool chosen)
{
	const char *what = f->root ? "resume function" : "function";
	struct buf stance = { 0 };
	struct entry *e;
	int n = 0;

	for (e = model_entries; e; e = e->next)
		n += e->func == f && model_cached(e);
	buf_addf(out, "%s%s, %s:%d\n", out->len ? "\n" : "",
		 chosen && t->meant.id ? qualname_entry(t->meant.id) : qualname_func(f), f->file, f->line);
	if (f->seen.compiles)
		buf_addf(out, "This is a %s optimized by Dynamo. It has %d cache entr%s.\n", what, n,
			 many(n, "y", "ies"));
	else if (f->seen.compiling)
		buf_addf(out, "This %s is being compiled.\n", what);
	else if (f->seen.fails)
		buf_addf(out, "Dynamo cannot compile this %s.\n", what);
	else
		buf_addf(out, "Dynamo did not compile this %s and runs it in eager mode.\n", what);
	if (!f->root && stance_describe(&stance))
		buf_addf(out, "Now %s.\n", stance.s);
	buf_release(&stance);
	if (f->root && f->resume_line)
		buf_addf(out, "It resumes %s at line %d.\n", qualname_func(f->root), f->resume_line);
	if (f->seen.fails)
		buf_addf(out, "It failed %d time%s; the last reason: %s\n", f->seen.fails, many(f->seen.fails, "", "s"),
			 f->seen.reason ? f->seen.reason : "not recorded");
	if (f->seen.skips)
		buf_addf(out, "It was skipped %d time%s; the last reason: %s\n", f->seen.skips,
			 many(f->seen.skips, "", "s"), f->seen.reason ? f->seen.reason : "not recorded");
	else if (f->seen.compiles && f->seen.reason && !f->seen.fails)
		buf_addf(out, "Note: %s\n", f->seen.reason);
	if (f->seen.compiles && f->seen.compiling)
		explain_again(out, f);
	explain_failures(out, f);
}

static void explain_entries(struct buf *out, const struct story *t, struct func *f, bool chosen)
{
	struct entry *e;
	int hidden = 0;

	for (e = model_entries; e; e = e->next) {
		if (e->func != f)
			continue;
		if (entry_is_shown(t, e, chosen))
			explain_entry(out, e, t->guards);
		else
			hidden++;
	}
	if (hidden)
		buf_addf(out,
			 "\n%d more entr%s of %s %s not shown: 'info entries' lists all entries, "
			 "'explain -a FUNC' shows invalidated ones too\n",
			 hidden, many(hidden, "y", "ies"), qualname_func(f), many(hidden, "is", "are"));
}

static bool is_long(const struct buf *text)
{
	int lines = 0;
	size_t i;

	for (i = 0; i < text->len && lines <= EXPLAIN_LINES; i++)
		lines += text->s[i] == '\n';
	return lines > EXPLAIN_LINES;
}

/* What an explanation cannot tell: whether what the compiled code calculates is right. */
static void explain_verdict(struct buf *out, const struct story *t)
{
	const struct entry *e;

	for (e = model_entries; e && !(e->co && !e->end && func_is_listed(t, e->func)); e = e->next)
		;
	if (!e)
		return;
	if (can_blame())
		buf_adds(out, "\nIf the result of this call is wrong, 'blame' says whose fault it is.\n");
	else
		buf_adds(out, "\nIf a result is wrong: 'catch wrong' stops at such a call and names the culprit.\n");
}

/* All about the functions; the first n are selected.  A person asks first why the graphs break and what is compiled
   again: below the function, or above all of several. */
static void explain_all(struct buf *out, const struct story *t, size_t n, bool whole)
{
	const struct explained x = { t->f, t->n, t->meant.id };
	struct buf text = { 0 };
	bool brief = false;
	size_t i;

	if (n > 1)
		explain_short_causes(&text, &x);
	for (i = 0; i < t->n && !brief; i++) {
		explain_func(&text, t, t->f[i], i < n);
		if (n == 1 && !i)
			explain_short_causes(&text, &x);
		explain_entries(&text, t, t->f[i], i < n);
		brief = !whole && is_long(&text);
	}
	if (brief)
		explain_short(out, &x);
	else
		buf_adds(out, buf_str(&text) + (n > 1));
	explain_verdict(out, t);
	buf_release(&text);
}

/* Dynamo has looked at no function: which ones it is to compile once they are called. */
static void explain_nothing(struct buf *out)
{
	const struct func *f;
	struct buf stance = { 0 };

	buf_adds(out, "Dynamo has compiled no function yet.\n");
	for (f = model_funcs; f; f = f->next)
		if (f->seen.wrapped && f->co)
			buf_addf(out, "It compiles %s, %s:%d, at its first call.\n", qualname_func((struct func *)f),
				 f->file, f->line);
	if (stance_describe(&stance))
		buf_addf(out, "Now %s.\n", stance.s);
	buf_release(&stance);
}

static int explain_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct story t = { .f = NULL };
	bool all, guards;
	size_t i, n;

	(void)s;
	for (; *args == '-'; t.invalid |= all, t.guards |= guards) {
		all = select_option_all(&args);
		guards = select_option(&args, "-g");
		if (!all && !guards)
			break;
	}
	if (*args ? select_find(args, &t.meant, err) < 0 : (select_default(&t.meant), false))
		return -1;
	choose_funcs(&t, true, NULL);
	if (!t.n)
		choose_funcs(&t, false, NULL);
	for (i = 0, n = t.n; i < n; i++)
		choose_funcs(&t, false, t.f[i]);
	explain_all(&out->text, &t, n, *args != '\0');
	if (!t.n && !*args)
		explain_nothing(&out->text);
	free(t.f);
	select_release(&t.meant);
	return t.n || !*args ? 0 : err_set(err, "Dynamo has not compiled '%s': call it first", args);
}

const struct cmd_def cmd_explain[] = {
	{ .name = "explain",
	  .args = "[-a] [-g] [FUNC|ENTRY]",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT,
	  .help = "describe how a function was compiled",
	  .more = "First why its graphs break, why it was compiled again, and what to change. Then for each\n"
		  "cache entry: the generated code by region, its graphs with their source lines, the side\n"
		  "effects that are replayed, the resume functions with the line at which each continues,\n"
		  "and the number of its guards; -g: each guard as Python.\n"
		  "Without FUNC or ENTRY: the entry that the selected frame runs, the one just compiled,\n"
		  "or the function of the selected frame; elsewhere all functions; what takes more than 200\n"
		  "lines is shown in short: reasons of graph breaks and compiles, counted, with remedies,\n"
		  "then functions and guards, and commands that show the rest.  -a: also invalidated entries.",
	  .complete = select_complete,
	  .run = explain_run },
	{ .name = NULL },
};
