/* SPDX-License-Identifier: BSD-3-Clause */
/* any(), all(), tuple(), list() and set() of a generator expression: CPython 3.14 and later write a loop beside the
   call, for when the name is bound to the builtin.  The call does the same, and alone stays. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tree/dec.h"

enum { TAIL = 40 };

struct shortcut {
	const char *name;
	int call; /* the NULL of the call, after which the generator is made */
	int made; /* it is made here for the loop, by as many instructions */
	int n;
	int after; /* what follows the call */
};

static int next_at(struct dec *d, int i)
{
	for (i++; i < d->n && (d->ins[i].op == D_NOP || d->ins[i].op == D_BOOL); i++)
		;
	return i;
}

static bool holds_op(struct dec *d, int i, enum dop op, int arg)
{
	return i >= 0 && i < d->n && d->ins[i].op == op && (arg < 0 || d->ins[i].arg == arg);
}

static int reached_from(struct dec *d, int i)
{
	int most = d->n;

	while (i < d->n && (d->ins[i].op == D_NOP || d->ins[i].op == D_JUMP) && most--)
		i = d->ins[i].op == D_NOP ? i + 1 : d->ins[i].target;
	return i < d->n ? i : -1;
}

/* Does the same happen from both on?  The compiler copies short ends. */
static bool same_from(struct dec *d, int a, int b)
{
	int most = TAIL;

	while (most--) {
		a = reached_from(d, a);
		b = reached_from(d, b);
		if (a < 0 || b < 0)
			return false;
		if (a == b)
			return true;
		if (!ins_same(&d->ins[a], &d->ins[b], 1) || d->ins[a].op == D_FOR_ITER)
			return false;
		if (dec_ends(d->ins[a].op))
			return true;
		if (d->ins[a].target >= 0 && reached_from(d, d->ins[a].target) != reached_from(d, d->ins[b].target))
			return false;
		a++;
		b++;
	}
	return false;
}

/* A constant on the stack, and then what follows the call. */
static bool gives(struct dec *d, int i, PyObject *v, int after)
{
	i = reached_from(d, i);
	return holds_op(d, i, D_CONST, -1) && d->ins[i].obj == v && same_from(d, i + 1, after);
}

/* What takes the iterator off the stack from i on, after the end of the loop or not: the index after it, -1: nothing
   does. */
static int iterator_off(struct dec *d, int i, bool ended)
{
	int n;

	if (ended && !holds_op(d, i, D_END_FOR, -1))
		return -1;
	i = ended ? next_at(d, i) : i;
	for (n = 0; n < py_iterator_slots; n++) {
		if (!holds_op(d, i, D_POP, -1))
			return -1;
		i = n + 1 < py_iterator_slots ? next_at(d, i) : i + 1;
	}
	return i;
}

/* The loop of any() or all() from i on. */
static bool finds(struct dec *d, int i, const struct shortcut *s)
{
	bool any = !strcmp(s->name, "any");
	int test = next_at(d, i), back, out, end;

	if (!holds_op(d, test, D_JUMP_IF, any ? IF_TRUE : IF_FALSE))
		return false;
	back = next_at(d, test);
	out = iterator_off(d, d->ins[test].target, false);
	end = iterator_off(d, d->ins[i].target, true);
	return holds_op(d, back, D_JUMP, -1) && d->ins[back].target == i && out >= 0 && end >= 0 &&
	       gives(d, out, any ? Py_True : Py_False, s->after) && gives(d, end, any ? Py_False : Py_True, s->after);
}

/* The loop that fills a list or set. */
static bool fills(struct dec *d, int i, const struct shortcut *s)
{
	int add = next_at(d, i), back = next_at(d, add), k = iterator_off(d, d->ins[i].target, true);

	if (!holds_op(d, add, strcmp(s->name, "set") ? D_LIST_APPEND : D_SET_ADD, -1) ||
	    !holds_op(d, back, D_JUMP, -1) || d->ins[back].target != i || k < 0)
		return false;
	k = next_at(d, k - 1);
	if (!strcmp(s->name, "tuple")) {
		if (!holds_op(d, k, D_LIST_TO_TUPLE, -1))
			return false;
		k++;
	}
	return same_from(d, k, s->after);
}

/* How many instructions are the same after the NULL of the call and for the loop. */
static int made_alike(struct dec *d, const struct shortcut *s)
{
	const struct ins *a = d->ins + s->call + 1, *b = d->ins + s->made, *end = d->ins + d->n;
	int n;

	for (n = 0; a + n < end && b + n < end && b[n].op != D_NULL && ins_same(a + n, b + n, 1); n++)
		if ((a[n].target < 0) != (b[n].target < 0) ||
		    (a[n].target >= 0 && a[n].target - s->call - 1 != b[n].target - s->made))
			break;
	return n;
}

/* COPY, the builtin, a comparison and its jump to the call, from i on. */
static bool shortcut_at(struct dec *d, int i, struct shortcut *s)
{
	int common = next_at(d, i), is = next_at(d, common), jump = next_at(d, is), k;
	bool finder;

	if (!holds_op(d, common, D_COMMON, -1) || !holds_op(d, is, D_COMPARE, -1) || strcmp(d->ins[is].text, "is") ||
	    !holds_op(d, jump, D_JUMP_IF, IF_FALSE))
		return false;
	s->name = d->ins[common].text;
	finder = !strcmp(s->name, "any") || !strcmp(s->name, "all");
	s->call = d->ins[jump].target;
	k = next_at(d, jump);
	if (!holds_op(d, s->call, D_NULL, -1) || !holds_op(d, k, D_POP, -1))
		return false;
	k = next_at(d, k);
	if (!finder) {
		if (!holds_op(d, k, strcmp(s->name, "set") ? D_LIST : D_SET, 0))
			return false;
		k = next_at(d, k);
	}
	s->made = k;
	s->n = made_alike(d, s);
	if (!holds_op(d, s->call + 1 + s->n, D_CALL, 1))
		return false;
	s->after = s->call + 2 + s->n;
	k = s->made + s->n;
	if (holds_op(d, k, D_NULL, -1)) /* the iterator's second entry */
		k++;
	if (!holds_op(d, k, D_FOR_ITER, -1) || (finder ? !finds(d, k, s) : !fills(d, k, s)))
		return false;
	d->ins[common].op = d->ins[is].op = D_NOP;
	d->ins[jump].op = D_JUMP;
	return true;
}

void builtin_loops_find(struct dec *d)
{
	struct shortcut s;
	int i;

	for (i = 0; i < d->n; i++)
		if (holds_op(d, i, D_COPY, 1) && shortcut_at(d, i, &s))
			d->ins[i].op = D_NOP;
}
