/* SPDX-License-Identifier: BSD-3-Clause */
/* Breakpoints and catchpoints are set, deleted and enabled, and resolved again when code appears.  Knows no command. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/bp.h"
#include "engine/session.h"

void bp_delete(struct session *s, struct bp *b)
{
	if (!bp_unlink(s, b))
		return;
	session_breakpoint(s, b, BP_NEWS_GONE);
	if (b->ended)
		b->ended(s, b);
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
	if (b->enable)
		b->enable(s, b, on);
	bp_arm(s);
	session_breakpoint(s, b, BP_NEWS_CHANGED);
}

/* Takes b. */
static struct bp *break_at(struct session *s, struct bp *b, struct loc *loc, struct expr *cond, struct err *err)
{
	b->type = BP_BREAK;
	b->loc = loc;
	b->cond = cond;
	if (loc_resolve(s, loc, &b->places, err) < 0) {
		bp_free(b);
		return NULL;
	}
	bp_add(s, b);
	bp_arm(s);
	return b;
}

struct bp *bp_break(struct session *s, struct loc *loc, struct expr *cond, bool temporary, struct err *err)
{
	struct bp *b = mem_alloc(sizeof(*b));

	b->temporary = temporary;
	return break_at(s, b, loc, cond, err);
}

struct bp *bp_logpoint(struct session *s, struct loc *loc, struct expr *cond, struct message *log, struct err *err)
{
	struct bp *b = mem_alloc(sizeof(*b));

	b->log = log;
	return break_at(s, b, loc, cond, err);
}

struct bp *bp_recorded(struct session *s, enum bp_type type, const char *text)
{
	struct bp *b = mem_alloc(sizeof(*b));

	b->type = type;
	if (type == BP_BREAK)
		b->loc = loc_recorded(text);
	else
		b->words = mem_str(text);
	bp_add(s, b);
	return b;
}

/* Adds a line, once. */
static void add_line_once(struct bp *b, const char *line)
{
	char **lines = b->commands;
	size_t n, cap;

	for (n = 0; lines && lines[n]; n++)
		if (!strcmp(lines[n], line))
			return;
	cap = lines ? n + 1 : 0;
	b->commands = mem_grow(lines, &cap, n + 2, sizeof(*lines));
	b->commands[n] = mem_str(line);
	b->commands[n + 1] = NULL;
}

int bp_run_at(struct session *s, struct py_code *co, const char *line, struct err *err)
{
	struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (b->type == BP_BREAK && b->temporary && b->enabled && !b->cond && b->commands &&
		    loc_is_code(b->loc, co))
			break;
	if (!b)
		b = bp_break(s, loc_code(s, co), NULL, true, err);
	if (!b)
		return -1;
	add_line_once(b, line);
	return b->number;
}

static void catch_places(struct bp *b)
{
	places_release(&b->places);
	if (b->kind->places)
		b->kind->places(b->words, &b->places);
}

/* Code appeared in which a catchpoint that was set before cannot stop: reports that once, now that it is known.  Leaves
   out that its arguments name nothing: other code may still have it. */
static void tell_absent(struct session *s, struct bp *b)
{
	struct buf why = { 0 };

	if (b->told || !b->enabled || b->places.n || !b->kind->absent)
		return;
	b->kind->absent("", &why);
	if (why.len)
		session_note(s, NOTE_INFO, "catchpoint %d: %s", b->number, buf_str(&why));
	b->told = why.len;
	buf_release(&why);
}

/* The arguments of a catchpoint with FUNC as a name: an expression is evaluated once, here, and replaced by
   FILE:FUNC of its value, because events are matched while the program runs.  Owned by the caller; NULL with err. */
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
	struct buf why = { 0 };
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
	bp_notes(b, &why); /* whoever sets it shows them */
	b->told = why.len;
	buf_release(&why);
	bp_add(s, b);
	bp_arm(s);
	return b;
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

/* Is the first place, which bp_summary() has, another one? */
static bool has_moved(const struct places *now, const struct places *old)
{
	const struct place *p = now->place, *q = old->place;

	return !old->n || p->line != q->line || strcmp(code_file(p->code), code_file(q->code));
}

/* Places are kept when the location can no longer be resolved: the code may still run. */
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
		session_note(s, NOTE_INFO, "breakpoint %d resolved: %s", b->number, buf_str(&where));
		buf_release(&where);
	}
	if (has_moved(&b->places, &old))
		session_breakpoint(s, b, BP_NEWS_CHANGED);
	places_release(&old);
	return true;
}

/* Those that `again` names are resolved again, and catchpoints with places look for them. */
static void appeared(struct session *s, bool (*again)(const struct bp *b))
{
	bool changed = false;
	struct bp *b;
	int number;

	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		if (b->type == BP_BREAK && again(b))
			changed |= resolve_again(s, b);
		else if (b->type == BP_CATCH && b->kind->places) {
			catch_places(b);
			tell_absent(s, b);
			changed = true;
		}
	}
	if (changed)
		bp_arm(s);
}

static bool waits_for_code(const struct bp *b)
{
	return !(b->loc->code && b->places.n);
}

static bool is_of_node(const struct bp *b)
{
	return b->loc->type == LOC_NODE;
}

void bp_code_appeared(struct session *s)
{
	appeared(s, waits_for_code);
}

void bp_graph_appeared(struct session *s)
{
	appeared(s, is_of_node);
}

static bool waits_in(const struct bp *b, const struct py_code *co)
{
	int i;

	for (i = 0; i < b->places.n; i++)
		if (b->places.place[i].code->co == co)
			return true;
	return false;
}

void bp_code_replaced(struct session *s, struct py_code *old, struct py_code *now)
{
	bool changed = false;
	struct bp *b;
	int number;

	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		if (b->type == BP_BREAK && b->loc->func && waits_in(b, old)) {
			loc_follow(b->loc, old, now);
			changed |= resolve_again(s, b);
		}
	}
	if (changed)
		bp_arm(s);
}

/* A program may have thousands of modules, so only breakpoints that this body can affect are resolved again. */
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
		if (b->type == BP_BREAK && !b->places.n &&
		    (loc_waits_for(b->loc, code_file(code_get(body))) || loc_defined_in(b->loc, body))) {
			loc_keep_body(body);
			bp_code_appeared(s);
			return;
		}
}
