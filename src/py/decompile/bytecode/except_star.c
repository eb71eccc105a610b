/* SPDX-License-Identifier: BSD-3-Clause */
/* Clauses of `except*`: their instructions become those of `except`, with a test of another kind, so that later passes
   find the clauses where they find others.  What collects the exceptions of the clauses, and raises those that none of
   them takes, the statement does by itself.  What does not have that form stays as it is, and is refused. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tree/dec.h"

enum {
	STARS = 24,
	HELD = 3, /* entries of the stack below a clause's body, which one of `except` does not have */
};

/* A clause: its test, what it begins with after that, where it is left for the next one, and what handles its
   exceptions. */
struct star {
	int match, body, no, cleanup;
	bool named;
};

struct group {
	struct dec *d;
	int push, outer; /* PUSH_EXC; what handles exceptions of the whole */
	struct star star[STARS];
	int n;
	int end;   /* what puts the exceptions together */
	int leave; /* POP_EXCEPT, where nothing is left */
};

static int group_next(const struct dec *d, int i)
{
	for (i++; i < d->n && d->ins[i].op == D_NOP; i++)
		;
	return i;
}

static bool is(const struct dec *d, int i, enum dop op, int arg)
{
	return i < d->n && d->ins[i].op == op && (arg < 0 || d->ins[i].arg == arg);
}

/* The instruction that a way at i leads to, after jumps and what does nothing. */
static int group_way(const struct dec *d, int i)
{
	int most = 32;

	while (i >= 0 && i < d->n && most-- && (d->ins[i].op == D_NOP || d->ins[i].op == D_JUMP))
		i = d->ins[i].op == D_JUMP ? d->ins[i].target : i + 1;
	return i;
}

static bool is_plain_store(const struct dec *d, int i)
{
	return is(d, i, D_STORE_FAST, -1) || is(d, i, D_STORE_DEREF, -1) || is(d, i, D_STORE_GLOBAL, -1) ||
	       is(d, i, D_STORE_NAME, -1);
}

/* NAME = None; del NAME */
static int unbinds(const struct dec *d, int i)
{
	if (!is(d, i, D_CONST, -1) || d->ins[i].obj != Py_None || !is_plain_store(d, group_next(d, i)))
		return i;
	return group_next(d, group_next(d, group_next(d, i)));
}

/* What handles the exceptions of a clause's body: it appends them to the list. -1: nothing does. */
static int cleanup_of(const struct dec *d, int from, int to, int outer)
{
	const struct except *e;
	int i;

	for (e = d->except; e < d->except + d->nexcept; e++) {
		if (e->start >= to || e->end <= from || e->target == outer || e->target < from || e->target >= to)
			continue;
		i = unbinds(d, e->target);
		if (is(d, i, D_LIST_APPEND, 3) && is(d, group_next(d, i), D_POP, -1))
			return e->target;
	}
	return -1;
}

/* The clause whose test begins at i: the index after it, -1: there is none. */
static int clause_at(struct group *g, int i)
{
	struct dec *d = g->d;
	struct star *s = &g->star[g->n];
	int jump;

	for (; i < d->n && d->ins[i].op != D_EG_MATCH; i++)
		if (d->ins[i].target >= 0 || dec_ends(d->ins[i].op) || d->ins[i].op == D_LIST_APPEND)
			return -1;
	if (i >= d->n || !is(d, group_next(d, i), D_COPY, 1))
		return -1;
	jump = group_next(d, group_next(d, i));
	if (!is(d, jump, D_JUMP_IF, IF_NONE) || d->ins[jump].target <= jump)
		return -1;
	s->match = i;
	s->body = group_next(d, jump);
	s->no = group_way(d, d->ins[jump].target);
	s->named = is_plain_store(d, s->body);
	if ((!s->named && !is(d, s->body, D_POP, -1)) || s->no <= s->body || !is(d, s->no, D_POP, -1))
		return -1;
	s->cleanup = cleanup_of(d, s->body, s->no, g->outer);
	g->n++;
	return group_next(d, s->no);
}

static int handler_of(const struct dec *d, int i)
{
	const struct except *e;

	for (e = d->except; e < d->except + d->nexcept; e++)
		if (e->start <= i && i < e->end)
			return e->target;
	return -1;
}

/* COPY 1; if it is not None, raise it; POP_TOP; POP_EXCEPT */
static bool find_end(struct group *g, int i)
{
	struct dec *d = g->d;
	int jump;

	g->end = group_way(d, i);
	jump = group_next(d, group_next(d, g->end));
	if (!is(d, g->end, D_RERAISE_STAR, -1) || !is(d, group_next(d, g->end), D_COPY, 1) ||
	    !is(d, jump, D_JUMP_IF, IF_NOT_NONE) || !is(d, group_next(d, jump), D_POP, -1))
		return false;
	g->leave = group_next(d, group_next(d, jump));
	return is(d, g->leave, D_POP_EXCEPT, -1);
}

static bool find_group(struct group *g, int i)
{
	struct dec *d = g->d;
	int at = group_next(d, i);

	g->push = i;
	g->n = 0;
	g->outer = handler_of(d, at);
	if (g->outer < 0 || !is(d, g->outer, D_COPY, 3))
		return false;
	if (is(d, at, D_COPY, 1) && is(d, group_next(d, at), D_LIST, 0)) /* 3.11 */
		at = group_next(d, group_next(d, at));
	else if (!is(d, at, D_LIST, 0))
		return false;
	else
		at = group_next(d, at);
	if (!is(d, at, D_SWAP, 2) && !is(d, at, D_COPY, 2))
		return false;
	for (at = group_next(d, at); g->n < STARS && !is(d, at, D_LIST_APPEND, 1);) {
		at = clause_at(g, at);
		if (at < 0)
			return false;
	}
	return g->n && is(d, at, D_LIST_APPEND, 1) && find_end(g, group_next(d, at));
}

static void group_set(struct dec *d, int i, enum dop op, int arg, int target)
{
	d->ins[i].op = op;
	d->ins[i].arg = arg;
	d->ins[i].target = target;
	d->ins[i].obj = NULL;
	d->ins[i].text = NULL;
}

/* Each clause ends the handling of its exception by itself: there is room after what handles the exceptions of its
   body. */
static int own_leave(struct group *g, const struct star *s)
{
	struct dec *d = g->d;
	int pop, jump;

	if (s->cleanup < 0)
		return g->leave;
	pop = group_next(d, unbinds(d, s->cleanup));
	jump = group_next(d, pop);
	if (!is(d, jump, D_JUMP, -1) && !is(d, jump, D_LIST_APPEND, 1))
		return g->leave;
	group_set(d, pop, D_POP_EXCEPT, 0, -1);
	group_set(d, jump, D_JUMP, 0, g->leave + 1);
	return pop;
}

/* Ways out of a clause's body leave the statement; the next clause is none of its business. */
static void leave_body(struct group *g, const struct star *s)
{
	struct dec *d = g->d;
	const int next = group_way(d, group_next(d, s->no)), leave = own_leave(g, s);
	int i, to;

	for (i = s->body + 1; i < s->no; i++) {
		if (s->cleanup >= 0 && i >= s->cleanup)
			return;
		to = d->ins[i].target >= 0 ? group_way(d, d->ins[i].target) : -1;
		if (is(d, i, D_LIST_APPEND, 1) && group_way(d, i + 1) == g->end)
			group_set(d, i, D_JUMP, 0, leave); /* the last clause may end with a copy of what follows */
		else if (to == next || to == g->end ||
			 (to >= 0 && is(d, to, D_LIST_APPEND, 1) && group_way(d, to + 1) == g->end))
			d->ins[i].target = leave;
	}
}

/* What handles exceptions within a clause's body finds on the stack neither the exception that the clauses
   are tested for, nor the list, nor what no clause has taken yet: HELD entries. */
static void lower_nested(struct group *g, const struct star *s)
{
	struct dec *d = g->d;
	struct except *e;
	int outer = -1;

	for (e = d->except; e < d->except + d->nexcept; e++)
		if (e->target == g->outer && e->start <= s->match && s->match < e->end)
			outer = e->depth;
	for (e = d->except; outer >= 0 && e < d->except + d->nexcept; e++)
		if (e->start >= s->body && e->end <= s->no && e->target >= s->body && e->target < s->no &&
		    e->target != s->cleanup && e->depth >= outer + HELD)
			e->depth -= HELD;
}

static void rewrite_clause(struct group *g, const struct star *s)
{
	struct dec *d = g->d;
	struct except *e;
	int i;

	leave_body(g, s);
	group_set(d, s->match, D_EXC_MATCH, 1, -1);
	i = group_next(d, s->match);
	group_set(d, i, D_NOP, 0, -1);
	i = group_next(d, i);
	d->ins[i].arg = IF_FALSE;
	group_set(d, s->no, D_NOP, 0, -1);
	lower_nested(g, s);
	if (s->cleanup < 0)
		return;
	group_set(d, unbinds(d, s->cleanup), D_RERAISE, 1, -1);
	for (e = d->except; e < d->except + d->nexcept; e++)
		if (e->target == s->cleanup) {
			e->depth -= HELD;
			if (!s->named)
				e->target = g->outer;
		}
}

static void rewrite(struct group *g)
{
	struct dec *d = g->d;
	int i, k;

	for (k = 0; k < g->n; k++)
		rewrite_clause(g, &g->star[k]);
	for (i = g->push + 1; i < g->star[0].match; i++) { /* the list, and the copy */
		enum dop op = d->ins[i].op;

		if (op == D_NOP)
			continue;
		group_set(d, i, D_NOP, 0, -1);
		if (op == D_SWAP || (op == D_COPY && is(d, i - 1, D_NOP, 0)))
			break;
	}
	group_set(d, group_next(d, g->star[g->n - 1].no), D_RERAISE, 0, -1);
	for (i = g->end; i < g->leave; i++)
		group_set(d, i, i + 1 < g->leave ? D_NOP : D_RERAISE, 0, -1);
}

void group_find(struct dec *d)
{
	struct group g = { .d = d };
	int i;

	for (i = d->n; i-- > 0;) /* inner ones first */
		if (d->ins[i].op == D_PUSH_EXC && find_group(&g, i))
			rewrite(&g);
}
