/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of breakpoints and catchpoints, and the question at each stop: does one of them want it?  Knows no
   command.  What is armed for them is arm.c's. */
#include "engine/bp.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/arm.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "engine/watch.h"

struct bp_table {
	struct bp *first;
	int last;                            /* number */
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

static void bp_free(struct bp *b)
{
	places_release(&b->places);
	loc_free(b->loc);
	expr_unref(b->cond);
	free_lines(b->commands);
	free(b->words);
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

void bp_add(struct session *s, struct bp *b)
{
	struct bp **p = &table(s)->first;

	while (*p)
		p = &(*p)->next;
	*p = b;
	b->number = ++s->bps->last;
	b->enabled = true;
}

void bp_delete(struct session *s, struct bp *b)
{
	struct bp **p;

	for (p = &table(s)->first; *p && *p != b; p = &(*p)->next)
		;
	if (!*p)
		return;
	*p = b->next;
	if (b->watch)
		watch_free(s, b);
	b->dead = true;
	bp_arm(s);
	if (!b->busy)
		bp_free(b);
}

void bp_enable(struct session *s, struct bp *b, bool on)
{
	if (b->enabled == on)
		return;
	b->enabled = on;
	if (b->watch)
		watch_enable(s, b, on);
	bp_arm(s);
}

struct bp *bp_break(struct session *s, struct loc *loc, struct expr *cond, bool temporary, struct err *err)
{
	struct bp *b = mem_alloc(sizeof(*b));

	b->type = BP_BREAK;
	b->loc = loc;
	b->cond = cond;
	b->temporary = temporary;
	if (loc_resolve(s, loc, &b->places, err) < 0) {
		bp_free(b);
		return NULL;
	}
	bp_add(s, b);
	bp_arm(s);
	return b;
}

static void catch_places(struct bp *b)
{
	places_release(&b->places);
	if (b->kind->places)
		b->kind->places(b->words, &b->places);
}

/* Where a kind takes FUNC, an expression is evaluated once, here, and FILE:FUNC stands for what it gave: events are
   matched while the program runs.  The caller's; NULL with err. */
static char *catch_words(struct session *s, const struct event_kind *k, const char *words, struct err *err)
{
	const char *func = words;
	struct buf text = { 0 };

	while (*func == '-')
		func += strcspn(func, " ") + strspn(func + strcspn(func, " "), " ");
	if (!*func || !strstr(k->args, "[FUNC]"))
		return mem_str(words);
	buf_add(&text, words, (size_t)(func - words));
	if (loc_func_text(s, func, &text, err) < 0) {
		buf_release(&text);
		return NULL;
	}
	return buf_detach(&text);
}

struct bp *bp_catch(struct session *s, const char *kind, const char *words, struct expr *cond, bool temporary,
		    struct err *err)
{
	const struct event_kind *k = event_find(kind, err);
	struct bp *b;
	char *text;

	if (!k) {
		expr_unref(cond);
		return NULL;
	}
	text = k->check && k->check(words, err) < 0 ? NULL : catch_words(s, k, words, err);
	if (!text) {
		expr_unref(cond);
		return NULL;
	}
	b = mem_alloc(sizeof(*b));
	b->type = BP_CATCH;
	b->kind = k;
	b->words = text;
	b->cond = cond;
	b->temporary = temporary;
	catch_places(b);
	bp_add(s, b);
	bp_arm(s);
	return b;
}

void bp_set_condition(struct bp *b, struct expr *cond)
{
	expr_unref(b->cond);
	b->cond = cond;
}

/* A first line `silent` is no command: it keeps the stop from being shown. */
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
}

/* Each place once, three of them; the rest is a number. */
static void places_text(struct session *s, const struct places *p, bool offset, struct buf *out)
{
	struct buf one = { 0 };
	int i, said = 0, more = 0;

	for (i = 0; i < p->n; i++) {
		buf_reset(&one);
		place_text(s, &p->place[i], offset, &one);
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
		places_text(s, &b->places, b->loc->type != LOC_LINE && b->loc->type != LOC_FUNC, &text);
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
		buf_adds(out, b->temporary ? "tbreak " : "break ");
		loc_script(s, b->loc, out);
	} else
		buf_addf(out, "%s %s%s%s", b->temporary ? "tcatch" : "catch", b->kind->name, *b->words ? " " : "",
			 b->words);
	if (b->cond)
		buf_addf(out, " if %s", expr_text(b->cond));
	buf_addc(out, '\n');
	if (b->ignore > 0)
		buf_addf(out, "ignore $bpnum %ld\n", b->ignore);
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

bool bp_condition(struct session *s, struct bp *b, struct hook_thread *t, const struct scope *sc, char **trouble)
{
	void *plugs[PLUG_MAX];
	struct hook_saved saved;
	struct err err = { "" };
	struct expr *cond;
	int rc;

	if (!b->cond)
		return true;
	cond = expr_ref(b->cond);            /* `condition` in another thread may replace it meanwhile */
	t->broken = false;
	hook_stop_enter(t, &saved);
	plug_stop_enter(s, plugs);
	rc = expr_true(cond, sc, &err);
	plug_stop_leave(s, plugs);
	hook_stop_leave(t, &saved);
	if (hook_interrupt_again(t))         /* Ctrl-C stops the program, it fails no condition */
		rc = 0;
	else if (rc < 0 && !*trouble)
		*trouble = mem_fmt("condition '%s' of breakpoint %d failed: %s", expr_text(cond), b->number, err.text);
	expr_unref(cond);
	return rc != 0;
}

bool bp_count(struct bp *b)
{
	b->hits++;
	if (b->ignore <= 0)
		return true;
	b->ignore--;
	return false;
}

static bool wants_stop(struct session *s, struct bp *b, struct hook_thread *t, const struct scope *sc, char **trouble)
{
	return !b->dead && bp_condition(s, b, t, sc, trouble) && !b->dead && bp_count(b);
}

/* The oldest one is the stop's; a temporary one that stops here as well has had its stop. */
static struct bp *first_of(struct session *s, struct bp *found, struct bp *b)
{
	if (!found)
		return b;
	if (b->temporary)
		bp_delete(s, b);
	return found;
}

static struct bp *let_go(struct bp **held, int n, struct bp *found)
{
	int i;

	for (i = 0; i < n; i++)
		if (!bp_drop(held[i]) && found == held[i])
			found = NULL;
	return found;
}

static bool happens(const struct bp *b, struct py_frame *f, struct code *c, int index)
{
	return b->type != BP_CATCH || !b->kind->happens || b->kind->happens(b->words, f, c, index);
}

struct bp *bp_hit(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, int index,
		  char **trouble)
{
	struct scope sc = { .frame = f, .at_event = true };
	struct bp *here[ARM_MOST], *found = NULL;
	int i, n = arm_find(c, index, f, here);

	/* A condition runs the program's code, which may let another thread delete breakpoints. */
	for (i = 0; i < n; i++)
		bp_hold(here[i]);
	for (i = 0; i < n; i++)
		if (here[i]->enabled && happens(here[i], f, c, index) && wants_stop(s, here[i], t, &sc, trouble))
			found = first_of(s, found, here[i]);
	return let_go(here, n, found);
}

static bool fits(const struct bp *b, const struct event *ev)
{
	const char *name = ev->top ? ev->top->function : ev->code ? code_name(ev->code) : "";

	if (b->kind != ev->kind || !b->enabled)
		return false;
	if (b->kind->matches)
		return b->kind->matches(ev, b->words);
	return !*b->words || !strcmp(b->words, name);
}

struct bp *bp_caught(struct session *s, struct event *ev, char **trouble)
{
	struct scope sc = { .frame = ev->frame, .at_event = ev->at_event };
	struct bp *wants[ARM_MOST], *b, *found = NULL;
	int i, n = 0;

	if (ev->top) {
		sc.locals = ev->top->locals;
		sc.globals = ev->top->globals;
	}
	for (b = bp_first(s); b && n < ARM_MOST; b = b->next)
		if (b->type == BP_CATCH && fits(b, ev)) {
			bp_hold(b);
			wants[n++] = b;
		}
	for (i = 0; i < n; i++)
		if (wants_stop(s, wants[i], ev->thread, &sc, trouble))
			found = first_of(s, found, wants[i]);
	found = let_go(wants, n, found);
	if (found)
		ev->number = found->number;
	return found;
}

bool bp_catching(struct session *s, const char *kind)
{
	const struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (b->type == BP_CATCH && b->enabled && !strcmp(b->kind->name, kind))
			return true;
	return false;
}

/* ---- code appears ------------------------------------------------------------------------------------- */

static bool same_places(const struct places *a, const struct places *b)
{
	int i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (a->place[i].code != b->place[i].code || a->place[i].index != b->place[i].index)
			return false;
	return true;
}

/* What was found before stays when it can be found no more: code once stopped at is still the program's. */
static bool resolve_again(struct session *s, struct bp *b)
{
	struct places now = { 0 }, old;
	struct buf where = { 0 };
	struct err err;
	int found;

	bp_hold(b);
	found = loc_resolve(s, b->loc, &now, &err);
	if (!bp_drop(b) || found < 0 || !now.n || same_places(&now, &b->places)) {
		places_release(&now);
		return false;
	}
	old = b->places;
	b->places = now;
	if (!old.n) {
		bp_where(s, b, &where);
		session_note(s, NOTE_INFO, "breakpoint %d is at %s now", b->number, buf_str(&where));
		buf_release(&where);
	}
	places_release(&old);
	return true;
}

void bp_code_appeared(struct session *s)
{
	bool changed = false;
	struct bp *b;
	int number;

	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		if (b->type == BP_BREAK && !(b->loc->code && b->places.n))
			changed |= resolve_again(s, b);
		else if (b->type == BP_CATCH && b->kind->places) {
			catch_places(b);
			changed = true;
		}
	}
	if (changed)
		bp_arm(s);
}

/* A program may have thousands of modules: all of its code is looked through only for those that can give something. */
void bp_module_appeared(struct session *s, struct py_code *body)
{
	bool changed = false;
	struct bp *b;
	int number;

	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		if (b->type == BP_BREAK && loc_concerns(s, b->loc, body, !b->places.n))
			changed |= resolve_again(s, b);
	}
	if (changed)
		bp_arm(s);
}

void bp_body_appeared(struct session *s, struct py_code *body)
{
	struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (b->type == BP_BREAK && !b->places.n && loc_waits_for(b->loc, code_file(code_get(body)))) {
			loc_keep_body(body);
			bp_code_appeared(s);
			return;
		}
}
