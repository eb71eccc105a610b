/* SPDX-License-Identifier: BSD-3-Clause */
/* Resume functions for people: one that enters with statements again continues in the middle of their bodies.  The
   compiler ends the handlers that it adds for them by `raise None`, since it enters no manager that swallows an
   exception: here they lead to what follows the statement, as in the source.  Not for text that is compiled. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tidy/read.h"

enum { PATH = 400, POPS = 6, TAKEN = 100 };

static int acting(const struct dec *d, int i)
{
	int most = d->n;

	while (i < d->n && (d->ins[i].op == D_NOP || d->ins[i].op == D_JUMP) && most--)
		i = d->ins[i].op == D_NOP ? i + 1 : d->ins[i].target;
	return i;
}

static bool gives_none(const struct dec *d, int i)
{
	return i < d->n && d->ins[i].op == D_CONST && d->ins[i].obj == Py_None;
}

/* __exit__(None, None, None) from i on: the index after it; -1: it is something else. */
static int after_exit(const struct dec *d, int i)
{
	int n;

	for (n = 0; n < 3 && gives_none(d, i = acting(d, i)); n++)
		i++;
	i = acting(d, i);
	if (n < 3 || i >= d->n || d->ins[i].op != D_CALL || d->ins[i].arg < 2 || d->ins[i].arg > 3)
		return -1;
	i = acting(d, i + 1);
	return i < d->n && d->ins[i].op == D_POP ? i + 1 : -1;
}

/* Nothing comes from i on but the ends of with statements, and `raise None`: that instruction; else -1. */
static int raises_none(const struct dec *d, int i)
{
	bool none = false;
	int next, most;

	for (most = PATH; most--; i++) {
		next = after_exit(d, i);
		i = acting(d, next < 0 ? i : next);
		if (i < d->n && d->ins[i].op == D_RAISE)
			return none && d->ins[i].arg == 1 ? i : -1;
		none = gives_none(d, i);
		if (!none && (i >= d->n || d->ins[i].op != D_POP))
			return -1;
	}
	return -1;
}

/* Where this handler continues after __exit__() has swallowed the exception; -1: it is not that of a with statement. */
static int after_swallowed(const struct dec *d, int handler)
{
	int i = handler, n;

	if (d->ins[i].op != D_PUSH_EXC)
		return -1;
	i = acting(d, i + 1);
	if (i >= d->n || d->ins[i].op != D_WITH_EXCEPT)
		return -1;
	for (i = acting(d, i + 1); i < d->n && d->ins[i].op == D_BOOL; i++)
		;
	if (i >= d->n || d->ins[i].op != D_JUMP_IF || d->ins[i].arg != IF_TRUE)
		return -1;
	i = d->ins[i].target;
	for (n = 0; n < POPS && i < d->n && (d->ins[i].op == D_POP || d->ins[i].op == D_POP_EXCEPT); n++)
		i++;
	return n > 2 && i < d->n ? i : -1;
}

/* A statement's body, while it is looked for where it ends. */
struct leaving {
	const struct dec *d;
	uint8_t *in, *seen; /* by instruction: is it one of the body; and is it one of those that are looked at */
	int last, after;    /* the last call of __exit__() that does not leave from within, and what follows it */
};

/* Those that the handler covers, and the handlers of try statements within, with what these cover. */
static void mark_body(struct dec *d, struct leaving *w, int handler)
{
	uint8_t *marked = dec_alloc(d, (size_t)d->nexcept + 1);
	bool more = true;
	int k;

	while (more)
		for (k = 0, more = false; k < d->nexcept; k++) {
			const struct except *e = &d->except[k];

			if (marked[k] || (e->target != handler && !w->in[e->target]))
				continue;
			memset(w->in + e->start, 1, (size_t)(e->end - e->start));
			marked[k] = more = true;
		}
}

/* Where instruction i leads without an exception: two places, d->n for one that does not exist. */
static void ways_from(const struct dec *d, int i, int *to)
{
	bool falls = !dec_ends(d->ins[i].op) && d->ins[i].op != D_JUMP;

	to[0] = d->ins[i].target >= 0 ? d->ins[i].target : d->n;
	to[1] = falls ? i + 1 : d->n;
}

/* What of the body runs without an exception. */
static void mark_seen(struct dec *d, struct leaving *w, int start)
{
	int *todo = dec_alloc(d, ((size_t)d->n + 1) * sizeof(*todo)), to[2], n = 0, k, next;

	w->seen[todo[n++] = start] = 1;
	while (n) {
		ways_from(d, todo[--n], to);
		for (k = 0; k < 2; k++) {
			next = acting(d, to[k]);
			if (next < d->n && w->in[next] && !w->seen[next])
				w->seen[todo[n++] = next] = 1;
		}
	}
}

static int line_of_ins(const struct dec *d, int i)
{
	return i < d->n ? d->c->instr[d->ins[i].index].line : -1;
}

/* What the compiler adds to a handler has no line of its own. */
static bool has_line(enum dop op)
{
	return op != D_PUSH_EXC && op != D_COPY && op != D_POP_EXCEPT && op != D_RERAISE;
}

/* __exit__() is called for a statement of the body that leaves it: what follows the call has the line of that. */
static bool is_of_body(const struct leaving *w, int call, int after)
{
	int line = line_of_ins(w->d, after), i;

	for (i = 0; i < w->d->n; i++)
		if (w->seen[i] && has_line(w->d->ins[i].op) && line_of_ins(w->d, i) == line)
			break;
	return i < w->d->n && line != line_of_ins(w->d, call);
}

static void find_last(struct leaving *w)
{
	const struct dec *d = w->d;
	int i, k, to[2], call, after;

	for (i = 0; i < d->n; i++) {
		if (!w->seen[i])
			continue;
		ways_from(d, i, to);
		for (k = 0; k < 2; k++) {
			call = acting(d, to[k]);
			if (call >= d->n || w->in[call] || call <= w->last)
				continue;
			after = after_exit(d, call);
			if (after < 0 || raises_none(d, after) >= 0 || is_of_body(w, call, acting(d, after)))
				continue;
			w->last = call;
			w->after = after;
		}
	}
}

/* What follows the statement with this handler, which is where its body ends last: on a way without exceptions, if it
   ends on one.  -1: it always leaves. */
static int after_body(struct dec *d, int handler)
{
	struct leaving w = { .d = d, .last = -1, .after = -1 };
	const struct except *e;

	w.in = dec_alloc(d, (size_t)d->n + 1);
	w.seen = dec_alloc(d, (size_t)d->n + 1);
	mark_body(d, &w, handler);
	for (e = d->except; e->target != handler; e++)
		;
	mark_seen(d, &w, e->start);
	find_last(&w);
	if (w.after < 0) {
		memcpy(w.seen, w.in, (size_t)d->n);
		find_last(&w);
	}
	return w.after;
}

/* Is there an instruction that only serves the compiler, as the marks of such a function do? */
static bool has_marks(const struct dec *d)
{
	int i;

	for (i = 0; i < d->n && !d->style->folded(d->style->arg, d->c, d->ins[i].index); i++)
		;
	return i < d->n;
}

static bool is_read(const struct dec *d)
{
	return d->style->folded && !d->style->whole && !d->style->edited && !d->depth && has_marks(d);
}

void resumed_with_find(struct dec *d)
{
	const struct except *e;
	int *from, *to, *raise, i, k;

	if (!d->nexcept || !is_read(d))
		return;
	from = dec_alloc(d, (size_t)d->nexcept * sizeof(*from));
	to = dec_alloc(d, (size_t)d->nexcept * sizeof(*to));
	raise = dec_alloc(d, (size_t)d->nexcept * sizeof(*raise));
	for (k = 0, e = d->except; k < d->nexcept; k++, e++) {
		from[k] = i = after_swallowed(d, e->target);
		raise[k] = i >= 0 && d->ins[i].target < 0 ? raises_none(d, i) : -1;
		to[k] = raise[k] < 0 ? -1 : after_body(d, e->target);
	}
	for (k = 0; k < d->nexcept; k++) {
		if (to[k] >= 0) {
			d->ins[from[k]].op = D_JUMP;
			d->ins[from[k]].target = to[k];
		} else if (raise[k] >= 0) {
			d->ins[raise[k]].op = D_RETURN;
		}
	}
}

/* ---- statements whose first half has run -------------------------------------------------------- */

/* t = ARGUMENT; t += v; TARGET = t, where nothing else needs the argument: ARGUMENT += v; TARGET = ARGUMENT.  Nobody
   sees what a variable holds after an exception has left the function. */
static void augment(const struct body *b, struct stmt *s)
{
	struct stmt *add = s->next, *back = add ? add->next : NULL;
	const struct expr *t = s->target;
	struct expr *v = s->value;

	if (!back || s->kind != S_ASSIGN || t->kind != E_TEMP || v->kind != E_NAME || !v->steady ||
	    add->kind != S_AUG || !dec_same(add->target, t) || back->kind != S_ASSIGN || !dec_same(back->value, t) ||
	    t->temp->uses != 2 || t->temp->stores != 2)
		return;
	if (back->target->kind == E_NAME && back->target->steady && !read_uses(add->value, back->target)) {
		s->target = add->target = back->target;
		add->next = back->next;
	} else if (read_uses_in(b, v) == 1) {
		add->target = back->value = v;
		add->from = s->from < 0 ? add->from : s->from;
		*s = *add;
	}
}

/* ---- values that come in a list ----------------------------------------------------------------- */

/* Item i of the list in which Dynamo passes the values of a frame; any other list may have more items. */
static bool is_passed_value(const struct expr *e, int i)
{
	return e && e->kind == E_SUBSCR && e->kid[0]->kind == E_NAME && e->kid[0]->steady &&
	       !PyUnicode_CompareWithASCIIString(e->kid[0]->obj, "__resume_frame_values") && dec_number(e->kid[1]) == i;
}

/* From s on, t = L[i]; L[i] = None; u = L[i + 1]; L[i + 1] = None; ...: how many values are taken out. */
static int count_taken(const struct stmt *s, int first)
{
	int n = 0;

	for (; s && s->next && n < TAKEN; s = s->next->next, n++)
		if (s->kind != S_ASSIGN || s->next->kind != S_ASSIGN || !is_passed_value(s->value, first + n) ||
		    (s->target->kind != E_TEMP && (s->target->kind != E_NAME || !s->target->steady)) ||
		    dec_same(s->target, s->value->kid[0]) || !is_passed_value(s->next->target, first + n) ||
		    !dec_is_none(s->next->value))
			break;
	return n;
}

static struct expr *int_const(struct dec *d, int i)
{
	return dec_const(d, dec_hold(d, PyLong_FromLong(i)));
}

/* L[first:end], and L[:end] */
static struct expr *values_of(struct dec *d, struct expr *list, int first, int end)
{
	struct expr *bound[3] = { first ? int_const(d, first) : NULL, end ? int_const(d, end) : NULL, NULL };

	return dec_expr(d, E_SUBSCR, NULL, 2, list, dec_expr_n(d, E_SLICE, NULL, bound, 3));
}

/* Dynamo passes the values of a frame in a list, and takes them out of it, where the function deletes a variable:
   t, u = L; L[:] = [None] * 2.  Some are taken out before a with statement that is entered again, and others in it:
   t, u = L[2:4]; L[2:4] = [None] * 2.  One that waited on the stack is called as elsewhere. */
static void take_together(struct dec *d, const struct body *whole, struct stmt *s)
{
	int first = s->kind == S_ASSIGN && s->value->kind == E_SUBSCR ? (int)dec_number(s->value->kid[1]) : -1;
	int n = first < 0 ? 0 : count_taken(s, first), i, end;
	struct expr *target[TAKEN], *list;
	struct stmt *at = s, *last = NULL;

	for (i = 0; i < n; i++, at = at->next->next) {
		target[i] = at->target;
		if (target[i]->kind == E_TEMP && !target[i]->temp->hint)
			target[i]->temp->hint = dec_text(d, "___stack%d", first + i);
		last = at->next;
	}
	if (n < 2)
		return;
	list = s->value->kid[0];
	end = first || read_uses_in(whole, list) > 2 * n ? first + n : 0; /* 0: these are all values of the list */
	s->target = dec_expr_n(d, E_TUPLE, NULL, target, n);
	s->value = end ? values_of(d, list, first, end) : list;
	s->to = last->from > s->to ? last->from - 1 : s->to;
	last->target = values_of(d, list, first, end);
	last->value = dec_expr(d, E_BINARY, "*", 2, dec_expr(d, E_LIST, NULL, 1, dec_none(d)), int_const(d, n));
	s->next = last;
}

static void take_all(struct dec *d, const struct body *whole, struct body *b)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		take_together(d, whole, s);
		take_all(d, whole, &s->body);
	}
	dec_body_end(b);
}

void resumed_with_tidy(struct dec *d, struct body *b)
{
	struct stmt *s;

	if (!is_read(d))
		return;
	take_all(d, b, b);
	for (s = b->first; s; s = s->next)
		augment(b, s);
	dec_body_end(b);
}
