/* SPDX-License-Identifier: BSD-3-Clause */
/* Chained comparisons: CPython keeps the middle value twice and jumps over the rest where the first part is false.  The
   jump is removed here, and the comparisons are marked, so that later passes see one expression. */
#include <Python.h>
#include <string.h>
#include "py/decompile/tree/dec.h"

enum { LINKS = 16, FAR = 200 };

/* One chain: its links, and the comparison that ends it. */
struct chain {
	int link[LINKS], jump[LINKS], n;
	int last;   /* the comparison */
	int clean;  /* where the jumps lead to: it drops the middle value */
	bool value; /* the result is a value; else a jump tests it */
};

static int next_ins(struct dec *d, int i)
{
	for (i++; i < d->n && (d->ins[i].op == D_NOP || d->ins[i].op == D_BOOL); i++)
		;
	return i < d->n ? i : -1;
}

static bool ins_is(struct dec *d, int i, enum dop op, int arg)
{
	return i >= 0 && d->ins[i].op == op && (arg < 0 || d->ins[i].arg == arg);
}

/* The instruction that runs in the end when this one is to run. */
static int runs_at(struct dec *d, int i)
{
	int most = d->n;

	while (i >= 0 && i < d->n && most--) {
		if (d->ins[i].op == D_NOP)
			i++;
		else if (d->ins[i].op == D_JUMP)
			i = d->ins[i].target;
		else
			return i;
	}
	return -1;
}

/* What a middle or last operand may consist of: nothing that is written as a statement. */
static bool is_operand(enum dop op)
{
	static const enum dop plain[] = { D_NOP,    D_CONST, D_NULL,  D_FAST,	D_GLOBAL, D_NAME,     D_DEREF, D_ATTR,
					  D_METHOD, D_CALL,  D_UNARY, D_BINARY, D_SUBSCR, D_KW_NAMES, D_TUPLE };
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (plain[i] == op)
			return true;
	return false;
}

/* SWAP 2, COPY 2, a comparison and its jump, from i on. */
static bool find_link(struct dec *d, int i, struct chain *c)
{
	int copy = next_ins(d, i), compare = ins_is(d, copy, D_COPY, 2) ? next_ins(d, copy) : -1,
	    jump = ins_is(d, compare, D_COMPARE, -1) ? next_ins(d, compare) : -1;
	bool value = ins_is(d, jump, D_JUMP_OR_POP, IF_FALSE);

	if (!ins_is(d, i, D_SWAP, 2) || jump < 0 || (!value && !ins_is(d, jump, D_JUMP_IF, IF_FALSE)) || c->n == LINKS)
		return false;
	if (c->n && (value != c->value || d->ins[jump].target != c->clean))
		return false;
	c->value = value;
	c->clean = d->ins[jump].target;
	c->link[c->n] = compare;
	c->jump[c->n++] = jump;
	return true;
}

/* Is what follows the chain the same whichever comparison is false? */
static bool ends_alike(struct dec *d, const struct chain *c)
{
	int clean = runs_at(d, c->clean), after = next_ins(d, c->last), pop, way;

	if (c->value) {
		pop = ins_is(d, clean, D_SWAP, 2) ? next_ins(d, clean) : -1;
		if (!ins_is(d, pop, D_POP, -1))
			return false;
		clean = runs_at(d, pop + 1);
		after = runs_at(d, c->last + 1);
		return clean >= 0 && after >= 0 &&
		       (clean == after || (d->ins[clean].op == D_RETURN && d->ins[after].op == D_RETURN));
	}
	if (!ins_is(d, clean, D_POP, -1) || !ins_is(d, after, D_JUMP_IF, -1) || d->ins[after].arg > IF_TRUE)
		return false;
	way = d->ins[after].arg == IF_FALSE ? d->ins[after].target : after + 1;
	return runs_at(d, clean + 1) == runs_at(d, way);
}

/* The chain whose first link begins at i. */
static bool find_chain(struct dec *d, int i, const uint8_t *led, struct chain *c)
{
	int k, from = i;

	c->n = 0;
	if (!find_link(d, i, c))
		return false;
	for (k = c->jump[0] + 1; k < d->n && k - from < FAR; k++) {
		if (led[k])
			return false;
		if (d->ins[k].op == D_COMPARE) {
			c->last = k;
			break;
		}
		if (d->ins[k].op == D_SWAP && find_link(d, k, c))
			k = c->jump[c->n - 1];
		else if (!is_operand(d->ins[k].op))
			return false;
	}
	if (k >= d->n || d->ins[k].op != D_COMPARE)
		return false;
	for (k = from + 1; k <= c->last; k++)
		if (led[k])
			return false;
	return ends_alike(d, c);
}

static void join_chain(struct dec *d, int from, const struct chain *c)
{
	int i, k;

	for (i = 0; i < c->n; i++) {
		for (k = i ? c->link[i] - 1 : from; k >= from && d->ins[k].op != D_SWAP; k--)
			;
		for (k = i ? k : from; k < c->link[i]; k++)
			d->ins[k].op = D_NOP;
		for (k = c->link[i] + 1; k <= c->jump[i]; k++) {
			d->ins[k].op = D_NOP;
			d->ins[k].target = -1;
		}
		if (i)
			d->ins[c->link[i]].op = D_CHAIN;
	}
	d->ins[c->last].op = D_CHAIN;
}

void compare_chains_find(struct dec *d)
{
	uint8_t *led = NULL;
	struct chain c;
	int i, k;

	for (i = 0; i + 1 < d->n; i++) {
		if (d->ins[i].op != D_SWAP || d->ins[i].arg != 2)
			continue;
		if (!led) {
			led = dec_alloc(d, (size_t)d->n + 1);
			for (k = 0; k < d->n; k++)
				if (d->ins[k].target >= 0)
					led[d->ins[k].target] = 1;
			for (k = 0; k < d->nexcept; k++)
				led[d->except[k].start] = led[d->except[k].end] = led[d->except[k].target] = 1;
		}
		if (find_chain(d, i, led, &c))
			join_chain(d, i, &c);
	}
}
