/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of breakpoints, catchpoints and watchpoints: their numbers, conditions, counts and texts.  Knows no
   command, and not how they are armed. */
#include "engine/bp.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/missing_variable.h"
#include "engine/plug.h"
#include "engine/session.h"

struct bp_table {
	struct bp *first;
	int last; /* number */
};

static struct bp_table *table(struct session *s)
{
	if (!s->bps)
		s->bps = mem_alloc(sizeof(*s->bps));
	return s->bps;
}

struct bp *bp_first(struct session *s)
{
	return s->bps ? s->bps->first : NULL;
}

struct bp *bp_find(struct session *s, int number)
{
	struct bp *b;

	for (b = bp_first(s); b && b->number != number; b = b->next)
		;
	return b;
}

struct bp *bp_after(struct session *s, int number)
{
	struct bp *b;

	for (b = bp_first(s); b && b->number <= number; b = b->next)
		;
	return b;
}

int bp_last(const struct session *s)
{
	return s->bps ? s->bps->last : 0;
}

/* ---- life --------------------------------------------------------------------------------------------- */

static void free_lines(char **lines)
{
	int i;

	for (i = 0; lines && lines[i]; i++)
		free(lines[i]);
	free(lines);
}

void bp_free(struct bp *b)
{
	places_release(&b->places);
	loc_free(b->loc);
	expr_unref(b->cond);
	message_unref(b->log);
	free_lines(b->commands);
	free(b->words);
	free(b->recorded);
	free(b);
}

struct bp *bp_hold(struct bp *b)
{
	b->busy++;
	return b;
}

bool bp_drop(struct bp *b)
{
	bool dead = b->dead;

	if (--b->busy == 0 && dead)
		bp_free(b);
	return !dead;
}

bool bp_unlink(struct session *s, struct bp *b)
{
	struct bp **p;

	for (p = &table(s)->first; *p && *p != b; p = &(*p)->next)
		;
	if (!*p)
		return false;
	*p = b->next;
	return true;
}

void bp_add(struct session *s, struct bp *b)
{
	struct bp **p = &table(s)->first;

	while (*p)
		p = &(*p)->next;
	*p = b;
	b->number = ++s->bps->last;
	b->enabled = true;
	session_breakpoint(s, b, BP_NEWS_SET);
}

void bp_set_condition(struct bp *b, struct expr *cond)
{
	expr_unref(b->cond);
	b->cond = cond;
}

/* A first line `silent` is not a command: the stop is not shown. */
void bp_set_commands(struct bp *b, char **lines)
{
	int i;

	free_lines(b->commands);
	b->silent = lines && lines[0] && !strcmp(lines[0], "silent");
	if (b->silent) {
		free(lines[0]);
		for (i = 0; lines[i + 1]; i++)
			lines[i] = lines[i + 1];
		lines[i] = NULL;
	}
	b->commands = lines;
}

/* ---- in words ----------------------------------------------------------------------------------------- */

const char *bp_note_at(const struct bp *b, const struct code *c, int index)
{
	int i;

	for (i = 0; i < b->places.n; i++)
		if (b->places.place[i].code == c && b->places.place[i].index == index && b->places.place[i].note)
			return b->places.place[i].note;
	return NULL;
}

int bp_line_at(const struct bp *b, const struct code *c, int index)
{
	int i;

	for (i = 0; i < b->places.n; i++)
		if (b->places.place[i].code == c && b->places.place[i].index == index && b->places.place[i].line)
			return b->places.place[i].line;
	return 0;
}

void bp_notes(const struct bp *b, struct buf *out)
{
	const char *note;
	int i, k;

	for (i = 0; i < b->places.n; i++) {
		note = b->places.place[i].note;
		for (k = 0; note && k < i; k++)
			if (b->places.place[k].note && !strcmp(b->places.place[k].note, note))
				note = NULL;
		if (note)
			buf_addf(out, "%s%s", out->len ? "\n" : "", note);
	}
	if (b->type == BP_CATCH && b->kind->absent && !b->places.n)
		b->kind->absent(b->words, out);
}

const char *bp_type_name(const struct bp *b)
{
	static const char *const names[] = {
		[BP_BREAK] = "breakpoint",
		[BP_CATCH] = "catchpoint",
		[BP_WATCH] = "watchpoint",
	};

	return b->log ? "logpoint" : names[b->type];
}

struct val *bp_summary(struct session *s, const struct bp *b)
{
	const struct place *p = b->places.n ? &b->places.place[0] : NULL;
	struct val *m = val_map();
	const char *file = p ? code_file(p->code) : NULL;
	int line = 0;

	val_put(m, "number", val_int(b->number));
	val_put(m, "type", val_str(bp_type_name(b)));
	val_put(m, "enabled", val_bool(b->enabled));
	if (b->type != BP_BREAK)
		return m;
	if (p)
		line = p->line > 0 ? p->line : stack_line(s, p->code, p->index);
	else if (b->loc->type == LOC_LINE) {
		file = b->loc->file;
		line = b->loc->line;
	}
	val_put(m, "verified", val_bool(p || b->recorded));
	val_put(m, "file", file ? val_str(file) : val_null());
	val_put(m, "line", line > 0 ? val_int(line) : val_null());
	if (p && p->note)
		val_put(m, "note", val_str(p->note));
	return m;
}

/* "add in forward (<eval_with_key>.3:9)" */
static void node_text(struct session *s, const struct place *p, struct buf *out)
{
	const char *file = visible(code_file(p->code)), *from = strstr(file, " from ");
	char *cut = mem_strn(file, from ? (size_t)(from - file) : strlen(file));
	struct graph_node node;

	plug_node(s, p->code, p->line, &node);
	buf_addf(out, "%s in %s (%s:%d)", node.name ? node.name : "?", code_name(p->code), text_path_file_name(cut),
		 p->line);
	free(cut);
}

/* Each place once, at most three; then how many more there are. */
static void places_text(struct session *s, const struct places *p, enum loc_type type, struct buf *out)
{
	struct buf one = { 0 };
	int i, said = 0, more = 0;

	for (i = 0; i < p->n; i++) {
		buf_reset(&one);
		if (type == LOC_NODE)
			node_text(s, &p->place[i], &one);
		else
			place_text(s, &p->place[i], type != LOC_LINE && type != LOC_FUNC, &one);
		if (out->len && strstr(buf_str(out), buf_str(&one)))
			continue;
		if (said == 3) {
			more++;
			continue;
		}
		buf_addf(out, "%s%s", said++ ? ", " : "", buf_str(&one));
	}
	if (more)
		buf_addf(out, " and %d more", more);
	buf_release(&one);
}

void bp_where(struct session *s, const struct bp *b, struct buf *out)
{
	struct buf text = { 0 };

	if (b->type == BP_WATCH)
		buf_adds(&text, b->words);
	else if (b->type == BP_CATCH)
		buf_addf(&text, "%s%s%s", b->kind->name, *b->words ? " " : "", b->words);
	else if (b->places.n)
		places_text(s, &b->places, b->loc->type, &text);
	else if (b->recorded)
		buf_adds(&text, b->loc->text);
	else
		buf_addf(&text, "pending: %s", *b->loc->text ? b->loc->text : "here");
	buf_adds(out, buf_str(&text));
	buf_release(&text);
}

void bp_script(struct session *s, const struct bp *b, struct buf *out)
{
	int i;

	if (b->type == BP_WATCH) {
		buf_addf(out, "# watch %s: belongs to one activation, not saved\n", b->words);
		return;
	}
	if (b->type == BP_BREAK) {
		buf_adds(out, b->log ? "dprintf " : b->temporary ? "tbreak " : "break ");
		loc_script(s, b->loc, out);
	} else
		buf_addf(out, "%s %s%s%s", b->temporary ? "tcatch" : "catch", b->kind->name, *b->words ? " " : "",
			 b->words);
	if (b->cond)
		buf_addf(out, " if %s", expr_text(b->cond));
	if (b->log) {
		buf_adds(out, ", ");
		message_quote(message_text(b->log), out);
	}
	buf_addc(out, '\n');
	if (b->again && b->again < BP_NEVER)
		buf_addf(out, "ignore $bpnum %ld each\n", b->again);
	else if (b->ignore > 0 || b->again)
		buf_addf(out, "ignore $bpnum %ld%s\n", b->ignore, b->again ? " once" : "");
	if (b->commands) {
		buf_adds(out, b->silent ? "commands\nsilent\n" : "commands\n");
		for (i = 0; b->commands[i]; i++)
			buf_addf(out, "%s\n", b->commands[i]);
		buf_adds(out, "end\n");
	}
	if (!b->enabled)
		buf_adds(out, "disable $bpnum\n");
}

/* ---- at a stop ---------------------------------------------------------------------------------------- */

bool bp_evaluate(struct session *s, struct hook_thread *t, const struct scope *sc,
		 void (*run)(void *arg, const struct scope *sc), void *arg)
{
	void *plugs[PLUG_MAX];
	struct hook_saved saved;
	struct scope all = *sc;
	struct py_obj *kept; /* owned */

	t->broken = false;
	hook_stop_enter(t, &saved);
	plug_stop_enter(s, plugs);
	all.kept = kept = stack_kept_in(s, sc->frame, sc->at_event);
	run(arg, &all);
	py_unref(kept);
	plug_stop_leave(s, plugs);
	hook_stop_leave(t, &saved);
	return !hook_interrupt_again(t);
}

struct truth {
	struct expr *cond;
	struct err err;
	int rc;
};

static void ask_truth(void *arg, const struct scope *sc)
{
	struct truth *a = arg;

	a->rc = expr_true(a->cond, sc, &a->err);
}

bool bp_condition(struct session *s, struct bp *b, struct hook_thread *t, const struct scope *sc, char **trouble)
{
	struct truth a = { .err = { "" } };
	bool whole;

	if (!b->cond)
		return true;
	a.cond = expr_ref(b->cond); /* `condition` in another thread may replace it meanwhile */
	whole = bp_evaluate(s, t, sc, ask_truth, &a);
	if (a.rc < 0 && sc->frame)
		missing_variable_explain(s, frame_code(sc->frame), &a.err);
	if (!whole) /* the condition counts as false */
		a.rc = 0;
	else if (a.rc < 0 && !*trouble)
		*trouble = mem_fmt("condition '%s' of breakpoint %d failed: %s", expr_text(a.cond), b->number,
				   a.err.text);
	expr_unref(a.cond);
	return a.rc != 0;
}

bool bp_count(struct bp *b)
{
	b->hits++;
	if (b->ignore <= 0) {
		b->ignore = b->again;
		return true;
	}
	if (b->ignore < BP_NEVER)
		b->ignore--;
	return false;
}

bool bp_catching(struct session *s, const char *kind)
{
	const struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (b->type == BP_CATCH && b->enabled && !strcmp(b->kind->name, kind))
			return true;
	return false;
}

void bp_ignore(struct bp *b, long hits, long again)
{
	b->ignore = hits;
	b->again = again;
}

void bp_require(struct bp *b, struct expr *cond)
{
	b->cond = cond;
}
