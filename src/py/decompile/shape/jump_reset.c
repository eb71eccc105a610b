/* SPDX-License-Identifier: BSD-3-Clause */
/* A jump over code in between sets a variable.  An exception on the way, of __exit__() for one, ends the jump: handlers
   reset the variable, and so does what follows a with statement that swallows the exception.  Knows statements only. */
#include <Python.h>
#include <string.h>
#include "py/decompile/shape/shape.h"

static struct temp *jump_of(const struct expr *e)
{
	return e && e->kind == E_TEMP && e->temp->jumps ? e->temp : NULL;
}

static bool is_zero(const struct expr *e)
{
	return e->kind == E_CONST && PyLong_CheckExact(e->obj) && PyLong_AsLong(e->obj) == 0;
}

/* The variable that a statement in this body sets for a jump; NULL: none does. */
static struct temp *sets(const struct body *b)
{
	const struct stmt *s;
	struct temp *t = NULL;

	dec_deep();
	for (s = b->first; s && !t; s = s->next) {
		if (s->kind == S_ASSIGN && jump_of(s->target) && !is_zero(s->value))
			t = s->target->temp;
		if (!t && s->kind != S_DEF)
			t = sets(&s->body);
		if (!t)
			t = sets(&s->other);
		if (!t)
			t = sets(&s->last);
	}
	return t;
}

/* ---- where a jump is under way ------------------------------------------------------------------ */

/* A state is a set of values that the variable may have: OFF for 0, a bit for each other, ANY for all that have none.
   Empty: the code is not reached. */
enum { BITS = 30, OFF = 1, ANY = 1 << BITS, ON = (ANY | (ANY - 1)) & ~OFF };

struct jumps {
	struct temp *t; /* the variable, if it is set at all */
	bool cut;	/* an exception may come while a jump is under way */
	int brk, cont;	/* how break and continue leave */
	long *value;	/* of each bit but that of OFF, BITS in all; 0: of none yet */
};

static int flow_body(const struct body *b, int state, struct jumps *j);

static void may_raise(int state, struct jumps *j)
{
	j->cut = j->cut || state & ON;
}

static int bit_of(const struct expr *e, struct jumps *j)
{
	long v;
	int i;

	if (is_zero(e))
		return OFF;
	v = e->kind == E_CONST && PyLong_CheckExact(e->obj) ? PyLong_AsLong(e->obj) : 0;
	for (i = 1; v && i < BITS; i++) {
		if (!j->value[i])
			j->value[i] = v;
		if (j->value[i] == v)
			return 1 << i;
	}
	return ANY;
}

/* With which states is the test true, if it is one of the variable?  0: it is another test, or not alone. */
static int true_with(const struct expr *e, struct jumps *j)
{
	int i, k, all = 0;

	dec_deep();
	if (e->kind == E_COMPARE && e->n == 2 && jump_of(e->kid[0]) && !strcmp(e->text, "=="))
		return bit_of(e->kid[1], j);
	if (e->kind != E_BOOL || strcmp(e->text, "or"))
		return 0;
	for (i = 0; i < e->n; i++) {
		k = true_with(e->kid[i], j);
		if (!k)
			return 0;
		all |= k;
	}
	return all;
}

static int flow_if(const struct stmt *s, int state, struct jumps *j)
{
	int in = true_with(s->value, j), skip = state;

	if (in && s->kind == S_IF) {
		skip = state & (~in | ANY);
		in &= state;
	} else if (s->kind == S_IF && s->value->kind == E_BOOL && !strcmp(s->value->text, "and") &&
		   true_with(s->value->kid[0], j) == OFF) {
		in = state & OFF;
	} else {
		may_raise(state, j);
		in = state;
	}
	in = flow_body(&s->body, in, j);
	return in | flow_body(&s->other, skip, j);
}

static int flow_loop(const struct stmt *s, int state, struct jumps *j)
{
	const bool endless = s->kind == S_WHILE && s->value->kind == E_CONST && PyObject_IsTrue(s->value->obj) == 1;
	const struct stmt *first = s->body.first;
	struct jumps in = { .t = j->t, .cut = j->cut, .value = j->value };
	int again = flow_body(&s->body, state, &in) | in.cont;

	if (!endless)
		may_raise(state | again, &in);
	if (!first || first->kind != S_ASSIGN || !jump_of(first->target))
		may_raise(again, &in);
	j->t = in.t;
	j->cut = in.cut;
	return in.brk | (endless ? 0 : flow_body(&s->other, state | again, j));
}

static int flow_with(const struct stmt *s, int state, struct jumps *j)
{
	struct jumps in = { .t = j->t, .cut = j->cut, .value = j->value };
	int end;

	may_raise(state, &in);
	end = flow_body(&s->body, OFF, &in);
	may_raise(end | in.brk | in.cont, &in); /* __exit__() */
	j->t = in.t;
	j->cut = in.cut;
	j->brk |= in.brk;
	j->cont |= in.cont;
	return end | OFF; /* if it swallows the exception: jump_reset_tidy() sees to it */
}

static int flow_try(const struct stmt *s, int state, struct jumps *j)
{
	struct jumps in = { .t = j->t, .cut = j->cut, .value = j->value };
	int end = flow_body(&s->last, flow_body(&s->body, state, &in), &in);
	const struct stmt *c;

	for (c = s->other.first; c && c->value; c = c->next)
		end |= flow_body(&c->body, OFF, &in); /* as with with statements */
	if (c) {
		may_raise(end | in.brk | in.cont, &in);
		flow_body(&c->body, OFF, &in);
	}
	j->t = in.t;
	j->cut = in.cut;
	j->brk |= in.brk;
	j->cont |= in.cont;
	return end;
}

static int flow_stmt(const struct stmt *s, int state, struct jumps *j)
{
	switch (s->kind) {
	case S_ASSIGN:
		if (!jump_of(s->target))
			break;
		if (is_zero(s->value))
			return OFF;
		j->t = s->target->temp;
		return bit_of(s->value, j);
	case S_BREAK:
		j->brk |= state;
		return 0;
	case S_CONTINUE:
		j->cont |= state;
		return 0;
	case S_IF:
		return flow_if(s, state, j);
	case S_WHILE:
	case S_FOR:
		return flow_loop(s, state, j);
	case S_WITH:
		return flow_with(s, state, j);
	case S_TRY:
		return flow_try(s, state, j);
	case S_RETURN:
	case S_RAISE:
		may_raise(state, j);
		return 0;
	default:
		break;
	}
	may_raise(state, j);
	return state;
}

static int flow_body(const struct body *b, int state, struct jumps *j)
{
	const struct stmt *s;

	dec_deep();
	for (s = b->first; s && state; s = s->next)
		state = flow_stmt(s, state, j);
	return state;
}

/* ---- what ends it ------------------------------------------------------------------------------- */

static struct expr *no_jump(struct dec *d, const struct stmt *s)
{
	PyObject *v = dec_hold(d, PyLong_FromLong(0));

	if (!v)
		dec_refuse(d, s->from, "out of memory");
	return dec_const(d, v);
}

static void end_jump(struct dec *d, struct stmt *clause, struct temp *t)
{
	struct body first;

	dec_body_init(&first);
	dec_stmt(&first, d, S_ASSIGN, dec_temp_use(d, t), no_jump(d, clause), clause->from);
	first.first->next = clause->body.first;
	clause->body.first = first.first;
	if (!first.first->next)
		clause->body.end = &first.first->next;
}

/* What follows a with statement that has swallowed an exception begins without a jump.  `how`: how its body ends.
   Where that may be with a jump, another variable says whether it was reached.  The link to the last statement. */
static struct stmt **end_swallowed(struct dec *d, struct stmt **at, struct temp *t, int how)
{
	struct stmt *with = *at, *s;
	struct temp *cut = how & ON ? dec_temp(d) : NULL;
	struct body around;

	dec_body_init(&around);
	if (cut) {
		dec_stmt(&around, d, S_ASSIGN, dec_temp_use(d, cut), dec_const(d, Py_True), with->from);
		while (*with->body.end)
			with->body.end = &(*with->body.end)->next;
		dec_stmt(&with->body, d, S_ASSIGN, dec_temp_use(d, cut), dec_const(d, Py_False), with->from);
		s = dec_stmt(&around, d, S_IF, NULL, dec_temp_use(d, cut), with->from);
	} else {
		s = NULL;
	}
	dec_stmt(s ? &s->body : &around, d, S_ASSIGN, dec_temp_use(d, t), no_jump(d, with), with->from);
	s = s ? s : around.first;
	s->next = with->next;
	with->next = s;
	if (cut) {
		around.first->next = with;
		*at = around.first;
	}
	return &s->next;
}

static void check_finally(struct dec *d, const struct stmt *try)
{
	const struct stmt *c;
	long value[BITS] = { 0 };
	struct jumps j = { .value = value };

	for (c = try->other.first; c && c->value; c = c->next)
		;
	if (!c || !sets(&c->body))
		return;
	flow_try(try, OFF, &j);
	if (j.cut)
		dec_refuse(d, c->from, "a jump in a finally clause that another jump leads to");
}

/* How the body of this statement ends. */
static int jumps_in(const struct stmt *s, struct jumps *j)
{
	long value[BITS] = { 0 };
	int how;

	*j = (struct jumps){ .value = value };
	how = s->kind == S_TRY || s->kind == S_WITH ? flow_body(&s->body, OFF, j) : 0;
	j->value = NULL;
	return how;
}

void jump_reset_tidy(struct dec *d, struct body *b)
{
	struct stmt **at, *s, *c;
	struct jumps j;
	int how;

	dec_deep();
	for (at = &b->first; (s = *at);) {
		how = jumps_in(s, &j);
		if (s->kind == S_TRY)
			check_finally(d, s);
		for (c = s->kind == S_TRY && j.cut ? s->other.first : NULL; c && c->value; c = c->next)
			end_jump(d, c, j.t);
		jump_reset_tidy(d, &s->body);
		jump_reset_tidy(d, &s->other);
		jump_reset_tidy(d, &s->last);
		if (s->kind == S_DEF)
			jump_reset_tidy(d, &s->function->body);
		if (s->kind == S_WITH && j.cut) {
			at = end_swallowed(d, at, j.t, how);
			if (!*at)
				b->end = at;
		} else {
			at = &s->next;
		}
	}
}
