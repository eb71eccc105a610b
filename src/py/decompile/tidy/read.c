/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code for people: values that its compiler keeps in variables of its own are read where they are used, and
   helpers that assign are assignments.  Not for text that is compiled; does not know whose code it is. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/tidy/read.h"

enum {
	FARTHEST = 300, /* statements between a value and its use */
	ROUNDS = 40,
};

/* ---- which variables there are, and how they are used ------------------------------------------- */

static void find_own(struct reader *r)
{
	PyCodeObject *co = (PyCodeObject *)r->d->c->co;
	const int args = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
			 !!(co->co_flags & CO_VARKEYWORDS);
	const int n = code_nlocals(r->d->c);
	int i;

	r->index = dec_hold(r->d, PyDict_New());
	r->own = dec_alloc(r->d, ((size_t)n + 1) * sizeof(*r->own));
	for (i = args; i < n; i++) {
		const char *what = code_local_kind(r->d->c, i) == LOCAL_FAST ?
					   r->d->style->reads_as(r->d->style->arg, code_local_name(r->d->c, i)) :
					   NULL;
		PyObject *k = what && (!*what || !strcmp(what, "()")) ? PyLong_FromLong(i) : NULL;

		if (k && PyDict_SetItem(r->index, PyTuple_GET_ITEM(co->co_localsplusnames, i), k) < 0)
			PyErr_Clear();
		r->own[i].result = k && *what;
		Py_XDECREF(k);
	}
}

static void count_names(struct reader *r, const struct expr *e, bool store)
{
	struct own *o;
	int i;

	dec_deep();
	if (!e)
		return;
	o = read_own(r, e);
	if (o)
		*(store ? &o->stores : &o->uses) += 1;
	for (i = 0; i < e->n; i++)
		count_names(r, e->kid[i],
			    (store && (e->kind == E_TUPLE || e->kind == E_STAR)) || (e->kind == E_WALRUS && !i) ||
				    (e->kind == E_COMPREHENSION && i >= 2 && (i - 2) % 2 == 0));
	if (e->kind == E_LAMBDA) {
		count_names(r, e->function->defaults ? e->function->defaults->e : NULL, false);
		count_names(r, e->function->kwdefaults ? e->function->kwdefaults->e : NULL, false);
	}
}

static void count_statements(struct reader *r, const struct body *b)
{
	const struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (!read_deletes(s))
			count_names(r, s->target, s->kind != S_RAISE && s->kind != S_ASSERT && s->kind != S_DELETE);
		if (s->kind == S_AUG)
			count_names(r, s->target, false);
		count_names(r, s->value, false);
		count_statements(r, &s->body);
		count_statements(r, &s->other);
		count_statements(r, &s->last);
		if (s->function) {
			count_names(r, s->function->defaults ? s->function->defaults->e : NULL, false);
			count_names(r, s->function->kwdefaults ? s->function->kwdefaults->e : NULL, false);
			count_names(r, s->function->annotations ? s->function->annotations->e : NULL, false);
			count_names(r, s->function->cells, false);
		}
	}
}

void read_count(struct dec *d, struct body *b)
{
	struct reader *r = d->reader;
	int i;

	statements_count(d, b);
	for (i = 0; i < code_nlocals(d->c); i++)
		r->own[i].uses = r->own[i].stores = 0;
	count_statements(r, b);
}

/* ---- values where they are used ----------------------------------------------------------------- */

static bool is_display(const struct expr *e)
{
	return e->kind == E_TUPLE || e->kind == E_LIST || e->kind == E_SET || e->kind == E_DICT;
}

static bool is_movable(const struct reader *r, const struct expr *e, bool once);

/* A lambda is made anywhere, if its defaults can be. */
static bool is_movable_lambda(const struct reader *r, const struct function *f)
{
	return (!f->defaults || is_movable(r, f->defaults->e, true)) &&
	       (!f->kwdefaults || is_movable(r, f->kwdefaults->e, true));
}

/* Can it be read in another place, and if it is used there more than once, is it short enough? */
static bool is_movable(const struct reader *r, const struct expr *e, bool once)
{
	int i;

	dec_deep();
	if (read_fixed(r, e))
		return true;
	if (r->fixed_only)
		return false;
	if (e->kind == E_NAME || library_builtin(r->d, e))
		return true;
	if (e->kind == E_LAMBDA)
		return once && is_movable_lambda(r, e->function);
	if (!(once ? e->kind == E_ATTR || e->kind == E_SUBSCR || is_display(e) :
		     e->kind == E_ATTR && e->kid[0]->kind == E_NAME))
		return false;
	for (i = 0; i < e->n; i++)
		if (e->kid[i] && !is_movable(r, e->kid[i], once))
			return false;
	return true;
}

/* A call that may change anything is evaluated after its arguments: may the value be computed there? */
static bool fits(const struct reader *r, const struct expr *value, const struct stmt *s, const struct expr *v)
{
	const struct expr *e = s->value;

	if (read_fixed(r, value))
		return true;
	if (s->kind == S_WHILE)
		return false;
	if (!read_wild(r->d, s->value) && !read_wild(r->d, s->target))
		return true;
	if (read_wild(r->d, s->target) || read_wild(r->d, e) != 1 || read_uses(s->target, v))
		return false;
	return e->kind == E_CALL && !read_tame(r->d, e->kid[0]);
}

/* Of all uses of a value, those in this statement and the next ones; the last of these.  NULL: it does not fit one. */
static struct stmt *last_use(const struct reader *r, struct stmt *s, const struct expr *v, const struct expr *value,
			     int uses)
{
	int seen = 0, here, within, k;

	dec_deep();
	for (k = 0; s && k < FARTHEST; s = s->next, k++) {
		here = read_uses_at(s, v);
		within = read_uses_in(&s->body, v) + read_uses_in(&s->other, v) + read_uses_in(&s->last, v);
		if (here && !fits(r, value, s, v))
			return NULL;
		if (within && !read_stays(r, value, s) &&
		    (s->kind != S_TRY || read_uses_in(&s->body, v) != within ||
		     !last_use(r, s->body.first, v, value, within)))
			return NULL;
		seen += here + within;
		if (seen == uses)
			return s;
		if (!read_stays(r, value, s))
			return NULL;
	}
	return NULL;
}

/* The statement is about these instructions, too. */
static void begin_at(const struct dec *d, struct stmt *s, int from)
{
	if (s->from < 0 || from < 0 || from >= s->from)
		return;
	s->from = from;
	if (s->folded)
		read_fold(d, s);
}

/* A statement that is not shown: its last instructions belong to that before it, where none follows. */
static void drop_moved(const struct dec *d, struct body *b, struct stmt **at, struct stmt *before)
{
	struct stmt *s = *at, *next = read_next_shown(s);

	if (next && s->kind == S_DELETE)
		begin_at(d, next, s->from);
	else if (!next && before && before->to >= 0 && before->to < s->to && !before->folded)
		before->to = s->to;
	*at = s->next;
	if (!*at)
		b->end = at;
}

static int uses_of(const struct reader *r, const struct expr *v, int *stores)
{
	const struct own *o = read_own(r, v);

	*stores = o ? o->stores : v->kind == E_TEMP ? v->temp->stores : 0;
	return o ? o->uses : v->kind == E_TEMP ? v->temp->uses : 0;
}

/* A name that the value is passed on by stays, unless it only repeats another. What a graph computed is taken in a line
   of its own if that gives it a name, or if it is used more than once. */
static bool keeps_name(const struct reader *r, const struct stmt *s, int uses)
{
	if (read_takes_result(r, s) &&
	    (s->target->kind != E_TEMP || (uses > 1 && dec_hinted_name(r->d, r->d->c, s->target->temp))))
		return true;
	return s->target->kind == E_TEMP && s->value->kind != E_NAME && !library_builtin(r->d, s->value) &&
	       !read_constant(s->value) && dec_hinted_name(r->d, r->d->c, s->target->temp) &&
	       !(read_takes_result(r, s) && dec_name_taken(r->d, r->d->c, s->target->temp->hint));
}

static bool needs_no_reader(const struct reader *r, const struct expr *e)
{
	if (e->kind == E_ATTR && library_module(r->d, e->kid[0]))
		return true;
	return read_constant(e) || library_builtin(r->d, e) || e->kind == E_NAME || e->kind == E_TEMP ||
	       e->kind == E_CELL || is_display(e);
}

/* Nothing reads what this statement stores: nobody needs it, or only the call that it is. */
static bool is_unneeded(const struct reader *r, struct stmt *s)
{
	if (needs_no_reader(r, s->value) && !read_wild(r->d, s->value))
		return true;
	if (s->value->kind == E_CALL) {
		s->kind = S_EXPR;
		s->target = NULL;
	}
	return false;
}

/* x = x of an argument: code that makes a cell for it stores it there again. */
static bool is_itself(const struct reader *r, const struct stmt *s)
{
	PyObject *name = s->target->kind == E_NAME ? s->target->obj : NULL;

	return name && !s->folded && s->value->kind == E_NAME && s->value->obj == name &&
	       run_has_variable(r->d->c, name) && !run_own_variable(r->d->c, name);
}

/* What a graph computed is the same before and after anything. */
static void mark_fixed(const struct reader *r, struct expr *e)
{
	int i;

	dec_deep();
	if (!e)
		return;
	if (e->kind == E_SUBSCR && read_fixed(r, e))
		e->steady = true;
	for (i = 0; i < e->n; i++)
		mark_fixed(r, e->kid[i]);
}

/* Its value is evaluated first in the next statement that is shown, and only there: it needs no name of its own. */
static bool joins_next(struct reader *r, struct stmt *s)
{
	struct stmt *next = read_next_shown(s);
	struct expr **use;

	if (!next || r->fixed_only || s->target->kind != E_TEMP || dec_hinted_name(r->d, r->d->c, s->target->temp) ||
	    read_takes_result(r, s) || walrus_rebinds(s->value, next))
		return false;
	mark_fixed(r, next->value);
	use = first_use_find(next, s->target->temp);
	if (!use)
		return false;
	*use = s->value;
	begin_at(r->d, next, s->folded ? -1 : s->from);
	return true;
}

/* It is one of the bases of the class that comes next, where nothing is called before the class is made. */
static bool joins_bases(struct reader *r, struct stmt *s)
{
	struct stmt *next = read_next_shown(s), bases = { .kind = S_EXPR };

	if (!next || r->fixed_only || next->kind != S_DEF || next->value || !code_kind_is_class(next->function->code) ||
	    !is_movable(r, s->value, true))
		return false;
	bases.value = next->function->defaults->e;
	if (read_uses(bases.value, s->target) != 1 || read_wild(r->d, bases.value))
		return false;
	read_put_at(&bases, s->target, s->value);
	begin_at(r->d, next, s->from);
	return true;
}

/* A value that waits on the stack while code runs that only serves the compiler: it is passed on there. */
static bool only_passes(const struct stmt *s)
{
	return s->target->kind == E_TEMP && s->value->kind == E_TEMP;
}

static bool move(struct reader *r, struct stmt *s)
{
	int stores, uses, from = s->folded ? -1 : s->from;
	struct stmt *last, *t;

	if (s->kind == S_DELETE)
		return !r->fixed_only && read_own(r, s->target) && !s->folded;
	if (s->kind != S_ASSIGN)
		return false;
	if (!r->fixed_only && is_itself(r, s))
		return true;
	uses = uses_of(r, s->target, &stores);
	if (stores != 1 || (s->folded && (!uses || !only_passes(s))))
		return false;
	if (!uses)
		return !r->fixed_only && is_unneeded(r, s);
	if (uses == 1 && (joins_next(r, s) || joins_bases(r, s)))
		return true;
	if (keeps_name(r, s, uses) || !is_movable(r, s->value, uses == 1))
		return false;
	last = last_use(r, s->next, s->target, s->value, uses);
	if (!last || last->folded)
		return false;
	for (t = s->next; t != last->next; t = t->next) {
		if (read_uses_at(t, s->target))
			begin_at(r->d, t, from);
		read_put_at(t, s->target, s->value);
	}
	return true;
}

/* Some statement was moved. */
static bool move_all(struct reader *r, struct body *b)
{
	struct stmt **at, *s, *before = NULL;
	bool moved = false;

	dec_deep();
	for (at = &b->first; (s = *at) != NULL;) {
		dec_poll();
		if (move(r, s)) {
			drop_moved(r->d, b, at, before);
			moved = true;
			continue;
		}
		moved |= move_all(r, &s->body);
		moved |= move_all(r, &s->other);
		moved |= move_all(r, &s->last);
		before = s;
		at = &s->next;
	}
	return moved;
}

/* ---- assignments within expressions ------------------------------------------------------------- */

/* x = (t := v)[0] with a variable of the compiler's own: t = v, then x = t[0].  Nothing is evaluated before v. */
static struct expr **first_evaluated(struct expr **e)
{
	while (*e && ((*e)->kind == E_SUBSCR || (*e)->kind == E_ATTR || (*e)->kind == E_CALL))
		e = &(*e)->kid[0];
	return e;
}

static void split_assignments(struct reader *r, struct body *b)
{
	struct stmt **at, *s, *more;
	struct expr **e;
	struct body one;

	dec_deep();
	for (at = &b->first; (s = *at) != NULL; at = &s->next) {
		split_assignments(r, &s->body);
		split_assignments(r, &s->other);
		split_assignments(r, &s->last);
		if (s->kind != S_ASSIGN && s->kind != S_EXPR && s->kind != S_RETURN && s->kind != S_IF)
			continue;
		e = first_evaluated(&s->value);
		if (!*e || (*e)->kind != E_WALRUS || !read_own(r, (*e)->kid[0]))
			continue;
		dec_body_init(&one);
		more = dec_stmt(&one, r->d, S_ASSIGN, (*e)->kid[0], (*e)->kid[1], (*e)->index);
		*e = more->target;
		more->next = s;
		*at = more;
	}
}

void read_begin(struct dec *d, struct body *b)
{
	d->reader = dec_alloc(d, sizeof(*d->reader));
	d->reader->d = d;
	find_own(d->reader);
	read_fold_all(d, b);
}

void read_move_fixed(struct dec *d, struct body *b)
{
	split_assignments(d->reader, b);
	read_count(d, b);
	d->reader->fixed_only = true;
	move_all(d->reader, b);
	d->reader->fixed_only = false;
}

void read_move(struct dec *d, struct body *b)
{
	bool moved = true;
	int k;

	for (k = 0; k < ROUNDS && moved; k++) { /* what is called is known then, and lets others pass */
		read_count(d, b);
		moved = move_all(d->reader, b);
	}
}
