/* SPDX-License-Identifier: BSD-3-Clause */
/* finally clauses: the compiler writes one in the handler, and again on each way out of the try statement.  Where all
   of these are the same the copies are left out.  Knows blocks, and no statements. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/decompile/flow/flow.h"

enum { EXITS = 32, RAISES = 16, CLAUSE = 2000, END = 12 };

struct place {
	int block, at; /* at: in d->ins */
};

/* An instruction of a clause or of a copy of it. */
struct copied {
	int at, index; /* in d->ins, and in the code */
	int of;	       /* the clause's, in d->ins */
};

/* A clause in its handler, and one of its copies. */
struct same {
	struct dec *d;
	int handler;	    /* block */
	int *with;	    /* of each instruction of the clause: that of the copy and one more; 0: not known yet */
	struct outs seen;   /* those of the clause that have one */
	struct outs blocks; /* that these and their copies are in */
	int left;
	uint8_t *changed;	     /* a set: blocks that are no longer what they were, or have new ways to them */
	struct place end;	     /* where the copy ends; block -1: not known yet */
	int raises[RAISES], nraises; /* the instructions that end the clause */
	struct copied *copied;	     /* those of all copies that were looked at, a copy after the other */
	int ncopied, copied_cap;
};

static struct place place_of(struct dec *d, int k)
{
	return (struct place){ k, d->block[k].first };
}

/* The next instruction that does anything. */
static struct place first_acting(struct dec *d, struct place p)
{
	const struct block *b = &d->block[p.block];
	int most = d->nblock;

	for (;; p = place_of(d, b->succ[0]), b = &d->block[p.block]) {
		while (p.at < b->end && d->ins[p.at].op == D_NOP)
			p.at++;
		if ((p.at < b->end && d->ins[p.at].op != D_JUMP) || b->kind != B_FALL || !most--)
			return p;
	}
}

/* Where jumps from here lead.  A block that does nothing may be where a loop around the statement begins. */
static struct place jumped(struct dec *d, struct place p)
{
	const struct block *b = &d->block[p.block];
	struct place next = p;
	int most = d->nblock;

	for (;; p = next = place_of(d, b->succ[0]), b = &d->block[p.block]) {
		while (next.at < b->end && d->ins[next.at].op == D_NOP)
			next.at++;
		if (b->kind != B_FALL || !most-- || (next.at < b->end && d->ins[next.at].op != D_JUMP) ||
		    (next.at == b->end && p.at == b->first))
			return p;
	}
}

static bool same_ins(const struct ins *x, const struct ins *y)
{
	if (x->part || x->stretch || y->part || y->stretch)
		return false;
	return ins_same(x, y, 1);
}

/* Do both lead to the end of the function, in the same way? */
static bool leave_alike(struct dec *d, struct place x, struct place y)
{
	int n;

	for (n = 0; n < END; n++, x.at++, y.at++) {
		x = first_acting(d, x);
		y = first_acting(d, y);
		if (x.at == y.at)
			return true;
		if (x.at >= d->block[x.block].end || y.at >= d->block[y.block].end || d->ins[x.at].target >= 0 ||
		    d->block[x.block].handler != d->block[y.block].handler || !same_ins(&d->ins[x.at], &d->ins[y.at]))
			return false;
		if (dec_ends(d->ins[x.at].op))
			return true;
	}
	return false;
}

static bool clause_ends(struct same *s, struct place h, struct place k)
{
	int i;

	for (i = 0; i < s->nraises && s->raises[i] != h.at; i++)
		;
	if (i == RAISES)
		return false;
	if (i == s->nraises)
		s->raises[s->nraises++] = h.at;
	k = jumped(s->d, k);
	if (s->end.block < 0)
		s->end = k;
	if (flow_covered(s->d, k.block, s->handler)) /* back into the statement: the clause could not be seen */
		return false;
	return s->end.at == k.at || leave_alike(s->d, s->end, k);
}

static bool copied_from(struct same *s, struct place h, struct place k, int depth);

/* What handles exceptions of the clause is what is around the statement, or is in the copy, too. */
static bool handled_alike(struct same *s, int h, int k, int depth)
{
	struct dec *d = s->d;
	const int by_h = d->block[h].handler, by_k = d->block[k].handler, around = d->block[s->handler].handler;

	if (by_h == by_k)
		return by_h == around || !flow_may_raise(d, &d->block[h]);
	if (by_h < 0 || by_k < 0 || by_h == around || by_k == around)
		return !flow_may_raise(d, &d->block[h]) && !flow_may_raise(d, &d->block[k]);
	return d->block[h].lasti == d->block[k].lasti && copied_from(s, place_of(d, by_h), place_of(d, by_k), depth);
}

/* depth: exceptions that are being handled in the clause; 1: its own. */
static bool copied_from(struct same *s, struct place h, struct place k, int depth)
{
	struct dec *d = s->d;

	dec_deep();
	for (;; h.at++, k.at++) {
		const struct block *b, *c;
		const struct place copy = k;
		const struct ins *in;

		h = first_acting(d, h);
		k = first_acting(d, k);
		b = &d->block[h.block];
		c = &d->block[k.block];
		if (--s->left < 0 || h.at >= b->end || k.at >= c->end || set_has(s->changed, h.block) ||
		    set_has(s->changed, k.block))
			return false;
		in = &d->ins[h.at];
		if (depth == 1 && in->op == D_RERAISE)
			return clause_ends(s, h, copy);
		if (s->with[h.at])
			return s->with[h.at] == k.at + 1;
		if (!same_ins(in, &d->ins[k.at]))
			return false;
		s->with[h.at] = k.at + 1;
		outs_push(d, &s->seen, h.at);
		if (b->first == h.at || c->first == k.at || !s->blocks.n) {
			outs_push(d, &s->blocks, h.block);
			outs_push(d, &s->blocks, k.block);
		}
		if (!handled_alike(s, h.block, k.block, depth))
			return false;
		depth += (in->op == D_PUSH_EXC) - (in->op == D_POP_EXCEPT);
		if (depth < 1 || in->op == D_RETURN)
			return false;
		if (dec_ends(in->op))
			return true;
		if (h.at < flow_body_end(b))
			continue;
		if (k.at < flow_body_end(c) || b->kind != c->kind || b->succ[1] < 0 || c->succ[1] < 0 ||
		    !copied_from(s, place_of(d, b->succ[1]), place_of(d, c->succ[1]), depth))
			return false;
		h = place_of(d, b->succ[0]);
		k = place_of(d, c->succ[0]);
		h.at--;
		k.at--;
	}
}

/* ---- the ways out of the statement -------------------------------------------------------------- */

/* The exception table leaves out blocks that do nothing: is this one of these, within the statement? */
static bool is_gap(struct dec *d, int k, int handler)
{
	struct place p;

	if (!flow_only_from(d, &d->block[k], handler))
		return false;
	for (p = place_of(d, k);; p = place_of(d, d->block[p.block].succ[0])) {
		const struct block *b = &d->block[p.block];

		if (flow_covered(d, p.block, handler))
			return true;
		while (p.at < b->end && (d->ins[p.at].op == D_NOP || d->ins[p.at].op == D_JUMP))
			p.at++;
		if (p.at < b->end || b->kind != B_FALL || (p.block != k && b->npred > 1))
			return false;
	}
}

/* Blocks that what the handler covers leads to.  -1: there are too many, or it returns there. */
static int ways_out(struct dec *d, const struct outs *covered, int handler, int out[EXITS])
{
	int n = 0, i, e, k, to;

	for (i = 0; i < covered->n; i++) {
		const struct block *b = &d->block[k = covered->block[i]];

		if (b->kind == B_END && d->ins[b->end - 1].op == D_RETURN)
			return -1;
		for (e = 0; e < 2; e++) {
			to = b->succ[e];
			if (to < 0 || flow_covered(d, to, handler) || is_gap(d, to, handler))
				continue;
			for (k = 0; k < n && out[k] != to; k++)
				;
			if (k < n)
				continue;
			if (n == EXITS || to == handler || !flow_only_from(d, &d->block[to], handler))
				return -1;
			out[n++] = to;
		}
	}
	return n;
}

static void forget_copy(struct same *s)
{
	while (s->seen.n)
		s->with[s->seen.block[--s->seen.n]] = 0;
	s->blocks.n = 0;
	s->end.block = -1;
	s->left = CLAUSE;
}

/* Room for one more instruction and range for each of so many handlers. */
static void make_room(struct dec *d, int n)
{
	struct ins *ins = dec_alloc(d, (size_t)(d->n + n) * sizeof(*ins));
	struct except *except = dec_alloc(d, (size_t)(d->nexcept + n) * sizeof(*except));

	dec_copy(ins, d->ins, (size_t)d->n * sizeof(*ins));
	dec_copy(except, d->except, (size_t)d->nexcept * sizeof(*except));
	d->ins = ins;
	d->except = except;
}

/* ---- which instructions are written as one ------------------------------------------------------ */

static void add_copied(struct same *s, int at, int of)
{
	struct copied *more;

	if (s->ncopied == s->copied_cap) {
		s->copied_cap = s->copied_cap ? 2 * s->copied_cap : 64;
		more = dec_alloc(s->d, (size_t)s->copied_cap * sizeof(*more));
		dec_copy(more, s->copied, (size_t)s->ncopied * sizeof(*more));
		s->copied = more;
	}
	s->copied[s->ncopied++] = (struct copied){ at, s->d->ins[at].index, of };
}

static int compare_places(const void *a, const void *b)
{
	return ((const struct copied *)a)->at - ((const struct copied *)b)->at;
}

/* The copy that was looked at, with what does nothing between two of its instructions. */
static void note_copy(struct same *s)
{
	const int first = s->ncopied;
	int i, k, n;

	for (i = 0; i < s->seen.n; i++)
		add_copied(s, s->with[s->seen.block[i]] - 1, s->seen.block[i]);
	qsort(s->copied + first, (size_t)(s->ncopied - first), sizeof(*s->copied), compare_places);
	for (i = first, n = s->ncopied; i + 1 < n; i++) {
		for (k = s->copied[i].at + 1; s->d->ins[k].op == D_NOP || s->d->ins[k].op == D_JUMP; k++)
			;
		if (k == s->copied[i + 1].at)
			while (--k > s->copied[i].at)
				add_copied(s, k, s->copied[i].of);
	}
}

/* The clause's instructions have the indexes now that they keep. */
static void note_same(struct same *s)
{
	struct dec *d = s->d;
	int *same = d->copies.same, i, of;

	if (d->depth)
		return;
	if (!same) {
		same = d->copies.same = dec_alloc(d, (size_t)d->c->n * sizeof(*same));
		for (i = 0; i < d->c->n; i++)
			same[i] = i;
	}
	for (i = 0; i < s->ncopied; i++) {
		of = d->ins[s->copied[i].of].index;
		if (s->copied[i].index >= 0 && of >= 0 && same[of] == of)
			same[s->copied[i].index] = of;
	}
}

/* The clause is made of the instructions of the last copy that was looked at, which runs more often, for whoever asks;
   and all its ends are one. */
static void keep_clause(struct same *s, int push)
{
	struct dec *d = s->d;
	struct except *by = NULL;
	int i;

	for (i = 0; i < s->seen.n; i++)
		d->ins[s->seen.block[i]].index = d->ins[s->with[s->seen.block[i]] - 1].index;
	d->ins[d->n] = d->ins[s->raises[0]];
	d->ins[d->n].target = push;
	for (i = 0; i < d->nexcept; i++)
		if (d->except[i].start <= s->raises[0] && s->raises[0] < d->except[i].end)
			by = &d->except[i];
	if (by) {
		d->except[d->nexcept] = *by;
		d->except[d->nexcept].start = d->n;
		d->except[d->nexcept++].end = d->n + 1;
	}
	for (i = 0; i < s->nraises; i++)
		d->ins[s->raises[i]] = (struct ins){ .op = D_JUMP,
						     .target = d->n,
						     .index = d->ins[s->raises[i]].index };
	d->ins[push].target = d->n++;
	d->ins[push].arg = 0;
}

static bool leave_out_copies(struct dec *d, int handler, const struct outs *covered, int *with, uint8_t *changed,
			     int *room)
{
	struct same s = { .d = d, .handler = handler, .with = with, .changed = changed };
	const struct place push = first_acting(d, place_of(d, handler));
	struct place end[EXITS], first = push;
	int out[EXITS], n, i, k;
	bool same;

	if (push.at >= d->block[push.block].end || d->ins[push.at].op != D_PUSH_EXC || d->ins[push.at].target >= 0)
		return false;
	first.at++;
	n = ways_out(d, covered, handler, out);
	for (i = 0, same = n > 0; i < n && same; i++) {
		forget_copy(&s);
		same = copied_from(&s, first, place_of(d, out[i]), 1) && s.seen.n && s.end.block >= 0;
		end[i] = s.end;
		if (same)
			note_copy(&s);
	}
	if (same) {
		for (i = 0; i < s.seen.n; i++)
			add_copied(&s, s.seen.block[i], s.seen.block[i]);
		for (i = 0; i < s.blocks.n; i++)
			set_add(changed, s.blocks.block[i]);
		if (!*room)
			make_room(d, *room = d->nblock);
		keep_clause(&s, push.at);
		note_same(&s);
		for (i = 0; i < n; i++) {
			k = d->block[out[i]].first;
			d->ins[k] = (struct ins){ .op = D_JUMP, .target = end[i].at, .index = d->ins[k].index };
			set_add(changed, out[i]);
			set_add(changed, end[i].block);
		}
		set_add(changed, handler);
	}
	forget_copy(&s);
	return same;
}

bool finally_copies_find(struct dec *d)
{
	struct outs *covered;
	uint8_t *changed;
	int *with, k, h, most, room = 0;
	const int nblock = d->nblock;
	bool any = false;

	if (d->made.raw_finally || d->made.part || d->stretches || !d->nexcept)
		return false;
	covered = dec_alloc(d, (size_t)nblock * sizeof(*covered));
	with = dec_alloc(d, (size_t)d->n * sizeof(*with));
	changed = set_new(d);
	for (k = 0; k < nblock; k++)
		for (h = d->block[k].gone ? -1 : d->block[k].handler, most = nblock; h >= 0 && most--;
		     h = d->block[h].handler)
			outs_push(d, &covered[h], k);
	for (h = 0; h < nblock; h++)
		if (covered[h].n && leave_out_copies(d, h, &covered[h], with, changed, &room))
			any = true;
	d->made.finally = d->made.finally || any;
	d->copies.left_out = d->copies.left_out || any;
	return any;
}

/* The instruction that such a clause begins with in this handler; -1: there is none. */
static int clause_push(const struct dec *d, int handler)
{
	const struct block *b = &d->block[handler];
	int i;

	for (i = b->first; i < b->end && d->ins[i].op == D_NOP; i++)
		;
	return i < b->end && d->ins[i].op == D_PUSH_EXC && d->ins[i].target >= 0 ? i : -1;
}

int finally_copies_end(struct dec *d, int handler)
{
	const int push = clause_push(d, handler);
	int k;

	if (push < 0)
		return -1;
	if (d->ins[push].arg++) /* a way from one of the statements to the other would run the clause */
		dec_refuse(d, d->ins[push].index, "a finally clause of two statements");
	for (k = d->nblock - 1; k >= 0 && d->block[k].first != d->ins[push].target; k--)
		;
	return k;
}

/* Does it not matter whether this block is before or after the clause? */
static bool only_leaves(struct dec *d, const struct block *b, int handler)
{
	const bool with = with_ends_around(d, (int)(b - d->block), handler);
	int i;

	for (i = b->first; i < b->end; i++)
		switch (d->ins[i].op) {
		case D_CALL: /* of __exit__() */
			if (!with)
				return false;
			break;
		case D_NOP:
		case D_CONST:
		case D_RETURN:
		case D_JUMP:
		case D_POP:
		case D_SWAP:
		case D_POP_EXCEPT:
		case D_END_FOR:
			break;
		default:
			return false;
		}
	return b->handler < 0 || flow_covered(d, handler, b->handler);
}

bool finally_copies_opens(struct dec *d, int k, int cover)
{
	int h, most = d->nblock;

	for (h = d->block[k].handler; h >= 0 && most--; h = d->block[h].handler)
		if (h != cover && clause_push(d, h) >= 0 && (cover < 0 || !flow_covered(d, cover, h)))
			return true;
	return false;
}

bool finally_copies_before(struct dec *d, int k, int cover)
{
	int h, most = d->nblock;

	for (h = cover; h >= 0 && most--; h = d->block[h].handler)
		if (clause_push(d, h) >= 0 && !flow_covered(d, k, h) && !only_leaves(d, &d->block[k], h))
			return true;
	/* the clause of a statement within this one must be covered, too */
	for (h = cover >= 0 ? d->block[k].handler : -1; h >= 0 && most--; h = d->block[h].handler)
		if (h != cover && clause_push(d, h) >= 0 && !flow_covered(d, cover, h) && !flow_covered(d, h, cover))
			return true;
	return false;
}
