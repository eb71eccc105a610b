/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the blocks of the flow graph begin.  Knows instructions, and no blocks. */
#include <Python.h>
#include <string.h>
#include "py/decompile/flow/flow.h"

enum { SAME_END = 64, COPIES = 8, TEST = 64, JUMPS = 8 };

static bool jumps(enum dop op)
{
	return op == D_JUMP || op == D_JUMP_IF || op == D_JUMP_OR_POP || op == D_FOR_ITER;
}

/* How many instructions before these two jumps compute the same condition, and nothing else; 0: they do not. */
static int same_test(struct dec *d, int a, int b)
{
	int n;

	if (d->ins[a].arg / 2 != d->ins[b].arg / 2)
		return 0;
	for (n = 1; n <= TEST && n <= a && b - n > a && ins_same(d->ins + a - n, d->ins + b - n, 1); n++)
		if (d->ins[a - n].op == D_JUMP_IF || d->ins[a - n].target >= 0)
			return 0;
		else if (condition_trial_alone(d, b - n, b) && condition_trial_alone(d, a - n, a))
			return n;
	return 0;
}

/* Where jumps alone lead from here. */
static int jumps_to(const struct dec *d, int i)
{
	int most = JUMPS;

	while (i < d->n && most--)
		if (d->ins[i].op == D_NOP)
			i++;
		else if (d->ins[i].op == D_JUMP)
			i = d->ins[i].target;
		else
			break;
	return i;
}

/* A loop's test at its end, jump i, that is the one at its beginning, before instruction `body`. */
static void cut_test(struct dec *d, uint8_t *cuts, int i, int body)
{
	int a = body - 1, n;

	while (body <= i && a > 0 && d->ins[a].op == D_NOP)
		a--;
	while (body <= i && a >= 0 && d->ins[a].op == D_JUMP_IF && d->ins[i].op == D_JUMP_IF &&
	       (n = same_test(d, a, i))) {
		cuts[a - n] = cuts[i - n] = 1;
		a -= n + 1;
		i -= n + 1;
	}
}

/* Such a test is a block of its own, at both places. */
static void cut_tests(struct dec *d, uint8_t *cuts)
{
	int i;

	for (i = 0; i < d->n; i++)
		if (d->ins[i].op == D_JUMP_IF) {
			cut_test(d, cuts, i, jumps_to(d, d->ins[i].target));
			cut_test(d, cuts, i, jumps_to(d, i + 1));
		}
}

/* POP_EXCEPT in a handler that only raises again what it got; after a clause the exception of another one is raised. */
static bool silently(struct dec *d, int i)
{
	return i + 1 < d->n && d->ins[i + 1].op == D_RERAISE &&
	       !(d->ins[i + 1].arg == 0 && i > 0 && d->ins[i - 1].op != D_COPY);
}

/* What comes before the POPs that i follows; -1: there are none, or more follow. */
static int before_pops(const struct dec *d, int i)
{
	int k = i - 1;

	if (i < 5 || i >= d->n || d->ins[k].op != D_POP || d->ins[i].op == D_POP)
		return -1;
	while (k > 0 && d->ins[k].op == D_POP)
		k--;
	return k;
}

/* Is this the call __exit__(None, None, None)? */
static bool exits_with(const struct dec *d, int k)
{
	int n;

	if (d->ins[k].op != D_CALL)
		return false;
	for (n = 0, k--; k >= 0 && n < 3 && (d->ins[k].op == D_NOP || d->ins[k].op == D_CONST); k--)
		n += d->ins[k].op == D_CONST && d->ins[k].obj == Py_None;
	return n == 3;
}

bool cut_leaves(const struct dec *d, int i, bool *swallowed)
{
	int k = before_pops(d, i);

	if (k < 0)
		return false;
	*swallowed = d->ins[k].op == D_POP_EXCEPT;
	return *swallowed ? i - k > 2 : i - k == 2 && exits_with(d, k);
}

bool cut_breaks(const struct dec *d, int i)
{
	int k = before_pops(d, i);

	return k >= 0 && i - k == 2 + py_iterator_slots && exits_with(d, k);
}

int cut_after_loop(const struct dec *d, int i)
{
	int x = d->ins[i].target, n;

	if (d->ins[i].op != D_FOR_ITER || d->ins[x].op != D_END_FOR)
		return -1;
	for (n = d->ins[x++].arg; n-- && x < d->n && d->ins[x].op == D_POP; x++)
		;
	return x < d->n ? x : -1;
}

bool cut_same_end(const struct dec *d, int i, int k)
{
	int n;

	for (n = 0; n < SAME_END && i + n < d->n && k + n < d->n; n++) {
		if (d->ins[i + n].target >= 0 || d->ins[i + n].part || d->ins[i + n].stretch ||
		    !ins_same(d->ins + i + n, d->ins + k + n, 1))
			return false;
		if (dec_ends(d->ins[i + n].op))
			return n != 1 || d->ins[i].op != D_CONST;
	}
	return false;
}

/* A variable changes before anything else can happen: that is not a part of the with statement which ends at i. */
static bool stores_first(const struct dec *d, int i)
{
	for (; i < d->n; i++)
		if (d->ins[i].op == D_STORE_FAST || d->ins[i].op == D_DELETE_FAST)
			return true;
		else if (d->ins[i].op != D_NOP && d->ins[i].op != D_CONST && d->ins[i].op != D_FAST &&
			 d->ins[i].op != D_SWAP && d->ins[i].op != D_POP && d->ins[i].op != D_COPY)
			break;
	return false;
}

/* What follows a loop is there twice: where it ends, and where a with statement is left by `break`. */
static void cut_loop_ends(struct dec *d, uint8_t *cuts)
{
	int after[COPIES], n = 0, i, k, x;

	for (i = 0; i < d->n; i++) {
		x = cut_after_loop(d, i);
		if (x >= 0)
			after[n++ % COPIES] = x;
		for (k = 0; k < COPIES && k < n && cut_breaks(d, i); k++)
			if (after[k] != i && cut_same_end(d, after[k], i))
				cuts[after[k]] = cuts[i] = 1;
	}
}

/* What follows a with statement is there twice: where its body ends, and where an exception was swallowed. */
static void cut_ends(struct dec *d, uint8_t *cuts)
{
	int before[COPIES], n = 0, i, k;
	bool swallowed;

	for (i = 0; i < d->n; i++) {
		if (!cut_leaves(d, i, &swallowed))
			continue;
		if (!swallowed) {
			before[n++ % COPIES] = i;
			cuts[i] = cuts[i] || stores_first(d, i);
			continue;
		}
		for (k = 0; k < COPIES && k < n; k++)
			if (cut_same_end(d, before[k], i))
				cuts[before[k]] = cuts[i] = 1;
	}
}

uint8_t *cut_find(struct dec *d, bool each)
{
	uint8_t *cuts = dec_alloc(d, (size_t)d->n + 2);
	int i;

	if (each)
		memset(cuts, 1, (size_t)d->n);

	cuts[0] = 1;
	for (i = 0; i < d->n; i++) {
		enum dop op = d->ins[i].op;

		if (jumps(op))
			cuts[d->ins[i].target] = 1;
		if (jumps(op) || dec_ends(op) || (op == D_POP_EXCEPT && !silently(d, i)))
			cuts[i + 1] = 1;
		if (op == D_FOR_ITER)
			cuts[i] = 1;
		if (op == D_BYTECODE) {
			cuts[i] = cuts[i + 1] = 1;
			if (d->ins[i].target >= 0)
				cuts[d->ins[i].target] = 1;
		}
	}
	for (i = 0; i < d->nexcept; i++)
		cuts[d->except[i].start] = cuts[d->except[i].end] = cuts[d->except[i].target] = 1;
	cut_tests(d, cuts);
	cut_ends(d, cuts);
	cut_loop_ends(d, cuts);
	return cuts;
}
