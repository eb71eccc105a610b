/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.12 and later copy a short end of a function to each way that leads to it, also in the middle of an
   expression: `return f(a if b else c)`.  Copies of one end that follow both values of a condition become one. */
#include <Python.h>
#include "py/decompile/tree/dec.h"

enum { PATH = 60 };

/* Instructions from the beginning of a value to the end of the function. */
struct path {
	int at[PATH], n;
};

/* joined: by instruction, where a condition's values meet; 0: they do not. */
static bool follow_value(const struct dec *d, const int *joined, int i, struct path *p)
{
	for (p->n = 0; i < d->n && p->n < PATH;) {
		if (d->ins[i].op != D_NOP)
			p->at[p->n++] = i;
		if (d->ins[i].op == D_RETURN)
			return true;
		if (joined[i])
			i = joined[i];
		else if (d->ins[i].target >= 0 || dec_ends(d->ins[i].op))
			return false;
		else
			i++;
	}
	return false;
}

static int copied_line(const struct dec *d, int i)
{
	return d->c->instr[d->ins[i].index].line;
}

/* What covers it is the same for both. */
static bool covered_alike(const struct dec *d, int i, int k)
{
	const struct except *e, *a = NULL, *b = NULL;

	for (e = d->except; e < d->except + d->nexcept; e++) {
		a = e->start <= i && i < e->end ? e : a;
		b = e->start <= k && k < e->end ? e : b;
	}
	return (!a && !b) || (a && b && a->target == b->target && a->depth == b->depth && a->lasti == b->lasti);
}

/* Only a value comes of these, and what handles exceptions of the jump handles theirs. */
static bool is_one_value(const struct dec *d, const struct path *p, int n, int depth, int jump)
{
	int i;

	for (i = 0; i < n; i++) {
		switch (d->ins[p->at[i]].op) {
		case D_STORE_FAST:
		case D_STORE_GLOBAL:
		case D_STORE_NAME:
		case D_STORE_DEREF:
		case D_STORE_ATTR:
		case D_STORE_SUBSCR:
		case D_STORE_SLICE:
		case D_DELETE_FAST:
		case D_DELETE_GLOBAL:
		case D_DELETE_NAME:
		case D_DELETE_DEREF:
		case D_DELETE_ATTR:
		case D_DELETE_SUBSCR:
		case D_POP:
		case D_SWAP:
		case D_PUSH_EXC:
		case D_POP_EXCEPT:
		case D_WITH:
			return false;
		default:
			break;
		}
		if (ins_depth(d, p->at[i]) < depth || !covered_alike(d, p->at[i], jump))
			return false;
	}
	return true;
}

/* How many of the last instructions of both are copies that follow one value above that depth; 0: none. */
static int copied(const struct dec *d, const struct path *a, const struct path *b, int depth)
{
	int n, most = a->n < b->n ? a->n : b->n, found = 0;

	for (n = 1; n <= most; n++) {
		const int i = a->at[a->n - n], k = b->at[b->n - n];

		if (i == k || !ins_same(&d->ins[i], &d->ins[k], 1) || copied_line(d, i) != copied_line(d, k) ||
		    d->ins[i].target >= 0 || !covered_alike(d, i, k))
			break;
		if (ins_depth(d, i) == depth + 1 && ins_depth(d, k) == depth + 1)
			found = n;
	}
	return found;
}

void copied_ends_join(struct dec *d)
{
	int *joined = dec_alloc(d, (size_t)(d->n + 1) * sizeof(*joined)), i, n, depth;
	struct path a, b;

	if (!d->c->depth_ok)
		return;
	for (i = d->n - 1; i >= 0; i--) {
		const struct ins *in = &d->ins[i];

		depth = in->op == D_JUMP_IF || in->op == D_JUMP_OR_POP ? ins_depth(d, i) - 1 : 0;
		if (depth < 1 || in->target <= i || !follow_value(d, joined, i + 1, &a) ||
		    !follow_value(d, joined, in->target, &b))
			continue;
		n = copied(d, &a, &b, depth);
		if (!n || n == a.n || (in->op == D_JUMP_OR_POP) != (n == b.n) ||
		    !is_one_value(d, &a, a.n - n, depth, i) || !is_one_value(d, &b, b.n - n, depth, i))
			continue;
		joined[i] = b.at[b.n - n];
		d->ins[a.at[a.n - n]] = (struct ins){ .op = D_JUMP,
						      .target = joined[i],
						      .index = d->ins[a.at[a.n - n]].index };
	}
}
