/* SPDX-License-Identifier: BSD-3-Clause */
/* The flow graph of a code object: blocks, their handlers, what leads where.  Knows what jumps, and no expressions. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/decompile/flow/flow.h"

enum { COPIES = 8 };

int flow_body_end(const struct block *b)
{
	return b->kind == B_FALL || b->kind == B_END ? b->end : b->end - 1;
}

/* Is this block, or what handles its exceptions, covered by the handler? */
bool flow_covered(struct dec *d, int k, int handler)
{
	int h, most = d->nblock;

	for (h = d->block[k].handler; h >= 0 && most--; h = d->block[h].handler)
		if (h == handler)
			return true;
	return false;
}

/* The block has stored or read the variable before it deletes it here. */
static bool was_bound(struct dec *d, const struct block *b, int i)
{
	PyObject *name = d->ins[i].obj;

	while (--i >= b->first)
		if (d->ins[i].obj == name && d->ins[i].op != D_CONST)
			return d->ins[i].op == D_STORE_FAST || d->ins[i].op == D_FAST;
	return false;
}

/* `e = None; del e` ends a clause: the name of a module, a class or a cell is there to be deleted. */
static bool ends_clause(const struct dec *d, const struct block *b, int i)
{
	const struct ins *store = d->ins[i].op == D_STORE_NAME || d->ins[i].op == D_STORE_GLOBAL ||
						  d->ins[i].op == D_STORE_DEREF ?
					  &d->ins[i] :
					  &d->ins[i - 1];

	return store - d->ins > b->first && store + 1 < d->ins + b->end && store[-1].op == D_CONST &&
	       store[-1].obj == Py_None && store[1].obj == store->obj &&
	       ((store->op == D_STORE_NAME && store[1].op == D_DELETE_NAME) ||
		(store->op == D_STORE_GLOBAL && store[1].op == D_DELETE_GLOBAL) ||
		(store->op == D_STORE_DEREF && store[1].op == D_DELETE_DEREF));
}

bool flow_may_raise(struct dec *d, const struct block *b)
{
	int i;

	for (i = b->first; i < b->end; i++)
		switch (d->ins[i].op) {
		case D_FAST:
			if (d->ins[i].text)
				return true;
			break;
		case D_NOP:
		case D_CONST:
		case D_RETURN:
		case D_JUMP:
		case D_POP:
		case D_STORE_FAST:
		case D_SWAP:
		case D_POP_EXCEPT:
		case D_COPY:
		case D_END_FOR:
			break;
		case D_DELETE_FAST:
			if (!was_bound(d, b, i))
				return true;
			break;
		case D_STORE_NAME:
		case D_STORE_GLOBAL:
		case D_STORE_DEREF:
		case D_DELETE_NAME:
		case D_DELETE_GLOBAL:
		case D_DELETE_DEREF:
			if (!ends_clause(d, b, i))
				return true;
			break;
		default:
			return true;
		}
	return false;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

static void ends_how(struct dec *d, struct block *b, int k, const int *block_at)
{
	const struct ins *last = &d->ins[b->end - 1];
	int next = k + 1 < d->nblock ? k + 1 : -1;

	b->succ[0] = b->succ[1] = -1;
	b->kind = B_FALL;
	switch (last->op) {
	case D_RETURN:
	case D_RAISE:
	case D_RERAISE:
		b->kind = B_END;
		return;
	case D_BYTECODE:
		if (last->target < 0)
			b->kind = B_END;
		else
			b->succ[0] = block_at[last->target];
		return;
	case D_JUMP:
		b->succ[0] = block_at[last->target];
		return;
	case D_JUMP_IF:
	case D_JUMP_OR_POP:
	case D_FOR_ITER:
		b->kind = last->op == D_JUMP_IF ? B_COND : last->op == D_FOR_ITER ? B_FOR : B_OR_POP;
		b->or_true = last->arg == IF_TRUE;
		b->succ[1] = block_at[last->target];
		break;
	default:
		break;
	}
	b->succ[0] = next;
	if (next < 0)
		dec_refuse(d, last->index, "code that continues after its end");
}

static void make_blocks(struct dec *d, bool each)
{
	const uint8_t *cuts = cut_find(d, each);
	int *block_at = dec_alloc(d, (size_t)(d->n + 2) * sizeof(*block_at)), i, k;
	struct block *b = NULL;

	for (i = 0, k = 0; i < d->n; i++)
		k += cuts[i];
	d->block = dec_alloc(d, (size_t)(k + 1) * sizeof(*d->block));
	d->nblock = 0;
	for (i = 0; i < d->n; i++) {
		if (cuts[i] || !b) {
			b = &d->block[d->nblock];
			b->first = i;
			b->handler = b->yes = b->no = -1;
			b->more_end = &b->more;
			block_at[i] = d->nblock++;
		}
		b->end = i + 1;
	}
	block_at[d->n] = -1;
	for (k = 0; k < d->nblock; k++)
		ends_how(d, &d->block[k], k, block_at);
	for (i = 0; i < d->nexcept; i++) { /* an inner range comes after the outer one that it splits */
		const struct except *e = &d->except[i];

		for (k = block_at[e->start]; k >= 0 && k < d->nblock && d->block[k].first < e->end; k++) {
			b = &d->block[k];
			b->handler = block_at[e->target];
			b->depth = e->depth;
			b->lasti = e->lasti;
		}
	}
}

static bool does_nothing(struct dec *d, const struct block *b)
{
	int i;

	for (i = b->first; i < b->end && d->ins[i].op == D_NOP; i++)
		;
	return b->kind == B_FALL && i == b->end;
}

/* A jump back to just after an empty block becomes a jump back to that block: one loop, not two. */
static void join_headers(struct dec *d)
{
	struct block *b;
	int k, p, i, back;

	for (k = 0; k + 1 < d->nblock; k++) {
		if (!does_nothing(d, &d->block[k]) || d->block[k].succ[0] != k + 1)
			continue;
		for (back = 0, p = k; p < d->nblock; p++)
			back += d->block[p].succ[0] == k || d->block[p].succ[1] == k;
		for (p = k + 1; back && p < d->nblock; p++)
			for (b = &d->block[p], i = 0; i < 2; i++)
				b->succ[i] = b->succ[i] == k + 1 ? k : b->succ[i];
	}
}

/* A block that only jumps on is left out: what leads to it leads further. */
static void skip_jumps(struct dec *d)
{
	const struct block *b;
	int k, i, j, most;

	for (k = 0; k < d->nblock; k++)
		for (i = 0; i < 2; i++)
			for (most = d->nblock; d->block[k].succ[i] >= 0 && most--;) {
				b = &d->block[d->block[k].succ[i]];
				for (j = b->first; j < b->end && d->ins[j].op == D_NOP; j++)
					;
				if (b->kind != B_FALL || j != b->end - 1 || d->ins[j].op != D_JUMP ||
				    b->succ[0] == d->block[k].succ[i])
					break;
				d->block[k].succ[i] = b->succ[0];
			}
	/* where a value was dropped that nobody else could see, nothing is left */
	for (k = 0; k < d->nblock; k++)
		if (d->block[k].kind == B_OR_POP && does_nothing(d, &d->block[d->block[k].succ[0]]))
			d->block[k].succ[0] = d->block[d->block[k].succ[0]].succ[0];
}

/* ---- reachability ------------------------------------------------------------------------------- */

void flow_reach(struct dec *d)
{
	int *todo = dec_alloc(d, (size_t)(3 * d->nblock + 3) * sizeof(*todo)), *count, n = 0, k, i, out[3], ne;
	uint8_t *seen = dec_alloc(d, (size_t)d->nblock + 1);

	dec_poll();
	todo[n++] = 0;
	seen[0] = 1;
	while (n) {
		ne = flow_edges(&d->block[todo[--n]], out);
		for (i = 0; i < ne; i++)
			if (!seen[out[i]]) {
				seen[out[i]] = 1;
				todo[n++] = out[i];
			}
	}
	count = dec_alloc(d, (size_t)(d->nblock + 1) * sizeof(*count));
	for (k = 0; k < d->nblock; k++) {
		d->block[k].gone = !seen[k];
		d->block[k].npred = 0;
		for (i = 0; seen[k] && i < 2; i++)
			if (d->block[k].succ[i] >= 0)
				count[d->block[k].succ[i]]++;
	}
	for (k = 0; k < d->nblock; k++)
		d->block[k].pred = dec_alloc(d, (size_t)(count[k] + 1) * sizeof(int));
	for (k = 0; k < d->nblock; k++)
		for (i = 0; seen[k] && i < 2; i++)
			if (d->block[k].succ[i] >= 0) {
				struct block *s = &d->block[d->block[k].succ[i]];

				s->pred[s->npred++] = k;
			}
}

/* ---- handlers that only put the exception state back: `except` and `with` do so by themselves ---- */

static bool silent(struct dec *d, const struct block *b)
{
	enum dop ops[5];
	int n = 0, i;

	for (i = b->first; i < b->end && n < 5; i++)
		if (d->ins[i].op != D_NOP)
			ops[n++] = d->ins[i].op;
	if (n == 3 && ops[0] == D_COPY && ops[1] == D_POP_EXCEPT && ops[2] == D_RERAISE)
		return true;
	if (n == 2 && ops[0] == D_STOP_ITERATION && ops[1] == D_RERAISE)
		return true;
	return n == 4 && ops[0] == D_CONST &&
	       (ops[1] == D_STORE_FAST || ops[1] == D_STORE_DEREF || ops[1] == D_STORE_GLOBAL ||
		ops[1] == D_STORE_NAME) &&
	       (ops[2] == D_DELETE_FAST || ops[2] == D_DELETE_DEREF || ops[2] == D_DELETE_GLOBAL ||
		ops[2] == D_DELETE_NAME) &&
	       ops[3] == D_RERAISE;
}

static void drop_silent(struct dec *d)
{
	int k, most;

	for (k = 0; k < d->nblock; k++) {
		struct block *b = &d->block[k];

		for (most = d->nblock; b->handler >= 0 && silent(d, &d->block[b->handler]) && most--;) {
			const struct block *h = &d->block[b->handler];

			b->depth = h->depth;
			b->lasti = h->lasti;
			b->handler = h->handler;
		}
	}
}

/* Copies of one end: what leads to block k leads to block j, if it is one. */
static bool join_copy(struct dec *d, int j, int k)
{
	const struct block *a = &d->block[j], *b = &d->block[k];
	int p, i;

	if (j == k || a->kind != B_END || a->handler != b->handler ||
	    (a->handler >= 0 && (a->depth != b->depth || a->lasti != b->lasti)) ||
	    a->end - a->first != b->end - b->first || !cut_same_end(d, a->first, b->first))
		return false;
	ins_join_loads(d->ins + a->first, d->ins + b->first, b->end - b->first);
	for (p = 0; p < d->nblock; p++)
		for (i = 0; i < 2; i++)
			if (d->block[p].succ[i] == k)
				d->block[p].succ[i] = j;
	return true;
}

/* One of the two is enough.  One that nothing leads to does not count: a finally clause must end where a way does. */
static void join_ends(struct dec *d)
{
	int before[COPIES], n = 0, loop[COPIES], loops = 0, k, j;
	const struct block *b;
	bool swallowed;

	for (k = 0; k < d->nblock; k++) {
		b = &d->block[k];
		if (b->gone)
			continue;
		if (b->kind == B_FOR && cut_after_loop(d, b->end - 1) >= 0)
			loop[loops++ % COPIES] = d->block[b->succ[1]].succ[0];
		if (b->kind != B_END)
			continue;
		for (j = 0; j < COPIES && j < loops && cut_breaks(d, b->first); j++)
			if (loop[j] >= 0 && join_copy(d, loop[j], k))
				break;
		if (!cut_leaves(d, b->first, &swallowed))
			continue;
		if (!swallowed) {
			before[n++ % COPIES] = k;
			continue;
		}
		for (j = 0; j < COPIES && j < n && !join_copy(d, before[j], k); j++)
			;
	}
}

bool flow_only_from(struct dec *d, const struct block *b, int handler)
{
	int i;

	for (i = 0; i < b->npred && flow_covered(d, b->pred[i], handler); i++)
		;
	return i == b->npred;
}

/* The exception table leaves out blocks that do nothing: a join of ways that are all in a try or with statement is in
   it, too, if it continues there. */
static void cover_joins(struct dec *d)
{
	struct block *b;
	int k, x, most;

	for (k = 0; k < d->nblock; k++) {
		b = &d->block[k];
		if (b->gone || !does_nothing(d, b) || b->npred < 2)
			continue;
		most = d->nblock;
		for (x = b->succ[0]; d->block[x].handler >= 0 && d->block[x].handler != b->handler && most--;
		     x = d->block[x].handler) {
			if (!flow_only_from(d, b, d->block[x].handler))
				continue;
			b->handler = d->block[x].handler;
			b->depth = d->block[x].depth;
			b->lasti = d->block[x].lasti;
			break;
		}
	}
}

void flow_build(struct dec *d)
{
	do {
		make_blocks(d, false);
		if (!d->nblock)
			dec_refuse(d, 0, "code without instructions");
		skip_jumps(d);
		join_headers(d);
		drop_silent(d);
		flow_reach(d);
		join_ends(d);
		flow_reach(d);
		cover_joins(d);
	} while (finally_copies_find(d));
	join_conditions(d);
	flow_reach(d);
	join_tests(d);
	dominators_build(d);
	dominators_split_headers(d);
	dominators_exceptions(d);
}

void flow_each(struct dec *d)
{
	make_blocks(d, true);
	flow_reach(d);
	dominators_find(d);
}
